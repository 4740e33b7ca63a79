"""The frozen data model: vocabularies, named splits, types, readable labels, provenance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np

from hybridkg._io import digest_bytes
from hybridkg.errors import SplitError
from hybridkg.graph.triples import AnswerIndex, as_triples, distinct_triples
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.types import FILTERS, BoolArray, FilterName, IntArray, Target

LabelTriple = tuple[str, str, str]
MadeT = TypeVar("MadeT")


@dataclass(frozen=True, eq=False)
class KnowledgeGraph:
    """Facts in named splits over one entity and one relation vocabulary.

    Splits keep the order and the repeats of their source; entities that occur
    only in types or in a given entity list are candidates too.
    """

    #: short name for tables and manifests.
    name: str
    entities: Vocabulary
    relations: Vocabulary
    #: split name -> (n, 3) ids; at least "train".
    splits: Mapping[str, IntArray]
    #: classes of the asserted types.
    classes: Vocabulary = field(default_factory=lambda: Vocabulary([], kind="class"))
    #: (n, 2) asserted (entity id, class id), distinct, sorted.
    types: IntArray = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int32))
    #: readable text by kind ("entity", "relation", "class") and label.
    readable: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    #: split name or part -> where it was read.
    sources: Mapping[str, str] = field(default_factory=dict)
    #: what was derived from the splits, which every evaluation asks for again.
    _derived: dict[Any, Any] = field(init=False, repr=False, default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was derived: it is several times larger than the graph."""
        return {**self.__dict__, "_derived": {}}

    @classmethod
    def from_labels(
        cls,
        splits: Mapping[str, Iterable[LabelTriple]],
        *,
        name: str = "graph",
        types: Iterable[tuple[str, str]] = (),
        entities: Iterable[str] = (),
        relations: Iterable[str] = (),
        readable: Mapping[str, Mapping[str, str]] | None = None,
        sources: Mapping[str, str] | None = None,
    ) -> KnowledgeGraph:
        """Build a graph from labelled triples.

        Args:
            splits: split name -> (head, relation, tail) labels.
            name: short name of the data set.
            types: (entity, class) labels.
            entities: further entities that are candidates without a triple.
            relations: further relations that can be asked for without a triple.
            readable: text by kind and label.
            sources: where each part was read.

        Raises:
            SplitError: there is no split "train".
        """
        if "train" not in splits:
            raise SplitError(f"splits {sorted(splits)}; expected one named 'train'")
        rows = {split: list(triples) for split, triples in splits.items()}
        typed = list(types)
        names = set(entities) | {entity for entity, _ in typed}
        relation_names = set(relations)
        for triples in rows.values():
            for head, relation, tail in triples:
                names.add(head)
                names.add(tail)
                relation_names.add(relation)
        vocabulary = Vocabulary(names)
        relation_vocabulary = Vocabulary(relation_names, kind="relation")
        classes = Vocabulary((c for _, c in typed), kind="class")
        ids = {
            split: as_triples(
                [
                    (vocabulary.id_of(h), relation_vocabulary.id_of(r), vocabulary.id_of(t))
                    for h, r, t in triples
                ]
            )
            for split, triples in rows.items()
        }
        pairs = sorted({(vocabulary.id_of(e), classes.id_of(c)) for e, c in typed})
        return cls(
            name=name,
            entities=vocabulary,
            relations=relation_vocabulary,
            splits=ids,
            classes=classes,
            types=np.array(pairs, dtype=np.int32).reshape(-1, 2),
            readable=readable or {},
            sources=sources or {},
        )

    @property
    def n_entities(self) -> int:
        """Number of entities over all splits, types and given lists."""
        return len(self.entities)

    @property
    def n_relations(self) -> int:
        """Number of relations over all splits."""
        return len(self.relations)

    @property
    def train(self) -> IntArray:
        """(n, 3) training triples in source order."""
        return self.split("train")

    def split(self, name: str) -> IntArray:
        """Return the (n, 3) triples of a split.

        Raises:
            SplitError: there is no split of that name.
        """
        if name not in self.splits:
            raise SplitError(f"{self.name}: no split {name!r}; there are {sorted(self.splits)}")
        return self.splits[name]

    def known_triples(self, filter_name: FilterName = "all") -> IntArray:
        """Return the distinct triples that count as known answers under a filter.

        Splits that the graph does not have contribute nothing. Made once; not to be written to.
        """

        def make() -> IntArray:
            parts = [self.splits[s] for s in FILTERS[filter_name] if s in self.splits]
            return distinct_triples(np.concatenate([as_triples([]), *parts]))

        return self.derived(("known triples", filter_name), make)

    def answer_index(self, target: Target, filter_name: FilterName = "train") -> AnswerIndex:
        """Index the known answers of a filter for one target; made once."""

        def make() -> AnswerIndex:
            known = self.known_triples(filter_name)
            return AnswerIndex.build(known, self.n_relations, target)

        return self.derived(("answer index", target, filter_name), make)

    def derived(self, key: object, make: Callable[[], MadeT]) -> MadeT:
        """Return what was made of this graph under a key before, or make it.

        Args:
            key: hashable, and the same for the same result alone.
            make: needs nothing but the graph and the key.
        """
        if key not in self._derived:
            self._derived[key] = make()
        return cast("MadeT", self._derived[key])

    def digest_of(self, triples: IntArray) -> str:
        """SHA-256 over the vocabularies and (n, 3) triples in their order."""
        return digest_bytes(
            self.entities.digest.encode(),
            self.relations.digest.encode(),
            triples.astype("<i4").tobytes(),
        )

    def filter_digest(self, filter_name: FilterName) -> str:
        """SHA-256 over the vocabularies and the known triples of a filter."""
        return self.derived(
            ("filter digest", filter_name), lambda: self.digest_of(self.known_triples(filter_name))
        )

    def seen_entities(self, split: str = "train") -> BoolArray:
        """(n_entities,) True where an entity stands in a triple of the split."""
        seen = np.zeros(self.n_entities, dtype=np.bool_)
        seen[self.split(split)[:, [0, 2]].ravel()] = True
        return seen

    def seen_relations(self, split: str = "train") -> BoolArray:
        """(n_relations,) True where a relation stands in a triple of the split."""
        seen = np.zeros(self.n_relations, dtype=np.bool_)
        seen[self.split(split)[:, 1]] = True
        return seen

    def ids(self, triples: Iterable[LabelTriple]) -> IntArray:
        """Translate labelled triples to (n, 3) ids.

        Raises:
            UnknownNameError: an entity or relation is not part of the graph.
        """
        return as_triples(
            [
                (self.entities.id_of(h), self.relations.id_of(r), self.entities.id_of(t))
                for h, r, t in triples
            ]
        )

    def label_triples(self, triples: IntArray) -> list[LabelTriple]:
        """Translate (n, 3) ids to labels."""
        names, relations = self.entities.labels, self.relations.labels
        return [(names[h], relations[r], names[t]) for h, r, t in triples.tolist()]

    def with_splits(
        self, splits: Mapping[str, IntArray], *, name: str | None = None
    ) -> KnowledgeGraph:
        """Return the same graph with other splits over the same vocabularies."""
        return replace(self, splits=splits, name=name or self.name)
