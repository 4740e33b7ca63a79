"""From a rule by name to the numbers of its row, through the id map of its file."""

from __future__ import annotations

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.rules.parse import ParsedRule
from hybridkg.rules.rule_set import ABSENT, RULE_KINDS
from hybridkg.rules.safe_ids import SafeIds

#: Columns that have one number per rule, then the counts that a file may have.
NUMBERS = ("kind", "head", "head_constant", "body_constant", "support", "body_count")
COUNTS = ("pca_body", "head_size")


class Translation:
    """From names to ids, through the id map of the file where there is one."""

    def __init__(self, kg: KnowledgeGraph, ids: SafeIds | None, *, brackets: bool) -> None:
        self._kg, self._brackets, self._file = kg, brackets, ids.path if ids else None
        self._entities = ids.entities if ids else None
        self._relations = ids.relations if ids else None

    def __call__(self, parsed: ParsedRule) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Translate a rule; names that are not known raise LookupError.

        Returns:
            The numbers in the order of ``NUMBERS`` and ``COUNTS``, and the directed body.
        """
        if parsed.refused:
            raise ValueError(parsed.refused)
        if parsed.kind not in RULE_KINDS:
            raise ValueError(
                "a rule with one variable in both places of the head can be neither counted nor "
                "applied"
            )
        shift = self._kg.n_relations
        numbers = (
            RULE_KINDS.index(parsed.kind),
            self._relation(parsed.head[0]) + shift * parsed.head[1],
            ABSENT if parsed.head_constant is None else self._entity(parsed.head_constant),
            ABSENT if parsed.body_constant is None else self._entity(parsed.body_constant),
            ABSENT if parsed.support is None else parsed.support,
            ABSENT if parsed.predictions is None else parsed.predictions,
            ABSENT if parsed.pca_body is None else parsed.pca_body,
            ABSENT if parsed.head_size is None else parsed.head_size,
        )
        return numbers, tuple(
            [self._relation(name) + shift * turned for name, turned in parsed.body]
        )

    def _entity(self, name: str) -> int:
        return self._id(name, self._kg.entities, self._entities)

    def _relation(self, name: str) -> int:
        return self._id(name, self._kg.relations, self._relations)

    def _id(self, name: str, known: Vocabulary, names: dict[str, str] | None) -> int:
        if names is not None:
            if name not in names:
                raise LookupError(f"unknown {known.kind} id {name!r}; the ids are in {self._file}")
            return known.id_of(names[name])
        found = known.get(name)
        if found is None and self._brackets and name[:1] == "<" and name[-1:] == ">":
            found = known.get(name[1:-1])
        return known.id_of(name) if found is None else found
