"""Compiled search for the types of paths with three steps between the ends of triples."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hybridkg.rules.jit import compiled
from hybridkg.types import AnyArray

if TYPE_CHECKING:
    from hybridkg.rules.mine_long import EdgeColumns


class TypeTable(NamedTuple):
    """Path types and the number of triples they connect, hashed with open addressing."""

    #: (slots,) key of the type, -1 where free; slots are a power of two.
    keys: AnyArray
    #: (slots,) triples that the type connects.
    counts: AnyArray
    #: (slots,) last triple that was counted.
    last: AnyArray


@compiled
def _inverse(relation: int, n_relations: int) -> int:
    return relation + n_relations if relation < n_relations else relation - n_relations


@compiled
def _note_type(key: int, triple: int, table: TypeTable) -> bool:
    """Count a path type once a triple; return False where the table is too full to."""
    mask = len(table.keys) - 1
    slot = (key * 2654435761 >> 7) & mask
    for _ in range(64):
        if table.keys[slot] == key:
            if table.last[slot] != triple:
                table.last[slot] = triple
                table.counts[slot] += 1
            return True
        if table.keys[slot] == -1:
            table.keys[slot] = key
            table.last[slot] = triple
            table.counts[slot] = 1
            return True
        slot = (slot + 1) & mask
    return False


@compiled
def _walk_triple(
    start: int,
    end: int,
    triple: int,
    turned: bool,
    graph: EdgeColumns,
    place: AnyArray,
    stamp: AnyArray,
    table: TypeTable,
) -> bool:
    """Note the types of all three-step paths between two entities.

    Args:
        start: where two steps are taken from.
        end: where the last step is looked up.
        triple: number of the triple, for the table and the stamps.
        turned: ``end`` is the head of the triple, so that types are read backwards.
        graph: the training triples.
        place: (E,) first edge of ``end`` to an entity, where ``stamp`` is the triple.
        stamp: (E,).
        table: receives the types.

    Returns:
        False where the table is too full.
    """
    n_directed, bounds, ends = 2 * graph.n_relations, graph.entity_offsets, graph.edge_entity
    for edge in range(bounds[end + 1] - 1, bounds[end] - 1, -1):
        place[ends[edge]] = edge
        stamp[ends[edge]] = triple
    for one in range(bounds[start], bounds[start + 1]):
        near = ends[one]
        if near == end:
            continue
        for two in range(bounds[near], bounds[near + 1]):
            far = ends[two]
            if far in (start, end) or stamp[far] != triple:
                continue
            last = place[far]
            while last < bounds[end + 1] and ends[last] == far:
                first, second = graph.edge_relation[one], graph.edge_relation[two]
                third = _inverse(graph.edge_relation[last], graph.n_relations)
                if turned:
                    third, first = (
                        _inverse(first, graph.n_relations),
                        _inverse(third, graph.n_relations),
                    )
                    second = _inverse(second, graph.n_relations)
                key = (np.int64(first) * n_directed + second) * n_directed + third
                if not _note_type(key, triple, table):
                    return False
                last += 1
    return True


@compiled
def path_types(
    heads: AnyArray,
    tails: AnyArray,
    max_paths: int,
    two_steps: AnyArray,
    graph: EdgeColumns,
    n_slots: int,
) -> tuple[AnyArray, AnyArray, int]:
    """Count how many triples each type of three-step path connects.

    Args:
        heads: (n,) heads of sampled triples of one relation.
        tails: (n,) their tails.
        max_paths: a triple with more two-step paths at both ends is skipped.
        two_steps: (E,) number of two-step paths from an entity.
        graph: the training triples.
        n_slots: size of the table, a power of two.

    Returns:
        (k,) keys, (k,) counts, and the number of triples that were skipped; -1 where the
        table was too small.
    """
    table = TypeTable(
        np.full(n_slots, -1, np.int64), np.zeros(n_slots, np.int32), np.full(n_slots, -1, np.int32)
    )
    place = np.zeros(graph.n_entities, np.int32)
    stamp = np.full(graph.n_entities, -1, np.int32)
    skipped = 0
    for triple in range(len(heads)):
        head, tail = heads[triple], tails[triple]
        turned = two_steps[tail] < two_steps[head]
        start, end = (tail, head) if turned else (head, tail)
        if two_steps[start] > max_paths:
            skipped += 1
        elif not _walk_triple(start, end, triple, turned, graph, place, stamp, table):
            return table.keys[:0], table.counts[:0], -1
    used = np.flatnonzero(table.keys >= 0)
    return table.keys[used], table.counts[used], skipped
