"""Scorers that learn nothing or next to nothing: random vectors, a constant, slot frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.types import DoubleArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class TranslationScorer:
    """Score by the distance that a relation's translation leaves: -||h + r - t||_2.

    Each query is scored by itself in double precision, so a score never
    depends on the block. Meant for small graphs; trained TransE models of any
    size are :class:`hybridkg.scoring.embedding.EmbeddingScorer`.

    Source: Bordes et al., "Translating Embeddings for Modeling
    Multi-relational Data" (2013), section 2.
    """

    #: (entities, d) vectors.
    entities: DoubleArray
    #: (relations, d) translations.
    relations: DoubleArray
    #: short name for tables.
    name: str = "translation"

    def score(self, queries: Queries) -> FloatArray:
        """Return (n, entities) negative distances."""
        wanted = self._wanted(queries)
        scores = np.empty((len(queries), len(self.entities)), dtype=np.float32)
        for row, point in enumerate(wanted):
            scores[row] = -np.linalg.norm(self.entities - point, axis=1)
        return scores

    def _wanted(self, queries: Queries) -> DoubleArray:
        """Return (n, d): where the answer would lie exactly, h + r or t - r."""
        sign = 1.0 if queries.target == "tail" else -1.0
        wanted: DoubleArray = (
            self.entities[queries.anchors] + sign * self.relations[queries.relations]
        )
        return wanted


def initial_vectors(
    generator: np.random.Generator, n_entities: int, n_relations: int, dimension: int
) -> tuple[DoubleArray, DoubleArray]:
    """Draw entity, then relation vectors uniformly from (-6/sqrt(d), 6/sqrt(d)).

    Source: Bordes et al. (2013), algorithm 1, lines 1 and 3, without the normalisation.

    Returns:
        (entities, d) and (relations, d).

    Raises:
        ConfigError: the dimension is not positive.
    """
    if dimension < 1:
        raise ConfigError(f"dimension {dimension!r}; expected at least 1")
    bound = 6.0 / np.sqrt(dimension)
    entities = generator.uniform(-bound, bound, (n_entities, dimension))
    return entities, generator.uniform(-bound, bound, (n_relations, dimension))


def random_scorer(
    kg: KnowledgeGraph, generator: np.random.Generator, *, dimension: int = 16
) -> TranslationScorer:
    """Build the untrained TransE baseline of the link-prediction chapter.

    With ``default_rng(1)`` and 16 dimensions the academic world gives the
    ranks 10, 10, 12, 7, 10, 9.
    """
    entities, relations = initial_vectors(generator, kg.n_entities, kg.n_relations, dimension)
    return TranslationScorer(entities, relations, name="random")


@dataclass(frozen=True, slots=True)
class ConstantScorer:
    """Score every candidate alike; under expected ties this is the chance line."""

    n_entities: int
    name: str = "constant"

    def score(self, queries: Queries) -> FloatArray:
        """Return (n, entities) zeros."""
        return np.zeros((len(queries), self.n_entities), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class FrequencyScorer:
    """Score an entity by the number of training triples that have it in the asked slot."""

    n_entities: int
    #: (n,) tails of the training triples, grouped by relation.
    tails: IntArray
    #: (n,) heads of the training triples, grouped by relation.
    heads: IntArray
    #: (relations + 1,) offsets of the groups.
    offsets: IntArray
    name: str = "frequency"

    @classmethod
    def from_graph(cls, kg: KnowledgeGraph) -> FrequencyScorer:
        """Count over the distinct training triples of a graph."""
        triples = kg.known_triples("train")
        ordered = triples[np.argsort(triples[:, 1], kind="stable")]
        offsets = np.searchsorted(ordered[:, 1], np.arange(kg.n_relations + 1)).astype(np.int32)
        return cls(kg.n_entities, ordered[:, 2].copy(), ordered[:, 0].copy(), offsets)

    def score(self, queries: Queries) -> FloatArray:
        """Return (n, entities) counts; 0 where an entity never fills the slot."""
        fillers = self.tails if queries.target == "tail" else self.heads
        distinct, place = np.unique(queries.relations, return_inverse=True)
        counts = np.zeros((len(distinct), self.n_entities), dtype=np.float32)
        for row, relation in enumerate(distinct.tolist()):
            group = fillers[self.offsets[relation] : self.offsets[relation + 1]]
            counts[row] = np.bincount(group, minlength=self.n_entities)
        return counts[place.reshape(-1)]
