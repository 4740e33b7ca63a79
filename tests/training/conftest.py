"""A graph with a pattern that an embedding can learn, and a validation split."""

from __future__ import annotations

import pytest

from hybridkg.graph.knowledge_graph import KnowledgeGraph


@pytest.fixture(scope="session")
def rings() -> KnowledgeGraph:
    """Two rings of 12: next(i, i+1) throughout, double(i, i+2) with some left out."""
    names = [[f"{ring}{i:02}" for i in range(12)] for ring in "ab"]
    steps = [(ring[i], "next", ring[(i + 1) % 12]) for ring in names for i in range(12)]
    doubles = [(ring[i], "double", ring[(i + 2) % 12]) for ring in names for i in range(12)]
    held = doubles[3::4]
    return KnowledgeGraph.from_labels(
        {
            "train": [*steps, *(one for one in doubles if one not in held)],
            "valid": held[::2],
            "test": held[1::2],
        },
        name="rings",
    )
