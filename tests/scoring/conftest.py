"""A small graph with held-out parts, and blocks of its queries."""

from __future__ import annotations

import numpy as np
import pytest

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.types import Target


@pytest.fixture(scope="session")
def small() -> KnowledgeGraph:
    """40 entities, 3 relations, 200 training triples; one entity and one relation unseen."""
    generator = np.random.default_rng(5)
    rows = np.column_stack(
        [
            generator.integers(40, size=240),
            generator.integers(3, size=240),
            generator.integers(40, size=240),
        ]
    )
    triples = [(f"e{h:02}", f"r{r}", f"e{t:02}") for h, r, t in rows.tolist()]
    return KnowledgeGraph.from_labels(
        {
            "train": triples[:200],
            "valid": triples[200:220],
            "test": [*triples[220:], ("e00", "r1", "new"), ("e00", "unheard", "e01")],
        },
        name="small",
    )


@pytest.fixture
def block(small: KnowledgeGraph):
    """Function from target and size to that many random queries of the small graph."""

    def make(target: Target, n: int, seed: int = 0) -> Queries:
        generator = np.random.default_rng(seed)
        return Queries(
            target,
            generator.integers(small.n_entities, size=n).astype(np.int32),
            generator.integers(small.n_relations, size=n).astype(np.int32),
        )

    return make
