"""The chapter's TransE: ranks of ten seeds, the score table of seed 0, its corruptions."""

from __future__ import annotations

import time

import numpy as np
import pytest

from hybridkg.errors import ConfigError, TrainingError
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.scoring.chapter_transe import (
    ChapterTransEConfig,
    _Corrupter,
    _descend,
    train_chapter_transe,
)


def ranks(kg: KnowledgeGraph, seed: int) -> list[int]:
    scorer = train_chapter_transe(kg, np.random.default_rng(seed))
    return evaluate(scorer, kg).optimistic[0].tolist()


def test_seed_0_gives_the_ranks_and_the_scores_of_the_reference_run(academic):
    scorer = train_chapter_transe(academic, np.random.default_rng(0))
    table = evaluate(scorer, academic)
    assert table.optimistic[0].tolist() == [3, 3, 1, 1, 1, 1]
    assert table.values("mrr", "optimistic").mean() == pytest.approx((1 / 3 + 1 / 3 + 4) / 6)
    bob, advises = academic.entities.id_of("bob"), academic.relations.id_of("advises")
    scores = scorer.score(
        Queries("tail", np.array([bob], dtype=np.int32), np.array([advises], dtype=np.int32))
    )[0]
    printed = {"carol": -0.1372, "bob": -0.6099, "erin": -0.6854, "dave": -0.8180, "alice": -1.1520}
    for name, value in printed.items():
        assert scores[academic.entities.id_of(name)] == pytest.approx(value, abs=5e-5), name


@pytest.mark.slow
def test_at_least_eight_of_ten_seeds_give_the_chapter_ranks_in_ten_seconds(academic):
    start = time.process_time()
    found = [ranks(academic, seed) for seed in range(10)]
    assert sum(one == [3, 3, 1, 1, 1, 1] for one in found) >= 8
    assert time.process_time() - start < 10


def test_corruptions_change_one_end_and_are_no_known_triple(academic):
    corrupter, generator = _Corrupter(academic), np.random.default_rng(0)
    known = {tuple(row) for row in academic.known_triples("all").tolist()}
    sides = set()
    for h, r, t in academic.train.tolist() * 20:
        head, tail = corrupter.draw(generator, h, r, t)
        assert (head, r, tail) not in known
        assert (head == h) != (tail == t)
        sides.add(head == h)
    assert sides == {True, False}


def test_a_side_on_which_everything_is_known_gives_way_to_the_other():
    kg = KnowledgeGraph.from_labels({"train": [("a", "r", "a"), ("a", "r", "b")]})
    corrupter, generator = _Corrupter(kg), np.random.default_rng(0)
    assert {corrupter.draw(generator, 0, 0, 1) for _ in range(20)} == {(1, 1)}


def test_a_triple_without_any_corruption_is_an_error_and_no_endless_loop():
    kg = KnowledgeGraph.from_labels({"train": [(h, "r", t) for h in "ab" for t in "ab"]})
    with pytest.raises(TrainingError, match="no corruption"):
        train_chapter_transe(kg, np.random.default_rng(0))


def test_the_step_follows_the_gradient_of_the_margin_loss():
    generator = np.random.default_rng(3)
    entities, relations = generator.normal(size=(4, 5)), generator.normal(size=(2, 5))
    config = ChapterTransEConfig(dimension=5, margin=10.0, learning_rate=1e-6)

    def loss(vectors, moves):
        gap = vectors[0] + moves[1] - vectors[2]
        other = vectors[3] + moves[1] - vectors[2]
        return max(0.0, config.margin + np.linalg.norm(gap) - np.linalg.norm(other))

    moved, shifted = entities.copy(), relations.copy()
    _descend(moved, shifted, (0, 1, 2), (3, 2), config)
    for table, after in ((entities, moved), (relations, shifted)):
        for cell in np.ndindex(table.shape):
            kept = table[cell]
            table[cell] = kept + 1e-6
            above = loss(entities, relations)
            table[cell] = kept - 1e-6
            slope = (above - loss(entities, relations)) / 2e-6
            table[cell] = kept
            assert (after[cell] - kept) / -config.learning_rate == pytest.approx(slope, abs=1e-4)


def test_settings_out_of_range_are_refused():
    with pytest.raises(ConfigError, match="margin 0"):
        ChapterTransEConfig(margin=0)


def test_the_margin_loss_of_each_epoch_is_told_and_falls(academic):
    told: list[tuple[int, float]] = []
    train_chapter_transe(
        academic,
        np.random.default_rng(0),
        ChapterTransEConfig(epochs=200),
        progress=lambda epoch, loss: told.append((epoch, loss)),
    )
    assert [epoch for epoch, _ in told] == list(range(1, 201))
    losses = [loss for _, loss in told]
    assert min(losses) >= 0
    assert np.mean(losses[-20:]) < np.mean(losses[:20]) / 2


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_diverged_training_is_an_error(academic):
    config = ChapterTransEConfig(learning_rate=1e200)
    with pytest.raises(TrainingError, match=r"diverged, lower learning_rate 1e\+200"):
        train_chapter_transe(academic, np.random.default_rng(0), config)
