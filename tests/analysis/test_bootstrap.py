"""Intervals and differences: SciPy's bootstrap agrees, and the laws of pairing hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridkg.analysis.bootstrap import Bootstrap, confidence_intervals, difference, differences
from hybridkg.analysis.strata import strata_by_triple
from hybridkg.errors import ConfigError, UnknownNameError
from hybridkg.evaluation.adjusted import AdjustedMetric, PoolMoments, metric_named
from hybridkg.evaluation.metrics import METRICS
from hybridkg.evaluation.rank_files import _unstated
from hybridkg.evaluation.rank_table import RankTable

NAMES = ("mrr", "hits_at_3", "mean_rank", "amri", "z_mean_rank", "adjusted_mrr")


def make_table(seed: int, n_triples: int, names=("a", "b", "c"), repeats: int = 1) -> RankTable:
    """Ranks of instances that find the same triples easy; later ones rank worse."""
    rng = np.random.default_rng(seed)
    n = 2 * n_triples * repeats
    pools = rng.integers(20, 60, size=n).astype(np.int32)
    ease = np.repeat(rng.gamma(1.0, size=n_triples * repeats), 2)
    low = [1 + (ease * rng.gamma(3.0 + i, size=n)).astype(np.int32) for i in range(len(names))]
    optimistic = np.minimum(np.stack(low), pools)
    pessimistic = np.minimum(optimistic + rng.integers(0, 3, size=optimistic.shape), pools)
    triple = [i // 2 // repeats for i in range(n)]
    return RankTable(
        heads=[f"h{i}" for i in triple],
        relations=[f"r{i % 3}" for i in triple],
        tails=["t"] * n,
        targets=["tail", "head"] * (n // 2),
        instances=tuple(names),
        columns={
            "optimistic": optimistic,
            "pessimistic": pessimistic.astype(np.int32),
            "candidates": np.tile(pools, (len(names), 1)),
            "scored": np.ones_like(optimistic, dtype=bool),
        },
        protocol=_unstated(),
        about={},
    )


def reordered(table: RankTable, order) -> RankTable:
    return replace(
        table,
        **{key: [getattr(table, key)[row] for row in order]
           for key in ("heads", "relations", "tails", "targets")},
        columns={column: values[:, order] for column, values in table.columns.items()},
    )  # fmt: skip


def test_intervals_agree_with_scipy() -> None:
    from scipy.stats import bootstrap

    table = make_table(3, 150)
    many = Bootstrap(resamples=9_999, level=0.9)
    ours = confidence_intervals(
        table, rng=np.random.default_rng(0), metrics=NAMES, bootstrap=many, groups={"g": ["a", "b"]}
    )
    paired = differences(table, "c", rng=np.random.default_rng(0), metrics=NAMES, bootstrap=many)
    pools = table.candidates[0].reshape(150, 2)

    def statistic(name, kind):
        metric = metric_named(name)
        is_adjusted = isinstance(metric, AdjustedMetric)
        base = metric.base.name if is_adjusted else name
        values = table.values(base).reshape(3, 150, 2)

        def of(rows):
            rows = np.asarray(rows, dtype=int)
            a, b, c = values[:, rows].mean(axis=(1, 2)).tolist()
            if is_adjusted:
                a, b, c = (metric.of(mean, pools[rows].reshape(-1)) for mean in (a, b, c))
            return {"instance": a, "group": (a + b) / 2, "difference": a - c}[kind]

        return of

    for name in NAMES:
        for kind, row in (
            ("instance", ours.loc["instance", "a", name]),
            ("group", ours.loc["group", "g", name]),
            ("difference", paired.loc["a", name]),
        ):
            theirs = bootstrap(
                (np.arange(150),), statistic(name, kind), method="percentile", vectorized=False,
                n_resamples=1_000, confidence_level=0.9, rng=np.random.default_rng(1),
            )  # fmt: skip
            width = row["high"] - row["low"]
            # One sd of an end that is read from 1,000 resamples is 0.02 of the width.
            assert row["low"] == pytest.approx(theirs.confidence_interval.low, abs=0.08 * width)
            assert row["high"] == pytest.approx(theirs.confidence_interval.high, abs=0.08 * width)


def test_scipys_own_pairing_gives_the_same_difference() -> None:
    from scipy.stats import bootstrap

    table = make_table(5, 200, names=("a", "b"))
    values = table.values("mrr").reshape(2, 200, 2).mean(axis=2)
    theirs = bootstrap(
        (values[0], values[1]), lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis),
        paired=True, method="percentile", vectorized=True, n_resamples=9_999,
        rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    ours = difference(
        table, "a", "b", rng=np.random.default_rng(2), bootstrap=Bootstrap(resamples=9_999)
    ).loc["mrr"]
    width = theirs.high - theirs.low
    assert ours["difference"] == pytest.approx(values[0].mean() - values[1].mean())
    assert (ours["low"], ours["high"]) == pytest.approx(tuple(theirs), abs=0.05 * width)
    alone = confidence_intervals(table, rng=np.random.default_rng(2), metrics=["mrr"])
    single = alone["high"] - alone["low"]
    assert width < single.min(), "triples that are hard for both cancel in a paired difference"


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_intervals_do_not_depend_on_the_order_of_instances_or_queries(seed, n, random) -> None:
    table = make_table(seed, n)
    order, names = list(range(table.n_queries)), list(table.instances)
    random.shuffle(order)
    random.shuffle(names)
    turned = reordered(table, order).select(names)
    few = Bootstrap(resamples=20)
    for study in (
        lambda t: confidence_intervals(
            t, rng=np.random.default_rng(seed), metrics=NAMES, bootstrap=few
        ),
        lambda t: differences(
            t, "b", rng=np.random.default_rng(seed), metrics=NAMES, bootstrap=few
        ),
    ):
        first, second = study(table), study(turned)
        assert np.allclose(first, second.loc[first.index], equal_nan=True)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
@settings(max_examples=25)
def test_instances_that_rank_alike_differ_by_exactly_nothing(seed, n) -> None:
    table = make_table(seed, n, names=("a", "b", "same as b"))
    columns = {column: values[[0, 1, 1]] for column, values in table.columns.items()}
    twin = replace(table, columns=columns)
    few = Bootstrap(resamples=30)
    for first, second in (("b", "same as b"), ("same as b", "b"), ("a", "a")):
        found = difference(
            twin, first, second, rng=np.random.default_rng(seed), metrics=NAMES, bootstrap=few
        )
        defined = found.dropna()
        assert len(defined) >= 3
        assert (defined[["difference", "low", "high"]] == 0).all(axis=None)
        assert (defined["p"] == 1).all()


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
@settings(max_examples=25)
def test_a_difference_turns_its_sign_with_its_instances(seed, n) -> None:
    table = make_table(seed, n)
    few = Bootstrap(resamples=25)
    rng = np.random.default_rng
    first = difference(table, "a", "b", rng=rng(seed), metrics=NAMES, bootstrap=few)
    second = difference(table, "b", "a", rng=rng(seed), metrics=NAMES, bootstrap=few)
    assert np.allclose(first["difference"], -second["difference"], equal_nan=True)
    assert np.allclose(first["low"], -second["high"], equal_nan=True)
    assert np.allclose(first["p"], second["p"], equal_nan=True)
    # Among others the pair has the same resamples, so the same numbers.
    among = differences(table, "b", rng=rng(seed), metrics=NAMES, bootstrap=few)
    assert np.allclose(first, among.loc["a"].loc[list(NAMES)], equal_nan=True)


def test_the_smallest_p_is_bounded_and_a_null_effect_has_a_large_one() -> None:
    table = make_table(1, 60, names=("a", "b"))
    worse = {**table.columns, "optimistic": table.optimistic.copy()}
    worse["optimistic"][1] = worse["pessimistic"][1]
    worse["optimistic"][0] = 1
    worse["pessimistic"] = worse["optimistic"]
    found = difference(
        replace(table, columns=worse), "a", "b", rng=np.random.default_rng(0),
        bootstrap=Bootstrap(resamples=199),
    )  # fmt: skip
    assert found.loc["mrr", "p"] == 2 / (199 + 1)
    # Hits@1 of one instance on even triples, of the other on odd ones.
    ranks = np.ones_like(table.optimistic)
    ranks[0, 0::4] = ranks[0, 1::4] = ranks[1, 2::4] = ranks[1, 3::4] = 9
    even = replace(table, columns={**table.columns, "optimistic": ranks, "pessimistic": ranks})
    assert difference(even, "a", "b", rng=np.random.default_rng(0)).loc["hits_at_1", "p"] > 0.5


def test_p_is_uniform_where_there_is_no_difference() -> None:
    rejected = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        table = make_table(seed, 80, names=("a", "b"))
        ranks = rng.integers(1, 20, size=table.optimistic.shape).astype(np.int32)
        same = replace(table, columns={**table.columns, "optimistic": ranks, "pessimistic": ranks})
        found = difference(
            same, "a", "b", rng=rng, metrics=["mrr"], bootstrap=Bootstrap(resamples=199)
        )
        rejected.append(found.loc["mrr", "p"] < 0.1)
    # Binomial(200, 0.1) has sd 4.2; the percentile bootstrap rejects slightly too often.
    assert 8 <= sum(rejected) <= 36


def test_repeated_triples_are_resampled_apart() -> None:
    apart = make_table(2, 40, names=("a",))
    repeated = replace(
        apart,
        heads=["h"] * 80,
        relations=["r"] * 80,
        columns={c: v for c, v in apart.columns.items() if c != "audit"},
    )
    assert len(strata_by_triple(repeated).labels) == 40
    named = confidence_intervals(apart, rng=np.random.default_rng(0))
    found = confidence_intervals(repeated, rng=np.random.default_rng(0))
    width = named["high"] - named["low"]
    assert ((found["high"] - found["low"]) > 0.5 * width).all()


def test_a_triple_keeps_both_queries() -> None:
    table = make_table(4, 30, names=("a",))
    ranks = np.ones_like(table.optimistic)
    ranks[0, 1::2] = 9
    halves = replace(table, columns={**table.columns, "optimistic": ranks, "pessimistic": ranks})
    row = confidence_intervals(halves, rng=np.random.default_rng(0)).loc["instance", "a", "mrr"]
    # Every triple has one query at rank 1 and one at rank 9, so no resample changes the mean.
    assert (row["low"], row["high"]) == pytest.approx(((1 + 1 / 9) / 2,) * 2, abs=1e-12)


def test_queries_count_where_triples_have_unequal_numbers_of_them() -> None:
    table = make_table(6, 25, names=("a", "b"))
    lone = reordered(table, [row for row in range(50) if row % 4 != 1])
    found = confidence_intervals(lone, rng=np.random.default_rng(0), metrics=NAMES)
    whole = lone.metrics(names=NAMES)
    for name in NAMES:
        assert found.loc["instance", "b", name]["value"] == pytest.approx(whole.loc["b", name])


def test_adjusted_metrics_follow_the_resampled_pools() -> None:
    # Every answer stands in the middle of its pool: at chance on each resample, whatever pools.
    table = make_table(7, 40, names=("a",))
    ones = np.ones_like(table.candidates)
    middle = replace(
        table, columns={**table.columns, "optimistic": ones, "pessimistic": table.candidates}
    )
    found = confidence_intervals(
        middle, rng=np.random.default_rng(0), metrics=["amri", "mean_rank"]
    )
    row = found.loc["instance", "a", "amri"]
    assert (row["low"], row["high"]) == pytest.approx((0, 0), abs=1e-12)
    assert found.loc["instance", "a", "mean_rank"]["low"] < float(
        PoolMoments.of(METRICS["mean_rank"], table.candidates[0]).expectation
    )


def test_pools_that_differ_between_instances_are_each_adjusted_by_their_own() -> None:
    table = make_table(8, 30, names=("a", "b"))
    pools = table.candidates.copy()
    pools[1] += 40
    wider = replace(table, columns={**table.columns, "candidates": pools})
    whole = wider.metrics(names=NAMES)
    found = differences(wider, "b", rng=np.random.default_rng(0), metrics=NAMES)
    for name in NAMES:
        expected = whole.loc["a", name] - whole.loc["b", name]
        assert found.loc["a", name]["difference"] == pytest.approx(expected)


def test_what_is_not_defined_stays_undefined() -> None:
    table = make_table(9, 20, names=("a", "b"))
    scored = table.scored.copy()
    scored[0, 3] = False
    partly = replace(table, columns={**table.columns, "scored": scored})
    options = {"metrics": ["mrr", "mean_rank", "amri"], "ties": "absent_zero_realistic"}
    found = confidence_intervals(partly, rng=np.random.default_rng(0), **options)["low"]
    assert found.isna().tolist() == [False, False, True, False, True, False]
    paired = differences(partly, "b", rng=np.random.default_rng(0), **options)
    assert paired.isna().to_numpy().tolist() == [[False] * 4, [True] * 4, [True] * 4]
    unknown = replace(table, columns={**table.columns, "candidates": table.candidates * 0})
    found = confidence_intervals(unknown, rng=np.random.default_rng(0), metrics=["amri", "mrr"])
    assert found["high"].isna().tolist() == [True, True, False, False]


def test_the_same_seed_gives_the_same_intervals_and_blocks_do_not_matter(monkeypatch) -> None:
    from hybridkg.analysis import resampling

    table = make_table(10, 30)
    first = confidence_intervals(table, rng=np.random.default_rng(5))
    assert first.equals(confidence_intervals(table, rng=np.random.default_rng(5)))
    monkeypatch.setattr(resampling, "BLOCK_BYTES", 7 * 30 * 8)
    assert np.allclose(first, confidence_intervals(table, rng=np.random.default_rng(5)))
    assert not np.allclose(first, confidence_intervals(table, rng=np.random.default_rng(6)))


def test_bad_numbers_and_names_are_refused() -> None:
    table = make_table(11, 3)
    for resamples in (0, -1, 100_001):
        with pytest.raises(ConfigError, match="expected a number from 1 to 100,000"):
            Bootstrap(resamples=resamples)
    for level in (0.0, 1.0, 95.0, float("nan")):
        with pytest.raises(ConfigError, match="expected a number between 0 and 1"):
            Bootstrap(level=level)
    with pytest.raises(UnknownNameError, match="unknown instance 'd'"):
        difference(table, "a", "d", rng=np.random.default_rng(0))
    with pytest.raises(UnknownNameError, match="unknown instance 'd'"):
        confidence_intervals(table, rng=np.random.default_rng(0), groups={"g": ["d"]})
