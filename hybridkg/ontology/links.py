"""Links of a role as sorted keys, source * n_nodes + target: union, difference and joins."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from hybridkg.graph.sorted_keys import contains_sorted, flat_ranges
from hybridkg.types import LongArray

#: Paths that one block of a join spells out.
BLOCK = 8_000_000
#: Joins of fewer paths are spelled out; a sparse product counts the others path by path.
FEW_PATHS = 2_000_000

NO_KEYS: LongArray = np.zeros(0, dtype=np.int64)


def distinct(values: LongArray) -> LongArray:
    """Return the sorted distinct values; quick where they are so already.

    ``numpy.unique`` goes through a hash table, which is several times slower on long arrays.
    """
    if len(values) < 2 or (values[1:] > values[:-1]).all():
        return values
    ordered: LongArray = np.sort(values, kind="stable")
    kept = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=kept[1:])
    return ordered[kept]


def new_keys(keys: LongArray, candidates: LongArray) -> LongArray:
    """Return the candidates that are not among sorted keys, sorted and distinct."""
    listed = distinct(candidates)
    return listed[~contains_sorted(keys, listed)] if len(keys) else listed


def merge(keys: LongArray, new: LongArray) -> LongArray:
    """Return the union of two disjoint sorted key arrays."""
    if not len(keys) or not len(new):
        return new if not len(keys) else keys
    merged = np.concatenate([keys, new])
    # A stable sort finds the two runs and merges them, in linear time.
    merged.sort(kind="stable")
    return merged


def turned(keys: LongArray, n_nodes: int) -> LongArray:
    """Return the same links as sorted target * n_nodes + source."""
    back: LongArray = np.sort(keys % n_nodes * n_nodes + keys // n_nodes)
    return back


def among(keys: LongArray, nodes: LongArray, n_nodes: int) -> LongArray:
    """Return the keys whose first node is one of the given ones."""
    starts = np.searchsorted(keys, nodes * n_nodes)
    counts = np.searchsorted(keys, (nodes + 1) * n_nodes) - starts
    return keys[flat_ranges(starts, starts + counts)]


def count_paths(first: LongArray, second: LongArray, n_nodes: int) -> LongArray:
    """Return (first,) for each link the number of links of ``second`` that go on from it."""
    ends = first % n_nodes
    starts = np.searchsorted(second, ends * n_nodes)
    counts: LongArray = np.searchsorted(second, (ends + 1) * n_nodes) - starts
    return counts


def compose(
    first: LongArray, second: LongArray, counts: LongArray, n_nodes: int
) -> Iterator[LongArray]:
    """Yield keys of the pairs joined by a link of ``first`` and one of ``second``, in blocks.

    Args:
        first: sorted keys.
        second: sorted keys.
        counts: as :func:`count_paths` returns.
        n_nodes: number of nodes.

    Yields:
        Keys, distinct within a block.
    """
    if int(counts.sum()) > FEW_PATHS:
        yield from _product(first, second, counts, n_nodes)
        return
    ends = first % n_nodes
    start = np.searchsorted(second, ends * n_nodes)
    places = flat_ranges(start, start + counts)
    sources = np.repeat(first // n_nodes, counts)
    yield distinct(sources * n_nodes + second[places] % n_nodes)


def _product(
    first: LongArray, second: LongArray, counts: LongArray, n_nodes: int
) -> Iterator[LongArray]:
    """Multiply as sparse matrices, which keep each pair once, some rows at a time."""
    kept = counts > 0
    first, counts = first[kept], counts[kept]
    right = _matrix(second // n_nodes, second % n_nodes, (n_nodes, n_nodes))
    total = np.cumsum(counts)
    start = 0
    while start < len(first):
        stop = int(np.searchsorted(total, (total[start - 1] if start else 0) + BLOCK)) + 1
        # A block ends with the last link of its last source.
        source = first[min(stop, len(first)) - 1] // n_nodes
        stop = int(np.searchsorted(first, (source + 1) * n_nodes))
        sources, rows = np.unique(first[start:stop] // n_nodes, return_inverse=True)
        left = _matrix(rows, first[start:stop] % n_nodes, (len(sources), n_nodes))
        found = (left @ right).tocoo()
        rows_found, columns = found.coords
        yield np.sort(sources[rows_found] * n_nodes + columns)
        start = stop


def _matrix(rows: LongArray, columns: LongArray, shape: tuple[int, int]) -> sparse.csr_array:
    return sparse.csr_array((np.ones(len(rows), dtype=np.bool_), (rows, columns)), shape=shape)
