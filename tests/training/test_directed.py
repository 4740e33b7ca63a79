"""Directed queries, and validation ranks against the evaluator."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkg.evaluation.evaluator import evaluate
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.training.directed import Validation, directed_queries, flatten_ranges

LABELS = st.tuples(st.sampled_from("abcd"), st.sampled_from("rs"), st.sampled_from("abcd"))
TRIPLES = st.lists(LABELS, min_size=1, max_size=20)


@given(TRIPLES)
def test_directed_queries_hold_each_distinct_triple_once_per_direction(triples):
    kg = KnowledgeGraph.from_labels({"train": triples})
    queries = directed_queries(kg)
    rows = np.arange(len(queries))
    anchors, relations, pair_rows, answers, counts = queries.batch(rows)
    found = Counter(
        (int(anchors[row]), int(relations[row]), int(answer))
        for row, answer in zip(pair_rows, answers, strict=True)
    )
    expected = {(h, 2 * r, t) for h, r, t in kg.train.tolist()}
    expected |= {(t, 2 * r + 1, h) for h, r, t in kg.train.tolist()}
    assert found == Counter(dict.fromkeys(expected, 1))
    assert counts.tolist() == np.bincount(pair_rows, minlength=len(queries)).tolist()
    assert len(set(zip(anchors.tolist(), relations.tolist(), strict=True))) == len(queries)
    by_entity = Counter(end for a, _, b in expected for end in (a, b))
    assert queries.entity_counts(kg.n_entities).tolist() == [
        by_entity[e] for e in range(kg.n_entities)
    ]
    by_relation = Counter(r for _, r, _ in expected)
    assert queries.relation_counts(2 * kg.n_relations).tolist() == [
        by_relation[r] for r in range(2 * kg.n_relations)
    ]


def test_flattened_ranges_name_row_and_position():
    rows, positions = flatten_ranges(np.array([5, 2, 0]), np.array([7, 2, 1]))
    assert rows.tolist() == [0, 0, 2]
    assert positions.tolist() == [5, 6, 0]


class TableScorer:
    """Scores from a fixed table; few distinct values, hence many ties."""

    def __init__(self, kg: KnowledgeGraph, seed: int) -> None:
        shape = (kg.n_entities, 2 * kg.n_relations, kg.n_entities)
        self.table = np.random.default_rng(seed).integers(4, size=shape).astype(np.float32)
        self.seen, self.seen_relations = kg.seen_entities(), kg.seen_relations()

    def directed(self, anchors, relations):
        return self.table[anchors, relations]

    def score(self, queries: Queries):
        scores = self.table[queries.anchors, 2 * queries.relations + (queries.target == "head")]
        scores[:, ~self.seen] = -np.inf
        unknown = ~(self.seen[queries.anchors] & self.seen_relations[queries.relations])
        scores[unknown] = -np.inf
        return scores


@given(TRIPLES, st.lists(LABELS, min_size=1, max_size=8, unique=True), st.integers(0, 5))
def test_validation_mrr_is_the_evaluators_on_the_valid_split(train, valid, seed):
    kg = KnowledgeGraph.from_labels({"train": train, "valid": valid, "test": []})
    scorer = TableScorer(kg, seed)
    table = evaluate(scorer, kg, split="valid", filter_name="train+valid")
    expected = table.values("mrr", "pessimistic").mean()
    assert Validation.from_graph(kg).mrr(scorer.directed) == pytest.approx(expected, rel=1e-6)


def test_without_a_validation_triple_there_is_no_validation(academic):
    assert Validation.from_graph(academic) is None
    assert (
        Validation.from_graph(academic.with_splits({"train": academic.train, "valid": []})) is None
    )
