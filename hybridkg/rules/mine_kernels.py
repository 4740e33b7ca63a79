"""Compiled counting of rules; :mod:`hybridkg.rules.mine_reference` is the plain twin."""

from __future__ import annotations

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
    body: AnyArray,
    support: AnyArray,
) -> None:
    """Count the pairs of every directed relation, and those that a relation shares with it.

    Args:
        n_entities: number of entities.
        n_relations: number of relations.
        entity_offsets: (E + 1,) slices of the edge arrays.
        edge_relation: (2T,) directed relations.
        edge_entity: (2T,) far ends.
        body: (2R,) is filled with the number of pairs.
        support: (2R, R) is filled with the number of shared pairs.
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
                for other in range(start, end):
                    if edge_relation[other] < n_relations:
                        support[edge_relation[one], edge_relation[other]] += 1
            start = end


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
    stamp: AnyArray,
    place: AnyArray,
    place_stamp: AnyArray,
    body: AnyArray,
    support: AnyArray,
    touched: AnyArray,
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
        stamp: (2R * E,) scratch.
        place: (E,) scratch, first edge of the subject to an entity.
        place_stamp: (E,) scratch.
        body: (2R,) zeros; number of pairs by second relation.
        support: (2R * R,) zeros; shared pairs by second relation and head.
        touched: (2R * R,) scratch; cells of ``support`` that are not zero.

    Returns:
        Last stamp used and number of touched cells.
    """
    n_touched = 0
    for subject in range(n_entities):
        low = offsets[first * n_entities + subject]
        high = offsets[first * n_entities + subject + 1]
        if low == high:
            continue
        token += 1
        subject_stop = entity_offsets[subject + 1]
        for edge in range(subject_stop - 1, entity_offsets[subject] - 1, -1):
            place[edge_entity[edge]] = edge
            place_stamp[edge_entity[edge]] = token
        for step in range(low, high):
            middle = neighbours[step]
            for edge in range(entity_offsets[middle], entity_offsets[middle + 1]):
                end = edge_entity[edge]
                second = edge_relation[edge]
                cell = second * n_entities + end
                if end == subject or stamp[cell] == token:
                    continue
                stamp[cell] = token
                body[second] += 1
                if place_stamp[end] != token:
                    continue
                known = place[end]
                while known < subject_stop and edge_entity[known] == end:
                    if edge_relation[known] < n_relations:
                        pair = second * n_relations + edge_relation[known]
                        if support[pair] == 0:
                            touched[n_touched] = pair
                            n_touched += 1
                        support[pair] += 1
                    known += 1
    return token, n_touched


@compiled
def _count_group(
    group: int,
    group_offsets: AnyArray,
    members: AnyArray,
    entity_offsets: AnyArray,
    edge_feature: AnyArray,
    member_of: AnyArray,
    count: AnyArray,
    touched: AnyArray,
) -> int:
    """Count the features of a group's members; ``touched`` lists those that occur."""
    n_touched = 0
    for row in range(group_offsets[group], group_offsets[group + 1]):
        member = members[row]
        member_of[member] = group
        for edge in range(entity_offsets[member], entity_offsets[member + 1]):
            feature = edge_feature[edge]
            if count[feature] == 0:
                touched[n_touched] = feature
                n_touched += 1
            count[feature] += 1
    return n_touched


@compiled
def count_unary(
    group_offsets: AnyArray,
    members: AnyArray,
    entity_offsets: AnyArray,
    edge_feature: AnyArray,
    feature_relation: AnyArray,
    feature_entity: AnyArray,
    n_entities: int,
    min_support: int,
    min_confidence: AnyArray,
    weight: AnyArray,
    unseen: float,
    cut: AnyArray,
    histogram: AnyArray,
    found: AnyArray,
    out: AnyArray,
) -> int:
    """Count all unary rules once; write those at or above each head's cut.

    Called twice: with an empty ``out`` it fills the histogram from which the
    cuts are chosen, then it writes exactly the rules that the cuts let through.

    Args:
        group_offsets: (F + 2R + 1,) slices of ``members``.
        members: entities of each group.
        entity_offsets: (E + 1,) slices of the edges.
        edge_feature: (2T,) feature of each edge.
        feature_relation: (F,) directed relations.
        feature_entity: (F,) entities.
        n_entities: number of entities.
        min_support: least number of right predictions.
        min_confidence: (2,) least support / body of constant and dangling rules.
        weight: (2,) factor of both kinds in the order.
        unseen: is added to the body in the order.
        cut: (2R,) least histogram bin that is written.
        histogram: (2R, bins) rules by head and confidence bin, is added to.
        found: (2,) rules of both kinds, is added to.
        out: (m, 4) group, head feature, support, body count; m = 0 only counts.

    Returns:
        Number of written rules.
    """
    n_features = len(feature_relation)
    bins = histogram.shape[1]
    member_of = np.full(n_entities, -1, np.int32)
    count = np.zeros(n_features, np.int32)
    touched = np.zeros(n_features, np.int32)
    written = 0
    for group in range(len(group_offsets) - 1):
        size = group_offsets[group + 1] - group_offsets[group]
        if size < min_support:
            continue
        kind = 0 if group < n_features else 1
        n_touched = _count_group(
            group,
            group_offsets,
            members,
            entity_offsets,
            edge_feature,
            member_of,
            count,
            touched,
        )
        for row in range(n_touched):
            feature = touched[row]
            support = count[feature]
            count[feature] = 0
            head = feature_relation[feature]
            if support < min_support or feature == group or head == group - n_features:
                continue
            total = size - 1 if member_of[feature_entity[feature]] == group else size
            if support / total < min_confidence[kind]:
                continue
            place = int(weight[kind] * support / (total + unseen) * bins)
            place = min(place, bins - 1)
            histogram[head, place] += 1
            found[kind] += 1
            if len(out) > 0 and place >= cut[head]:
                out[written, 0] = group
                out[written, 1] = feature
                out[written, 2] = support
                out[written, 3] = total
                written += 1
    return written
