"""Hypothesis strategies for graphs, scores and rank tables."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.types import FloatArray

#: Few values, so that ties are the rule; -inf stands for "not scored".
TIED_VALUES = (-np.inf, -1.0, 0.0, 0.5, 2.0)


class TableScorer:
    """Scores looked up in dense tables, one a target; for tests."""

    def __init__(self, tail: FloatArray, head: FloatArray, name: str = "table") -> None:
        """Keep (entities, relations, entities) tables by target."""
        self.name = name
        self._tables = {"tail": tail, "head": head}

    def score(self, queries: Queries) -> FloatArray:
        return self._tables[queries.target][queries.anchors, queries.relations]


@st.composite
def graphs(draw: st.DrawFn, max_entities: int = 7, max_relations: int = 3) -> KnowledgeGraph:
    """Small graphs with train, valid and test; rows may repeat and may overlap."""
    n = draw(st.integers(2, max_entities))
    m = draw(st.integers(1, max_relations))
    triple = st.tuples(
        st.integers(0, n - 1).map(lambda i: f"e{i}"),
        st.integers(0, m - 1).map(lambda i: f"r{i}"),
        st.integers(0, n - 1).map(lambda i: f"e{i}"),
    )
    return KnowledgeGraph.from_labels(
        {
            "train": draw(st.lists(triple, min_size=1, max_size=12)),
            "valid": draw(st.lists(triple, max_size=4)),
            "test": draw(st.lists(triple, min_size=1, max_size=6)),
        },
        entities=[f"e{i}" for i in range(n)],
        name="random",
    )


@st.composite
def scored_graphs(draw: st.DrawFn) -> tuple[KnowledgeGraph, TableScorer]:
    """A graph and a scorer whose scores tie often."""
    kg = draw(graphs())
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    shape = (kg.n_entities, kg.n_relations, kg.n_entities)
    tail, head = (rng.choice(TIED_VALUES, size=shape).astype(np.float32) for _ in range(2))
    return kg, TableScorer(tail, head)


def protocols() -> st.SearchStrategy[dict[str, Any]]:
    """Options of ``evaluate``."""
    return st.fixed_dictionaries(
        {
            "filter_name": st.sampled_from(["all", "train+valid", "train", "none"]),
            "candidates": st.sampled_from(["all", "train"]),
            "targets": st.sampled_from([("tail", "head"), ("tail",), ("head",)]),
            "batch_size": st.integers(1, 5),
        }
    )


def random_graph(
    n_entities: int, n_relations: int, sizes: dict[str, int], seed: int
) -> KnowledgeGraph:
    """A graph of uniformly drawn triples with splits of about the given sizes."""
    rng = np.random.default_rng(seed)
    splits = {}
    for split, size in sizes.items():
        heads, tails = rng.integers(0, n_entities, size=(2, size))
        relations = rng.integers(0, n_relations, size=size)
        rows = np.unique(np.stack([heads, relations, tails], axis=1), axis=0)
        splits[split] = rng.permutation(rows).astype(np.int32)
    return KnowledgeGraph(
        name="random",
        entities=Vocabulary(f"e{i:05d}" for i in range(n_entities)),
        relations=Vocabulary((f"r{i:03d}" for i in range(n_relations)), kind="relation"),
        splits=splits,
    )
