"""Compiled counting loops; each equals a NumPy function beside its caller.

Scratch rows mark what is filtered out with NaN, which is neither above, equal
nor below anything, so the inner loops need no branch and vectorise.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from hybridkg.evaluation.ranks import Block
from hybridkg.types import AnyArray, BoolArray, ByteArray, IntArray, LongArray

_NAN = np.float32(np.nan)
_LARGEST = np.finfo(np.float32).max
#: Bits of one verdict's field in a packed sum; four fields stay clear of the sign.
_BITS = 15
_FIELD = 2**_BITS - 1


@numba.njit(cache=True, nogil=True)
def _mask_row(block: Any, i: int, scratch: Any) -> int:
    """Copy a query's scores, everything outside its filtered pool NaN; return the pool's size."""
    scratch[:] = block.scores[i]
    size = len(scratch)
    if block.restricted:
        for e in range(len(scratch)):
            if not block.pool[e]:
                scratch[e] = _NAN
                size -= 1
    for k in range(block.known_start[i], block.known_stop[i]):
        e = block.known[k]
        if not np.isnan(scratch[e]):
            scratch[e] = _NAN
            size -= 1
    return size


@numba.njit(cache=True, nogil=True)
def _count_ranks(block: Any, better: Any, tied: Any, candidates: Any, scored: Any) -> None:
    n = block.scores.shape[1]
    scratch = np.empty(n, dtype=np.float32)
    for i in range(block.scores.shape[0]):
        size = _mask_row(block, i, scratch)
        for j in range(block.offsets[i], block.offsets[i + 1]):
            answer = block.answers[j]
            truth = block.scores[i, answer]
            above = np.int32(0)
            equal = np.int32(0)
            for e in range(n):
                above += np.int32(scratch[e] > truth)
                equal += np.int32(scratch[e] == truth)
            inside = not np.isnan(scratch[answer])
            better[j] = above
            tied[j] = equal - np.int32(inside)
            candidates[j] = size + np.int32(not inside)
            scored[j] = truth > -np.inf


def count_ranks(block: Block) -> tuple[IntArray, IntArray, IntArray, BoolArray]:
    """Count better and tied candidates of each true answer of a block.

    Returns:
        Better, tied (the answer itself left out), candidates (the answer included), and
        whether the answer has a score above -inf; (m,) each.
    """
    m = len(block.answers)
    better, tied, candidates = (np.empty(m, dtype=np.int32) for _ in range(3))
    scored = np.empty(m, dtype=np.bool_)
    _count_ranks(block, better, tied, candidates, scored)
    return better, tied, candidates, scored


@numba.njit(cache=True, nogil=True)
def _insert(best: Any, score: Any) -> None:
    """Keep a falling list of the largest scores; the caller has checked that it belongs in."""
    place = len(best) - 1
    while place > 0 and best[place - 1] < score:
        best[place] = best[place - 1]
        place -= 1
    best[place] = score


@numba.njit(cache=True, nogil=True)
def _unpack(total: Any, counts: Any) -> None:
    """Add the per-verdict counts that one packed sum holds."""
    for v in range(len(counts)):
        counts[v] += (total >> (_BITS * v)) & _FIELD


@numba.njit(cache=True, nogil=True)
def _count_at_least(
    scratch: Any, weights: Any, truth: Any, above: Any, tied: Any, in_pool: Any
) -> None:
    """Count verdicts better than the truth, equal to it, and in the pool.

    Each verdict has a field of its own in one integer sum, so that the loop has no branch;
    a part is short enough that no field can run over.
    """
    for first in range(0, len(scratch), _FIELD):
        better = np.int64(0)
        equal = np.int64(0)
        present = np.int64(0)
        for e in range(first, min(first + _FIELD, len(scratch))):
            s, w = scratch[e], weights[e]
            better += w if s > truth else np.int64(0)
            equal += w if s == truth else np.int64(0)
            present += w if s >= -np.inf else np.int64(0)
        _unpack(better, above)
        _unpack(equal, tied)
        _unpack(present, in_pool)


@numba.njit(cache=True, nogil=True)
def _count_top(scratch: Any, code: Any, best: Any, cutoffs: Any, better: Any, equal: Any) -> None:
    """Count verdicts above and at the score of each cutoff's last place.

    A border of -inf means that fewer candidates have a score: then nothing is at the border.
    """
    better[:] = 0
    equal[:] = 0
    # Nearly all scores lie below the lowest border, so the inner loop is rarely entered.
    lowest = max(best[-1], -_LARGEST)
    for e in range(len(scratch)):
        s = scratch[e]
        if s >= lowest:
            for c in range(len(cutoffs)):
                border = best[cutoffs[c] - 1]
                if s > border:
                    better[c, code[e]] += 1
                elif s == border:
                    equal[c, code[e]] += 1


@numba.njit(cache=True, nogil=True)
def _count_verdicts(
    block: Any,
    codes: Any,
    code_rows: Any,
    cutoffs: Any,
    above: Any,
    tied: Any,
    total: Any,
    listed: Any,
    top: Any,
) -> None:
    n = block.scores.shape[1]
    scratch = np.empty(n, dtype=np.float32)
    weights = np.empty(n, dtype=np.int64)
    best = np.empty(cutoffs[-1], dtype=np.float32)
    with_truth = np.empty(cutoffs[-1], dtype=np.float32)
    better = np.empty((len(cutoffs), above.shape[1]), dtype=np.int64)
    equal = np.empty((len(cutoffs), above.shape[1]), dtype=np.int64)
    for i in range(block.scores.shape[0]):
        _mask_row(block, i, scratch)
        code = codes[code_rows[i]]
        if i == 0 or code_rows[i] != code_rows[i - 1]:
            for e in range(n):
                weights[e] = np.int64(1) << (_BITS * np.int64(code[e]))
        best[:] = -np.inf
        for e in range(n):
            if scratch[e] > best[-1]:
                _insert(best, scratch[e])
        for j in range(block.offsets[i], block.offsets[i + 1]):
            answer = block.answers[j]
            truth = block.scores[i, answer]
            inside = not np.isnan(scratch[answer])
            # The truth never competes with itself, but it is part of its own list.
            scratch[answer] = _NAN
            _count_at_least(scratch, weights, truth, above[j], tied[j], total[j])
            scratch[answer] = truth
            with_truth[:] = best
            if not inside and truth > with_truth[-1]:
                _insert(with_truth, truth)
            _count_top(scratch, code, with_truth, cutoffs, better, equal)
            for c in range(len(cutoffs)):
                n_better, n_equal = better[c].sum(), equal[c].sum()
                share = (cutoffs[c] - n_better) / n_equal if n_equal > 0 else 0.0
                listed[j, c] = cutoffs[c] if n_equal > 0 else n_better
                for v in range(above.shape[1]):
                    top[j, c, v] = better[c, v] + share * equal[c, v]
            if not inside:
                scratch[answer] = _NAN


def count_verdicts(
    block: Block,
    codes: ByteArray,
    code_rows: LongArray,
    cutoffs: LongArray,
    outputs: tuple[AnyArray, ...],
) -> None:
    """Add verdict counts to zeroed outputs; see ``observers.count_verdicts_numpy``."""
    _count_verdicts(block, codes, code_rows, cutoffs, *outputs)
