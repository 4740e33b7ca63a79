"""Compiled counting of verdicts and choice of the best places; see ``observers``.

Sums of three verdicts share one 32-bit number, ten bits each, so that the inner loop has no
branch; rows are taken in parts short enough that no field can run over.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from hybridkg.evaluation.blocks import Block
from hybridkg.types import AnyArray, ByteArray, DoubleArray, FloatArray, IntArray, LongArray

_LOWEST = np.float32(-3.4028235e38)
#: Bits of one verdict's field, and the places that may be summed before it is unpacked.
_BITS = 10
_PART = 1008
_FIELD = 2**_BITS - 1
#: Places whose maximum is kept, so that parts without a large score are passed over.
_CHUNK = 32


@numba.njit(cache=True, nogil=True)
def _is_known(known: Any, first: int, last: int, place: int) -> bool:
    """Tell whether a place is among ascending known[first:last]."""
    while first < last:
        middle = (first + last) // 2
        if known[middle] < place:
            first = middle + 1
        elif known[middle] > place:
            last = middle
        else:
            return True
    return False


@numba.njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _chunk_maxima(row: Any, maxima: Any) -> None:
    """Keep the largest score of each chunk; rows hold no NaN."""
    whole = len(row) // _CHUNK
    for c in range(whole):
        part = row[c * _CHUNK : (c + 1) * _CHUNK]
        best = part[0]
        # The fixed length is what lets this loop become a few vector instructions.
        for e in range(_CHUNK):
            best = part[e] if part[e] > best else best
        maxima[c] = best
    if whole * _CHUNK < len(row):
        best = row[whole * _CHUNK]
        for e in range(whole * _CHUNK, len(row)):
            best = max(best, row[e])
        maxima[whole] = best


@numba.njit(cache=True, nogil=True)
def _insert(best: Any, score: Any) -> int:
    """Put a score into a falling list and return its place; the caller knows it belongs in."""
    at = len(best) - 1
    while at > 0 and best[at - 1] < score:
        best[at] = best[at - 1]
        at -= 1
    best[at] = score
    return at


@numba.njit(cache=True, nogil=True)
def _select(
    row: Any, maxima: Any, known: Any, known_first: int, known_last: int, best: Any, places: Any
) -> None:
    """List the best scored places that hold no known answer; of equal ones the first."""
    best[:] = -np.inf
    places[:] = -1
    lowest = best[-1]
    for c in range((len(row) + _CHUNK - 1) // _CHUNK):
        if maxima[c] > lowest:
            for e in range(c * _CHUNK, min((c + 1) * _CHUNK, len(row))):
                if row[e] > lowest and not _is_known(known, known_first, known_last, e):
                    at = _insert(best, row[e])
                    for later in range(len(places) - 1, at, -1):
                        places[later] = places[later - 1]
                    places[at] = e
                    lowest = best[-1]


@numba.njit(cache=True, nogil=True)
def _count_better(row: Any, weights: Any, truth: Any, above: Any) -> None:
    """Count the verdicts of a row's places that are better than a true answer."""
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
def _count_equal(row: Any, weights: Any, truth: Any, tied: Any) -> None:
    """Count the verdicts of a row's places that are equal to a true answer."""
    for first in range(0, len(row), _PART):
        part = row[first : first + _PART]
        weight = weights[first : first + _PART]
        total = np.int32(0)
        for e in range(len(part)):
            total = np.int32(total + (weight[e] if part[e] == truth else np.int32(0)))
        for v in range(3):
            tied[v] += (total >> (_BITS * v)) & _FIELD


@numba.njit(cache=True, nogil=True)
def _weigh(codes: Any, weights: Any) -> None:
    for e in range(len(weights)):
        weights[e] = np.int32(0)
        if codes[e] > 0:
            weights[e] = np.int32(1) << (_BITS * (np.int32(codes[e]) - 1))


@numba.njit(cache=True, nogil=True)
def _count_verdicts(
    scores: Any,
    start: Any,
    stop: Any,
    offsets: Any,
    truth: Any,
    place: Any,
    better: Any,
    tie: Any,
    known_start: Any,
    known_stop: Any,
    known: Any,
    every_entity: bool,
    entities: Any,
    entity_start: Any,
    codes: Any,
    code_rows: Any,
    above: Any,
    tied: Any,
) -> None:
    """Count verdicts above and at each true answer, itself left out."""
    widest = 0
    for i in range(len(start)):
        widest = max(widest, stop[i] - start[i])
    weights = np.empty(widest, dtype=np.int32)
    listed = np.empty(0 if every_entity else widest, dtype=np.uint8)
    for i in range(len(start)):
        row = scores[start[i] : stop[i]]
        code = codes[code_rows[i]]
        if not every_entity:
            for e in range(len(row)):
                listed[e] = code[entities[entity_start[i] + e]]
            code = listed
        if not every_entity or i == 0 or code_rows[i] != code_rows[i - 1]:
            _weigh(code, weights[: len(row)])
        for j in range(offsets[i], offsets[i + 1]):
            target = truth[j]
            if better[j] > 0:
                _count_better(row, weights, target, above[j])
            if tie[j] > 0:
                _count_equal(row, weights, target, tied[j])
            for k in range(known_start[i], known_stop[i]):
                verdict = np.int64(code[known[k]]) - 1
                if known[k] != place[j] and verdict >= 0:
                    if better[j] > 0 and row[known[k]] > target:
                        above[j, verdict] -= 1
                    elif tie[j] > 0 and row[known[k]] == target:
                        tied[j, verdict] -= 1
            if tie[j] > 0 and place[j] >= 0 and code[place[j]] > 0:
                tied[j, code[place[j]] - 1] -= 1


@numba.njit(cache=True, nogil=True)
def _count_top(
    scores: Any,
    start: Any,
    stop: Any,
    offsets: Any,
    answers: Any,
    truth: Any,
    place: Any,
    known_start: Any,
    known_stop: Any,
    known: Any,
    every_entity: bool,
    entities: Any,
    entity_start: Any,
    codes: Any,
    code_rows: Any,
    cutoffs: Any,
    listed: Any,
    top: Any,
) -> None:
    """Count verdicts in the first places of each list, ties at a border by their share."""
    widest = 1
    for i in range(len(start)):
        widest = max(widest, stop[i] - start[i])
    maxima = np.empty(widest // _CHUNK + 1, dtype=np.float32)
    best = np.empty(cutoffs[-1], dtype=np.float32)
    places = np.empty(cutoffs[-1], dtype=np.int64)
    with_truth = np.empty(cutoffs[-1], dtype=np.float32)
    # Better and equal candidates of each cutoff; column 3 counts those without a verdict.
    counts = np.empty((2, len(cutoffs), 4), dtype=np.int64)
    for i in range(len(start)):
        row = scores[start[i] : stop[i]]
        code = codes[code_rows[i]]
        first, last = known_start[i], known_stop[i]
        _chunk_maxima(row, maxima)
        _select(row, maxima, known, first, last, best, places)
        done = -1
        for j in range(offsets[i], offsets[i + 1]):
            target = truth[j]
            # A true answer that is known besides, or no place of the row, joins its own list.
            joins = place[j] < 0 or _is_known(known, first, last, place[j])
            joins = joins and target > -np.inf and target >= best[-1]
            if done >= 0 and not joins:
                listed[j], top[j] = listed[done], top[done]
                continue
            with_truth[:] = best
            if joins and target > with_truth[-1]:
                _insert(with_truth, target)
            counts[:] = 0
            lowest = max(with_truth[-1], _LOWEST)
            for c in range((len(row) + _CHUNK - 1) // _CHUNK):
                if maxima[c] >= lowest:
                    for e in range(c * _CHUNK, min((c + 1) * _CHUNK, len(row))):
                        if row[e] >= lowest and not _is_known(known, first, last, e):
                            entity = e if every_entity else entities[entity_start[i] + e]
                            _count_borders(row[e], code[entity], with_truth, cutoffs, counts)
            if joins:
                _count_borders(target, code[answers[j]], with_truth, cutoffs, counts)
            else:
                done = j
            for c in range(len(cutoffs)):
                n_better, n_equal = counts[0, c].sum(), counts[1, c].sum()
                share = (cutoffs[c] - n_better) / n_equal if n_equal > 0 else 0.0
                listed[j, c] = cutoffs[c] if n_equal > 0 else n_better
                for v in range(3):
                    top[j, c, v] = counts[0, c, v] + share * counts[1, c, v]


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
def _list_best(
    scores: Any,
    start: Any,
    stop: Any,
    known_start: Any,
    known_stop: Any,
    known: Any,
    best: Any,
    places: Any,
) -> None:
    widest = 1
    for i in range(len(start)):
        widest = max(widest, stop[i] - start[i])
    maxima = np.empty(widest // _CHUNK + 1, dtype=np.float32)
    for i in range(len(start)):
        row = scores[start[i] : stop[i]]
        _chunk_maxima(row, maxima)
        _select(row, maxima, known, known_start[i], known_stop[i], best[i], places[i])


def count_verdicts(
    block: Block,
    better: IntArray,
    tie: IntArray,
    codes: ByteArray,
    code_rows: LongArray,
) -> tuple[IntArray, IntArray]:
    """Count verdicts above and at each true answer; see ``observers.count_verdicts_numpy``."""
    above, tied = (np.zeros((len(block.truth), 3), dtype=np.int32) for _ in range(2))
    _count_verdicts(
        *_rows(block),
        block.truth,
        block.place,
        better,
        tie,
        *_known(block),
        *_entities(block),
        codes,
        code_rows,
        above,
        tied,
    )
    return above, tied


def count_top(
    block: Block, codes: ByteArray, code_rows: LongArray, cutoffs: LongArray
) -> tuple[IntArray, DoubleArray]:
    """Count verdicts in the first places; see ``observers.count_top_numpy``."""
    listed = np.zeros((len(block.truth), len(cutoffs)), dtype=np.int32)
    top = np.zeros((len(block.truth), len(cutoffs), 3), dtype=np.float64)
    _count_top(
        *_rows(block),
        block.truths.answers,
        block.truth,
        block.place,
        *_known(block),
        *_entities(block),
        codes,
        code_rows,
        cutoffs,
        listed,
        top,
    )
    return listed, top


def list_best(block: Block, k: int) -> tuple[FloatArray, LongArray]:
    """Return (b, k) scores and places of the best candidates that are no known answers.

    Of equal scores the first place counts; -inf and -1 stand where fewer have a score.
    """
    best = np.empty((len(block), k), dtype=np.float32)
    places = np.empty((len(block), k), dtype=np.int64)
    _list_best(block.scores, block.start, block.stop, *_known(block), best, places)
    return best, places


def _rows(block: Block) -> tuple[AnyArray, ...]:
    return block.scores, block.start, block.stop, block.truths.offsets


def _known(block: Block) -> tuple[AnyArray, ...]:
    return block.known.start, block.known.stop, block.known.entities


def _entities(block: Block) -> tuple[bool, IntArray, LongArray]:
    every = block.entities is None
    ids = np.zeros(0, dtype=np.int32) if block.entities is None else block.entities
    return every, ids, block.entity_start
