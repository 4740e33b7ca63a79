"""Compiled choice of the best places of a row, without looking at most of it.

A row is cut into chunks whose largest scores are kept. The k-th largest of them is a lower bound of
the k-th best score, so that only about k chunks are looked at closely.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from hybridkg.evaluation.blocks import Block
from hybridkg.types import FloatArray, LongArray

#: Places whose maximum is kept.
CHUNK = 32


@numba.njit(cache=True, nogil=True)
def is_known(known: Any, place: int) -> bool:
    """Tell whether a place is among ascending known ones."""
    first, last = 0, len(known)
    while first < last:
        middle = (first + last) // 2
        if known[middle] < place:
            first = middle + 1
        elif known[middle] > place:
            last = middle
        else:
            return True
    return False


@numba.njit(cache=True, nogil=True)
def n_chunks(width: int) -> int:
    """Return the number of chunks of a row."""
    return (width + CHUNK - 1) // CHUNK


@numba.njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _largest(row: Any, maxima: Any) -> None:
    """Keep the largest score of each chunk; rows hold no NaN."""
    whole = len(row) // CHUNK
    for c in range(whole):
        part = row[c * CHUNK : (c + 1) * CHUNK]
        best = part[0]
        # The fixed length is what lets this loop become a few vector instructions.
        for e in range(CHUNK):
            best = part[e] if part[e] > best else best
        maxima[c] = best
    if whole * CHUNK < len(row):
        best = row[whole * CHUNK]
        for e in range(whole * CHUNK, len(row)):
            best = max(best, row[e])
        maxima[whole] = best


@numba.njit(cache=True, nogil=True)
def chunk_maxima(row: Any, known: Any, maxima: Any) -> None:
    """Keep the largest score of each chunk, ascending known places left out."""
    _largest(row, maxima)
    k = 0
    while k < len(known):
        c = known[k] // CHUNK
        best = np.float32(-np.inf)
        for e in range(c * CHUNK, min((c + 1) * CHUNK, len(row))):
            if k < len(known) and known[k] == e:
                k += 1
            else:
                best = max(best, row[e])
        maxima[c] = best


@numba.njit(cache=True, nogil=True)
def insert(best: Any, score: Any) -> int:
    """Put a score into a falling list and return its place; the caller knows it belongs in."""
    at = len(best) - 1
    while at > 0 and best[at - 1] < score:
        best[at] = best[at - 1]
        at -= 1
    best[at] = score
    return at


@numba.njit(cache=True, nogil=True)
def select(row: Any, maxima: Any, known: Any, best: Any, places: Any) -> None:
    """List the best scored places that hold no known answer; of equal ones the first."""
    best[:] = -np.inf
    chunks = n_chunks(len(row))
    for c in range(chunks):
        if maxima[c] > best[-1]:
            insert(best, maxima[c])
    bound = best[-1]
    best[:] = -np.inf
    places[:] = -1
    for c in range(chunks):
        if maxima[c] >= bound and maxima[c] > best[-1]:
            for e in range(c * CHUNK, min((c + 1) * CHUNK, len(row))):
                score = row[e]
                if score >= bound and score > best[-1] and not is_known(known, e):
                    at = insert(best, score)
                    for later in range(len(places) - 1, at, -1):
                        places[later] = places[later - 1]
                    places[at] = e


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
    maxima = np.empty(n_chunks(widest), dtype=np.float32)
    for i in range(len(start)):
        row = scores[start[i] : stop[i]]
        held = known[known_start[i] : known_stop[i]]
        chunk_maxima(row, held, maxima)
        select(row, maxima, held, best[i], places[i])


def list_best(block: Block, k: int) -> tuple[FloatArray, LongArray]:
    """Return (b, k) scores and places of the best candidates that are no known answers.

    Of equal scores the first place counts; -inf and -1 stand where fewer have a score.
    """
    best = np.empty((len(block), k), dtype=np.float32)
    places = np.empty((len(block), k), dtype=np.int64)
    known = block.known
    _list_best(
        block.scores, block.start, block.stop, known.start, known.stop, known.entities, best, places
    )
    return best, places
