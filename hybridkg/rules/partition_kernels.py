"""Compiled max-plus order without any list of confidences.

Rules come best first, and the ordered partition of candidates into classes is
refined by one confidence after the other. Candidates that are proposed move in
front of their class; a second proposal of the same confidence moves them once
more. After the last rule the classes stand in the order of the full lists.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hybridkg.rules.jit import compiled
from hybridkg.types import AnyArray

#: Places in ``Partition.state``.
_FREE, _ROUND, _REACHED, _TOUCHED = range(4)


class Partition(NamedTuple):
    """Candidates in classes, classes in a chain; class 0 is last and holds the unreached."""

    #: (E,) class of each candidate.
    class_of: AnyArray
    #: (E,) proposals at the present confidence.
    hits: AnyArray
    #: (E,) candidates with such proposals.
    touched: AnyArray
    #: (E,) candidates outside class 0.
    reached: AnyArray
    #: (2E + 2,) members of each class but class 0.
    size: AnyArray
    #: (2E + 2,) next better class, -1 for the best.
    before: AnyArray
    #: (2E + 2,) next worse class.
    after: AnyArray
    #: (2E + 2,) class that takes the proposed members in this round.
    split_to: AnyArray
    #: (2E + 2,) last round in which a class was split.
    split_round: AnyArray
    #: (2E + 2,) numbers of unused classes.
    free: AnyArray
    #: (4,) unused classes, last round, reached candidates, touched candidates.
    state: AnyArray


@compiled
def new_partition(n_entities: int) -> Partition:
    """Start with all candidates in class 0."""
    # In one round each old class may have a new one beside it.
    n_classes = 2 * n_entities + 2
    free = np.arange(1, n_classes + 1).astype(np.int32)
    before = np.full(n_classes, -1, np.int32)
    state = np.zeros(4, np.int64)
    state[_FREE] = n_classes - 1
    return Partition(
        np.zeros(n_entities, np.int32),
        np.zeros(n_entities, np.int32),
        np.zeros(n_entities, np.int32),
        np.zeros(n_entities, np.int32),
        np.zeros(n_classes, np.int32),
        before,
        np.zeros(n_classes, np.int32),
        np.zeros(n_classes, np.int32),
        np.zeros(n_classes, np.int64),
        free,
        state,
    )


@compiled
def propose(candidate: int, partition: Partition) -> None:
    """Note one proposal at the present confidence."""
    if partition.hits[candidate] == 0:
        partition.touched[partition.state[_TOUCHED]] = candidate
        partition.state[_TOUCHED] += 1
    partition.hits[candidate] += 1


@compiled
def take_touched(partition: Partition) -> int:
    """Return the number of proposed candidates, and start the list of them anew."""
    n_touched = partition.state[_TOUCHED]
    partition.state[_TOUCHED] = 0
    return int(n_touched)


@compiled
def refine(partition: Partition, maxplus: bool) -> None:
    """Move the candidates that were proposed in front of their classes.

    Args:
        partition: is changed; its touched candidates are used up.
        maxplus: compare all proposals; else only the first one of a candidate counts.
    """
    class_of, hits, touched, reached, size = partition[:5]
    split_round, state = partition.split_round, partition.state
    n_touched = state[_TOUCHED]
    while n_touched > 0:
        state[_ROUND] += 1
        again = 0
        for row in range(n_touched):
            candidate = touched[row]
            old = class_of[candidate]
            hits[candidate] = hits[candidate] - 1 if maxplus else 0
            if hits[candidate] > 0:
                touched[again] = candidate
                again += 1
            if old == 0:
                reached[state[_REACHED]] = candidate
                state[_REACHED] += 1
            elif not maxplus:
                continue
            split_now = split_round[old] == state[_ROUND]
            if old != 0 and size[old] == 1 and not split_now:
                continue
            if not split_now:
                _split(old, partition)
            new = partition.split_to[old]
            class_of[candidate] = new
            size[new] += 1
            if old != 0:
                size[old] -= 1
                if size[old] == 0:
                    _remove(old, partition)
        n_touched = again
    state[_TOUCHED] = 0


@compiled
def _split(old: int, partition: Partition) -> None:
    """Put an empty class in front of a class."""
    state, before, after = partition.state, partition.before, partition.after
    state[_FREE] -= 1
    new = partition.free[state[_FREE]]
    partition.split_round[old] = state[_ROUND]
    partition.split_to[old] = new
    partition.split_round[new] = 0
    partition.size[new] = 0
    better = before[old]
    before[old] = new
    after[new] = old
    before[new] = better
    if better >= 0:
        after[better] = new


@compiled
def _remove(empty: int, partition: Partition) -> None:
    """Take an empty class out of the chain."""
    better, worse = partition.before[empty], partition.after[empty]
    partition.before[worse] = better
    if better >= 0:
        partition.after[better] = worse
    partition.free[partition.state[_FREE]] = empty
    partition.state[_FREE] += 1


@compiled
def finish(partition: Partition, entities: AnyArray, order: AnyArray, start: int) -> None:
    """Write the reached candidates with their order, and empty the partition.

    Args:
        partition: is left with all candidates in class 0.
        entities: reached candidates are written from ``start``.
        order: 1 for the worst class, one more for each better one.
        start: first place to write to.
    """
    number = 0
    current = partition.before[0]
    while current >= 0:
        number += 1
        partition.size[current] = number
        partition.free[partition.state[_FREE]] = current
        partition.state[_FREE] += 1
        current = partition.before[current]
    partition.before[0] = -1
    for row in range(partition.state[_REACHED]):
        candidate = partition.reached[row]
        entities[start + row] = candidate
        order[start + row] = partition.size[partition.class_of[candidate]]
        partition.class_of[candidate] = 0
    partition.state[_REACHED] = 0


@compiled
def n_reached(partition: Partition) -> int:
    """Return the number of candidates outside class 0."""
    return int(partition.state[_REACHED])
