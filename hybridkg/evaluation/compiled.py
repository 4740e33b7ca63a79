"""Compiled counting loops; each equals a NumPy function beside its caller.

Scratch rows mark what is filtered out with NaN, which is neither above, equal
nor below anything, so the inner loops need no branch and vectorise.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from hybridkg.types import AnyArray, BoolArray, ByteArray, FloatArray, IntArray, LongArray

_NAN = np.float32(np.nan)


@numba.njit(cache=True, nogil=True)
def _mask_row(
    row: Any, known: Any, start: int, stop: int, pool: Any, restricted: bool, scratch: Any
) -> int:
    """Copy a row, marking everything outside the filtered pool NaN; return the pool's size."""
    n = len(row)
    scratch[:] = row
    size = n
    if restricted:
        for e in range(n):
            if not pool[e]:
                scratch[e] = _NAN
                size -= 1
    for k in range(start, stop):
        e = known[k]
        if not np.isnan(scratch[e]):
            scratch[e] = _NAN
            size -= 1
    return size


@numba.njit(cache=True, nogil=True)
def _count_ranks(
    scores: Any,
    offsets: Any,
    answers: Any,
    known_start: Any,
    known_stop: Any,
    known: Any,
    pool: Any,
    restricted: bool,
    better: Any,
    tied: Any,
    candidates: Any,
    scored: Any,
) -> None:
    n = scores.shape[1]
    scratch = np.empty(n, dtype=np.float32)
    for i in range(scores.shape[0]):
        size = _mask_row(scores[i], known, known_start[i], known_stop[i], pool, restricted, scratch)
        for j in range(offsets[i], offsets[i + 1]):
            answer = answers[j]
            truth = scores[i, answer]
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


def count_ranks(
    scores: FloatArray,
    offsets: LongArray,
    answers: IntArray,
    known_start: LongArray,
    known_stop: LongArray,
    known: IntArray,
    pool: BoolArray,
) -> tuple[IntArray, IntArray, IntArray, BoolArray]:
    """Count better and tied candidates of each true answer.

    Args:
        scores: (b, entities), no NaN.
        offsets: (b + 1,) offsets into ``answers``.
        answers: (m,) true answers.
        known_start: (b,) offsets into ``known``.
        known_stop: (b,) offsets into ``known``.
        known: known answers.
        pool: (entities,) candidate pool.

    Returns:
        Better, tied (the answer itself left out), candidates (the answer included), and
        whether the answer has a score above -inf; (m,) each.
    """
    m = len(answers)
    better, tied, candidates = (np.empty(m, dtype=np.int32) for _ in range(3))
    scored = np.empty(m, dtype=np.bool_)
    _count_ranks(
        scores,
        offsets,
        answers,
        known_start,
        known_stop,
        known,
        pool,
        not pool.all(),
        better,
        tied,
        candidates,
        scored,
    )
    return better, tied, candidates, scored


@numba.njit(cache=True, nogil=True)
def _count_verdicts(
    scores: Any,
    offsets: Any,
    answers: Any,
    known_start: Any,
    known_stop: Any,
    known: Any,
    pool: Any,
    restricted: bool,
    codes: Any,
    cutoffs: Any,
    above: Any,
    tied: Any,
    total: Any,
    listed: Any,
    top: Any,
) -> None:
    n = scores.shape[1]
    largest = cutoffs[-1]
    scratch = np.empty(n, dtype=np.float32)
    best = np.empty(largest, dtype=np.float32)
    for i in range(scores.shape[0]):
        _mask_row(scores[i], known, known_start[i], known_stop[i], pool, restricted, scratch)
        code = codes[i]
        for j in range(offsets[i], offsets[i + 1]):
            answer = answers[j]
            truth = scores[i, answer]
            before = scratch[answer]
            scratch[answer] = truth
            best[:] = -np.inf
            for e in range(n):
                s = scratch[e]
                if np.isnan(s):
                    continue
                if e != answer:
                    total[j, code[e]] += 1
                    if s > truth:
                        above[j, code[e]] += 1
                    elif s == truth:
                        tied[j, code[e]] += 1
                if s > best[largest - 1]:
                    k = largest - 1
                    while k > 0 and best[k - 1] < s:
                        best[k] = best[k - 1]
                        k -= 1
                    best[k] = s
            for c in range(len(cutoffs)):
                threshold = best[cutoffs[c] - 1]
                n_above = 0
                n_equal = 0
                for e in range(n):
                    if scratch[e] > threshold:
                        n_above += 1
                    elif scratch[e] == threshold:
                        n_equal += 1
                if threshold == -np.inf:
                    share = 0.0
                    listed[j, c] = n_above
                else:
                    share = (cutoffs[c] - n_above) / n_equal
                    listed[j, c] = cutoffs[c]
                for e in range(n):
                    if scratch[e] > threshold:
                        top[j, c, code[e]] += 1.0
                    elif share > 0.0 and scratch[e] == threshold:
                        top[j, c, code[e]] += share
            scratch[answer] = before


def count_verdicts(
    scores: FloatArray,
    offsets: LongArray,
    answers: IntArray,
    known_start: LongArray,
    known_stop: LongArray,
    known: IntArray,
    pool: BoolArray,
    codes: ByteArray,
    cutoffs: LongArray,
    outputs: tuple[AnyArray, ...],
) -> None:
    """Add verdict counts to zeroed outputs; see ``observers.count_verdicts_numpy``."""
    _count_verdicts(
        scores,
        offsets,
        answers,
        known_start,
        known_stop,
        known,
        pool,
        not pool.all(),
        codes,
        cutoffs,
        *outputs,
    )
