"""The random baseline of the chapter, constant scores, slot frequency."""

from __future__ import annotations

import numpy as np
import pytest

from hybridkg.errors import ConfigError
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.graph.queries import Queries
from hybridkg.scoring.baselines import ConstantScorer, FrequencyScorer, random_scorer


def test_random_vectors_of_seed_1_rank_as_in_the_chapter(academic):
    table = evaluate(random_scorer(academic, np.random.default_rng(1)), academic)
    assert table.optimistic[0].tolist() == [10, 10, 12, 7, 10, 9]
    mrr = (3 / 10 + 1 / 12 + 1 / 7 + 1 / 9) / 6
    assert table.values("mrr", "optimistic").mean() == pytest.approx(mrr)
    assert round(mrr, 4) == 0.1062


def test_random_scores_are_the_distances_left_by_the_translation(academic):
    scorer = random_scorer(academic, np.random.default_rng(0), dimension=4)
    bob, advises = academic.entities.id_of("bob"), academic.relations.id_of("advises")
    asked = (np.array([bob], dtype=np.int32), np.array([advises], dtype=np.int32))
    tail = scorer.score(Queries("tail", *asked))[0]
    head = scorer.score(Queries("head", *asked))[0]
    vectors, move = scorer.entities, scorer.relations[advises]
    for entity in range(academic.n_entities):
        assert tail[entity] == pytest.approx(
            -np.sqrt(((vectors[bob] + move - vectors[entity]) ** 2).sum())
        )
        assert head[entity] == pytest.approx(
            -np.sqrt(((vectors[entity] + move - vectors[bob]) ** 2).sum())
        )


def test_random_scorer_refuses_an_empty_dimension(academic):
    with pytest.raises(ConfigError, match="dimension 0"):
        random_scorer(academic, np.random.default_rng(0), dimension=0)


def test_a_constant_scorer_earns_the_chance_line(academic):
    table = evaluate(ConstantScorer(academic.n_entities), academic)
    assert table.values("mrr").mean() == pytest.approx(0.254269, abs=5e-7)
    assert table.values("mrr").mean() == pytest.approx(table.chance()["mrr"])


@pytest.mark.parametrize("target", ["tail", "head"])
def test_frequency_counts_distinct_training_triples_with_the_entity_in_the_slot(small, target):
    queries = Queries(target, np.zeros(4, dtype=np.int32), np.array([2, 0, 3, 2], dtype=np.int32))
    scores = FrequencyScorer.from_graph(small).score(queries)
    column = 2 if target == "tail" else 0
    for row, relation in zip(scores, queries.relations, strict=True):
        for entity in range(small.n_entities):
            train = {tuple(t) for t in small.train.tolist()}
            assert row[entity] == sum(t[1] == relation and t[column] == entity for t in train)
    assert scores.max() > 1
