"""Transitive closure through components: that of Warshall, its size known before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkg.ontology import transitive
from hybridkg.ontology.saturation import pair_keys
from hybridkg.ontology.transitive import Reachability

SIZE = 9
PAIRS = st.lists(
    st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1)), min_size=1, max_size=20
)


def warshall(pairs: list[tuple[int, int]]) -> set[tuple[int, int]]:
    reached = np.zeros((SIZE, SIZE), dtype=np.bool_)
    for source, target in pairs:
        reached[source, target] = True
    for middle in range(SIZE):
        reached |= reached[:, [middle]] & reached[[middle], :]
    return {(int(s), int(t)) for s, t in np.argwhere(reached)}


@pytest.mark.parametrize("steps", [64, 1, 0])
@given(PAIRS)
def test_components_reach_what_paths_reach(steps: int, pairs: list[tuple[int, int]]) -> None:
    keys = pair_keys(np.array(pairs, dtype=np.int64), SIZE)
    with pytest.MonkeyPatch.context() as patch:
        # Short paths are followed step by step, long ones component by component.
        patch.setattr(transitive, "MAX_STEPS", steps)
        found = Reachability(keys, SIZE, limit=1000)
        stopped = Reachability(keys, SIZE, limit=found.n_pairs - 1)
    closed = found.keys()
    assert found.n_pairs == len(closed)
    assert (np.diff(closed) > 0).all()
    ends = zip((closed // SIZE).tolist(), (closed % SIZE).tolist(), strict=True)
    assert set(ends) == warshall(pairs)
    assert stopped.n_pairs > found.n_pairs - 1
