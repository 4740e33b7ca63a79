"""Plain search for closed rules with three body atoms; the kernels are held equal to it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from hybridkg.types import AnyArray, LongArray

if TYPE_CHECKING:
    from hybridkg.rules.mine_long import Bodies, EdgeColumns


def path_types(
    heads: AnyArray, tails: AnyArray, max_paths: int, two_steps: AnyArray, graph: EdgeColumns
) -> tuple[LongArray, LongArray, int]:
    """Count how many triples each type of three-step path connects.

    Args:
        heads: (n,) heads of sampled triples of one relation.
        tails: (n,) their tails.
        max_paths: a triple with more two-step paths at both ends is skipped.
        two_steps: (E,) number of two-step paths from an entity.
        graph: the training triples.

    Returns:
        (k,) keys, (k,) counts, and the number of triples that were skipped.
    """
    n_directed, skipped = 2 * graph.n_relations, 0
    counts: Counter[int] = Counter()
    for head, tail in zip(heads.tolist(), tails.tolist(), strict=True):
        if min(two_steps[head], two_steps[tail]) > max_paths:
            skipped += 1
            continue
        found = set()
        for first, near in _edges(graph, head):
            for second, far in _edges(graph, near) if near != tail else ():
                if far in (head, tail):
                    continue
                found |= {
                    (first * n_directed + second) * n_directed + third
                    for third, end in _edges(graph, far)
                    if end == tail
                }
        counts.update(found)
    keys = np.array(sorted(counts), dtype=np.int64)
    return keys, np.array([counts[key] for key in keys.tolist()], dtype=np.int64), skipped


def count_bodies(
    bodies: Bodies,
    subject_offsets: AnyArray,
    subjects: AnyArray,
    max_steps: int,
    min_confidence: float,
    graph: EdgeColumns,
) -> tuple[LongArray, LongArray, LongArray]:
    """Count the pairs that bodies connect, and those that a head relation has too.

    Args:
        bodies: any number of them.
        subject_offsets: (2R + 1,) first relation -> slice of ``subjects``.
        subjects: entities with that relation, in the order in which they are looked at.
        max_steps: steps after which a body is left, 0 for no limit.
        min_confidence: makes no difference here: the kernel leaves hopeless bodies early.
        graph: the training triples.

    Returns:
        (n,) distinct pairs; (heads,) right predictions; (heads,) pairs whose subject has some
        value of the head relation.
    """
    n_pairs = np.zeros(len(bodies.relations), dtype=np.int64)
    support, pca_body = (np.zeros(len(bodies.heads), dtype=np.int64) for _ in range(2))
    for body, (first, second, third) in enumerate(bodies.relations.tolist()):
        listed = range(int(bodies.head_offsets[body]), int(bodies.head_offsets[body + 1]))
        steps = 0
        for subject in subjects[subject_offsets[first] : subject_offsets[first + 1]].tolist():
            ends, taken = _ends(graph, subject, first, second, third)
            steps += taken
            n_pairs[body] += len(ends)
            for row in listed:
                known = _neighbours(graph, int(bodies.heads[row]), subject)
                support[row] += len(ends.intersection(known))
                pca_body[row] += len(ends) if known else 0
            if 0 < max_steps < steps:
                break
    return n_pairs, support, pca_body


def _ends(
    graph: EdgeColumns, subject: int, first: int, second: int, third: int
) -> tuple[set[int], int]:
    """Return the ends of three steps over four distinct entities, and the steps looked at.

    The steps are those that the kernel takes, which walks on from an entity two steps away
    once, however many ways lead there.
    """
    ways: dict[int, set[int]] = {}
    steps = 0
    for near in _neighbours(graph, first, subject):
        for far in _neighbours(graph, second, near):
            steps += 1
            if far != subject:
                ways.setdefault(far, set()).add(near)
    ends = set()
    for far, nears in ways.items():
        for end in _neighbours(graph, third, far):
            steps += 1
            if end != subject and nears != {end}:
                ends.add(end)
    return ends, steps


def _neighbours(graph: EdgeColumns, relation: int, entity: int) -> list[int]:
    key = relation * graph.n_entities + entity
    found: list[int] = graph.neighbours[graph.offsets[key] : graph.offsets[key + 1]].tolist()
    return found


def _edges(graph: EdgeColumns, entity: int) -> list[tuple[int, int]]:
    edges = slice(graph.entity_offsets[entity], graph.entity_offsets[entity + 1])
    pairs = zip(graph.edge_relation[edges].tolist(), graph.edge_entity[edges].tolist(), strict=True)
    return list(pairs)
