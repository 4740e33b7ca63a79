"""Compiled counting of rules with one variable; the plain twin is ``mine_reference``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hybridkg.rules.jit import compiled
from hybridkg.types import AnyArray


class UnaryGraph(NamedTuple):
    """Columns of :class:`hybridkg.rules.index.DirectedGraph` that unary rules need."""

    n_entities: int
    offsets: AnyArray
    group_offsets: AnyArray
    members: AnyArray
    relation_offsets: AnyArray
    own_relation: AnyArray
    own_offsets: AnyArray
    own_feature: AnyArray
    feature_relation: AnyArray
    feature_entity: AnyArray


class UnaryLimits(NamedTuple):
    """Which unary rules count, and how they are ordered; constant rules first, then dangling."""

    #: least number of right predictions.
    min_support: int
    #: (2,) least support / body.
    min_confidence: AnyArray
    #: (2,) factor in the order.
    weight: AnyArray
    #: is added to the body in the order.
    unseen: float
    #: (2R,) least histogram bin that is written.
    cut: AnyArray


class UnaryResult(NamedTuple):
    """What :func:`count_unary` fills."""

    #: (2R, bins) rules by head and confidence bin, is added to.
    histogram: AnyArray
    #: (2,) constant and dangling rules, is added to.
    found: AnyArray
    #: (m, 5) group, head feature, support, body count, PCA body; m = 0 only counts.
    out: AnyArray


class _UnaryScratch(NamedTuple):
    #: (E,) last group that an entity was a member of.
    member_of: AnyArray
    #: (F,) members of the group with a feature; zeros between groups.
    counts: AnyArray
    #: (F,) features that occur in the group.
    touched: AnyArray
    #: (2R,) members of the group that have a relation.
    having: AnyArray


@compiled
def _count_group(group: int, graph: UnaryGraph, scratch: _UnaryScratch) -> int:
    """Count the features of a group's members; ``touched`` lists those that occur."""
    n_touched = 0
    for row in range(graph.group_offsets[group], graph.group_offsets[group + 1]):
        member = graph.members[row]
        scratch.member_of[member] = group
        for place in range(graph.own_offsets[member], graph.own_offsets[member + 1]):
            feature = graph.own_feature[place]
            # X is never the constant of the head.
            if graph.feature_entity[feature] == member:
                continue
            if scratch.counts[feature] == 0:
                scratch.touched[n_touched] = feature
                n_touched += 1
            scratch.counts[feature] += 1
    return n_touched


@compiled
def _count_having(group: int, graph: UnaryGraph, scratch: _UnaryScratch) -> None:
    """Count how many members of a group have each directed relation."""
    scratch.having[:] = 0
    for row in range(graph.group_offsets[group], graph.group_offsets[group + 1]):
        member = graph.members[row]
        for place in range(graph.relation_offsets[member], graph.relation_offsets[member + 1]):
            scratch.having[graph.own_relation[place]] += 1


@compiled
def _state_rules(
    group: int,
    n_touched: int,
    graph: UnaryGraph,
    limits: UnaryLimits,
    scratch: _UnaryScratch,
    result: UnaryResult,
    written: int,
) -> int:
    """State the rules from a counted group to each of its features; clear the counts."""
    n_features, bins = len(graph.feature_relation), result.histogram.shape[1]
    size = graph.group_offsets[group + 1] - graph.group_offsets[group]
    kind = 0 if group < n_features else 1
    started = written
    for row in range(n_touched):
        feature = scratch.touched[row]
        support = scratch.counts[feature]
        scratch.counts[feature] = 0
        head = graph.feature_relation[feature]
        # A relation does not explain itself.
        if support < limits.min_support or feature == group or head == group - n_features:
            continue
        # The threshold is on all that the body holds for, as in the counts of published tables.
        if support / size < limits.min_confidence[kind]:
            continue
        total = size - 1 if scratch.member_of[graph.feature_entity[feature]] == group else size
        place = int(limits.weight[kind] * support / (total + limits.unseen) * bins)
        place = min(place, bins - 1)
        result.histogram[head, place] += 1
        result.found[kind] += 1
        if len(result.out) > 0 and place >= limits.cut[head]:
            result.out[written, 0] = group
            result.out[written, 1] = feature
            result.out[written, 2] = support
            result.out[written, 3] = total
            written += 1
    if written > started:
        _count_having(group, graph, scratch)
    for row in range(started, written):
        feature = result.out[row, 1]
        head, constant = graph.feature_relation[feature], graph.feature_entity[feature]
        key = np.int64(head) * graph.n_entities + constant
        # X is never the constant, which may have a value itself.
        inside = scratch.member_of[constant] == group
        itself = 1 if inside and graph.offsets[key + 1] > graph.offsets[key] else 0
        result.out[row, 4] = scratch.having[head] - itself
    return written


@compiled
def count_unary(graph: UnaryGraph, limits: UnaryLimits, result: UnaryResult) -> int:
    """Count all unary rules once; write those at or above each head's cut.

    Called twice: with an empty ``out`` it fills the histogram from which the
    cuts are chosen, then it writes exactly the rules that the cuts let through.

    Returns:
        Number of written rules.
    """
    n_features = len(graph.feature_relation)
    scratch = _UnaryScratch(
        np.full(graph.n_entities, -1, np.int32),
        np.zeros(n_features, np.int32),
        np.zeros(n_features, np.int32),
        np.zeros(result.histogram.shape[0], np.int32),
    )
    written = 0
    for group in range(len(graph.group_offsets) - 1):
        if graph.group_offsets[group + 1] - graph.group_offsets[group] >= limits.min_support:
            n_touched = _count_group(group, graph, scratch)
            written = _state_rules(group, n_touched, graph, limits, scratch, result, written)
    return written
