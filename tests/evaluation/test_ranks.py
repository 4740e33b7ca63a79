"""The counting kernels equal a nested loop, and hold the laws of ranks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TIED_VALUES, TableScorer, protocols, scored_graphs

from hybridkg.errors import ConfigError, ScoreError
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.lists import ListObserver
from hybridkg.evaluation.metrics import METRICS, MRR
from hybridkg.evaluation.ranks import rank_targets
from hybridkg.graph.queries import Queries
from hybridkg.scoring.base import Factors, SparseScores, check_sparse
from hybridkg.scoring.factored import FactorProduct
from hybridkg.types import FILTERS, TIE_POLICIES

#: Four queries of six candidates, the answer first; ties at the top, none, everywhere, below.
TIED_SCORES = np.array(
    [
        [0.9, 0.9, 0.9, 0.4, 0.1, 0.0],
        [0.5, 0.9, 0.8, 0.4, 0.1, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.2, 0.9, 0.2, 0.2, 0.2, 0.0],
    ],
    dtype=np.float32,
)


def nested_loop(scores, answer, others):
    """Rank one query as a teacher would write it on the board."""
    better = sum(1 for e in others if scores[e] > scores[answer])
    tied = sum(1 for e in others if scores[e] == scores[answer])
    return 1 + better, 1 + better + tied, 1 + len(others)


def test_tied_scores_give_five_different_mrr() -> None:
    ranks = rank_targets(TIED_SCORES, np.zeros(4, np.int32), np.zeros((4, 6), bool))
    assert ranks.optimistic.tolist() == [1, 3, 1, 2]
    assert ranks.pessimistic.tolist() == [3, 3, 6, 5]
    assert ranks.candidates.tolist() == [6, 6, 6, 6]
    expected = {
        "optimistic": Fraction(17, 24),
        "pessimistic": Fraction(31, 120),
        "realistic": Fraction(59, 168),
        "expected": Fraction(241, 576),
        "rounded_mean": Fraction(1, 3),
    }
    for ties, value in expected.items():
        mean = MRR.values(ranks.optimistic, ranks.pessimistic, ties).mean()
        assert mean == pytest.approx(float(value), abs=1e-12)
    assert int((ranks.pessimistic > ranks.optimistic).sum()) == 3


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.tuples(
            st.lists(st.sampled_from(TIED_VALUES), min_size=n, max_size=n),
            st.integers(0, n - 1),
            st.lists(st.booleans(), min_size=n, max_size=n),
        )
    )
)
def test_rank_targets_equals_the_nested_loop(case) -> None:
    scores, answer, excluded = case
    others = [e for e in range(len(scores)) if e != answer and not excluded[e]]
    ranks = rank_targets(np.array([scores], np.float32), np.array([answer]), np.array([excluded]))
    got = (int(ranks.optimistic[0]), int(ranks.pessimistic[0]), int(ranks.candidates[0]))
    assert got == nested_loop(scores, answer, others)


@given(scored_graphs(), protocols())
def test_evaluator_equals_the_nested_loop(case, protocol) -> None:
    kg, scorer = case
    known = {tuple(t) for s in FILTERS[protocol["filter_name"]] for t in kg.splits[s].tolist()}
    train = set(kg.train[:, [0, 2]].ravel().tolist())
    pool = train if protocol["candidates"] == "train" else set(range(kg.n_entities))
    table = evaluate(scorer, kg, **protocol)
    row = 0
    for h, r, t in kg.splits["test"].tolist():
        for target in ("tail", "head"):
            if target not in protocol["targets"]:
                continue
            anchor, answer = (h, t) if target == "tail" else (t, h)
            made = {e: (h, r, e) if target == "tail" else (e, r, t) for e in range(kg.n_entities)}
            others = [e for e in pool if e != answer and made[e] not in known]
            scores = scorer._tables[target][anchor, r]
            got = tuple(
                int(table.columns[c][0, row]) for c in ("optimistic", "pessimistic", "candidates")
            )
            assert got == nested_loop(scores, answer, others)
            assert bool(table.scored[0, row]) == (scores[answer] > -np.inf)
            row += 1
    assert row == table.n_queries


@given(scored_graphs(), protocols())
def test_ranks_and_metrics_hold_their_order(case, protocol) -> None:
    kg, scorer = case
    table = evaluate(scorer, kg, **protocol)
    assert (table.optimistic >= 1).all()
    assert (table.pessimistic >= table.optimistic).all()
    assert (table.candidates >= table.pessimistic).all()
    for name in METRICS:
        values = {ties: table.values(name, ties) for ties in TIE_POLICIES}
        low = np.minimum(values["optimistic"], values["pessimistic"])
        high = np.maximum(values["optimistic"], values["pessimistic"])
        assert (low <= values["expected"] + 1e-12).all()
        assert (values["expected"] <= high + 1e-12).all()
        assert (low <= values["realistic"] + 1e-12).all()
        assert (values["realistic"] <= high + 1e-12).all()


@given(scored_graphs(), st.randoms(use_true_random=False))
def test_relabelling_entities_changes_no_rank(case, random) -> None:
    kg, scorer = case
    order = list(range(kg.n_entities))
    random.shuffle(order)
    # New labels sort differently, so every id moves.
    rename = {label: f"x{order[i]}" for i, label in enumerate(kg.entities)}
    renamed = type(kg).from_labels(
        {
            s: [(rename[h], r, rename[t]) for h, r, t in kg.label_triples(rows)]
            for s, rows in kg.splits.items()
        },
        entities=rename.values(),
    )
    old = np.array([kg.entities.id_of(label) for label in kg.entities])
    new = renamed.entities.ids_of([rename[label] for label in kg.entities])
    tables = {}
    for target, scores in scorer._tables.items():
        moved = np.empty_like(scores)
        moved[np.ix_(new, range(kg.n_relations), new)] = scores[
            np.ix_(old, range(kg.n_relations), old)
        ]
        tables[target] = moved
    first = evaluate(scorer, kg)
    second = evaluate(TableScorer(tables["tail"], tables["head"]), renamed)
    assert first.optimistic.tolist() == second.optimistic.tolist()
    assert first.pessimistic.tolist() == second.pessimistic.tolist()


def test_nan_is_refused_with_scorer_query_and_entity(academic) -> None:
    scores = np.zeros((13, 5, 13), np.float32)
    bob, advises = academic.entities.id_of("bob"), academic.relations.id_of("advises")
    scores[bob, advises, academic.entities.id_of("ml")] = np.nan
    with pytest.raises(ScoreError, match=r"'table' gives NaN to 'ml' .*\(bob, advises, \?\)"):
        evaluate(TableScorer(scores, np.zeros_like(scores)), academic)


def test_infinite_true_answer_is_refused(academic) -> None:
    scores = np.zeros((13, 5, 13), np.float32)
    bob, advises = academic.entities.id_of("bob"), academic.relations.id_of("advises")
    scores[bob, advises, academic.entities.id_of("dave")] = np.inf
    with pytest.raises(ScoreError, match=r"\+inf to the true answer 'dave'"):
        evaluate(TableScorer(scores, np.zeros_like(scores)), academic)


def test_wrong_shape_is_refused(academic) -> None:
    class Short:
        name = "short"

        def score(self, queries):
            return np.zeros((len(queries), 3), np.float32)

    with pytest.raises(ScoreError, match=r"'short' returned shape \(.*expected \(.*, 13\)"):
        evaluate(Short(), academic)


def test_float64_fortran_and_lists_rank_like_float32(academic) -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(-4, 4, size=(13, 5, 13)).astype(np.float32)
    plain = TableScorer(scores, scores)

    class Other:
        name = "table"

        def score(self, queries):
            return np.asfortranarray(plain.score(queries).astype(np.float64)).tolist()

    first, second = evaluate(plain, academic), evaluate(Other(), academic)
    assert first.optimistic.tolist() == second.optimistic.tolist()
    assert first.pessimistic.tolist() == second.pessimistic.tolist()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("high", "expected real numbers"),
        (1 + 2j, "expected real numbers"),
        (1e300, "beyond float32"),
    ],
)
def test_scores_that_are_no_float32_numbers_are_refused(academic, value, words: str) -> None:
    class Odd:
        name = "odd"

        def score(self, queries):
            return np.full((len(queries), 13), value)

    with pytest.raises(ScoreError, match=f"'odd': what it returned .*{words}"):
        evaluate(Odd(), academic)


def bad_factors():
    queries, entities = np.ones((2, 4), np.float32), np.ones((13, 4), np.float32)
    return [
        (Factors(queries[:1], entities), r"\(1, 4\) and \(13, 4\) for 2 queries"),
        (Factors(queries[:0], entities), "for 2 queries"),
        (Factors(np.ones((3, 4), np.float32), entities), "for 2 queries"),
        (Factors(queries, entities[:5]), r"expected \(2, d\) and \(13, d\)"),
        (Factors(queries, entities[:, :3]), "expected"),
        (Factors(queries * 1j, entities), "complex64 values; expected real numbers"),
        (Factors(queries, entities, "L2"), "of kind 'dot' or 'l2'"),
        ((queries, entities), "expected hybridkg.scoring.base.Factors"),
        (Factors(queries, entities, unscored_entities=np.array([13])), "expected 0 to 12"),
        (Factors(queries, entities, unscored_queries=np.array([-1])), "expected 0 to 1"),
        (Factors(queries, entities, unscored_entities=np.array([0.5])), "expected whole numbers"),
    ]


@pytest.mark.parametrize(("factors", "words"), bad_factors())
def test_factors_that_do_not_fit_are_refused(factors, words: str) -> None:
    product = FactorProduct(13, "bad")
    with pytest.raises(ScoreError, match=words):
        product(factors, 2, np.empty((product.height, 13), np.float32))


@pytest.mark.parametrize(
    ("sparse", "words"),
    [
        (([0, 1], [0], [1.0]), "for 2 queries"),
        (([0, 2, 1], [0], [1.0]), "rising offsets"),
        (([0, 1, 2], [0, 13], [1.0, 1.0]), "entity ids 0 to 13; expected 0 to 12"),
        (([0, 1, 2], [-1, 3], [1.0, 1.0]), "entity ids -1 to 3"),
        (([0, 2, 2], [4, 4], [1.0, 2.0]), "scores entity 4 twice in query 0"),
        (([0, 1, 2], [0.0, 1.0], [1.0, 1.0]), "expected whole numbers"),
        (([0, 1, 2], [0, 1], [[1.0], [1.0]]), "one score an entity"),
    ],
)
def test_sparse_scores_that_do_not_fit_are_refused(sparse, words: str) -> None:
    found = SparseScores(*(np.array(part) for part in sparse))
    with pytest.raises(ScoreError, match=words):
        check_sparse(found, 2, 13, "bad")


def test_sparse_scores_beyond_float32_and_classes_are_refused(academic) -> None:
    class Wide:
        name = "wide"

        def score(self, queries):
            raise AssertionError("the sparse path is taken")

        def score_sparse(self, queries):
            n = len(queries)
            return SparseScores(np.arange(n + 1), np.zeros(n, np.int32), np.full(n, 1e300))

    with pytest.raises(ScoreError, match=r"'wide': a sparse score holds .* beyond float32"):
        evaluate(Wide(), academic)
    with pytest.raises(ConfigError, match="without a method score"):
        evaluate(Wide, academic)


@pytest.mark.parametrize("tail", ["dot", "l2"])
def test_each_target_may_have_its_own_kind_of_factors(academic, tail: str) -> None:
    vectors = np.random.default_rng(0).normal(3, size=(13, 4)).astype(np.float32)
    kinds = {"tail": tail, "head": "l2" if tail == "dot" else "dot"}

    class Mixed:
        name = "mixed"

        def factor(self, queries):
            return Factors(vectors[queries.anchors], vectors, kinds[queries.target])

        def score(self, queries):
            asked = vectors[queries.anchors]
            if kinds[queries.target] == "dot":
                return asked @ vectors.T
            return -np.linalg.norm(asked[:, None] - vectors, axis=2)

    lists = ListObserver(13)
    evaluate(Mixed(), academic, filter_name="none", observers=[lists])
    for one in lists.lists:
        asked = Queries(one.target, np.array([one.anchor]), np.array([one.relation]))
        expected = Mixed().score(asked)[0, one.entities]
        assert one.scores == pytest.approx(expected, rel=1e-5, abs=1e-3)
