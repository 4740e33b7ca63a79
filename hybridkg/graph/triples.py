"""Triples as (n, 3) int32 arrays, and the index from a query to its known answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.graph.sorted_keys import contains_sorted, find_sorted
from hybridkg.types import BoolArray, IntArray, LongArray, Target


def as_triples(rows: object) -> IntArray:
    """Return rows as a C-ordered (n, 3) int32 array; an empty input gives (0, 3)."""
    array = np.ascontiguousarray(rows, dtype=np.int32)
    return array.reshape(-1, 3)


def distinct_triples(triples: IntArray) -> IntArray:
    """Return the distinct rows of (n, 3), sorted by head, relation, tail."""
    if len(triples) == 0:
        return as_triples([])
    heads, relations, tails = (triples[:, column].astype(np.int64) for column in range(3))
    n_entities = int(max(heads.max(), tails.max())) + 1
    n_relations = int(relations.max()) + 1
    if n_entities**2 * n_relations < 2**63:
        # One 64-bit key sorts several times faster than three columns.
        keys = np.sort((heads * n_relations + relations) * n_entities + tails)
        keys = keys[np.append(True, keys[1:] != keys[:-1])]
        rest, tails = np.divmod(keys, n_entities)
        heads, relations = np.divmod(rest, n_relations)
        return np.ascontiguousarray(np.column_stack([heads, relations, tails]).astype(np.int32))
    return np.ascontiguousarray(np.unique(triples, axis=0))


def contains_triples(known: IntArray, asked: IntArray) -> BoolArray:
    """Tell for each row of ``asked`` (m, 3) whether it is a row of ``known`` (n, 3)."""
    if len(known) == 0 or len(asked) == 0:
        return np.zeros(len(asked), dtype=np.bool_)
    both = np.concatenate([known, asked])
    sizes = both.max(axis=0).astype(object) + 1
    if both.min() >= 0 and sizes[0] * sizes[1] * sizes[2] < 2**63:
        # One 64-bit key sorts many times faster than three columns.
        keys = (both[:, 0].astype(np.int64) * sizes[1] + both[:, 1]) * sizes[2] + both[:, 2]
        held, wanted = np.sort(keys[: len(known)]), keys[len(known) :]
        return contains_sorted(held, wanted)
    _, group = np.unique(both, axis=0, return_inverse=True)
    group = group.reshape(-1)
    present = np.zeros(int(group.max()) + 1, dtype=np.bool_)
    present[group[: len(known)]] = True
    return present[group[len(known) :]]


@dataclass(frozen=True, slots=True)
class AnswerIndex:
    """Known answers of (anchor, relation) pairs, for one target.

    For target ``tail`` the anchor is the head and the answers are tails; for
    ``head`` the other way round. Answers of a pair are sorted and distinct.
    """

    #: "tail" or "head".
    target: Target
    #: number of relations, the stride of the keys.
    n_relations: int
    #: (k,) distinct anchor * n_relations + relation, ascending.
    keys: LongArray
    #: (k + 1,) offsets into ``answers``.
    offsets: LongArray
    #: (n,) entity ids.
    answers: IntArray

    @classmethod
    def build(cls, triples: IntArray, n_relations: int, target: Target) -> AnswerIndex:
        """Index (n, 3) triples, repeats allowed, for one target."""
        anchor, answer = (0, 2) if target == "tail" else (2, 0)
        n_answers = int(triples[:, answer].max(initial=0)) + 1
        n_anchors = int(triples[:, anchor].max(initial=0)) + 1
        if n_anchors * n_relations * n_answers >= 2**63:
            return cls._build_wide(triples, n_relations, target)
        # Pair and answer as one number: one sort orders, groups and tells repeats.
        keys = triples[:, anchor].astype(np.int64) * n_relations + triples[:, 1]
        keys *= n_answers
        keys += triples[:, answer]
        keys.sort()
        keys = keys[np.append(True, keys[1:] != keys[:-1])] if len(keys) else keys
        pairs, answers = np.divmod(keys, n_answers)
        first = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])) if len(pairs) else pairs
        offsets = np.append(first, len(pairs)).astype(np.int64)
        return cls(target, n_relations, pairs[first], offsets, answers.astype(np.int32))

    @classmethod
    def _build_wide(cls, triples: IntArray, n_relations: int, target: Target) -> AnswerIndex:
        """Build where a pair and an answer do not fit one number."""
        rows = distinct_triples(triples)
        anchors, answers = (
            (rows[:, 0], rows[:, 2]) if target == "tail" else (rows[:, 2], rows[:, 0])
        )
        keys = anchors.astype(np.int64) * n_relations + rows[:, 1]
        order = np.lexsort((answers, keys))
        distinct, first = np.unique(keys[order], return_index=True)
        offsets = np.append(first, len(rows)).astype(np.int64)
        return cls(target, n_relations, distinct, offsets, np.ascontiguousarray(answers[order]))

    def locate(self, anchors: IntArray, relations: IntArray) -> tuple[LongArray, LongArray]:
        """Return start and stop into ``answers`` for (n,) queries; equal where none is known."""
        wanted = anchors.astype(np.int64) * self.n_relations + relations
        place = find_sorted(self.keys, wanted)
        # The last offset stands for a pair without answers: it starts and stops there.
        absent = len(self.keys)
        start = self.offsets[np.where(place >= 0, place, absent)]
        stop = self.offsets[np.where(place >= 0, place + 1, absent)]
        return start, stop

    def answers_of(self, anchor: int, relation: int) -> IntArray:
        """Return the sorted known answers of one query, possibly none."""
        start, stop = self.locate(
            np.array([anchor], dtype=np.int32), np.array([relation], dtype=np.int32)
        )
        return self.answers[int(start[0]) : int(stop[0])]
