"""Rules in columns: one int32 array per part, no object per rule.

A *directed relation* is ``r`` for a relation read from head to tail and
``r + n_relations`` for the same relation read from tail to head.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace

import numpy as np

from hybridkg._io import digest_bytes
from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.weights import RuleWeights
from hybridkg.types import AnyArray, DoubleArray, IntArray

#: Kinds of rules; the code in :attr:`RuleSet.kind` is the place in this tuple.
#: closed: h(X,Y) <= b(X,A), c(A,Y). constant: h(X,c) <= b(X,d).
#: dangling: h(X,c) <= b(X,A). zero: h(X,c) with an empty body.
#: loop_constant: h(X,X) <= b(X,d). loop_dangling: h(X,X) <= b(X,A).
RULE_KINDS = ("closed", "constant", "dangling", "zero", "loop_constant", "loop_dangling")
CLOSED, CONSTANT, DANGLING, ZERO, LOOP_CONSTANT, LOOP_DANGLING = range(6)

#: How variables are read; values of :attr:`RuleSet.semantics`. Under object identity
#: distinct variables stand for distinct entities, under homomorphism they may coincide.
#: The label tells what imported counts mean; counting and application here always read
#: rules under object identity.
SEMANTICS = ("object identity", "homomorphism")

#: Where the counts of a rule come from; codes of :attr:`RuleSet.provenance`.
PROVENANCES = ("exact", "sampled", "imported")
EXACT, SAMPLED, IMPORTED = range(3)

#: Stands in a column where a rule has no such part.
ABSENT = -1
#: Stands for a count that nobody has made.
UNKNOWN = -1


def _nothing() -> IntArray:
    return np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class RuleSet:
    """Rules over the vocabularies of one graph, in columns of length n."""

    #: (n,) code into RULE_KINDS.
    kind: IntArray
    #: (n,) directed head relation; for closed and loop rules always below n_relations.
    head: IntArray
    #: (n, width) directed body relations along the chain from X, ABSENT after the last.
    body: IntArray
    #: (n,) entity c of h(X,c), ABSENT for closed and loop rules.
    head_constant: IntArray
    #: (n,) entity d of b(X,d), ABSENT except for constant and loop_constant rules.
    body_constant: IntArray
    #: (n,) distinct predictions that are training triples.
    support: IntArray
    #: (n,) distinct predictions.
    body_count: IntArray
    #: (n,) code into PROVENANCES.
    provenance: IntArray
    #: relations of the graph; directed relations are twice as many.
    n_relations: int
    #: digest over the vocabularies the ids belong to.
    vocabulary: str
    #: what was left out on the way here: reason -> number of rules.
    dropped: Mapping[str, int] = field(default_factory=dict)
    #: (n,) predictions whose X has some value of the head relation, UNKNOWN where not counted.
    pca_body: IntArray = field(default_factory=_nothing)
    #: (n,) distinct training pairs of the head relation, UNKNOWN where not counted.
    head_size: IntArray = field(default_factory=_nothing)
    #: one of SEMANTICS.
    semantics: str = "object identity"

    def __post_init__(self) -> None:
        if self.semantics not in SEMANTICS:
            raise ConfigError(
                f"rule semantics {self.semantics!r}; expected one of {', '.join(SEMANTICS)}"
            )
        for column in ("pca_body", "head_size"):
            # Left out, as by a reader of a file that does not tell.
            if len(getattr(self, column)) == 0:
                unknown = np.full(len(self.kind), UNKNOWN, dtype=np.int32)
                object.__setattr__(self, column, unknown)
        for column in _COLUMNS:
            array = getattr(self, column)
            if len(array) != len(self.kind):
                raise ConfigError(
                    f"rule column {column!r} has {len(array)} rows, expected {len(self.kind)}"
                )
            object.__setattr__(self, column, np.ascontiguousarray(array, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.kind)

    @classmethod
    def empty(cls, kg: KnowledgeGraph) -> RuleSet:
        """Return a set without rules over a graph's vocabularies."""
        none = np.zeros(0, dtype=np.int32)
        return cls.of_kind(kg, ZERO, none, np.zeros((0, 1), dtype=np.int32), none, none, none, none)

    @classmethod
    def of_kind(
        cls,
        kg: KnowledgeGraph,
        kind: int,
        head: AnyArray,
        body: AnyArray,
        head_constant: AnyArray,
        body_constant: AnyArray,
        support: AnyArray,
        body_count: AnyArray,
        *,
        provenance: int = EXACT,
        pca_body: AnyArray | None = None,
        head_size: AnyArray | None = None,
    ) -> RuleSet:
        """Build a set whose rules share kind and provenance from their other columns."""
        n_rules = len(head)
        return cls(
            kind=np.full(n_rules, kind, dtype=np.int32),
            head=head,
            body=body,
            head_constant=head_constant,
            body_constant=body_constant,
            support=support,
            body_count=body_count,
            provenance=np.full(n_rules, provenance, dtype=np.int32),
            n_relations=kg.n_relations,
            vocabulary=vocabulary_digest(kg),
            pca_body=_nothing() if pca_body is None else pca_body,
            head_size=_nothing() if head_size is None else head_size,
        )

    @classmethod
    def concatenate(cls, parts: Iterable[RuleSet]) -> RuleSet:
        """Join sets over the same vocabularies; dropped counts add up.

        Raises:
            ConfigError: no part, or parts over different vocabularies or of different
                semantics; a part without rules has none.
        """
        sets = list(parts)
        if not sets or any(one.vocabulary != sets[0].vocabulary for one in sets):
            raise ConfigError("rule sets join only over the same entities and relations")
        meanings = sorted({one.semantics for one in sets if len(one)}) or [sets[0].semantics]
        if len(meanings) > 1:
            raise ConfigError(
                f"rule sets of different semantics ({', '.join(meanings)}) do not join; "
                "count the imported ones on the graph first"
            )
        width = max(one.body.shape[1] for one in sets)
        columns = {
            name: np.concatenate([getattr(one, name) for one in sets])
            for name in _COLUMNS
            if name != "body"
        }
        body = np.concatenate([_widened(one.body, width) for one in sets])
        dropped: dict[str, int] = {}
        for one in sets:
            for reason, count in one.dropped.items():
                dropped[reason] = dropped.get(reason, 0) + count
        return cls(
            body=body,
            n_relations=sets[0].n_relations,
            vocabulary=sets[0].vocabulary,
            dropped=dropped,
            semantics=meanings[0],
            **columns,
        )

    def select(self, rows: AnyArray) -> RuleSet:
        """Return the rules of a mask or of row numbers, in that order."""
        return replace(self, **{name: getattr(self, name)[rows] for name in _COLUMNS})

    def lengths(self) -> IntArray:
        """(n,) number of body atoms."""
        return np.asarray((self.body != ABSENT).sum(axis=1), dtype=np.int32)

    def counts(self) -> dict[str, int]:
        """Return the number of rules of each kind."""
        found = np.bincount(self.kind, minlength=len(RULE_KINDS))
        return {name: int(found[code]) for code, name in enumerate(RULE_KINDS)}

    def confidence(self, weights: RuleWeights | None = None) -> DoubleArray:
        """(n,) weighted, smoothed confidence: weight * support / (body + unseen).

        Under the measure "pca" the body is the PCA body.

        Raises:
            ConfigError: a PCA body is asked for that nobody has counted.

        Source: PyClause, `*_num_unseen`, `d_weight` and `z_weight` of its loader.
        """
        chosen = weights or RuleWeights()
        if chosen.measure == "pca" and (self.pca_body == UNKNOWN).any():
            raise ConfigError(
                f"{int((self.pca_body == UNKNOWN).sum())} rules without a PCA body, which "
                "measure 'pca' orders by; count them on the graph first (with_statistics)"
            )
        body = self.pca_body if chosen.measure == "pca" else self.body_count
        total = body + chosen.unseen
        share = np.divide(self.support, total, out=np.zeros(len(self)), where=total > 0)
        return np.asarray(chosen.per_kind()[self.kind] * share, dtype=np.float64)

    def standard_confidence(self) -> DoubleArray:
        """(n,) support / predictions, 0 where nothing is predicted."""
        return _share(self.support, self.body_count)

    def pca_confidence(self) -> DoubleArray:
        """(n,) support / PCA body, 0 where that is empty, NaN where it is not known.

        Source: Galarraga et al., "AMIE: Association rule mining under incomplete
        evidence in ontological knowledge bases", PCA confidence.
        """
        return np.where(self.pca_body == UNKNOWN, np.nan, _share(self.support, self.pca_body))

    def head_coverage(self) -> DoubleArray:
        """(n,) support / training pairs of the head relation, NaN where they are not known.

        Source: Galarraga et al., "AMIE: Association rule mining under incomplete
        evidence in ontological knowledge bases", head coverage.
        """
        return np.where(self.head_size == UNKNOWN, np.nan, _share(self.support, self.head_size))

    def best_first(self, weights: RuleWeights | None = None) -> RuleSet:
        """Order by confidence, then support, then by the rule itself: a total order."""
        keys: list[AnyArray] = [self.body_constant, self.head_constant]
        keys += [self.body[:, column] for column in reversed(range(self.body.shape[1]))]
        keys += [self.head, self.kind, -self.support, -self.confidence(weights)]
        return self.select(np.lexsort(keys))

    @property
    def digest(self) -> str:
        """SHA-256 over columns and semantics; body columns that no rule uses do not count."""
        used = int(self.lengths().max(initial=0))
        columns = {name: getattr(self, name) for name in _COLUMNS}
        columns["body"] = np.ascontiguousarray(self.body[:, :used])
        return digest_bytes(
            self.vocabulary.encode(),
            self.semantics.encode(),
            *(column.tobytes() for column in columns.values()),
        )

    def check_graph(self, kg: KnowledgeGraph) -> None:
        """Refuse a graph whose ids mean something else.

        Raises:
            ConfigError: the rules were mined or read over other vocabularies.
        """
        if self.vocabulary != vocabulary_digest(kg):
            raise ConfigError(
                f"the rules belong to other entities or relations than graph {kg.name!r}; "
                "write them to a file and read them again with this graph"
            )


_COLUMNS = tuple(
    one.name
    for one in fields(RuleSet)
    if one.name not in ("n_relations", "vocabulary", "dropped", "semantics")
)


def vocabulary_digest(kg: KnowledgeGraph) -> str:
    """Return the digest that ties rule ids to a graph's vocabularies."""
    return digest_bytes(kg.entities.digest.encode(), kg.relations.digest.encode())


def _share(part: AnyArray, whole: AnyArray) -> DoubleArray:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


def _widened(body: IntArray, width: int) -> IntArray:
    missing = np.full((len(body), width - body.shape[1]), ABSENT, dtype=np.int32)
    return np.concatenate([body, missing], axis=1)
