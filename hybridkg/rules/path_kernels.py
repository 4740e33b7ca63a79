"""Compiled walks along the body of a closed rule."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hybridkg.rules.jit import compiled
from hybridkg.types import AnyArray


class WalkScratch(NamedTuple):
    """Arrays that a walk writes into, made once and used for many walks."""

    #: (E,) stamp of the last walk that ended in an entity.
    stamp: AnyArray
    #: (E,) ends of the walk, the first ones count.
    ends: AnyArray
    #: (width + 1,) entities from the start to the present depth.
    walk: AnyArray
    #: (width,) next neighbour at each depth.
    place: AnyArray
    #: (width,) where the neighbours of each depth stop.
    stop: AnyArray
    #: (1,) last stamp that was used.
    token: AnyArray


@compiled
def walk_scratch(n_entities: int, width: int) -> WalkScratch:
    """Make the scratch arrays for paths of at most ``width`` steps."""
    return WalkScratch(
        np.zeros(n_entities, np.int64),
        np.zeros(n_entities, np.int32),
        np.zeros(width + 1, np.int64),
        np.zeros(width, np.int64),
        np.zeros(width, np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def walk_path(
    path: AnyArray,
    start: int,
    n_entities: int,
    offsets: AnyArray,
    neighbours: AnyArray,
    scratch: WalkScratch,
) -> int:
    """Collect the distinct ends of a path whose entities are all distinct.

    Args:
        path: (width,) directed relations, negative after the last.
        start: entity at the beginning.
        n_entities: number of entities.
        offsets: (2R * E + 1,) slices of ``neighbours``.
        neighbours: (2T,).
        scratch: ``ends`` is filled and ``stamp`` marks them with ``token``.

    Returns:
        Number of ends.
    """
    stamp, ends, walk, place, stop, token = scratch
    token[0] += 1
    length = 0
    while length < len(path) and path[length] >= 0:
        length += 1
    if length == 0:
        return 0
    n_ends = 0
    depth = 0
    walk[0] = start
    place[0] = offsets[path[0] * n_entities + start]
    stop[0] = offsets[path[0] * n_entities + start + 1]
    while depth >= 0:
        if place[depth] == stop[depth]:
            depth -= 1
            continue
        entity = neighbours[place[depth]]
        place[depth] += 1
        fresh = True
        for earlier in range(depth + 1):
            if walk[earlier] == entity:
                fresh = False
        if not fresh:
            continue
        if depth == length - 1:
            if stamp[entity] != token[0]:
                stamp[entity] = token[0]
                ends[n_ends] = entity
                n_ends += 1
        else:
            depth += 1
            walk[depth] = entity
            key = path[depth] * n_entities + entity
            place[depth] = offsets[key]
            stop[depth] = offsets[key + 1]
    return n_ends
