"""Compiled counting of better and tied candidates; see ``ranks.count_block_numpy``."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Any

import numba
import numpy as np

from hybridkg.evaluation.blocks import Block
from hybridkg.types import FloatArray, IntArray


@numba.njit(cache=True, nogil=True)
def _count_exact(row: Any, truth: Any) -> Any:
    """Count better, equal and NaN scores of a row; without a branch, so that it vectorises."""
    better = np.int32(0)
    equal = np.int32(0)
    missing = np.int32(0)
    for e in range(len(row)):
        score = row[e]
        better += np.int32(score > truth)
        equal += np.int32(score == truth)
        missing += np.int32(score != score)
    return better, equal, missing


@numba.njit(cache=True, nogil=True)
def _count_close(row: Any, truth: Any, allowed: Any) -> Any:
    """Count as :func:`_count_exact`, where scores within a distance are equal."""
    better = np.int32(0)
    equal = np.int32(0)
    missing = np.int32(0)
    for e in range(len(row)):
        score = row[e]
        close = (np.abs(score - truth) <= allowed) | (score == truth)
        better += np.int32((score > truth) & (not close))
        equal += np.int32(close)
        missing += np.int32(score != score)
    return better, equal, missing


@numba.njit(cache=True, nogil=True)
def _count_rows(
    scores: Any,
    start: Any,
    stop: Any,
    offsets: Any,
    truth: Any,
    allowed: Any,
    place: Any,
    candidates: Any,
    known_start: Any,
    known_stop: Any,
    known: Any,
    first: int,
    last: int,
    better: Any,
    tied: Any,
) -> bool:
    """Count the rows first..last-1; return False where a score is NaN."""
    for i in range(first, last):
        row = scores[start[i] : stop[i]]
        for j in range(offsets[i], offsets[i + 1]):
            target = truth[j]
            exact = allowed[j] == 0 or target == -np.inf
            if exact:
                above, equal, missing = _count_exact(row, target)
            else:
                above, equal, missing = _count_close(row, target, allowed[j])
            if missing > 0 or target != target:
                return False
            for k in range(known_start[i], known_stop[i]):
                if known[k] != place[j]:
                    score = row[known[k]]
                    close = score == target or (not exact and np.abs(score - target) <= allowed[j])
                    if close:
                        equal -= 1
                    elif score > target:
                        above -= 1
            better[j] = above
            if target == -np.inf:
                # What a row does not list ties with a true answer that has no score.
                tied[j] = candidates[j] - 1 - above
            else:
                tied[j] = equal - np.int32(place[j] >= 0)
    return True


def count_rows(
    block: Block, allowed: FloatArray, pool: Executor | None, threads: int
) -> tuple[IntArray, IntArray] | None:
    """Count better and tied candidates of each true answer of a block.

    Args:
        block: rows of scores, their true and known answers.
        allowed: (m,) distance within which a score ties with the true answer's.
        pool: runs parts of the block at the same time; None for one thread.
        threads: number of parts.

    Returns:
        (m,) better and (m,) tied, the true answer left out; None where a score is NaN.
    """
    better, tied = (np.empty(len(block.truth), dtype=np.int32) for _ in range(2))

    def count(first: int, last: int) -> bool:
        clean: bool = _count_rows(
            block.scores,
            block.start,
            block.stop,
            block.truths.offsets,
            block.truth,
            allowed,
            block.place,
            block.candidates,
            block.known.start,
            block.known.stop,
            block.known.entities,
            first,
            last,
            better,
            tied,
        )
        return clean

    if pool is None:
        clean = count(0, len(block))
    else:
        bounds = np.linspace(0, len(block), threads + 1).astype(np.int64).tolist()
        clean = all(list(pool.map(count, bounds[:-1], bounds[1:])))
    return (better, tied) if clean else None
