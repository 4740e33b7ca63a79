"""Sampled candidates, and the closed form of what a sample does to hits."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom
from strategies import graphs

from hybridkg.errors import ConfigError, SplitError
from hybridkg.evaluation.candidate_sets import EntitySet
from hybridkg.evaluation.candidates import make_task
from hybridkg.evaluation.sampling import expected_sampled_hits, sample_candidates
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.types import FILTERS


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int32)


@given(
    graphs(),
    st.integers(1, 8),
    st.integers(0, 9),
    st.sampled_from(list(FILTERS)),
    st.sampled_from(["all", "train"]),
    st.sampled_from([("tail", "head"), ("tail",), ("head",)]),
)
def test_lists_hold_what_competes_and_nothing_else(kg, n, seed, filter_name, pool, targets) -> None:
    lists = sample_candidates(
        kg, n, np.random.default_rng(seed), filter_name=filter_name, pool=pool, targets=targets
    )
    task = make_task(kg, filter_name=filter_name, candidates=pool, targets=targets)
    known = {tuple(row) for row in task.known.tolist()}
    short = 0
    for row, (h, r, t) in enumerate(task.queries.triples.tolist()):
        is_tail = task.queries.asks_tail[row]
        competing = {
            e for e in np.flatnonzero(task.pool).tolist()
            if ((h, r, e) if is_tail else (e, r, t)) not in known
        } - {t if is_tail else h}  # fmt: skip
        drawn = lists.of(row).tolist()
        assert set(drawn) <= competing
        assert len(drawn) == min(n, len(competing))
        short += len(drawn) < n
    assert lists.words == f"{n} sampled candidates a query" + (
        f" (fewer exist for {short} queries)" if short else ""
    )
    again = sample_candidates(
        kg, n, np.random.default_rng(seed), filter_name=filter_name, pool=pool, targets=targets
    )
    assert (again.digest, again.entities.tolist()) == (lists.digest, lists.entities.tolist())
    make_task(kg, filter_name=filter_name, candidates=lists, targets=targets)


@given(graphs(), st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_order_of_test_triples_changes_no_list(kg, n, random) -> None:
    rows = kg.label_triples(kg.split("test"))
    random.shuffle(rows)
    other = kg.with_splits({**kg.splits, "test": kg.ids(rows)})
    one, two = (sample_candidates(g, n, np.random.default_rng(3)) for g in (kg, other))
    assert one.digest == two.digest


def test_every_candidate_is_drawn_equally_often() -> None:
    kg = KnowledgeGraph.from_labels(
        {"train": [("e0", "r", "e1")], "test": [("e0", "r", "e2")]},
        entities=[f"e{i}" for i in range(10)],
    )
    rng, n, draws = np.random.default_rng(0), 3, 4000
    counts = np.zeros(10)
    pairs = np.zeros((10, 10))
    for _ in range(draws):
        drawn = sample_candidates(kg, n, rng, targets=("tail",)).of(0)
        counts[drawn] += 1
        pairs[np.ix_(drawn, drawn)] += 1
    # e1 is known, e2 is the truth: 8 are left.
    assert counts[1] == counts[2] == 0
    left = [0, *range(3, 10)]
    share = n / 8
    assert np.abs(counts[left] / draws - share).max() < 5 * np.sqrt(share * (1 - share) / draws)
    both = n * (n - 1) / (8 * 7)
    off = pairs[np.ix_(left, left)][~np.eye(8, dtype=bool)] / draws
    assert np.abs(off - both).max() < 5 * np.sqrt(both * (1 - both) / draws)


def test_a_sample_needs_one_pool_and_a_length(academic) -> None:
    rng = np.random.default_rng(0)
    lists = sample_candidates(academic, 2, rng)
    with pytest.raises(ConfigError, match="a sample from 2 sampled candidates a query; expected"):
        sample_candidates(academic, 2, rng, pool=lists)
    with pytest.raises(ConfigError, match="a sample of 0 candidates"):
        sample_candidates(academic, 0, rng)
    with pytest.raises(SplitError):
        sample_candidates(academic, 2, rng, split="valid")
    few = EntitySet.build(academic, academic.entities.ids_of(["erin", "ml", "bob"]), "three")
    drawn = sample_candidates(academic, 9, rng, pool=few, words="of three")
    assert set(drawn.entities.tolist()) <= set(few.entities.tolist())
    assert drawn.words == "of three (fewer exist for 6 queries)"


def brute_force(low: int, high: int, competitors: int, n: int, k: int) -> float:
    """Mean over places in the tie group and over all samples."""
    samples = list(combinations(range(competitors), min(n, competitors)))
    hits = [
        sum(place < above for place in sample) <= k - 1
        for above in range(low - 1, high)
        for sample in samples
    ]
    return float(np.mean(hits))


@given(st.data())
def test_expected_hits_equal_the_mean_over_all_samples(data) -> None:
    competitors = data.draw(st.integers(0, 7))
    low = data.draw(st.integers(1, competitors + 1))
    high = data.draw(st.integers(low, competitors + 1))
    n, k = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 5))

    def found(ties):
        return expected_sampled_hits(
            ints(low), ints(high), ints(competitors + 1), n=n, k=k, ties=ties
        )[0]

    assert found("expected") == pytest.approx(brute_force(low, high, competitors, n, k), abs=1e-12)
    assert found("optimistic") == pytest.approx(brute_force(low, low, competitors, n, k), abs=1e-12)
    assert found("pessimistic") == pytest.approx(
        brute_force(high, high, competitors, n, k), abs=1e-12
    )


def test_expected_hits_keep_their_digits_in_wide_pools() -> None:
    low, high = ints(1, 300, 12_000, 2), ints(1, 302, 14_540, 14_000)
    pools = np.full(4, 14_541, dtype=np.int32)
    for n, k in ((50, 10), (50, 1), (1000, 10)):
        exact = [
            np.mean(hypergeom.cdf(k - 1, 14_540, np.arange(a - 1, b), n))
            for a, b in zip(low, high, strict=True)
        ]
        found = expected_sampled_hits(low, high, pools, n=n, k=k)
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-11)


def test_expected_hits_are_what_drawn_lists_give_on_average(academic) -> None:
    rng = np.random.default_rng(0)
    scores = rng.permutation(13).astype(np.float32)
    task, n, k, draws = make_task(academic), 5, 2, 2000
    everyone = sample_candidates(academic, 99, np.random.default_rng(0))
    answers = task.queries.answers
    better = [int((scores[everyone.of(q)] > scores[a]).sum()) for q, a in enumerate(answers)]
    ranks = ints(*(1 + b for b in better))
    pools = (everyone.sizes + 1).astype(np.int32)
    hits = np.zeros(len(answers))
    for _ in range(draws):
        lists = sample_candidates(academic, n, rng)
        for q, a in enumerate(answers):
            hits[q] += (scores[lists.of(q)] > scores[a]).sum() < k
    expected = expected_sampled_hits(ranks, ranks, pools, n=n, k=k)
    assert np.abs(hits / draws - expected).max() < 5 * np.sqrt(0.25 / draws)
    # The sample flatters: hits among 5 lie above those among all.
    assert expected.mean() > (ranks <= k).mean()


def test_a_sample_of_everything_gives_the_plain_hits() -> None:
    ranks = ints(1, 2, 3, 4, 5)
    found = expected_sampled_hits(ranks, ranks, np.full(5, 9, np.int32), n=100, k=3)
    assert found.tolist() == [1, 1, 1, 0, 0]
    tied = expected_sampled_hits(ints(2), ints(5), ints(9), n=100, k=3)
    assert tied[0] == pytest.approx(2 / 4)


def test_wrong_options_of_expected_hits_are_named() -> None:
    one = ints(1)
    with pytest.raises(ConfigError, match="ties 'realistic'; expected 'expected', 'optimistic'"):
        expected_sampled_hits(one, one, one, n=5, k=1, ties="realistic")
    with pytest.raises(ConfigError, match="expected 1 or more of both"):
        expected_sampled_hits(one, one, one, n=0, k=1)
