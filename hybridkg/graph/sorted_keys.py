"""Ascending keys, and lists that lie one behind another: what every index is made of."""

from __future__ import annotations

import numpy as np

from hybridkg.types import BoolArray, LongArray


def find_sorted(held: LongArray, wanted: LongArray) -> LongArray:
    """Return (wanted,) the place of each number among ascending held ones, -1 where it is absent.

    >>> find_sorted(np.array([2, 5]), np.array([5, 3])).tolist()
    [1, -1]
    """
    if not len(held):
        return np.full(len(wanted), -1, dtype=np.int64)
    places = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
    return np.where(held[places] == wanted, places, -1).astype(np.int64, copy=False)


def contains_sorted(held: LongArray, wanted: LongArray) -> BoolArray:
    """Return (wanted,) True where a number is among ascending held ones."""
    found: BoolArray = find_sorted(held, wanted) >= 0
    return found


def flat_ranges(start: LongArray, stop: LongArray) -> LongArray:
    """Return the numbers start..stop-1 of each pair, one behind another.

    >>> flat_ranges(np.array([3, 7]), np.array([5, 8])).tolist()
    [3, 4, 7]
    """
    sizes = stop - start
    ends = np.cumsum(sizes)
    shift = np.repeat(start - (ends - sizes), sizes)
    found: LongArray = np.arange(len(shift), dtype=np.int64) + shift
    return found


def offsets_of(sizes: LongArray) -> LongArray:
    """Return the (n + 1,) offsets of n lists that lie one behind another.

    >>> offsets_of(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    return np.append(0, np.cumsum(sizes)).astype(np.int64)
