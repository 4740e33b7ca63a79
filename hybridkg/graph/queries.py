"""Queries: masked triples as a scorer sees them, and as an evaluator asks them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.graph.triples import as_triples
from hybridkg.types import BoolArray, IntArray, LongArray, Target


@dataclass(frozen=True, slots=True)
class Queries:
    """Masked triples without their answers: all that a scorer is told."""

    #: "tail" for (h, r, ?), "head" for (?, r, t); one for the whole block.
    target: Target
    #: (n,) the entity that is given.
    anchors: IntArray
    #: (n,) the relation that is given.
    relations: IntArray

    def __len__(self) -> int:
        return len(self.anchors)

    def rows(self, selection: slice) -> Queries:
        """Return a contiguous part."""
        return Queries(self.target, self.anchors[selection], self.relations[selection])


@dataclass(frozen=True, slots=True)
class QueryList:
    """Queries with their true answers: two per triple, tail first, in the triples' order."""

    #: (n, 3) the triples the queries were made from, one row a query.
    triples: IntArray
    #: (n,) True where the tail is asked for.
    asks_tail: BoolArray

    @classmethod
    def from_triples(
        cls, triples: IntArray, targets: tuple[Target, ...] = ("tail", "head")
    ) -> QueryList:
        """Mask each triple once per target.

        Args:
            triples: (n, 3).
            targets: any of "tail" and "head"; both give tail, head, tail, head, ...

        Raises:
            ConfigError: no target, or one that does not exist.
        """
        wanted: list[Target] = [t for t in ("tail", "head") if t in targets]
        if not wanted or set(targets) - {"tail", "head"}:
            raise ConfigError(f"targets {targets!r}; expected 'tail', 'head' or both")
        rows = as_triples(triples)
        return cls(
            np.repeat(rows, len(wanted), axis=0),
            np.tile(np.array([t == "tail" for t in wanted]), len(rows)),
        )

    def __len__(self) -> int:
        return len(self.triples)

    @property
    def anchors(self) -> IntArray:
        """(n,) entity that is given in each query."""
        return np.where(self.asks_tail, self.triples[:, 0], self.triples[:, 2]).astype(np.int32)

    @property
    def relations(self) -> IntArray:
        """(n,) relation of each query."""
        return np.ascontiguousarray(self.triples[:, 1])

    @property
    def answers(self) -> IntArray:
        """(n,) true answer of each query."""
        return np.where(self.asks_tail, self.triples[:, 2], self.triples[:, 0]).astype(np.int32)

    def distinct(self, target: Target) -> tuple[Queries, LongArray, LongArray]:
        """Group the queries of one target by (relation, anchor).

        Returns:
            The distinct queries, sorted by relation and anchor; the (m,) row numbers of this
            list that belong to the target, grouped; and the (k + 1,) offsets of the groups.
        """
        rows = np.flatnonzero(self.asks_tail == (target == "tail")).astype(np.int64)
        anchors, relations = self.anchors[rows], self.relations[rows]
        order = np.lexsort((rows, anchors, relations))
        rows, anchors, relations = rows[order], anchors[order], relations[order]
        first = np.ones(len(rows), dtype=np.bool_)
        first[1:] = (anchors[1:] != anchors[:-1]) | (relations[1:] != relations[:-1])
        starts = np.flatnonzero(first).astype(np.int64)
        offsets = np.append(starts, len(rows)).astype(np.int64)
        return Queries(target, anchors[starts], relations[starts]), rows, offsets
