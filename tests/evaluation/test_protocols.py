"""Evaluations with known right answers: partial rankings, many siblings, the academic world."""

from __future__ import annotations

import gc
import time
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from strategies import TableScorer

from hybridkg.errors import ConfigError, SplitError
from hybridkg.evaluation.chance import chance_line
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.metrics import MRR, hits_at
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.base import SparseScores

SIBLINGS = {
    "train": [("e0", "r", "e1"), ("e2", "r", "e3"), ("e4", "s", "e5"), ("e6", "s", "e7"),
              ("e8", "r", "e9")],
    "test": [("e0", "r", "e3"), ("e2", "s", "e5"), ("e4", "r", "e9")],
}  # fmt: skip
#: What some rule predicts: (asked triple with "?") -> candidate and confidence.
PREDICTED = {
    ("e0", "r", "?"): {"e1": 0.9, "e3": 0.6, "e5": 0.6},
    ("?", "r", "e3"): {"e2": 0.8, "e4": 0.3},
    ("e2", "s", "?"): {"e7": 0.5},
    ("?", "s", "e5"): {"e6": 0.7, "e4": 0.7, "e2": 0.7},
    ("?", "r", "e9"): {"e8": 0.9, "e0": 0.5, "e4": 0.2},
}
#: A score for every candidate e0..e9.
EVERYWHERE = {
    ("e0", "r", "?"): [2, 9, 1, 7, 3, 8, 0, 4, 5, 6],
    ("?", "r", "e3"): [6, 1, 9, 0, 2, 3, 8, 4, 5, 7],
    ("e2", "s", "?"): [0, 1, 2, 3, 4, 9, 5, 6, 7, 8],
    ("?", "s", "e5"): [1, 0, 4, 3, 9, 2, 5, 6, 7, 8],
    ("e4", "r", "?"): [3, 2, 1, 0, 9, 8, 7, 6, 5, 4],
    ("?", "r", "e9"): [0, 1, 2, 3, 6, 4, 5, 7, 9, 8],
}


@pytest.fixture
def siblings() -> KnowledgeGraph:
    return KnowledgeGraph.from_labels(SIBLINGS, entities=[f"e{i}" for i in range(10)])


def asked(kg: KnowledgeGraph, queries) -> list[tuple[str, str, str]]:
    found = []
    for anchor, relation in zip(queries.anchors, queries.relations, strict=True):
        known, name = kg.entities[int(anchor)], kg.relations[int(relation)]
        found.append((known, name, "?") if queries.target == "tail" else ("?", name, known))
    return found


class Partial:
    """A learner that scores only what it predicts."""

    name = "partial"

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._kg = kg

    def score(self, queries):
        scores = np.full((len(queries), self._kg.n_entities), -np.inf, np.float32)
        for row, query in enumerate(asked(self._kg, queries)):
            for entity, confidence in PREDICTED.get(query, {}).items():
                scores[row, self._kg.entities.id_of(entity)] = confidence
        return scores


class SparsePartial(Partial):
    """The same learner, offering only what it reaches."""

    def score_sparse(self, queries):
        rows = [PREDICTED.get(query, {}) for query in asked(self._kg, queries)]
        return SparseScores(
            np.cumsum([0, *map(len, rows)]),
            self._kg.entities.ids_of([e for row in rows for e in row]),
            np.array([c for row in rows for c in row.values()], np.float32),
        )


class Everywhere(Partial):
    """A learner that scores every candidate."""

    name = "everywhere"

    def score(self, queries):
        return np.array([EVERYWHERE[q] for q in asked(self._kg, queries)], np.float32)


@pytest.mark.parametrize("learner", [Partial, SparsePartial])
def test_unscored_candidates_tie_below_every_scored_one(siblings, learner) -> None:
    table = evaluate(learner(siblings), siblings)
    assert table.optimistic[0].tolist() == [1, 2, 2, 1, 1, 2]
    assert table.pessimistic[0].tolist() == [2, 9, 10, 2, 10, 2]
    realistic = (table.optimistic[0] + table.pessimistic[0]) / 2
    assert realistic.tolist() == [1.5, 5.5, 6, 1.5, 5.5, 2]
    assert table.scored[0].mean() == 3 / 6
    mrr = {ties: table.values("mrr", ties).mean() for ties in
           ("optimistic", "pessimistic", "realistic", "expected")}  # fmt: skip
    assert mrr["optimistic"] == 0.75
    assert mrr["pessimistic"] == pytest.approx(float(Fraction(163, 540)))
    assert mrr["realistic"] == pytest.approx(float(Fraction(13, 33)))
    assert mrr["expected"] == pytest.approx(0.455975, abs=5e-7)


def test_complete_scores_rank_alike_under_every_policy(siblings) -> None:
    table = evaluate(Everywhere(siblings), siblings)
    assert table.optimistic[0].tolist() == [2, 3, 1, 5, 6, 3]
    for ties in ("optimistic", "pessimistic", "realistic", "expected"):
        assert table.values("mrr", ties).mean() == pytest.approx(float(Fraction(19, 45)))


def test_the_winner_depends_on_the_tie_policy(siblings) -> None:
    partial, everywhere = (evaluate(s(siblings), siblings) for s in (Partial, Everywhere))
    wins = {
        ties: partial.values("mrr", ties).mean() > everywhere.values("mrr", ties).mean()
        for ties in ("optimistic", "expected", "realistic", "pessimistic")
    }
    assert wins == {"optimistic": True, "expected": True, "realistic": False, "pessimistic": False}


def test_constant_scorer_earns_the_chance_line_and_a_note(academic) -> None:
    zeros = np.zeros((13, 5, 13), np.float32)
    table = evaluate(TableScorer(zeros, zeros), academic)
    assert table.candidates[0].tolist() == [12, 13, 13, 12, 13, 11]
    assert table.values("mrr", "optimistic").mean() == 1.0
    assert table.values("mrr", "pessimistic").mean() == pytest.approx(0.08139083, abs=5e-9)
    assert table.values("mrr", "realistic").mean() == pytest.approx(0.1504884, abs=5e-8)
    chance = chance_line(table.candidates[0])
    assert table.values("mrr", "expected").mean() == pytest.approx(chance["mrr"])
    assert chance["mrr"] == pytest.approx(0.25426885, abs=5e-9)
    assert chance["hits_at_1"] == pytest.approx(0.081391, abs=5e-7)
    assert chance["hits_at_10"] == pytest.approx(0.813908, abs=5e-7)
    assert table.about["table"]["notes"] == ["all scores are equal in every query"]


N, Q = 50_000, 2_000


class Formula:
    """Scores by an integer formula, exact in float32 and without ties."""

    name = "formula"

    def score(self, queries):
        q = queries.anchors.astype(np.int64)[:, None]
        entities = np.arange(N, dtype=np.int64)
        return (((q + 1) * 7919 + entities * 104729) % 1000003).astype(np.float32)


@pytest.fixture(scope="module")
def wide() -> KnowledgeGraph:
    """50,000 entities, 2,000 tail queries, up to 40 known siblings each."""
    names = [f"e{i:05d}" for i in range(N)]
    train, test = [], []
    for q in range(Q):
        answer = (q * 31 + 17) % N
        known = sorted({(q * 97 + j * 1009) % N for j in range(40)} - {answer})
        train += [(names[q], "r", names[e]) for e in known]
        test.append((names[q], "r", names[answer]))
    return KnowledgeGraph.from_labels({"train": train, "test": test}, entities=names)


@pytest.mark.parametrize(("batch_size", "limit"), [(7, 200e6), (256, 600e6)])
def test_wide_pools_are_ranked_in_bounded_memory(wide, batch_size: int, limit: float) -> None:
    evaluate(Formula(), wide, targets=("tail",), batch_size=batch_size)  # compile first
    gc.collect()
    tracemalloc.start()
    table = evaluate(Formula(), wide, targets=("tail",), batch_size=batch_size)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < limit
    ranks = table.optimistic[0]
    assert ranks.tolist() == table.pessimistic[0].tolist()
    assert int(ranks.sum()) == 49_985_873
    assert ranks.mean() == 24_992.9365
    assert MRR.values(ranks, ranks).mean() == pytest.approx(0.0003667553, abs=5e-11)
    assert hits_at(1).values(ranks, ranks).mean() == 0
    assert hits_at(10).values(ranks, ranks).mean() == 0.001
    assert ranks[:8].tolist() == [10578, 47820, 35106, 22385, 9679, 46921, 34204, 21485]


@pytest.mark.slow
def test_wide_pools_cost_at_most_four_passes_of_numpy(wide) -> None:
    scorer = Formula()
    spent = {}
    for batch_size in (1, 7, 256):
        start = time.process_time()
        table = evaluate(scorer, wide, targets=("tail",), batch_size=batch_size)
        spent[batch_size] = time.process_time() - start
        assert int(table.optimistic.sum()) == 49_985_873
        queries, _, _ = _tail_queries(wide)
        start = time.process_time()
        for first in range(0, Q, batch_size):
            rows = queries.rows(slice(first, first + batch_size))
            scores = scorer.score(rows)
            (scores > scores[:, :1]).sum(axis=1)
        plain = time.process_time() - start
        assert spent[batch_size] <= 4 * plain


def _tail_queries(kg):
    from hybridkg.graph.queries import QueryList

    return QueryList.from_triples(kg.split("test"), ("tail",)).distinct("tail")


def test_a_subset_ranks_like_the_whole_because_the_filter_is_whole(academic) -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(13, 5, 13)).astype(np.float32)
    scorer = TableScorer(scores, scores)
    whole = evaluate(scorer, academic)
    only_tails = evaluate(scorer, academic, targets=("tail",))
    assert only_tails.optimistic[0].tolist() == whole.optimistic[0, ::2].tolist()


def test_unseen_triples_are_kept_or_dropped_but_always_counted() -> None:
    kg = KnowledgeGraph.from_labels(
        {"train": [("a", "r", "b")], "test": [("a", "r", "a"), ("a", "r", "new"), ("a", "s", "b")]}
    )
    zeros = np.zeros((3, 2, 3), np.float32)
    kept = evaluate(TableScorer(zeros, zeros), kg)
    dropped = evaluate(TableScorer(zeros, zeros), kg, unseen="drop")
    assert (kept.n_queries, kept.protocol.n_unseen) == (6, 2)
    assert (dropped.n_queries, dropped.protocol.n_unseen) == (2, 2)
    # (a, r, new) stays a known answer: two candidates remain of three for (a, r, ?).
    assert dropped.candidates[0, 0] == 3 - 2


def test_wrong_options_are_named(academic) -> None:
    zeros = np.zeros((13, 5, 13), np.float32)
    scorer = TableScorer(zeros, zeros)
    with pytest.raises(ConfigError, match="filter 'everything'; expected one of all"):
        evaluate(scorer, academic, filter_name="everything")
    with pytest.raises(SplitError, match="no split 'valid'"):
        evaluate(scorer, academic, split="valid")
    with pytest.raises(ConfigError, match="without a method score"):
        evaluate(object(), academic)
