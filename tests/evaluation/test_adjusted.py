"""Metrics adjusted for chance: PyKEEN's values, the laws of chance, and where nothing is said."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import scored_graphs

from hybridkg.errors import UnknownNameError
from hybridkg.evaluation.adjusted import (
    ADJUSTED_METRICS,
    PoolMoments,
    adjusted_named,
    metric_named,
)
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.metrics import METRICS
from hybridkg.scoring.baselines import ConstantScorer

POOLS = st.lists(st.integers(1, 9), min_size=1, max_size=4).map(
    lambda sizes: np.array(sizes, dtype=np.int32)
)


@given(POOLS)
def test_moments_equal_those_over_all_rankings(pools) -> None:
    rankings = np.array(list(product(*(range(1, n + 1) for n in pools))), dtype=np.int32)
    for metric in METRICS.values():
        means = metric.values(rankings, rankings).mean(axis=1)
        moments = PoolMoments.of(metric, pools)
        assert float(moments.expectation) == pytest.approx(means.mean(), abs=1e-12)
        assert float(moments.variance) == pytest.approx(means.var(), abs=1e-12)


def test_the_reciprocal_variance_holds_for_large_pools() -> None:
    n = 200_000
    values = 1 / np.arange(1, n + 1)
    found = PoolMoments.of(METRICS["mrr"], np.array([n], dtype=np.int32)).variance
    assert float(found) == pytest.approx(values.var(), rel=1e-9)


@given(scored_graphs())
def test_adjusted_metrics_equal_those_of_pykeen(case) -> None:
    ranking = pytest.importorskip("pykeen.metrics.ranking")
    theirs = {
        "amr": ranking.AdjustedArithmeticMeanRank(),
        "amri": ranking.AdjustedArithmeticMeanRankIndex(),
        "z_mean_rank": ranking.ZArithmeticMeanRank(),
        "adjusted_mrr": ranking.AdjustedInverseHarmonicMeanRank(),
        "z_mrr": ranking.ZInverseHarmonicMeanRank(),
        **{f"adjusted_hits_at_{k}": ranking.AdjustedHitsAtK(k=k) for k in (1, 3)},
        **{f"z_hits_at_{k}": ranking.ZHitsAtK(k=k) for k in (1, 3)},
    }
    kg, scorer = case
    table = evaluate(scorer, kg)
    found = table.metrics("pessimistic", names=list(theirs)).iloc[0]
    ranks, pools = table.pessimistic[0], table.candidates[0]
    for name, metric in theirs.items():
        # Where chance leaves no room, PyKEEN divides by a small number instead.
        if not np.isnan(found[name]):
            value = metric(ranks=ranks.astype(float), num_candidates=pools)
            assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-9)


def test_a_constant_scorer_earns_chance_and_a_perfect_one_all(academic) -> None:
    table = evaluate(ConstantScorer(academic.n_entities), academic)
    at_chance = table.metrics("expected", names=list(ADJUSTED_METRICS)).iloc[0]
    ones = np.ones_like(table.optimistic)
    perfect = replace(table, columns={**table.columns, "optimistic": ones, "pessimistic": ones})
    at_best = perfect.metrics(names=list(ADJUSTED_METRICS)).iloc[0]
    for name, metric in ADJUSTED_METRICS.items():
        assert at_chance[name] == pytest.approx(1.0 if metric.form == "ratio" else 0.0, abs=1e-9)
        low, high = metric.range
        assert low <= at_best[name] <= high + 1e-12
        if metric.form == "index":
            assert at_best[name] == pytest.approx(1.0)
        assert (at_best[name] > at_chance[name]) == metric.larger_is_better
    mean = float(np.mean([12, 13, 13, 12, 13, 11]))
    assert at_best["amr"] == pytest.approx(1 / ((mean + 1) / 2))


def test_nothing_is_said_where_pools_are_unknown_or_chance_leaves_no_room() -> None:
    none = np.array([5, 0], dtype=np.int32)
    single = np.array([1, 1], dtype=np.int32)
    small = np.array([3, 2], dtype=np.int32)
    for metric in ADJUSTED_METRICS.values():
        assert metric.of(1.0, none) is None
        assert (metric.of(1.0, single) is None) == (metric.form != "ratio")
    for name in ("adjusted_hits_at_3", "z_hits_at_10"):
        assert adjusted_named(name).of(1.0, small) is None
    assert adjusted_named("amri").of(1.0, small) == 1.0


def test_names_lead_to_metrics_or_to_what_is_known() -> None:
    assert metric_named("adjusted_hits_at_5").title == "adjusted Hits@5"
    assert metric_named("z_hits_at_7").base.name == "hits_at_7"
    assert metric_named("mrr") is METRICS["mrr"]
    for name, metric in ADJUSTED_METRICS.items():
        assert metric_named(name) is metric
        assert (metric.name, bool(metric.source)) == (name, True)
    for name in ("amrii", "adjusted_hits_at_0", "z_hits_at_x", "hits_at_0", "hits_at_2147483648",
                 "hits_at_" + "9" * 5000, "adjusted_mean_rank", "z_"):  # fmt: skip
        with pytest.raises(UnknownNameError, match="exist for every K from 1; --metrics"):
            metric_named(name, where="--metrics")
    assert metric_named("hits_at_2147483647").values(*(np.array([1, 2**31 - 1], np.int32),) * 2
                                                     ).tolist() == [1, 1]  # fmt: skip
