"""The compiled kernels equal their NumPy references on every kind of block."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TIED_VALUES

from hybridkg.evaluation.blocks import (
    Block,
    KnownAnswers,
    Truths,
    full_block,
    list_block,
    pool_block,
)
from hybridkg.evaluation.observers import (
    count_members,
    count_top_numpy,
    count_verdicts_numpy,
)
from hybridkg.evaluation.rank_kernels import count_rows
from hybridkg.evaluation.ranks import count_block, count_block_numpy, tie_tolerance
from hybridkg.evaluation.sparse_blocks import sparse_block
from hybridkg.evaluation.top_kernels import list_best
from hybridkg.evaluation.verdict_kernels import count_verdicts
from hybridkg.scoring.base import SparseScores

KINDS = ("full", "pool", "list", "sparse", "sparse pool")


def random_block(rng: np.random.Generator, kind: str, noise: float = 0.0) -> tuple[Block, int]:
    """A block whose scores tie often, with several answers a query, and the number of entities."""
    b, n = int(rng.integers(1, 5)), int(rng.integers(2, 200))
    counts = rng.integers(1, 4, size=b)
    offsets = np.append(0, np.cumsum(counts))
    answers = rng.integers(0, n, size=int(counts.sum())).astype(np.int32)
    known = [np.sort(rng.choice(n, size=int(rng.integers(0, n)), replace=False)) for _ in range(b)]
    stop = np.cumsum([len(part) for part in known])
    start = np.append(0, stop[:-1])
    held = KnownAnswers(start, stop, np.concatenate(known).astype(np.int32))
    truths = Truths(offsets, answers)
    # Around 10 scores within 1e-3 or so are equal to LibKGE.
    scores = (rng.choice(TIED_VALUES, size=(b, n)) + 10).astype(np.float32)
    scores += rng.normal(scale=noise, size=(b, n)).astype(np.float32) if noise else 0
    pool = np.flatnonzero(rng.random(n) < 0.6).astype(np.int32)
    if kind == "full":
        return full_block(scores, truths, held), n
    if kind == "pool":
        return pool_block(scores, truths, held, pool), n
    if kind == "list":
        lists = [np.setdiff1d(pool, [a]).astype(np.int32) for a in answers]
        ends = np.append(0, np.cumsum([len(part) for part in lists]))
        rows = np.repeat(truths.groups, np.diff(ends))
        entities = np.concatenate(lists)
        truth = scores[truths.groups, answers]
        return list_block(scores[rows, entities], truth, answers, ends, entities), n
    listed = [rng.choice(n, size=int(rng.integers(0, n)), replace=False) for _ in range(b)]
    found = SparseScores(
        np.append(0, np.cumsum([len(part) for part in listed])),
        np.concatenate(listed).astype(np.int32),
        np.concatenate([scores[i, part] for i, part in enumerate(listed)]),
    )
    part = pool if kind == "sparse pool" else None
    return sparse_block(found, n, truths, held, pool=part), n


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS), st.sampled_from(["exact", "libkge"]))
def test_compiled_ranks_equal_numpy(seed: int, kind: str, equality: str) -> None:
    noise = 5e-4 if equality == "libkge" else 0.0
    block, _ = random_block(np.random.default_rng(seed), kind, noise)
    better, tied = count_block_numpy(block, equality)
    compiled = count_rows(block, tie_tolerance(block.truth, equality), None, 1)
    assert compiled is not None
    assert compiled[0].tolist() == better.tolist()
    assert compiled[1].tolist() == tied.tolist()
    with ThreadPoolExecutor(3) as pool:
        threaded = count_rows(block, tie_tolerance(block.truth, equality), pool, 3)
    assert threaded is not None
    assert threaded[0].tolist() == better.tolist()


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS))
def test_compiled_verdict_counts_equal_numpy(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    block, size = random_block(rng, kind)
    codes = rng.integers(0, 4, size=(2, size)).astype(np.uint8)
    code_rows = rng.integers(0, 2, size=len(block))
    better, tied = count_block_numpy(block)
    scored = block.truth > -np.inf
    for cutoffs in (np.array([1, 3, 10]), np.array([2]), np.zeros(0, dtype=np.int64)):
        above, equal, listed, top = count_verdicts(block, better, tied, codes, code_rows, cutoffs)
        by_numpy = count_verdicts_numpy(block, codes, code_rows)
        assert above.tolist() == by_numpy[0].tolist()
        assert equal[scored].tolist() == by_numpy[1][scored].tolist()
        lists = count_top_numpy(block, codes, code_rows, cutoffs)
        assert listed.tolist() == lists[0].tolist()
        assert np.allclose(top, lists[1])


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS))
def test_verdicts_of_the_pool_add_up_to_its_size(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    block, size = random_block(rng, kind)
    codes = np.full((1, size), 2, dtype=np.uint8)
    total, truth_codes = count_members(block, codes, np.zeros(len(block), dtype=np.int64))
    assert total[:, 1].tolist() == (block.candidates - 1).tolist()
    assert (truth_codes == 2).all()


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS))
def test_best_lists_are_the_head_of_a_stable_sort(seed: int, kind: str) -> None:
    block, _ = random_block(np.random.default_rng(seed), kind)
    best, places = list_best(block, 4)
    for i in range(len(block)):
        row = block.scores[block.start[i] : block.stop[i]]
        known = block.known.entities[block.known.start[i] : block.known.stop[i]]
        free = np.setdiff1d(np.flatnonzero(row > -np.inf), known)
        order = free[np.argsort(-row[free], kind="stable")][:4]
        assert places[i][places[i] >= 0].tolist() == order.tolist()
        assert best[i][: len(order)].tolist() == row[order].tolist()


def test_verdict_counts_do_not_run_over_on_wide_pools() -> None:
    rng = np.random.default_rng(0)
    n = 150_000
    scores = rng.integers(0, 3, size=(1, n)).astype(np.float32)
    codes = np.full((1, n), 3, dtype=np.uint8)
    none = np.zeros(1, dtype=np.int64)
    answers = np.array([int(np.argmin(scores))], dtype=np.int32)
    known = KnownAnswers(none, none, np.zeros(0, np.int32))
    block = full_block(scores, Truths(np.array([0, 1]), answers), known)
    better, tied = count_block_numpy(block)
    above, equal, listed, top = count_verdicts(block, better, tied, codes, none, np.array([10]))
    assert above[0].tolist() == [0, 0, int((scores > 0).sum())]
    assert equal[0].tolist() == [0, 0, int((scores == 0).sum()) - 1]
    assert count_members(block, codes, none)[0][0].tolist() == [0, 0, n - 1]
    assert (listed[0, 0], top[0, 0, 2]) == (10, pytest.approx(10))


@pytest.mark.parametrize("verdict", [1, 2, 3])
@pytest.mark.parametrize("score", [0, 1])
def test_no_field_runs_over_where_all_candidates_count(verdict: int, score: int) -> None:
    n = 5_000
    scores = np.full((1, n), score, dtype=np.float32)
    scores[0, -1] = 0
    codes = np.full((1, n), verdict, dtype=np.uint8)
    none = np.zeros(1, dtype=np.int64)
    known = KnownAnswers(none, none, np.zeros(0, np.int32))
    block = full_block(scores, Truths(np.array([0, 1]), np.array([n - 1], np.int32)), known)
    better, tied = count_block_numpy(block)
    found = count_verdicts(block, better, tied, codes, none, none[:0])[:2]
    expected = np.zeros((2, 3), dtype=np.int64)
    expected[0 if score else 1, verdict - 1] = n - 1
    assert np.vstack(found).tolist() == expected.tolist()


@pytest.mark.parametrize("compiled", [False, True])
def test_a_nan_anywhere_stops_the_count(compiled: bool) -> None:
    block, _ = random_block(np.random.default_rng(5), "full")
    scores = block.scores.copy()
    scores[len(scores) // 2] = np.nan
    assert count_block(replace(block, compiled=compiled)) is not None
    assert count_block(replace(block, scores=scores, compiled=compiled)) is None


@pytest.mark.parametrize("compiled", [False, True])
def test_a_nan_of_a_true_answer_outside_its_row_stops_the_count(compiled: bool) -> None:
    block, _ = random_block(np.random.default_rng(5), "list")
    truth = block.truth.copy()
    truth[-1] = np.nan
    assert count_block(replace(block, compiled=compiled)) is not None
    assert count_block(replace(block, truth=truth, compiled=compiled)) is None


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS))
def test_parts_of_a_block_count_as_the_whole(seed: int, kind: str) -> None:
    block, _ = random_block(np.random.default_rng(seed), kind)
    whole = count_block_numpy(block)
    parts = [count_block_numpy(block.part(i, i + 1)) for i in range(len(block))]
    for at in range(2):
        assert np.concatenate([part[at] for part in parts]).tolist() == whole[at].tolist()
