"""The oracle's known answers, and its laws."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkg.analysis.groups import parse_group
from hybridkg.analysis.oracle import mean_oracle_by_size, oracle
from hybridkg.errors import ConfigError, DataError, RankTableError, UnknownNameError
from hybridkg.evaluation.rank_files import read_rank_file
from hybridkg.training.stored_ranks import read_ranks
from hybridkg.types import FOREIGN_TIE_POLICIES, TIE_POLICIES

POLICIES = st.sampled_from([*TIE_POLICIES, *FOREIGN_TIE_POLICIES])

#: Ranks of four instances on the same eight queries, in the order of QUERIES.
RANKS = {
    "conve_s1": [4, 4, 2, 2, 1, 25, 10, 1],
    "rules_s1": [1, 8, 1, 20, 100, 50, 1, 1],
    "transe_s1": [1, 2, 4, 1, 10, 50, 3, 1],
    "transe_s2": [2, 1, 4, 1, 5, 50, 3, 2],
}
QUERIES = [(f"h{i}", "r", f"t{i}", side) for i in range(1, 5) for side in ("tail", "head")]


@pytest.fixture
def rank_files(tmp_path):
    """One file an instance; each lists the queries in another order."""
    paths = []
    for turn, (name, ranks) in enumerate(RANKS.items()):
        lines = ["\t".join([*q, str(rank)]) for q, rank in zip(QUERIES, ranks, strict=True)]
        lines = lines[turn:] + lines[:turn]
        path = tmp_path / f"{name}.tsv"
        path.write_text("head\trelation\ttail\tside\trank\n" + "\n".join(lines) + "\n")
        paths.append(path)
    return paths


def test_four_instances_on_eight_queries(rank_files) -> None:
    table = read_ranks(rank_files)
    study = oracle(table, [parse_group("transe=transe_s1,transe_s2")])
    single = table.metrics(names=["mrr", "hits_at_1"])
    assert single["mrr"].round(6).to_dict() == {
        "transe_s1": 0.525417,
        "transe_s2": 0.475417,
        "rules_s1": 0.525625,
        "conve_s1": 0.455,
    }
    assert single["hits_at_1"].to_dict() == {
        "transe_s1": 0.375, "transe_s2": 0.25, "rules_s1": 0.5, "conve_s1": 0.25,
    }  # fmt: skip
    transe, everything = study.groups
    assert transe.oracle["mrr"] == pytest.approx(1441 / 2400)
    assert everything.oracle["mrr"] == pytest.approx(0.88)
    for k in (1, 3, 10):
        assert everything.oracle[f"hits_at_{k}"] == 0.875
    assert everything.best["mrr"] == ("rules_s1", pytest.approx(0.525625))
    assert everything.gap == pytest.approx(0.354375)
    assert everything.unsolved_at_1 == 1
    assert {k: round(v, 6) for k, v in everything.leave_one_out.items()} == {
        "conve_s1": 0.1025, "rules_s1": 0.145833, "transe_s1": 0.0, "transe_s2": 0.0625,
    }  # fmt: skip
    assert [name for name, _ in everything.greedy] == [
        "rules_s1", "transe_s2", "conve_s1", "transe_s1",
    ]  # fmt: skip
    assert [round(v, 6) for _, v in everything.greedy] == [0.525625, 0.7775, 0.88, 0.88]
    assert [round(v, 6) for v in everything.mean_by_size] == [0.495365, 0.69125, 0.802292, 0.88]
    distances = {frozenset(pair): d for pair, d in study.jaccard.items()}
    for first, second, distance in [
        ("conve_s1", "rules_s1", 4 / 5),
        ("conve_s1", "transe_s1", 3 / 4),
        ("conve_s1", "transe_s2", 1),
        ("rules_s1", "transe_s1", 3 / 5),
        ("rules_s1", "transe_s2", 1),
        ("transe_s1", "transe_s2", 3 / 4),
    ]:
        assert distances[frozenset((first, second))] == pytest.approx(distance)


@st.composite
def rank_tables(draw):
    """Two to four instances with tied ranks on the same queries."""
    n, q = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    pool = 12
    low = np.array(draw(st.lists(st.lists(st.integers(1, pool), min_size=q, max_size=q),
                                 min_size=n, max_size=n)), dtype=np.int32)  # fmt: skip
    width = np.array(draw(st.lists(st.lists(st.integers(0, pool), min_size=q, max_size=q),
                                   min_size=n, max_size=n)), dtype=np.int32)  # fmt: skip
    from hybridkg.evaluation.rank_files import _unstated
    from hybridkg.evaluation.rank_table import RankTable

    return RankTable(
        heads=[f"h{i}" for i in range(q)],
        relations=["r"] * q,
        tails=[f"t{i}" for i in range(q)],
        targets=["tail"] * q,
        instances=tuple(f"m{i}" for i in range(n)),
        columns={
            "optimistic": low,
            "pessimistic": np.minimum(low + width, pool),
            "candidates": np.full((n, q), pool, dtype=np.int32),
            "scored": np.array(
                draw(st.lists(st.booleans(), min_size=n * q, max_size=n * q)), dtype=bool
            ).reshape(n, q),
        },
        protocol=_unstated(),
        about={},
    )


@given(rank_tables(), POLICIES)
def test_oracle_never_ranks_worse_than_a_member(table, ties) -> None:
    everything = oracle(table, ties=ties).groups[-1]
    for metric, reached in everything.oracle.items():
        member = table.values(metric, ties).mean(axis=1)
        known = member[~np.isnan(member)]
        if metric == "mean_rank":
            assert (reached <= known + 1e-12).all()
        else:
            assert len(known) == len(member)
            assert reached >= member.max() - 1e-12


@given(rank_tables(), POLICIES)
def test_best_member_and_unsolved_queries_are_those_of_the_values(table, ties) -> None:
    everything = oracle(table, ties=ties).groups[-1]
    for metric, (name, value) in everything.best.items():
        member = table.values(metric, ties).mean(axis=1)
        known = member[~np.isnan(member)]
        if len(known) == 0:
            assert np.isnan(value)
            continue
        best = known.min() if metric == "mean_rank" else known.max()
        assert value == best
        assert member[table.instances.index(name)] == best
    hits = table.values("hits_at_1", ties)
    unsolved = sum(all(one < 1 for one in column) for column in hits.T.tolist())
    assert everything.unsolved_at_1 == unsolved


@given(rank_tables(), POLICIES, st.randoms(use_true_random=False))
def test_oracle_does_not_depend_on_the_order_of_members(table, ties, random) -> None:
    names = list(table.instances)
    random.shuffle(names)
    first = oracle(table, ties=ties).groups[-1]
    second = oracle(table.select(names), ties=ties).groups[-1]
    assert first.oracle == pytest.approx(dict(second.oracle), nan_ok=True)
    assert first.leave_one_out == pytest.approx(dict(second.leave_one_out))
    assert first.mean_by_size == pytest.approx(second.mean_by_size)


@given(rank_tables())
def test_mean_by_size_equals_the_mean_over_all_subsets(table) -> None:
    mrr = table.values("mrr")
    n = len(mrr)
    for k, value in enumerate(mean_oracle_by_size(mrr), start=1):
        subsets = [mrr[list(s)].max(axis=0).mean() for s in combinations(range(n), k)]
        assert value == pytest.approx(np.mean(subsets), abs=1e-12)


@given(rank_tables())
def test_a_duplicate_member_adds_nothing(table) -> None:
    from hybridkg.evaluation.joining import combine

    copy = replace(table, instances=tuple(f"{name}-again" for name in table.instances))
    assert oracle(combine([table, copy])).groups[-1].oracle == oracle(table).groups[-1].oracle


def test_a_member_without_a_mean_rank_loses_to_one_that_has_it(rank_files) -> None:
    table = read_ranks(rank_files[:2])
    scored = table.scored.copy()
    scored[0, :] = False
    scored[1, 0] = False
    partly = replace(table, columns={**table.columns, "scored": scored})
    everything = oracle(partly, ties="absent_zero_pessimistic").groups[-1]
    assert everything.best["mrr"][0] == "rules_s1"
    # The first query has no answer from anybody, so there is no mean over all eight.
    assert np.isnan(everything.oracle["mean_rank"])
    scored[1, 0] = True
    everything = oracle(partly, ties="absent_zero_pessimistic").groups[-1]
    assert everything.best["mean_rank"] == ("rules_s1", table.pessimistic[1].mean())
    assert everything.oracle["mean_rank"] == table.pessimistic[1].mean()


def test_foreign_rank_files_are_checked(tmp_path, rank_files) -> None:
    bad = tmp_path / "bad.tsv"
    bad.write_text("head\trelation\ttail\tside\trank\nh\tr\tt\ttail\tzero\n")
    with pytest.raises(DataError, match=r"bad.tsv:2: rank is 'zero', expected a whole number"):
        read_rank_file(bad)
    bad.write_text("head\trelation\ttail\trank\nh\tr\tt\t1\n")
    with pytest.raises(DataError, match=r"missing: target \(or side\)"):
        read_rank_file(bad)
    bad.write_text("head\trelation\ttail\tside\trank\nh\tr\tt\ttail\t1\nh\tr\tt\ttail\t2\n")
    with pytest.raises(DataError, match="stands more than once"):
        read_rank_file(bad)
    bad.write_text("head\trelation\ttail\tside\trank\nh\tr\tt\ttail\t1\n")
    with pytest.raises(RankTableError, match="answer different queries"):
        read_ranks([rank_files[0], bad])


def test_groups_are_checked(rank_files) -> None:
    table = read_ranks(rank_files)
    with pytest.raises(ConfigError, match="expected NAME=INSTANCE"):
        parse_group("transe_s1")
    with pytest.raises(UnknownNameError, match="did you mean 'transe_s"):
        oracle(table, [("x", ("transe_s3",))])
    with pytest.raises(ConfigError, match="'all' is taken"):
        oracle(table, [("all", ("transe_s1",))])
