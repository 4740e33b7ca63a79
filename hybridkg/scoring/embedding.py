"""Trained embedding models as scorers: NumPy arrays and one matrix product, no torch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.errors import ScoreError
from hybridkg.graph.queries import Queries
from hybridkg.scoring.base import Factors
from hybridkg.scoring.embedding_kinds import EmbeddingKind, compose, query_rows
from hybridkg.scoring.factored import FactorProduct
from hybridkg.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddingScorer:
    """Score through vectors; what training has not seen is not scored.

    An entity without a training triple gets -inf as candidate; a query whose
    anchor or relation has none gets -inf throughout.
    """

    kind: EmbeddingKind
    #: (entities, d) float32.
    entities: FloatArray
    #: (2 * relations, d) float32; row 2r is relation r, row 2r + 1 its inverse.
    relations: FloatArray
    #: (entities,) True where training has a triple of the entity.
    seen_entities: BoolArray
    #: (relations,) True where training has a triple of the relation.
    seen_relations: BoolArray
    #: short name for tables.
    name: str = "embedding"

    def score(self, queries: Queries) -> FloatArray:
        """Return (n, entities) scores."""
        product = FactorProduct(len(self.entities), self.name)
        scores = np.empty((len(queries), len(self.entities)), dtype=np.float32)
        block = np.empty((product.height, len(self.entities)), dtype=np.float32)
        for start in range(0, len(queries), product.height):
            part = queries.rows(slice(start, start + product.height))
            product(self.factor(part), len(part), block)
            scores[start : start + len(part)] = block[: len(part)]
        return scores

    def factor(self, queries: Queries) -> Factors:
        """Return query and candidate vectors, and what is not scored."""
        return Factors(
            self._query_vectors(queries),
            self.entities,
            self.kind.form,
            unscored_entities=_ids_or_none(~self.seen_entities),
            unscored_queries=_ids_or_none(self._unknown(queries)),
        )

    def _query_vectors(self, queries: Queries) -> FloatArray:
        anchors, relations = query_rows(queries)
        return compose(self.kind.composition, self.entities[anchors], self.relations[relations])

    def _unknown(self, queries: Queries) -> BoolArray:
        seen: BoolArray = (
            self.seen_entities[queries.anchors] & self.seen_relations[queries.relations]
        )
        return ~seen


def embedding_scorer(
    kind: EmbeddingKind,
    entities: FloatArray,
    relations: FloatArray,
    seen_entities: BoolArray,
    seen_relations: BoolArray,
    *,
    name: str = "",
) -> EmbeddingScorer:
    """Check the tables and build the scorer.

    Args:
        kind: the model definition.
        entities: (entities, d).
        relations: (2 * relations, d).
        seen_entities: (entities,).
        seen_relations: (relations,).
        name: short name; the kind's own when empty.

    Raises:
        ScoreError: shapes do not fit, or a weight is not finite.
    """
    expected = (
        (len(seen_entities), entities.shape[1]),
        (2 * len(seen_relations), entities.shape[1]),
    )
    if (entities.shape, relations.shape) != expected:
        raise ScoreError(
            f"{kind.name}: tables of shape {entities.shape} and {relations.shape}, "
            f"expected {expected[0]} and {expected[1]}"
        )
    if not (np.isfinite(entities).all() and np.isfinite(relations).all()):
        raise ScoreError(f"{kind.name}: a weight is not finite; the training has diverged")
    return EmbeddingScorer(
        kind,
        np.ascontiguousarray(entities, dtype=np.float32),
        np.ascontiguousarray(relations, dtype=np.float32),
        seen_entities,
        seen_relations,
        name or kind.name,
    )


def _ids_or_none(flags: BoolArray) -> IntArray | None:
    return np.flatnonzero(flags).astype(np.int32) if flags.any() else None
