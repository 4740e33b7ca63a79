"""Compiled counting of closed rules with three body atoms."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hybridkg.rules.jit import compiled
from hybridkg.types import AnyArray

if TYPE_CHECKING:
    from hybridkg.rules.mine_long import Bodies, EdgeColumns


class MiddleScratch(NamedTuple):
    """Where the entities two steps away from a subject are collected."""

    #: (E,) stamp of the last subject.
    stamp: AnyArray
    #: (E,) an entity on the way there.
    via: AnyArray
    #: (E,) whether there is a second way there.
    many: AnyArray
    #: (E,) the entities.
    listed: AnyArray


@compiled
def _two_steps_away(
    subject: int, first: int, second: int, token: int, graph: EdgeColumns, scratch: MiddleScratch
) -> tuple[int, int]:
    """List the entities two steps from a subject; return their number, and of the steps."""
    n_entities, offsets, neighbours = graph.n_entities, graph.offsets, graph.neighbours
    n_listed, n_steps = 0, 0
    key = first * n_entities + subject
    for one in range(offsets[key], offsets[key + 1]):
        near = neighbours[one]
        onward = second * n_entities + near
        n_steps += offsets[onward + 1] - offsets[onward]
        for two in range(offsets[onward], offsets[onward + 1]):
            far = neighbours[two]
            if far == subject:
                continue
            if scratch.stamp[far] != token:
                scratch.stamp[far] = token
                scratch.via[far] = near
                scratch.many[far] = 0
                scratch.listed[n_listed] = far
                n_listed += 1
            elif scratch.via[far] != near:
                scratch.many[far] = 1
    return n_listed, n_steps


@compiled
def _third_step(
    body: int,
    subject: int,
    n_listed: int,
    token: int,
    graph: EdgeColumns,
    bodies: Bodies,
    scratch: MiddleScratch,
    reached: AnyArray,
    n_pairs: AnyArray,
    support: AnyArray,
    pca_body: AnyArray,
    left: AnyArray,
) -> int:
    """Count the ends of the last step of a body for one subject; return the steps taken."""
    n_entities, offsets, neighbours = graph.n_entities, graph.offsets, graph.neighbours
    third, n_steps, n_ends = bodies.relations[body, 2], 0, 0
    for row in range(n_listed):
        far = scratch.listed[row]
        key = third * n_entities + far
        n_steps += offsets[key + 1] - offsets[key]
        for place in range(offsets[key], offsets[key + 1]):
            end = neighbours[place]
            # All entities of a path differ: another way to ``far`` may avoid the end.
            if end == subject or (end == scratch.via[far] and scratch.many[far] == 0):
                continue
            if reached[end] != token:
                reached[end] = token
                n_ends += 1
    if n_ends > 0:
        n_pairs[body] += n_ends
        for row in range(bodies.head_offsets[body], bodies.head_offsets[body + 1]):
            key = bodies.heads[row] * n_entities + subject
            if offsets[key + 1] > offsets[key]:
                pca_body[row] += n_ends
                left[row] -= offsets[key + 1] - offsets[key]
            for place in range(offsets[key], offsets[key + 1]):
                if reached[neighbours[place]] == token:
                    support[row] += 1
    return n_steps


@compiled
def _is_open(
    body: int,
    min_confidence: float,
    bodies: Bodies,
    n_pairs: AnyArray,
    support: AnyArray,
    left: AnyArray,
) -> bool:
    """Tell whether a head of a body can still reach the least confidence.

    At best all pairs of the head that are left turn out right, and no further pair wrong.
    """
    least = min_confidence * n_pairs[body]
    for row in range(bodies.head_offsets[body], bodies.head_offsets[body + 1]):
        if support[row] + left[row] >= least:
            return True
    return False


@compiled
def count_bodies(
    bodies: Bodies,
    subject_offsets: AnyArray,
    subjects: AnyArray,
    max_steps: int,
    min_confidence: float,
    graph: EdgeColumns,
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Count the pairs that bodies connect, and those that a head relation has too.

    Args:
        bodies: sorted by their relations.
        subject_offsets: (2R + 1,) first relation -> slice of ``subjects``.
        subjects: entities with that relation, in the order in which they are looked at.
        max_steps: steps after which a body is left, 0 for no limit.
        min_confidence: a body that no head can make as confident any more is left; what is
            counted till then shows that it is less confident.
        graph: the training triples.

    Returns:
        (n,) distinct pairs; (heads,) right predictions; (heads,) pairs whose subject has some
        value of the head relation.
    """
    n_bodies = len(bodies.relations)
    n_pairs, support = np.zeros(n_bodies, np.int64), np.zeros(len(bodies.heads), np.int64)
    pca_body = np.zeros(len(bodies.heads), np.int64)
    left = np.empty(len(bodies.heads), np.int64)
    for row in range(len(left)):
        key = bodies.heads[row] * graph.n_entities
        left[row] = graph.offsets[key + graph.n_entities] - graph.offsets[key]
    going = np.ones(n_bodies, np.bool_)
    scratch = MiddleScratch(
        np.full(graph.n_entities, -1, np.int64),
        np.zeros(graph.n_entities, np.int32),
        np.zeros(graph.n_entities, np.int8),
        np.zeros(graph.n_entities, np.int32),
    )
    reached = np.full(graph.n_entities, -1, np.int64)
    token, middle_token = 0, 0
    start = 0
    while start < n_bodies:
        first, second = bodies.relations[start, 0], bodies.relations[start, 1]
        stop = start + 1
        while (
            stop < n_bodies
            and bodies.relations[stop, 0] == first
            and bodies.relations[stop, 1] == second
        ):
            stop += 1
        steps = np.zeros(stop - start, np.int64)
        for row in range(subject_offsets[first], subject_offsets[first + 1]):
            middle_token += 1
            n_listed, n_steps = _two_steps_away(
                subjects[row], first, second, middle_token, graph, scratch
            )
            open_bodies = 0
            for body in range(start, stop):
                if not going[body]:
                    continue
                token += 1
                steps[body - start] += n_steps + _third_step(
                    body, subjects[row], n_listed, token, graph, bodies, scratch,
                    reached, n_pairs, support, pca_body, left,
                )  # fmt: skip
                if max_steps > 0 and steps[body - start] > max_steps:
                    going[body] = row + 1 == subject_offsets[first + 1]
                if min_confidence > 0 and not _is_open(
                    body, min_confidence, bodies, n_pairs, support, left
                ):
                    going[body] = False
                open_bodies += going[body]
            if open_bodies == 0:
                break
        start = stop
    return n_pairs, support, pca_body
