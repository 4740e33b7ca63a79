"""Compiled application of rules; :mod:`hybridkg.rules.apply_reference` is the plain twin."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hybridkg.rules.jit import compiled
from hybridkg.rules.partition_kernels import finish, n_reached, new_partition, propose, refine
from hybridkg.rules.path_kernels import walk_path, walk_scratch
from hybridkg.types import AnyArray

if TYPE_CHECKING:
    from hybridkg.rules.apply import RuleIndex
    from hybridkg.rules.partition_kernels import Partition
    from hybridkg.rules.path_kernels import WalkScratch

#: Rank beyond all others: the stream is at its end.
NEVER = 2**31 - 1
#: Streams of one query: closed rules, X is given, the constant is given, zero rules.
_PATH, _GIVEN, _ASKED, _ZERO = range(4)


class GraphColumns(NamedTuple):
    """Columns of :class:`hybridkg.rules.index.DirectedGraph` that application reads."""

    n_entities: int
    n_features: int
    offsets: AnyArray
    neighbours: AnyArray
    relation_offsets: AnyArray
    own_relation: AnyArray
    own_offsets: AnyArray
    own_feature: AnyArray
    group_offsets: AnyArray
    members: AnyArray


@compiled
def _append_group(
    group: int,
    anchor: int,
    relation: int,
    index: RuleIndex,
    events: AnyArray,
    n_events: int,
) -> tuple[AnyArray, int]:
    """Append rank << 32 | candidate of the rules that a group has for the query relation."""
    low = index.given_offsets[group]
    high = index.given_offsets[group + 1]
    end = high
    while low < end:
        middle = (low + end) // 2
        if index.given_relation[middle] < relation:
            low = middle + 1
        else:
            end = middle
    while low < high and index.given_relation[low] == relation:
        candidate = index.given_candidate[low]
        if candidate != anchor:
            if n_events == len(events):
                longer = np.empty(2 * n_events + 16, np.int64)
                longer[:n_events] = events
                events = longer
            # A loop rule has no head constant: it proposes the given entity itself.
            proposed = candidate if candidate >= 0 else anchor
            events[n_events] = (np.int64(index.given_rank[low]) << 32) | proposed
            n_events += 1
        low += 1
    return events, n_events


@compiled
def collect_given(
    anchor: int,
    relation: int,
    graph: GraphColumns,
    index: RuleIndex,
    events: AnyArray,
) -> tuple[AnyArray, int]:
    """List the rules whose body holds for the given entity, best first."""
    n_events = 0
    for place in range(graph.own_offsets[anchor], graph.own_offsets[anchor + 1]):
        group = graph.own_feature[place]
        events, n_events = _append_group(group, anchor, relation, index, events, n_events)
    for place in range(graph.relation_offsets[anchor], graph.relation_offsets[anchor + 1]):
        group = graph.n_features + graph.own_relation[place]
        events, n_events = _append_group(group, anchor, relation, index, events, n_events)
    events[:n_events].sort()
    return events, n_events


@compiled
def next_rank(index: RuleIndex, events: AnyArray, place: AnyArray, stop: AnyArray) -> int:
    """Return the best rank at the four heads of the streams."""
    level = np.int64(NEVER)
    if place[_PATH] < stop[_PATH]:
        level = min(level, np.int64(index.path_rank[place[_PATH]]))
    if place[_GIVEN] < stop[_GIVEN]:
        level = min(level, events[place[_GIVEN]] >> 32)
    if place[_ASKED] < stop[_ASKED]:
        level = min(level, np.int64(index.asked_rank[place[_ASKED]]))
    if place[_ZERO] < stop[_ZERO]:
        level = min(level, np.int64(index.zero_rank[place[_ZERO]]))
    return int(level)


@compiled
def propose_level(
    level: int,
    anchor: int,
    graph: GraphColumns,
    index: RuleIndex,
    events: AnyArray,
    place: AnyArray,
    stop: AnyArray,
    scratch: WalkScratch,
    partition: Partition,
) -> None:
    """Propose the candidates of all rules of one rank and move the streams on."""
    while place[_GIVEN] < stop[_GIVEN] and events[place[_GIVEN]] >> 32 == level:
        propose(events[place[_GIVEN]] & 0xFFFFFFFF, partition)
        place[_GIVEN] += 1
    while place[_PATH] < stop[_PATH] and index.path_rank[place[_PATH]] == level:
        n_ends = walk_path(
            index.paths[place[_PATH]],
            anchor,
            graph.n_entities,
            graph.offsets,
            graph.neighbours,
            scratch,
        )
        for row in range(n_ends):
            propose(scratch.ends[row], partition)
        place[_PATH] += 1
    while place[_ASKED] < stop[_ASKED] and index.asked_rank[place[_ASKED]] == level:
        group = index.asked_group[place[_ASKED]]
        for row in range(graph.group_offsets[group], graph.group_offsets[group + 1]):
            if graph.members[row] != anchor:
                propose(graph.members[row], partition)
        place[_ASKED] += 1
    while place[_ZERO] < stop[_ZERO] and index.zero_rank[place[_ZERO]] == level:
        if index.zero_candidate[place[_ZERO]] != anchor:
            propose(index.zero_candidate[place[_ZERO]], partition)
        place[_ZERO] += 1


@compiled
def open_streams(
    relation: int, asked: int, n_events: int, index: RuleIndex, place: AnyArray, stop: AnyArray
) -> None:
    """Set the four streams to the rules of one query."""
    place[_PATH], stop[_PATH] = index.path_offsets[relation], index.path_offsets[relation + 1]
    place[_GIVEN], stop[_GIVEN] = 0, n_events
    place[_ASKED], stop[_ASKED] = 0, 0
    if asked >= 0:
        place[_ASKED], stop[_ASKED] = index.asked_offsets[asked], index.asked_offsets[asked + 1]
    place[_ZERO], stop[_ZERO] = index.zero_offsets[relation], index.zero_offsets[relation + 1]


@compiled
def order_candidates(
    anchors: AnyArray,
    relations: AnyArray,
    asked: AnyArray,
    maxplus: bool,
    graph: GraphColumns,
    index: RuleIndex,
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Order the reached candidates of each query.

    Args:
        anchors: (n,) given entities.
        relations: (n,) directed query relations.
        asked: (n,) feature (inverse relation, given entity), -1 where unknown.
        maxplus: compare full lists of confidences, else the best confidence only.
        graph: the training triples.
        index: the rules.

    Returns:
        (n + 1,) offsets, candidates, dense order with 1 for the worst.
    """
    scratch = walk_scratch(graph.n_entities, index.paths.shape[1])
    partition = new_partition(graph.n_entities)
    place, stop = np.zeros(4, np.int64), np.zeros(4, np.int64)
    events = np.empty(1024, np.int64)
    offsets = np.zeros(len(anchors) + 1, np.int64)
    entities, order = np.empty(1024, np.int32), np.empty(1024, np.int32)
    for query in range(len(anchors)):
        anchor, relation = anchors[query], relations[query]
        events, n_events = collect_given(anchor, relation, graph, index, events)
        open_streams(relation, asked[query], n_events, index, place, stop)
        level = next_rank(index, events, place, stop)
        while level != NEVER:
            propose_level(level, anchor, graph, index, events, place, stop, scratch, partition)
            refine(partition, maxplus)
            level = next_rank(index, events, place, stop)
        start = offsets[query]
        end = start + n_reached(partition)
        if end > len(entities):
            longer_entities, longer_order = np.empty(2 * end, np.int32), np.empty(2 * end, np.int32)
            longer_entities[:start] = entities[:start]
            longer_order[:start] = order[:start]
            entities, order = longer_entities, longer_order
        finish(partition, entities, order, start)
        offsets[query + 1] = end
    return offsets, entities[: offsets[-1]].copy(), order[: offsets[-1]].copy()
