"""Blocks of scores through the cheapest way that a scorer offers, checked and in float32."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hybridkg.errors import ConfigError, ScoreError
from hybridkg.evaluation.ranks import first_nan
from hybridkg.evaluation.rounding import lost_by_rounding
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.scoring.base import (
    FactorScorer,
    Scorer,
    SparseScorer,
    SparseScores,
    check_sparse,
)
from hybridkg.scoring.factored import FactorProduct, as_float32, real_array
from hybridkg.types import AnyArray, DoubleArray, FloatArray

#: How a scorer is asked: one matrix product, the reached candidates, or whole rows.
ScorePath = Literal["factor", "sparse", "score"]
#: Most queries of the first sparse block; later ones follow what a query was found to reach.
SPARSE_START = 256
#: Scores that one sparse block aims at, and the most queries that it may ask.
SPARSE_SCORES = 1 << 20
_MOST_QUERIES = 4096


@dataclass(frozen=True, slots=True)
class DenseBlock:
    """Scores of every entity."""

    #: (b, entities) float32, C order.
    scores: FloatArray
    #: (b, entities) as they were given, where float32 cannot hold them.
    wide: DoubleArray | None = None


@dataclass(frozen=True, slots=True)
class SparseBlock:
    """Scores of the listed entities."""

    #: with float32 scores.
    found: SparseScores
    #: one a listed entity, as they were given, where float32 cannot hold them.
    wide: DoubleArray | None = None


def score_path(scorer: object, title: str) -> ScorePath:
    """Tell how a scorer is asked.

    Raises:
        ConfigError: it has no method ``score``.
    """
    if isinstance(scorer, type) or not callable(getattr(scorer, "score", None)):
        raise ConfigError(
            f"scorer {title!r} is a {type(scorer).__name__} without a method score(queries); "
            "expected one that returns (queries, entities) scores"
        )
    if isinstance(scorer, FactorScorer):
        return "factor"
    return "sparse" if isinstance(scorer, SparseScorer) else "score"


class ScoreReader:
    """Reads blocks of scores; products are written into one buffer, which the next one reuses."""

    def __init__(
        self,
        scorer: Scorer,
        kg: KnowledgeGraph,
        title: str,
        height: int,
        *,
        sparse_scores: int = SPARSE_SCORES,
    ) -> None:
        """Read from a scorer.

        Args:
            scorer: is asked.
            kg: scores refer to its entity ids.
            title: name of the scorer, for messages.
            height: queries a block where whole rows are asked for.
            sparse_scores: scores that one sparse block aims at.
        """
        self.path = score_path(scorer, title)
        self._scorer = scorer
        self._kg = kg
        self._title = title
        self._product = FactorProduct(kg.n_entities, title)
        self._buffer: FloatArray | None = None
        self._sparse_scores = sparse_scores
        #: queries that the next block should ask.
        self.height = height
        if self.path == "factor":
            # One height for all products: see FactorProduct.
            self.height = self._product.height
        elif self.path == "sparse":
            # As if each query reached everything; what is found sets the later heights.
            self.height = max(1, min(SPARSE_START, sparse_scores // max(kg.n_entities, 1)))

    def __call__(self, queries: Queries) -> DenseBlock | SparseBlock:
        """Score the candidates of queries that share a target.

        Raises:
            ScoreError: shape, type or ids do not fit, or a sparse score is NaN. Dense scores may
                hold NaN, which counting notices; :meth:`refuse_nan` then names it.
        """
        if self.path == "factor":
            return self._multiplied(queries)
        return self._sparse(queries) if self.path == "sparse" else self._dense(queries)

    def refuse_nan(self, scores: FloatArray, queries: Queries) -> None:
        """Refuse dense scores with NaN, and name one.

        Raises:
            ScoreError: naming scorer, query and entity.
        """
        bad = first_nan(scores)
        if bad is not None:
            raise self._nan(bad[1], queries, bad[0])

    def _nan(self, entity: int, queries: Queries, row: int) -> ScoreError:
        return ScoreError(
            f"scorer {self._title!r} gives NaN to {self._kg.entities[entity]!r} as answer "
            f"of {query_words(self._kg, queries, row)}; expected a number, or -inf for "
            "'not scored'. A model that diverged gives NaN: train it again with a lower rate"
        )

    def _multiplied(self, queries: Queries) -> DenseBlock:
        assert isinstance(self._scorer, FactorScorer)
        if self._buffer is None:
            shape = (self._product.height, self._kg.n_entities)
            self._buffer = np.empty(shape, dtype=np.float32)
        self._product(self._scorer.factor(queries), len(queries), self._buffer)
        return DenseBlock(self._buffer[: len(queries)])

    def _sparse(self, queries: Queries) -> SparseBlock:
        assert isinstance(self._scorer, SparseScorer)
        found = self._scorer.score_sparse(queries)
        check_sparse(found, len(queries), self._kg.n_entities, self._title)
        given = real_array(found.scores, f"scorer {self._title!r}: a sparse score")
        narrow = as_float32(given, f"scorer {self._title!r}: a sparse score")
        missing = np.flatnonzero(np.isnan(narrow))
        if len(missing):
            row = int(np.searchsorted(found.offsets, missing[0], side="right")) - 1
            raise self._nan(int(found.entities[missing[0]]), queries, row)
        mean = max(len(narrow) / max(len(queries), 1), 1.0)
        self.height = int(min(max(self._sparse_scores / mean, 1), _MOST_QUERIES))
        offsets = np.asarray(found.offsets, dtype=np.int64)
        entities = np.asarray(found.entities, dtype=np.int32)
        return SparseBlock(SparseScores(offsets, entities, narrow), _wide(given, narrow))

    def _dense(self, queries: Queries) -> DenseBlock:
        what = f"scorer {self._title!r}: what it returned"
        given = real_array(self._scorer.score(queries), what)
        if given.shape != (len(queries), self._kg.n_entities):
            raise ScoreError(
                f"scorer {self._title!r} returned shape {tuple(given.shape)} for {len(queries)} "
                f"queries; expected ({len(queries)}, {self._kg.n_entities}): one row a query, "
                f"one column an entity of {self._kg.name}"
            )
        narrow = np.ascontiguousarray(as_float32(given, what))
        return DenseBlock(narrow, _wide(given, narrow))


def _wide(given: AnyArray, narrow: FloatArray) -> DoubleArray | None:
    """Return what was given where float32 holds it only approximately."""
    if given.dtype == np.float32 or given.dtype.itemsize <= 2:
        return None
    wide = given.astype(np.float64, copy=False)
    return wide if lost_by_rounding(wide, narrow) else None


def query_words(kg: KnowledgeGraph, queries: Queries, row: int) -> str:
    """Spell a query with its labels, as in ``(bob, advises, ?)``."""
    anchor = kg.entities[int(queries.anchors[row])]
    relation = kg.relations[int(queries.relations[row])]
    if queries.target == "tail":
        return f"({anchor}, {relation}, ?)"
    return f"(?, {relation}, {anchor})"
