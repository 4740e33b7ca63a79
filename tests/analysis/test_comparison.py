"""Comparisons: groups, order, intervals and differences say what the parts say alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkg.analysis.bootstrap import Bootstrap, confidence_intervals, differences
from hybridkg.analysis.breakdown import breakdown, macro_over_relations
from hybridkg.analysis.comparison import ComparisonOptions, compare_instances
from hybridkg.errors import ConfigError, UnknownNameError
from hybridkg.evaluation.adjusted import metric_named
from hybridkg.evaluation.chance import chance_line
from hybridkg.evaluation.rank_files import _unstated
from hybridkg.evaluation.rank_table import RankTable

MODELS = {"x-s0": "x", "x-s1": "x", "y-s0": "y", "y-s1": "y", "z": "z"}
FEW = Bootstrap(resamples=50, level=0.8)


@pytest.fixture(scope="module")
def table() -> RankTable:
    rng = np.random.default_rng(0)
    n = 24
    pools = rng.integers(10, 30, size=n).astype(np.int32)
    optimistic = np.minimum(rng.integers(1, 12, size=(5, n)), pools).astype(np.int32)
    return RankTable(
        heads=[f"h{i // 2}" for i in range(n)],
        relations=[f"r{i // 2 % 3}" for i in range(n)],
        tails=["t"] * n,
        targets=["tail", "head"] * (n // 2),
        instances=tuple(MODELS),
        columns={
            "optimistic": optimistic,
            "pessimistic": np.minimum(optimistic + 2, pools).astype(np.int32),
            "candidates": np.tile(pools, (5, 1)),
            "scored": np.ones((5, n), dtype=bool),
            "cardinality": np.tile((np.arange(n) // 2 % 3).astype(np.uint8), (5, 1)),
        },
        protocol=_unstated(),
        about={name: {"model": model} for name, model in MODELS.items()},
    )


def test_models_with_several_instances_are_groups_unless_groups_are_named(table) -> None:
    document = compare_instances(table)
    assert [(g["name"], g["members"]) for g in document["groups"]] == [
        ("x", ["x-s0", "x-s1"]), ("y", ["y-s0", "y-s1"]),
    ]  # fmt: skip
    for model, group in zip(document["models"], document["groups"], strict=True):
        assert model["model"] == group["name"]
        for metric in ("mrr", "amri"):
            assert model["mean"][metric] == pytest.approx(group["mean"][metric])
            assert model["sd"][metric] == pytest.approx(group["sd"][metric])
    by_hand = compare_instances(
        table, ComparisonOptions(groups=[("best", ("z", "x-s0")), ("one", ("y-s0",))])
    )
    assert [group["name"] for group in by_hand["groups"]] == ["best", "one"]
    values = table.values("mrr").mean(axis=1)
    best, one = by_hand["groups"]
    assert best["mean"]["mrr"] == pytest.approx((values[4] + values[0]) / 2)
    assert best["sd"]["mrr"] == pytest.approx(abs(values[4] - values[0]) / np.sqrt(2))
    assert one["sd"]["mrr"] is None


@given(
    st.sampled_from(["mrr", "mean_rank", "amr", "amri", "z_hits_at_3"]),
    st.sampled_from(["expected", "rounded_mean"]),
)
def test_sorting_puts_the_better_ones_first(table, name, ties) -> None:
    document = compare_instances(table, ComparisonOptions(sort=name), ties=ties)
    sign = 1 if metric_named(name).larger_is_better else -1
    for key in ("instances", "groups"):
        values = [sign * row.get("mean", row)[name] for row in document[key]]
        assert values == sorted(values, reverse=True)
    assert {row["name"] for row in document["instances"]} == set(table.instances)


def test_sorting_by_name_and_of_what_is_not_defined(table) -> None:
    turned = table.select(table.instances[::-1])
    for sort, names in (("none", turned.instances), ("name", tuple(sorted(turned.instances)))):
        document = compare_instances(turned, ComparisonOptions(sort=sort))
        assert tuple(row["name"] for row in document["instances"]) == names
    scored = table.scored.copy()
    scored[0, 0] = False
    partly = replace(table, columns={**table.columns, "scored": scored})
    document = compare_instances(
        partly, ComparisonOptions(sort="mean_rank"), ties="absent_zero_realistic"
    )
    assert document["instances"][-1]["name"] == "x-s0"
    assert document["groups"][-1]["name"] == "x"
    assert np.isnan(document["groups"][-1]["mean"]["mean_rank"])


def test_intervals_and_differences_are_those_of_the_bootstrap(table) -> None:
    options = ComparisonOptions(
        metrics=("mrr", "amri"), intervals=True, against="z", sort="mrr", bootstrap=FEW, seed=7
    )
    document = compare_instances(table, options, ties="realistic")
    same = {"metrics": ("mrr", "amri"), "ties": "realistic", "bootstrap": FEW}
    expected = confidence_intervals(
        table,
        rng=np.random.default_rng(7),
        groups={g["name"]: g["members"] for g in document["groups"]},
        **same,
    ).sort_index()
    for kind, key in (("instance", "instances"), ("group", "groups")):
        for row in document[key]:
            for metric, found in row["intervals"].items():
                alone = expected.loc[(kind, row["name"], metric)]
                assert found == {"low": alone["low"], "high": alone["high"]}
                assert found["low"] <= row.get("mean", row)[metric] <= found["high"]
    paired = differences(table, "z", rng=np.random.default_rng(7), **same).sort_index()
    found = document["against"]["differences"]
    order = [row["name"] for row in document["instances"] if row["name"] != "z"]
    assert [(row["instance"], row["metric"]) for row in found] == [
        (name, metric) for name in order for metric in ("mrr", "amri")
    ]
    for row in found:
        alone = paired.loc[(row["instance"], row["metric"])]
        for column in ("difference", "low", "high", "p"):
            assert row[column] == alone[column]
    assert document["bootstrap"] == {
        "level": 0.8, "resamples": 50, "seed": 7, "unit": "test triple", "n_triples": 12,
        "method": "percentile",
    }  # fmt: skip


@pytest.mark.parametrize("by", [("relation",), ("cardinality", "target"), ("target",)])
def test_the_breakdown_has_chance_groups_and_instances_of_each_stratum(table, by) -> None:
    document = compare_instances(table, ComparisonOptions(metrics=("mrr", "amri"), by=by))
    frame = breakdown(table, by, metrics=("mrr", "amri")).sort_index()
    rows = document["breakdown"]["rows"]
    n_strata = len(frame) // len(table.instances)
    kinds = ["chance"] + ["group"] * 2 + ["instance"] * 5
    assert [row["kind"] for row in rows] == kinds * n_strata
    for start in range(0, len(rows), len(kinds)):
        chance, x, _, *instances = rows[start : start + len(kinds)]
        for row in instances:
            alone = frame.loc[(row["name"], *(row[key] for key in by))]
            for column in ("queries", "mrr", "amri", "tied", "coverage"):
                assert row[column] == alone[column]
        assert x["mrr"] == pytest.approx((instances[0]["mrr"] + instances[1]["mrr"]) / 2)
        assert chance["amri"] == pytest.approx(0, abs=1e-12)
        assert chance["queries"] == instances[0]["queries"]


def test_macro_is_the_mean_of_the_relations(table) -> None:
    document = compare_instances(table, ComparisonOptions(metrics=("mrr",), by=("macro",)))
    macro = macro_over_relations(table, metrics=("mrr",))
    rows = {row["name"]: row for row in document["breakdown"]["rows"]}
    for name in table.instances:
        assert rows[name]["mrr"] == macro.loc[name, "mrr"]
        assert rows[name]["relations"] == 3
    relations = np.array(table.relations)
    assert rows["(chance)"]["mrr"] == pytest.approx(
        np.mean([chance_line(table.candidates[0][relations == r])["mrr"] for r in set(relations)])
    )


def test_nothing_that_was_not_asked_is_there(table) -> None:
    document = compare_instances(table)
    assert [document[key] for key in ("bootstrap", "against", "breakdown")] == [None] * 3
    assert all("intervals" not in row for row in document["instances"])
    unknown = replace(table, columns={**table.columns, "candidates": table.candidates * 0})
    document = compare_instances(unknown, ComparisonOptions(by=("relation",)))
    assert document["chance"] is None
    assert {row["kind"] for row in document["breakdown"]["rows"]} == {"group", "instance"}


def test_options_are_checked(table) -> None:
    for options, words in (
        ({"by": ("macro", "target")}, "or macro alone"),
        ({"by": ("colour",)}, "expected some of relation,cardinality,target"),
        ({"metrics": ()}, "no metric to compare"),
    ):
        with pytest.raises(ConfigError, match=words):
            ComparisonOptions(**options)
    with pytest.raises(UnknownNameError, match="by name, or none"):
        ComparisonOptions(sort="names")
    with pytest.raises(UnknownNameError, match="unknown metric 'mmr'; did you mean 'mrr'"):
        ComparisonOptions(metrics=("mmr",))
    with pytest.raises(UnknownNameError, match="unknown instance 'w'"):
        compare_instances(table, ComparisonOptions(against="w"))
