"""Rows of small integers as one number each, which sorts and compares faster than columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hybridkg.types import IntArray, LongArray


def first_of_each(columns: Sequence[IntArray]) -> IntArray:
    """Return the (k,) positions of the first of each distinct row, in order.

    Args:
        columns: (n,) each, non-negative.
    """
    keys = row_keys(columns)
    if keys is None:
        _, first = np.unique(np.column_stack(columns), axis=0, return_index=True)
        return np.sort(first).astype(np.int32)
    ordered = np.sort(keys)
    if len(keys) == 0 or not (ordered[1:] == ordered[:-1]).any():
        return np.arange(len(keys), dtype=np.int32)
    _, first = np.unique(keys, return_index=True)
    return np.sort(first).astype(np.int32)


def order_of_rows(columns: Sequence[IntArray]) -> LongArray:
    """Return the (n,) order that sorts rows by their first column, then the next, and so on.

    Args:
        columns: (n,) each, non-negative.
    """
    keys = row_keys(columns)
    order = np.lexsort(tuple(reversed(columns))) if keys is None else np.argsort(keys)
    return order.astype(np.int64)


def row_keys(columns: Sequence[IntArray]) -> LongArray | None:
    """Return (n,) numbers that order and tell rows apart, None where they would not fit."""
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    if np.prod(np.array(sizes, dtype=float)) >= 2.0**63:
        return None
    keys: LongArray = columns[0].astype(np.int64)
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        keys *= size
        keys += column
    return keys
