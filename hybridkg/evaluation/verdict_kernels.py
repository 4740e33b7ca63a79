"""Compiled counting of verdicts; see ``observers.count_verdicts_numpy`` and ``count_top_numpy``.

Sums of three verdicts share one 32-bit number, ten bits each, so that the inner loop has no
branch; rows are taken in parts short enough that no field can run over. All that is counted of a
row is counted while it is in the cache.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from hybridkg.evaluation.blocks import Block
from hybridkg.evaluation.top_kernels import (
    CHUNK,
    chunk_maxima,
    insert,
    is_known,
    n_chunks,
    select,
)
from hybridkg.types import ByteArray, DoubleArray, IntArray, LongArray

_LOWEST = np.float32(-3.4028235e38)
#: Bits of one verdict's field, and the places that may be summed before it is unpacked.
_BITS = 10
_PART = 1008
_FIELD = 2**_BITS - 1
#: Better candidates up to which they are looked for in the chunks that can hold one.
_FEW = 64


@numba.njit(cache=True, nogil=True)
def _weigh(codes: Any, weights: Any) -> None:
    for e in range(len(weights)):
        weights[e] = np.int32(0)
        if codes[e] > 0:
            weights[e] = np.int32(1) << (_BITS * (np.int32(codes[e]) - 1))


@numba.njit(cache=True, nogil=True)
def _sum_better(row: Any, weights: Any, truth: Any, above: Any) -> None:
    """Count the verdicts of all places that are better than a true answer."""
    for first in range(0, len(row), _PART):
        part = row[first : first + _PART]
        weight = weights[first : first + _PART]
        total = np.int32(0)
        for e in range(len(part)):
            # Without the cast the sum is 64 bits wide, and the loop a quarter as fast.
            total = np.int32(total + (weight[e] if part[e] > truth else np.int32(0)))
        for v in range(3):
            above[v] += (total >> (_BITS * v)) & _FIELD


@numba.njit(cache=True, nogil=True)
def _sum_equal(row: Any, weights: Any, truth: Any, tied: Any) -> None:
    """Count the verdicts of all places that are equal to a true answer."""
    for first in range(0, len(row), _PART):
        part = row[first : first + _PART]
        weight = weights[first : first + _PART]
        total = np.int32(0)
        for e in range(len(part)):
            total = np.int32(total + (weight[e] if part[e] == truth else np.int32(0)))
        for v in range(3):
            tied[v] += (total >> (_BITS * v)) & _FIELD


@numba.njit(cache=True, nogil=True)
def _count_better(row: Any, code: Any, weights: Any, truth: Any, known: Any, above: Any) -> None:
    """Count the verdicts of the candidates that are better than a true answer."""
    _sum_better(row, weights, truth, above)
    for p in known:
        if code[p] > 0 and row[p] > truth:
            above[code[p] - 1] -= 1


@numba.njit(cache=True, nogil=True)
def _count_few_better(row: Any, code: Any, maxima: Any, truth: Any, known: Any, above: Any) -> None:
    """Count as :func:`_count_better`, in the chunks that hold a better candidate alone."""
    for c in range(n_chunks(len(row))):
        if maxima[c] > truth:
            for e in range(c * CHUNK, min((c + 1) * CHUNK, len(row))):
                if row[e] > truth and code[e] > 0 and not is_known(known, e):
                    above[code[e] - 1] += 1


@numba.njit(cache=True, nogil=True)
def _count_equal(
    row: Any, code: Any, weights: Any, truth: Any, place: int, known: Any, tied: Any
) -> None:
    """Count the verdicts of the other candidates that are equal to a true answer."""
    _sum_equal(row, weights, truth, tied)
    for p in known:
        if p != place and code[p] > 0 and row[p] == truth:
            tied[code[p] - 1] -= 1
    if place >= 0 and code[place] > 0:
        tied[code[place] - 1] -= 1


@numba.njit(cache=True, nogil=True)
def _count_borders(score: Any, code: Any, best: Any, cutoffs: Any, counts: Any) -> None:
    """Count a score at each cutoff as better than its border or equal to it.

    A border of -inf means that fewer candidates have a score: then nothing is at the border.
    """
    verdict = np.int64(code) - 1 if code > 0 else 3
    for c in range(len(cutoffs)):
        border = best[cutoffs[c] - 1]
        if score > border:
            counts[0, c, verdict] += 1
        elif score == border:
            counts[1, c, verdict] += 1


@numba.njit(cache=True, nogil=True)
def _count_first(
    row: Any, code: Any, maxima: Any, known: Any, best: Any, cutoffs: Any, counts: Any
) -> None:
    """Count the places of a row that reach the last border of a falling list."""
    counts[:] = 0
    lowest = max(best[-1], _LOWEST)
    for c in range(n_chunks(len(row))):
        if maxima[c] >= lowest:
            for e in range(c * CHUNK, min((c + 1) * CHUNK, len(row))):
                if row[e] >= lowest and not is_known(known, e):
                    _count_borders(row[e], code[e], best, cutoffs, counts)


@numba.njit(cache=True, nogil=True)
def _share_out(counts: Any, cutoffs: Any, listed: Any, top: Any) -> None:
    """Turn counts at the borders into proposals and expected numbers of verdicts."""
    for c in range(len(cutoffs)):
        n_better, n_equal = counts[0, c].sum(), counts[1, c].sum()
        share = (cutoffs[c] - n_better) / n_equal if n_equal > 0 else 0.0
        listed[c] = cutoffs[c] if n_equal > 0 else n_better
        for v in range(3):
            top[c, v] = counts[0, c, v] + share * counts[1, c, v]


@numba.njit(cache=True, nogil=True)
def _count_rows(
    scores: Any,
    start: Any,
    stop: Any,
    offsets: Any,
    answers: Any,
    truth: Any,
    place: Any,
    better: Any,
    tie: Any,
    known_start: Any,
    known_stop: Any,
    all_known: Any,
    every_entity: bool,
    entities: Any,
    entity_start: Any,
    codes: Any,
    code_rows: Any,
    cutoffs: Any,
    above: Any,
    tied: Any,
    listed: Any,
    top: Any,
) -> None:
    widest = 1
    for i in range(len(start)):
        widest = max(widest, stop[i] - start[i])
    k = cutoffs[-1] if len(cutoffs) else 1
    weights = np.empty(widest, dtype=np.int32)
    own_codes = np.empty(0 if every_entity else widest, dtype=np.uint8)
    maxima = np.empty(n_chunks(widest), dtype=np.float32)
    best, places = np.empty(k, dtype=np.float32), np.empty(k, dtype=np.int64)
    with_truth = np.empty(k, dtype=np.float32)
    # Better and equal candidates of each cutoff; column 3 counts those without a verdict.
    counts = np.empty((2, len(cutoffs), 4), dtype=np.int64)
    for i in range(len(start)):
        row = scores[start[i] : stop[i]]
        known = all_known[known_start[i] : known_stop[i]]
        of_entity = codes[code_rows[i]]
        code = of_entity
        if not every_entity:
            for e in range(len(row)):
                own_codes[e] = of_entity[entities[entity_start[i] + e]]
            code = own_codes
        if not every_entity or i == 0 or code_rows[i] != code_rows[i - 1]:
            _weigh(code, weights[: len(row)])
        if len(cutoffs):
            chunk_maxima(row, known, maxima)
            select(row, maxima, known, best, places)
        done = -1
        for j in range(offsets[i], offsets[i + 1]):
            target = truth[j]
            if better[j] > 0:
                if len(cutoffs) and better[j] <= _FEW:
                    _count_few_better(row, code, maxima, target, known, above[j])
                else:
                    _count_better(row, code, weights, target, known, above[j])
            if tie[j] > 0 and target > -np.inf:
                _count_equal(row, code, weights, target, place[j], known, tied[j])
            if not len(cutoffs):
                continue
            # A true answer that is known besides, or no place of the row, joins its own list.
            joins = target > -np.inf and target >= best[-1]
            joins = joins and (place[j] < 0 or is_known(known, place[j]))
            if done >= 0 and not joins:
                listed[j], top[j] = listed[done], top[done]
                continue
            with_truth[:] = best
            if joins and target > with_truth[-1]:
                insert(with_truth, target)
            _count_first(row, code, maxima, known, with_truth, cutoffs, counts)
            if joins:
                _count_borders(target, of_entity[answers[j]], with_truth, cutoffs, counts)
            else:
                done = j
            _share_out(counts, cutoffs, listed[j], top[j])


def count_verdicts(
    block: Block,
    better: IntArray,
    tie: IntArray,
    codes: ByteArray,
    code_rows: LongArray,
    cutoffs: LongArray,
) -> tuple[IntArray, IntArray, IntArray, DoubleArray]:
    """Count verdicts above and at each true answer, and in the first places of its list.

    Args:
        block: rows of scores, their true and known answers.
        better: (m,) candidates that are better than each true answer.
        tie: (m,) other candidates that are equal to it.
        codes: (k, entities) distinct rows of verdict codes.
        code_rows: (b,) the row of each query.
        cutoffs: (c,) ascending list lengths, possibly none.

    Returns:
        Above and at (m, 3) for the verdicts other than ok, proposals (m, c), and expected
        numbers of verdicts (m, c, 3). At a true answer without a score nothing is counted.
    """
    m = len(block.truth)
    above, tied = (np.zeros((m, 3), dtype=np.int32) for _ in range(2))
    listed = np.zeros((m, len(cutoffs)), dtype=np.int32)
    top = np.zeros((m, len(cutoffs), 3), dtype=np.float64)
    entities = block.entities
    _count_rows(
        block.scores,
        block.start,
        block.stop,
        block.truths.offsets,
        block.truths.answers,
        block.truth,
        block.place,
        better,
        tie,
        block.known.start,
        block.known.stop,
        block.known.entities,
        entities is None,
        np.zeros(0, dtype=np.int32) if entities is None else entities,
        block.entity_start,
        codes,
        code_rows,
        cutoffs,
        above,
        tied,
        listed,
        top,
    )
    return above, tied, listed, top
