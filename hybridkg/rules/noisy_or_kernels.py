"""Compiled noisy-or: every candidate gets the sum of -log(1 - confidence) of its best rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hybridkg.rules.apply_kernels import (
    NEVER,
    GraphColumns,
    collect_given,
    next_rank,
    open_streams,
    propose_level,
)
from hybridkg.rules.jit import compiled
from hybridkg.rules.partition_kernels import new_partition, take_touched
from hybridkg.rules.path_kernels import walk_scratch
from hybridkg.types import AnyArray

if TYPE_CHECKING:
    from hybridkg.rules.apply import RuleIndex


@compiled
def sum_candidates(
    anchors: AnyArray,
    relations: AnyArray,
    asked: AnyArray,
    n_best: int,
    graph: GraphColumns,
    index: RuleIndex,
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Add up the rules that propose each candidate of each query, best first.

    The sum is the noisy-or in log space; the probability itself rounds to 1 where many rules
    agree, and would tie what differs.

    Args:
        anchors: (n,) given entities.
        relations: (n,) directed query relations.
        asked: (n,) feature (inverse relation, given entity), -1 where unknown.
        n_best: rules that count for one candidate.
        graph: the training triples.
        index: the rules.

    Returns:
        (n + 1,) offsets, candidates, sums.
    """
    scratch = walk_scratch(graph.n_entities, index.paths.shape[1])
    partition = new_partition(graph.n_entities)
    place, stop = np.zeros(4, np.int64), np.zeros(4, np.int64)
    events = np.empty(1024, np.int64)
    totals = np.zeros(graph.n_entities, np.float64)
    counts = np.zeros(graph.n_entities, np.int64)
    offsets = np.zeros(len(anchors) + 1, np.int64)
    entities, sums = np.empty(1024, np.int32), np.empty(1024, np.float64)
    for query in range(len(anchors)):
        anchor, relation = anchors[query], relations[query]
        events, n_events = collect_given(anchor, relation, graph, index, events)
        open_streams(relation, asked[query], n_events, index, place, stop)
        level = next_rank(index, events, place, stop)
        n_found = offsets[query]
        while level != NEVER:
            propose_level(level, anchor, graph, index, events, place, stop, scratch, partition)
            weight = index.rank_weight[level]
            n_touched = take_touched(partition)
            if n_found + n_touched > len(entities):
                size = 2 * (n_found + n_touched)
                longer_entities = np.empty(size, np.int32)
                longer_entities[:n_found] = entities[:n_found]
                entities = longer_entities
            for row in range(n_touched):
                candidate = partition.touched[row]
                if counts[candidate] == 0:
                    entities[n_found] = candidate
                    n_found += 1
                hits = min(partition.hits[candidate], n_best - counts[candidate])
                counts[candidate] += hits
                totals[candidate] += weight * hits
                partition.hits[candidate] = 0
            level = next_rank(index, events, place, stop)
        sums = _keep_totals(entities, offsets[query], n_found, totals, counts, sums)
        offsets[query + 1] = n_found
    return offsets, entities[: offsets[-1]].copy(), sums[: offsets[-1]].copy()


@compiled
def _keep_totals(
    entities: AnyArray, start: int, stop: int, totals: AnyArray, counts: AnyArray, sums: AnyArray
) -> AnyArray:
    """Write the totals of one query's candidates beside them, and clear the totals."""
    if len(sums) < len(entities):
        longer = np.empty(len(entities), np.float64)
        longer[:start] = sums[:start]
        sums = longer
    for row in range(start, stop):
        sums[row] = totals[entities[row]]
        totals[entities[row]] = 0.0
        counts[entities[row]] = 0
    return sums
