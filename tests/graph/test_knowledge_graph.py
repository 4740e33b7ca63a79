"""What is derived of a graph is made once, and never taken for that of another one."""

from __future__ import annotations

import pickle

import numpy as np
from hypothesis import given
from strategies import graphs

from hybridkg.graph.triples import AnswerIndex
from hybridkg.types import FILTERS, TARGETS


@given(graphs())
def test_every_filter_and_target_has_an_index_of_its_own(kg) -> None:
    for _ in range(2):
        for filter_name, splits in FILTERS.items():
            known = {tuple(t) for split in splits for t in kg.splits[split].tolist()}
            assert {tuple(t) for t in kg.known_triples(filter_name).tolist()} == known
            assert kg.filter_digest(filter_name) == kg.digest_of(kg.known_triples(filter_name))
            for target in TARGETS:
                index = kg.answer_index(target, filter_name)
                own = AnswerIndex.build(kg.known_triples(filter_name), kg.n_relations, target)
                assert index.target == target
                assert index.keys.tolist() == own.keys.tolist()
                assert index.answers.tolist() == own.answers.tolist()
                assert kg.answer_index(target, filter_name) is index


@given(graphs())
def test_other_splits_know_other_triples(kg) -> None:
    first = kg.known_triples("train"), kg.answer_index("tail")
    none = np.zeros((0, 3), dtype=np.int32)
    emptied = kg.with_splits({**kg.splits, "train": none})
    assert len(emptied.known_triples("train")) == len(emptied.answer_index("tail").answers) == 0
    assert (kg.known_triples("train"), kg.answer_index("tail")) == first


@given(graphs())
def test_a_pickled_graph_is_no_larger_for_what_was_derived_of_it(kg) -> None:
    before = pickle.dumps(kg)
    index = kg.answer_index("tail", "all")
    assert pickle.dumps(kg) == before
    again = pickle.loads(before)
    assert again.answer_index("tail", "all").answers.tolist() == index.answers.tolist()
