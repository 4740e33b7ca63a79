"""The Scorer protocol: what the evaluator asks of anything that ranks candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from hybridkg.graph.queries import Queries
from hybridkg.types import FloatArray, IntArray, LongArray


@runtime_checkable
class Scorer(Protocol):
    """Anything with a ``score`` method; nothing else is required.

    A scorer must give the same scores for the same query whatever else is in
    the block, and must not write into arrays it has handed out.
    """

    def score(self, queries: Queries) -> FloatArray:
        """Score every entity as answer of every query.

        Args:
            queries: a block of n queries with one target.

        Returns:
            (n, entities) float32, larger is better; -inf marks "not scored".
        """
        ...


@dataclass(frozen=True, slots=True)
class Factors:
    """Scores in factored form, so that the evaluator runs one matrix product."""

    #: (n, d) float32, one row a query.
    queries: FloatArray
    #: (entities, d) float32, the same for all queries of a target.
    candidates: FloatArray
    #: "dot": q . c; "l2": -||q - c||.
    kind: Literal["dot", "l2"] = "dot"
    #: entity ids that get -inf in every row (no training triple), or None.
    unscored_entities: IntArray | None = None
    #: rows of the block that get -inf throughout (unseen anchor or relation), or None.
    unscored_queries: IntArray | None = None


@runtime_checkable
class FactorScorer(Scorer, Protocol):
    """A scorer whose scores are an inner product or a distance of vectors."""

    def factor(self, queries: Queries) -> Factors:
        """Return query and candidate vectors for a block."""
        ...


@dataclass(frozen=True, slots=True)
class SparseScores:
    """Scores of few candidates per query; all others tie at -inf."""

    #: (n + 1,) offsets into the two arrays below.
    offsets: LongArray
    #: entity ids, distinct within a query.
    entities: IntArray
    #: float32, one a listed entity.
    scores: FloatArray


@runtime_checkable
class SparseScorer(Scorer, Protocol):
    """A scorer that reaches only some candidates."""

    def score_sparse(self, queries: Queries) -> SparseScores:
        """Return the reached candidates of a block."""
        ...


def scorer_name(scorer: object) -> str:
    """Return the scorer's own ``name``, else the name of its class in lower case."""
    name = getattr(scorer, "name", None)
    return name if isinstance(name, str) and name else type(scorer).__name__.lower()
