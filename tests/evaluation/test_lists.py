"""Kept lists are the head of the filtered ranking, and other commands read them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from strategies import scored_graphs

from hybridkg.analysis.predictions import read_predictions
from hybridkg.errors import ConfigError
from hybridkg.evaluation import evaluator
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.lists import ListObserver, write_lists
from hybridkg.evaluation.sampling import sample_candidates
from hybridkg.scoring.baselines import FrequencyScorer
from hybridkg.training.ranking import write_with_lists
from hybridkg.training.stored_ranks import LISTS


@pytest.mark.parametrize("compiled", [False, True])
@given(case=scored_graphs())
def test_lists_are_the_head_of_the_filtered_order(compiled: bool, case) -> None:
    kg, scorer = case
    observer = ListObserver(3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluator, "SMALL", 0 if compiled else 10**9)
        evaluate(scorer, kg, observers=[observer])
    known = {tuple(t) for s in ("train", "valid", "test") for t in kg.splits[s].tolist()}
    asked = {tuple(t) for t in kg.splits["test"].tolist()}
    seen = set()
    for one in observer.lists:
        seen.add((one.target, one.anchor, one.relation))
        scores = scorer._tables[one.target][one.anchor, one.relation]
        made = [
            (one.anchor, one.relation, e) if one.target == "tail" else (e, one.relation, one.anchor)
            for e in range(kg.n_entities)
        ]
        pool = [
            e
            for e in range(kg.n_entities)
            if scores[e] > -np.inf and (made[e] in asked or made[e] not in known)
        ]
        assert one.entities.tolist() == sorted(pool, key=lambda e: (-scores[e], e))[:3]
        assert one.scores.tolist() == scores[one.entities].tolist()
    assert len(seen) == len(observer.lists)


def test_written_lists_are_read_as_predictions(academic, tmp_path) -> None:
    observer = ListObserver(3)
    evaluate(FrequencyScorer.from_graph(academic), academic, observers=[observer])
    write_lists(tmp_path / "lists.tsv", observer, academic)
    read = read_predictions(tmp_path / "lists.tsv")
    assert len(read) == sum(len(one.entities) for one in observer.lists)
    assert {one.rank for one in read} == {1, 2, 3}


def test_sampled_candidates_of_one_query_are_put_together(academic) -> None:
    drawn = sample_candidates(academic, 4, np.random.default_rng(0))
    observer = ListObserver(13)
    evaluate(FrequencyScorer.from_graph(academic), academic, candidates=drawn, observers=[observer])
    queries = {(one.target, one.anchor, one.relation) for one in observer.lists}
    assert len(queries) == len(observer.lists) == 6
    for one in observer.lists:
        assert len(one.entities) == 5


@pytest.mark.parametrize("k", [0, -1, 10_001])
def test_lists_of_no_length_are_refused(k: int) -> None:
    with pytest.raises(ConfigError, match="expected 1 to 10,000"):
        ListObserver(k)


def test_lists_of_an_earlier_evaluation_do_not_stand_beside_other_ranks(academic, tmp_path) -> None:
    observer = ListObserver(3)
    table = evaluate(FrequencyScorer.from_graph(academic), academic, observers=[observer])
    write_with_lists(table, tmp_path, [observer], academic)
    assert (tmp_path / LISTS).is_file()
    write_with_lists(table, tmp_path, [], None)
    assert not (tmp_path / LISTS).exists()
