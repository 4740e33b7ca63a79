"""Compiled counting of rules; :mod:`hybridkg.rules.mine_reference` is the plain twin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hybridkg.rules.jit import compiled
from hybridkg.types import AnyArray


@compiled
def count_one_step(
    n_entities: int,
    n_relations: int,
    entity_offsets: AnyArray,
    edge_relation: AnyArray,
    edge_entity: AnyArray,
    relation_offsets: AnyArray,
    own_relation: AnyArray,
    body: AnyArray,
    support: AnyArray,
    pca_body: AnyArray,
) -> None:
    """Count the pairs of every directed relation, and those that a relation shares with it.

    Args:
        n_entities: number of entities.
        n_relations: number of relations.
        entity_offsets: (E + 1,) slices of the edge arrays.
        edge_relation: (2T,) directed relations.
        edge_entity: (2T,) far ends.
        relation_offsets: (E + 1,) slices of ``own_relation``.
        own_relation: distinct directed relations of each entity, ascending.
        body: (2R,) is filled with the number of pairs.
        support: (2R, R) is filled with the number of shared pairs.
        pca_body: (2R, R) is filled with the pairs whose subject has the other relation.
    """
    for entity in range(n_entities):
        stop = entity_offsets[entity + 1]
        start = entity_offsets[entity]
        while start < stop:
            end = start
            while end < stop and edge_entity[end] == edge_entity[start]:
                end += 1
            for one in range(start, end):
                body[edge_relation[one]] += 1
                for place in range(relation_offsets[entity], relation_offsets[entity + 1]):
                    if own_relation[place] < n_relations:
                        pca_body[edge_relation[one], own_relation[place]] += 1
                for other in range(start, end):
                    if edge_relation[other] < n_relations:
                        support[edge_relation[one], edge_relation[other]] += 1
            start = end


class PathScratch(NamedTuple):
    """Arrays that :func:`count_two_steps` works in; one set serves all first steps."""

    #: (2R * E,) int32 zeros; last token by (second relation, object).
    stamp: AnyArray
    #: (E,) first edge of the subject to an entity, valid where ``place_stamp`` is the token.
    place: AnyArray
    #: (E,) int32 zeros.
    place_stamp: AnyArray
    #: (2R,) zeros before each call; number of pairs by second relation.
    body: AnyArray
    #: (2R * R,) zeros before each call; shared pairs by second relation and head.
    support: AnyArray
    #: (2R * R,) cells of ``support`` that are not zero.
    touched: AnyArray
    #: (2R * R,) zeros before each call; pairs whose subject has the head, like ``support``.
    pca_body: AnyArray
    #: (2R,) int32 zeros; pairs of the present subject by second relation.
    fresh: AnyArray
    #: (2R,) int32; second relations of the present subject.
    seconds: AnyArray


@compiled
def _mark_objects(
    subject: int,
    token: int,
    entity_offsets: AnyArray,
    edge_entity: AnyArray,
    scratch: PathScratch,
) -> None:
    """Note the first edge of a subject to each of its objects."""
    for edge in range(entity_offsets[subject + 1] - 1, entity_offsets[subject] - 1, -1):
        scratch.place[edge_entity[edge]] = edge
        scratch.place_stamp[edge_entity[edge]] = token


@compiled
def _count_heads(
    second: int,
    known: int,
    stop: int,
    n_relations: int,
    edge_relation: AnyArray,
    edge_entity: AnyArray,
    scratch: PathScratch,
    n_touched: int,
) -> int:
    """Count the relations from the subject to one object, from the edge ``known`` on."""
    end = edge_entity[known]
    while known < stop and edge_entity[known] == end:
        if edge_relation[known] < n_relations:
            pair = second * n_relations + edge_relation[known]
            if scratch.support[pair] == 0:
                scratch.touched[n_touched] = pair
                n_touched += 1
            scratch.support[pair] += 1
        known += 1
    return n_touched


@compiled
def _count_pca(
    subject: int,
    n_seconds: int,
    n_relations: int,
    relation_offsets: AnyArray,
    own_relation: AnyArray,
    scratch: PathScratch,
) -> None:
    """Count the pairs of a subject for each relation that it has; clear their numbers."""
    low, high = relation_offsets[subject], relation_offsets[subject + 1]
    for row in range(n_seconds):
        second = scratch.seconds[row]
        for place in range(low, high):
            if own_relation[place] >= n_relations:
                break
            scratch.pca_body[second * n_relations + own_relation[place]] += scratch.fresh[second]
        scratch.fresh[second] = 0


@compiled
def count_two_steps(
    first: int,
    token: int,
    n_entities: int,
    n_relations: int,
    offsets: AnyArray,
    neighbours: AnyArray,
    entity_offsets: AnyArray,
    edge_relation: AnyArray,
    edge_entity: AnyArray,
    relation_offsets: AnyArray,
    own_relation: AnyArray,
    scratch: PathScratch,
) -> tuple[int, int]:
    """Count the pairs of all two-step paths that start with one directed relation.

    One pass per subject over all second steps at once; a stamp on (second
    relation, object) keeps the pairs distinct.

    Args:
        first: directed relation of the first step.
        token: last stamp that was used.
        n_entities: number of entities.
        n_relations: number of relations.
        offsets: (2R * E + 1,) slices of ``neighbours``.
        neighbours: (2T,).
        entity_offsets: (E + 1,) slices of the edge arrays.
        edge_relation: (2T,) directed relations.
        edge_entity: (2T,) far ends.
        relation_offsets: (E + 1,) slices of ``own_relation``.
        own_relation: distinct directed relations of each entity, ascending.
        scratch: receives the counts.

    Returns:
        Last stamp used and number of touched cells.
    """
    n_touched = 0
    for subject in range(n_entities):
        key = first * n_entities + subject
        if offsets[key] == offsets[key + 1]:
            continue
        token += 1
        n_seconds = 0
        stop = entity_offsets[subject + 1]
        _mark_objects(subject, token, entity_offsets, edge_entity, scratch)
        for step in range(offsets[key], offsets[key + 1]):
            middle = neighbours[step]
            for edge in range(entity_offsets[middle], entity_offsets[middle + 1]):
                end, second = edge_entity[edge], edge_relation[edge]
                cell = second * n_entities + end
                if end == subject or scratch.stamp[cell] == token:
                    continue
                scratch.stamp[cell] = token
                if scratch.fresh[second] == 0:
                    scratch.seconds[n_seconds] = second
                    n_seconds += 1
                scratch.fresh[second] += 1
                if scratch.place_stamp[end] == token:
                    n_touched = _count_heads(
                        second, scratch.place[end], stop, n_relations,
                        edge_relation, edge_entity, scratch, n_touched,
                    )  # fmt: skip
        for row in range(n_seconds):
            scratch.body[scratch.seconds[row]] += scratch.fresh[scratch.seconds[row]]
        _count_pca(subject, n_seconds, n_relations, relation_offsets, own_relation, scratch)
    return token, n_touched


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
