"""Candidates that are fewer than the whole pool: one set, sets per relation, lists per query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from hybridkg._io import digest_bytes
from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import QueryList
from hybridkg.graph.sorted_keys import flat_ranges, offsets_of
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.types import TARGETS, BoolArray, IntArray, LongArray, Target


@dataclass(frozen=True, slots=True, eq=False)
class EntitySet:
    """Entities that compete in every query."""

    #: (k,) ascending entity ids.
    entities: IntArray
    #: SHA-256 over the labels.
    digest: str
    #: what the protocol says of the candidates.
    words: str

    @classmethod
    def build(cls, kg: KnowledgeGraph, entities: Iterable[int], words: str) -> EntitySet:
        """Keep each entity of the graph once.

        Raises:
            DataError: there is none, or an id stands for no entity of the graph.
        """
        ids = np.unique(np.fromiter(entities, dtype=np.int32))
        _refuse_foreign_ids(ids, kg.n_entities, words)
        if len(ids) == 0:
            raise DataError(f"{words}: no candidate; expected one entity or more")
        return cls(ids, digest_bytes(b"entities", _labels(kg.entities, ids)), words)


@dataclass(frozen=True, slots=True, eq=False)
class RelationSets:
    """Entities that compete as head and as tail of each relation.

    The slot of a target and a relation is ``TARGETS.index(target) * relations + relation``.
    """

    #: (2 relations + 1,) offsets of each slot in ``entities``; a slot without entity has no set.
    offsets: LongArray
    #: entity ids, ascending and distinct inside each slot.
    entities: IntArray
    #: names the relations in messages.
    relations: Vocabulary = field(repr=False)
    #: SHA-256 over the labels.
    digest: str
    #: what the protocol says of the candidates.
    words: str

    @classmethod
    def build(
        cls, kg: KnowledgeGraph, sets: Mapping[tuple[Target, int], IntArray], words: str
    ) -> RelationSets:
        """Join the sets of (target, relation id); slots that are not named have none.

        Raises:
            DataError: there is no candidate at all, or a target, a relation or an entity is none
                of the graph.
        """
        slots = [(target, r) for target in TARGETS for r in range(kg.n_relations)]
        foreign = set(sets) - set(slots)
        if foreign:
            raise DataError(
                f"{words}: candidates for {min(foreign)!r}; expected {' or '.join(TARGETS)} and a "
                f"relation from 0 to {kg.n_relations - 1}"
            )
        parts = [_ascending(np.asarray(sets.get(slot, ()), dtype=np.int32)) for slot in slots]
        sizes = np.array([len(part) for part in parts], dtype=np.int64)
        if not sizes.sum():
            raise DataError(f"{words}: no candidate for any relation; expected one or more")
        entities = np.concatenate(parts)
        _refuse_foreign_ids(entities, kg.n_entities, words)
        given = np.flatnonzero(sizes)
        target, relation = np.divmod(given, kg.n_relations)
        used = np.unique(relation)
        digest = digest_bytes(
            b"relations",
            _labels(kg.relations, used),
            *_numbers(target, np.searchsorted(used, relation), sizes[given]),
            *_dense(kg.entities, entities),
        )
        return cls(offsets_of(sizes), entities, kg.relations, digest, words)

    def of(self, target: Target, relation: int) -> IntArray:
        """Return the ascending ids of the candidates of one slot.

        Raises:
            DataError: the slot has no set.
        """
        slot = TARGETS.index(target) * len(self.relations) + relation
        found = self.entities[self.offsets[slot] : self.offsets[slot + 1]]
        if len(found) == 0:
            raise DataError(
                f"no candidates for the {target} of {self.relations[relation]!r} "
                f"({self.words}); expected one or more for every slot that is asked; add some, "
                "keep untyped entities where they were left out, or ask other queries"
            )
        return found

    def hold_answers(self, queries: QueryList) -> BoolArray:
        """Tell for each query whether its true answer is in its set.

        Raises:
            DataError: the slot of a query has no set.
        """
        inside = np.zeros(len(queries), dtype=np.bool_)
        answers = queries.answers
        for target in TARGETS:
            asked = queries.asks_tail == (target == "tail")
            for relation in np.unique(queries.relations[asked]).tolist():
                rows = np.flatnonzero(asked & (queries.relations == relation))
                inside[rows] = np.isin(answers[rows], self.of(target, relation))
        return inside


@dataclass(frozen=True, slots=True, eq=False)
class QueryLists:
    """Entities that compete in each single query, its true answer left out."""

    #: (queries + 1,) offsets of each query's list in ``entities``.
    offsets: LongArray
    #: entity ids, ascending and distinct inside each list.
    entities: IntArray
    #: the queries, in the order of the lists.
    queries: QueryList = field(repr=False)
    #: SHA-256 over the labels of queries and candidates, whatever the order of the queries.
    digest: str
    #: what the protocol says of the candidates.
    words: str

    @classmethod
    def build(
        cls,
        kg: KnowledgeGraph,
        queries: QueryList,
        sizes: LongArray,
        entities: IntArray,
        words: str,
    ) -> QueryLists:
        """Check and join the lists of queries.

        Args:
            kg: the graph.
            queries: in the order of the lists; a query that stands twice has one list twice.
            sizes: (queries,) length of each list.
            entities: the lists one behind the other, each ascending, distinct, without truth.
            words: what the protocol says of the candidates.

        Raises:
            DataError: a list is not as described, the lengths do not add up, or an id stands for
                no entity of the graph.
        """
        offsets = offsets_of(sizes)
        if len(sizes) != len(queries) or offsets[-1] != len(entities):
            raise DataError(
                f"{len(sizes)} lists of {int(offsets[-1])} candidates for {len(queries)} queries "
                f"and {len(entities)} candidates; expected one list a query, lengths that add up"
            )
        _refuse_foreign_ids(entities, kg.n_entities, words)
        row = np.repeat(np.arange(len(queries)), sizes)
        same = row[1:] == row[:-1]
        if (same & (entities[1:] <= entities[:-1])).any() or (
            entities == queries.answers[row]
        ).any():
            raise DataError("a list is not ascending and distinct, or holds its own true answer")
        found = cls(offsets, entities.astype(np.int32), queries, "", words)
        return cls(found.offsets, found.entities, queries, _lists_digest(kg, found), words)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> LongArray:
        """(queries,) length of each list."""
        return np.diff(self.offsets)

    def of(self, row: int) -> IntArray:
        """Return the ascending ids of the candidates of one query, the truth left out."""
        return self.entities[self.offsets[row] : self.offsets[row + 1]]

    def require(self, queries: QueryList) -> None:
        """Refuse to stand for other queries, or the same ones in another order.

        Raises:
            ConfigError: the queries differ.
        """
        mine = self.queries
        if not (
            np.array_equal(mine.triples, queries.triples)
            and np.array_equal(mine.asks_tail, queries.asks_tail)
        ):
            raise ConfigError(
                f"candidate lists of {len(mine)} queries for an evaluation of {len(queries)}, "
                "which asks others or in another order; expected lists of the same queries; draw "
                "them with the same split, targets and unseen, or read them from a file"
            )


#: What restricts the candidates of an evaluation.
CandidateSets: TypeAlias = EntitySet | RelationSets | QueryLists


def take_lists(
    offsets: LongArray, entities: IntArray, which: LongArray
) -> tuple[LongArray, IntArray]:
    """Return the sizes and the joined entities of a choice of lists, repeats allowed.

    Args:
        offsets: (lists + 1,).
        entities: the lists one behind the other.
        which: (n,) list numbers.
    """
    start, stop = offsets[which], offsets[which + 1]
    return stop - start, entities[flat_ranges(start, stop)]


def distinct_rows(queries: QueryList) -> tuple[LongArray, LongArray]:
    """Return the row of each distinct query, by ascending ids, and which of them each row is."""
    rows = np.column_stack([queries.triples, queries.asks_tail]).astype(np.int32)
    _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first.astype(np.int64), which.reshape(-1).astype(np.int64)


def _lists_digest(kg: KnowledgeGraph, lists: QueryLists) -> str:
    first, _ = distinct_rows(lists.queries)
    triples = lists.queries.triples[first]
    sizes, entities = take_lists(lists.offsets, lists.entities, first)
    used = np.unique(triples[:, 1])
    return digest_bytes(
        b"queries",
        _labels(kg.relations, used),
        *_numbers(np.searchsorted(used, triples[:, 1]), lists.queries.asks_tail[first], sizes),
        *_dense(kg.entities, np.concatenate([triples[:, 0], triples[:, 2], entities])),
    )


def _refuse_foreign_ids(ids: IntArray, n_entities: int, words: str) -> None:
    if len(ids) and (int(ids.min()) < 0 or int(ids.max()) >= n_entities):
        raise DataError(
            f"{words}: entity ids {int(ids.min())} to {int(ids.max())}; expected 0 to "
            f"{n_entities - 1}, ids of the graph that is asked"
        )


def _dense(vocabulary: Vocabulary, ids: IntArray) -> list[bytes]:
    """Spell ids so that labels which are not in use change nothing."""
    used = np.zeros(len(vocabulary), dtype=np.bool_)
    used[ids] = True
    number = np.cumsum(used) - 1
    return [_labels(vocabulary, np.flatnonzero(used)), *_numbers(number[ids])]


def _ascending(ids: IntArray) -> IntArray:
    return ids if (ids[1:] > ids[:-1]).all() else np.unique(ids)


def _labels(vocabulary: Vocabulary, ids: Sequence[int] | IntArray | LongArray) -> bytes:
    labels = vocabulary.labels
    return digest_bytes(*(labels[number].encode() for number in np.asarray(ids).tolist())).encode()


def _numbers(*columns: IntArray | LongArray | BoolArray) -> list[bytes]:
    return [column.astype("<i8").tobytes() for column in columns]
