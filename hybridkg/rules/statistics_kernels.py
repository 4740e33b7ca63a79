"""Compiled counting of given rules; the plain twin is in :mod:`hybridkg.rules.statistics`."""

from __future__ import annotations

import numpy as np

from hybridkg.rules.jit import compiled
from hybridkg.rules.path_kernels import walk_path, walk_scratch
from hybridkg.types import AnyArray


@compiled
def count_closed(
    heads: AnyArray,
    bodies: AnyArray,
    n_entities: int,
    offsets: AnyArray,
    neighbours: AnyArray,
) -> AnyArray:
    """Count closed rules; neighbouring rows with the same body share its walks.

    Args:
        heads: (n,) head relations.
        bodies: (n, width) directed relations, negative after the last.
        n_entities: number of entities.
        offsets: (2R * E + 1,) slices of ``neighbours``.
        neighbours: (2T,).

    Returns:
        (n, 3) predictions, support, PCA body.
    """
    counts = np.zeros((len(heads), 3), np.int64)
    scratch = walk_scratch(n_entities, bodies.shape[1])
    first = 0
    while first < len(heads):
        last = first + 1
        while last < len(heads) and np.all(bodies[last] == bodies[first]):
            last += 1
        for start in range(n_entities):
            n_ends = walk_path(bodies[first], start, n_entities, offsets, neighbours, scratch)
            if n_ends == 0:
                continue
            for row in range(first, last):
                key = heads[row] * n_entities + start
                counts[row, 0] += n_ends
                if offsets[key + 1] > offsets[key]:
                    counts[row, 2] += n_ends
                for place in range(offsets[key], offsets[key + 1]):
                    if scratch.stamp[neighbours[place]] == scratch.token[0]:
                        counts[row, 1] += 1
        first = last
    return counts


@compiled
def count_unary_rules(
    groups: AnyArray,
    heads: AnyArray,
    constants: AnyArray,
    n_entities: int,
    n_relations: int,
    offsets: AnyArray,
    neighbours: AnyArray,
    group_offsets: AnyArray,
    members: AnyArray,
) -> AnyArray:
    """Count rules with one variable.

    Args:
        groups: (n,) group of the body, -1 where it holds nowhere.
        heads: (n,) directed head relations.
        constants: (n,) head constants.
        n_entities: number of entities.
        n_relations: number of relations.
        offsets: (2R * E + 1,) slices of ``neighbours``.
        neighbours: (2T,).
        group_offsets: (groups + 1,) slices of ``members``.
        members: entities of each group.

    Returns:
        (n, 3) predictions, support, PCA body.
    """
    counts = np.zeros((len(groups), 3), np.int64)
    wanted = np.full(n_entities, -1, np.int64)
    for row in range(len(groups)):
        if groups[row] < 0:
            continue
        head = heads[row]
        turned = head + n_relations if head < n_relations else head - n_relations
        key = turned * n_entities + constants[row]
        for place in range(offsets[key], offsets[key + 1]):
            wanted[neighbours[place]] = row
        for place in range(group_offsets[groups[row]], group_offsets[groups[row] + 1]):
            member = members[place]
            if member == constants[row]:
                continue
            counts[row, 0] += 1
            if wanted[member] == row:
                counts[row, 1] += 1
            own = head * n_entities + member
            if offsets[own + 1] > offsets[own]:
                counts[row, 2] += 1
    return counts
