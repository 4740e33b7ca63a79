"""Compiled counting of closed rules up to two atoms; the plain twin is ``mine_reference``."""

from __future__ import annotations

from typing import NamedTuple

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
