"""The Scorer protocol: what the evaluator asks of anything that ranks candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from hybridkg.errors import ScoreError
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


def check_sparse(found: SparseScores, n_queries: int, n_entities: int, title: str) -> None:
    """Refuse sparse scores that do not fit the queries.

    Args:
        found: offsets, entities and scores of a block.
        n_queries: number of queries in the block.
        n_entities: number of entities of the graph.
        title: name of the scorer, for messages.

    Raises:
        ScoreError: offsets or sizes do not fit, an id is out of range, or an entity stands twice
            in one query.
    """
    offsets, entities = np.asarray(found.offsets), np.asarray(found.entities)
    if (
        offsets.dtype.kind not in "iu"
        or entities.dtype.kind not in "iu"
        or entities.ndim != 1
        or np.ndim(found.scores) != 1
        or offsets.shape != (n_queries + 1,)
        or offsets[0] != 0
        or (np.diff(offsets) < 0).any()
        or not offsets[-1] == len(entities) == len(found.scores)
    ):
        raise ScoreError(
            f"scorer {title!r} returned sparse scores with offsets of shape {offsets.shape}, "
            f"entities of shape {entities.shape} and scores of shape {np.shape(found.scores)} for "
            f"{n_queries} queries; expected whole numbers, rising offsets from 0 to the number of "
            "entities, and one score an entity"
        )
    if not len(entities):
        return
    if int(entities.min()) < 0 or int(entities.max()) >= n_entities:
        raise ScoreError(
            f"scorer {title!r} returned entity ids {int(entities.min())} to "
            f"{int(entities.max())}; expected 0 to {n_entities - 1}"
        )
    keys = np.repeat(np.arange(n_queries), np.diff(offsets)) * n_entities + entities
    keys.sort()
    repeated = np.flatnonzero(keys[1:] == keys[:-1])
    if len(repeated):
        query, entity = divmod(int(keys[repeated[0]]), n_entities)
        raise ScoreError(
            f"scorer {title!r} scores entity {entity} twice in query {query} of a block; expected "
            "each candidate once"
        )
