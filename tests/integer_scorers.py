"""DistMult over small integers: exact in float32 whatever the order of the sums, tied often."""

from __future__ import annotations

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.base import Factors


class IntegerDistMult:
    """DistMult with coordinates -1, 0 and 1."""

    name = "integers"

    def __init__(self, kg: KnowledgeGraph, dimension: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.entities = rng.integers(-1, 2, size=(kg.n_entities, dimension)).astype(np.float32)
        self.relations = rng.integers(-1, 2, size=(kg.n_relations, dimension)).astype(np.float32)

    def factor(self, queries):
        vectors = self.entities[queries.anchors] * self.relations[queries.relations]
        return Factors(vectors, self.entities)

    def score(self, queries):
        factors = self.factor(queries)
        return factors.queries @ factors.candidates.T
