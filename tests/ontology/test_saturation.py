"""The two ways of keeping members, and joins of links, against plain sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkg.ontology import links
from hybridkg.ontology.saturation import MemberKeys, MemberRows, pair_keys

CLASSES, NODES = 4, 6
MEMBERS = st.sets(st.tuples(st.integers(0, CLASSES - 1), st.integers(0, NODES - 1)))
LINKS = st.sets(st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)))


@given(MEMBERS)
def test_rows_and_keys_hold_the_same_members(members: set[tuple[int, int]]) -> None:
    pairs = np.array(sorted(members), dtype=np.int64).reshape(-1, 2)
    rows = {cls: np.zeros(NODES, dtype=np.bool_) for cls in {c for c, _ in members}}
    for cls, node in members:
        rows[cls][node] = True
    for kept in (MemberRows(CLASSES, NODES, rows), MemberKeys(CLASSES, NODES, pairs)):
        assert kept.occupied() == sorted(rows)
        for cls in range(CLASSES):
            inside = {node for c, node in members if c == cls}
            assert set(np.flatnonzero(kept.row(cls)).tolist()) == inside
            assert all(kept.has(cls, node) == (node in inside) for node in range(NODES))
        for node in range(NODES):
            assert kept.classes_of(node) == sorted(c for c, n in members if n == node)


@pytest.mark.parametrize("few", [0, 1000])
@given(LINKS, LINKS)
def test_joins_are_those_of_sets(
    few: int, first: set[tuple[int, int]], second: set[tuple[int, int]]
) -> None:
    left, right = (
        pair_keys(np.array(sorted(one), dtype=np.int64).reshape(-1, 2), NODES)
        for one in (first, second)
    )
    with pytest.MonkeyPatch.context() as patch:
        # The sparse product takes over where there are many paths.
        patch.setattr(links, "FEW_PATHS", few)
        patch.setattr(links, "BLOCK", 3)
        counts = links.count_paths(left, right, NODES)
        blocks = list(links.compose(left, right, counts, NODES))
    joined = np.concatenate([links.NO_KEYS, *blocks])
    expected = {(a, d) for a, b in first for c, d in second if b == c}
    assert set(zip((joined // NODES).tolist(), (joined % NODES).tolist(), strict=True)) == expected
    merged = links.merge(left, links.new_keys(left, right))
    assert merged.tolist() == sorted({*left.tolist(), *right.tolist()})
