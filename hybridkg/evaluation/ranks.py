"""Ranks of true answers by counting, never by sorting.

Two kernels give the same integers: a NumPy one that can be read, and a compiled one for real
sizes. Both count over a whole row and then take the known answers out again, so that no row is
ever copied or masked.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hybridkg.errors import ScoreError
from hybridkg.evaluation.blocks import Block
from hybridkg.types import AnyArray, BoolArray, FloatArray, IntArray

#: Below this many scores in all the NumPy kernels are quicker than loading compiled code.
SMALL = 2_000_000
#: How two scores count as equal; "libkge" allows a relative and an absolute difference.
Equality = Literal["exact", "libkge"]
EQUALITIES: tuple[Equality, ...] = ("exact", "libkge")
#: LibKGE's defaults: |a - b| <= atol + rtol * |b|, b the score of the true answer.
LIBKGE_RTOL, LIBKGE_ATOL = np.float32(1e-4), np.float32(1e-5)


@dataclass(frozen=True, slots=True)
class Ranks:
    """Filtered ranks of n queries, 1-based."""

    #: (n,) 1 + number of candidates with a better score.
    optimistic: IntArray
    #: (n,) 1 + number of other candidates with a better or an equal score.
    pessimistic: IntArray
    #: (n,) size of the pool, the true answer included.
    candidates: IntArray
    #: (n,) True where the true answer has a score above -inf.
    scored: BoolArray
    #: True where equal scores alone were taken for ties.
    exact: bool = True

    def part(self, rows: slice) -> Ranks:
        """Return the ranks of some queries."""
        return Ranks(
            self.optimistic[rows],
            self.pessimistic[rows],
            self.candidates[rows],
            self.scored[rows],
            self.exact,
        )


def rank_targets(scores: FloatArray, targets: IntArray, excluded: BoolArray) -> Ranks:
    """Rank each query's true answer among its candidates.

    Args:
        scores: (queries, entities), larger is better; -inf marks "not scored".
        targets: (queries,) entity id of the true answer.
        excluded: (queries, entities), True where a known answer is filtered out;
            a true answer is never excluded, whatever stands at its place.

    Returns:
        Optimistic and pessimistic rank and number of candidates, 1-based.

    Raises:
        ScoreError: a score is NaN, or a true answer scores +inf.
    """
    values = np.asarray(scores, dtype=np.float32)
    rows = np.arange(len(targets))
    bad = first_nan(values)
    if bad is not None:
        raise ScoreError(f"query {bad[0]}, entity {bad[1]}: the score is NaN")
    truth = values[rows, targets]
    if np.isposinf(truth).any():
        raise ScoreError(f"query {int(np.argmax(np.isposinf(truth)))}: the true answer scores +inf")
    others = ~np.asarray(excluded, dtype=np.bool_)
    others[rows, targets] = False
    better = ((values > truth[:, None]) & others).sum(axis=1)
    tied = ((values == truth[:, None]) & others).sum(axis=1)
    return Ranks(
        (1 + better).astype(np.int32),
        (1 + better + tied).astype(np.int32),
        (1 + others.sum(axis=1)).astype(np.int32),
        ~np.isneginf(truth),
    )


def first_nan(scores: FloatArray) -> tuple[int, int] | None:
    """Return query and entity position of the first NaN in (queries, entities), if there is one."""
    # The maximum carries any NaN, in one read and without a second array.
    if not scores.size or not np.isnan(scores.max()):
        return None
    query, entity = np.argwhere(np.isnan(scores))[0].tolist()
    return query, entity


def tie_tolerance(truth: FloatArray, equality: Equality) -> FloatArray:
    """Return (m,) how far a score may lie from each true answer's and still tie with it."""
    if equality == "exact":
        return np.zeros(len(truth), dtype=np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        allowed: FloatArray = LIBKGE_ATOL + np.abs(LIBKGE_RTOL * truth)
    return allowed


def count_row_numpy(row: AnyArray, truth: np.float32, allowed: np.float32) -> tuple[int, int]:
    """Count the scores of a row that are better than a true answer's, and equal to it."""
    equal = row == truth
    if allowed > 0 and truth > -np.inf:
        with np.errstate(invalid="ignore", over="ignore"):
            equal |= np.abs(row - truth) <= allowed
    return int(((row > truth) & ~equal).sum()), int(equal.sum())


def count_block_numpy(block: Block, equality: Equality = "exact") -> tuple[IntArray, IntArray]:
    """Count better and tied candidates of each true answer, one query at a time.

    Args:
        block: rows of scores, their true and known answers.
        equality: "exact" or "libkge".

    Returns:
        (m,) better and (m,) tied, the true answer left out.
    """
    offsets, allowed = block.truths.offsets, tie_tolerance(block.truth, equality)
    better, tied = (np.empty(len(block.truth), dtype=np.int32) for _ in range(2))
    for i in range(len(block)):
        row = block.scores[block.start[i] : block.stop[i]]
        known = block.known.entities[block.known.start[i] : block.known.stop[i]]
        for j in range(offsets[i], offsets[i + 1]):
            competes = np.ones(len(row), dtype=np.bool_)
            competes[known] = False
            if block.place[j] >= 0:
                competes[block.place[j]] = False
            above, equal = count_row_numpy(row[competes], block.truth[j], allowed[j])
            better[j] = above
            # What a row does not list ties with a true answer that has no score.
            unscored = block.truth[j] == -np.inf
            tied[j] = block.candidates[j] - 1 - above if unscored else equal
    return better, tied


def count_block(
    block: Block, equality: Equality = "exact", pool: Executor | None = None, threads: int = 1
) -> Ranks | None:
    """Rank all true answers of a block with the kernel that it asks for.

    Args:
        block: rows of scores, their true and known answers.
        equality: "exact" or "libkge".
        pool: runs parts of the block at the same time; None for one thread.
        threads: number of parts.

    Returns:
        (m,) ranks in the order of the true answers, or None where a score is NaN.
    """
    if block.compiled:
        from hybridkg.evaluation.rank_kernels import count_rows

        counted = count_rows(block, tie_tolerance(block.truth, equality), pool, threads)
        if counted is None:
            return None
        better, tied = counted
    else:
        if np.isnan(block.scores).any() or np.isnan(block.truth).any():
            return None
        better, tied = count_block_numpy(block, equality)
    scored = np.asarray(block.truth > -np.inf)
    return Ranks(1 + better, 1 + better + tied, block.candidates, scored, equality == "exact")
