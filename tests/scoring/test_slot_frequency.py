"""Slot frequency on a training split with repeated rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.scoring.baselines import FrequencyScorer

names = st.sampled_from("abcd")
triples = st.lists(st.tuples(names, st.sampled_from("rs"), names), min_size=1, max_size=12)


def scores_by_label(kg: KnowledgeGraph, target: str, relation: str) -> dict[str, float]:
    asked = np.array([kg.relations.id_of(relation)], dtype=np.int32)
    scores = FrequencyScorer.from_graph(kg).score(Queries(target, np.zeros_like(asked), asked))
    return dict(zip(kg.entities.labels, scores[0].tolist(), strict=True))


def test_a_training_triple_that_is_listed_twice_counts_once():
    rows = [("a", "r", "b"), ("a", "r", "b"), ("a", "r", "b"), ("a", "r", "c"), ("b", "r", "c")]
    kg = KnowledgeGraph.from_labels({"train": rows})
    assert len(kg.train) == 5
    assert scores_by_label(kg, "tail", "r") == {"a": 0, "b": 1, "c": 2}
    assert scores_by_label(kg, "head", "r") == {"a": 2, "b": 1, "c": 0}


@pytest.mark.parametrize("target", ["tail", "head"])
@given(rows=triples, again=st.integers(1, 3), held_out=triples)
def test_repeated_and_held_out_triples_count_nothing(target, rows, again, held_out):
    splits = {"train": rows * again, "valid": held_out, "test": held_out}
    kg = KnowledgeGraph.from_labels(splits)
    place = 2 if target == "tail" else 0
    for relation in kg.relations:
        expected = Counter(triple[place] for triple in set(rows) if triple[1] == relation)
        scores = scores_by_label(kg, target, relation)
        assert scores == {entity: expected[entity] for entity in kg.entities}
