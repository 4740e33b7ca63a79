"""From scored queries to blocks: each protocol's candidates as rows of competing scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hybridkg.evaluation.blocks import (
    Block,
    KnownAnswers,
    Truths,
    Wide,
    full_block,
    list_block,
    pool_block,
)
from hybridkg.evaluation.candidate_sets import QueryLists, RelationSets
from hybridkg.evaluation.candidates import Task
from hybridkg.evaluation.score_reader import DenseBlock, SparseBlock
from hybridkg.evaluation.sparse_blocks import look_up, sparse_block
from hybridkg.graph.queries import Queries
from hybridkg.graph.sorted_keys import contains_sorted, flat_ranges, offsets_of
from hybridkg.types import IntArray, LongArray


@dataclass(frozen=True, slots=True)
class Asked:
    """Distinct queries of one target, their answers, and where their ranks go."""

    queries: Queries
    truths: Truths
    known: KnownAnswers
    #: (m,) row of the rank table of each true answer.
    rows: LongArray

    def part(self, first: int, last: int) -> Asked:
        """Return a contiguous part of the queries."""
        offsets = self.truths.offsets
        low, high = int(offsets[first]), int(offsets[last])
        return Asked(
            self.queries.rows(slice(first, last)),
            Truths(offsets[first : last + 1] - low, self.truths.answers[low:high]),
            self.known.select(slice(first, last)),
            self.rows[low:high],
        )


class Arranger:
    """Makes blocks under the candidate protocol of a task."""

    def __init__(self, task: Task, n_entities: int, *, compiled: bool) -> None:
        """Arrange for a task.

        Args:
            task: gives the pools.
            n_entities: number of entities.
            compiled: True where the compiled kernels pay.
        """
        self._sets = task.sets
        self._n_entities = n_entities
        self._compiled = compiled
        whole = bool(task.pool.all())
        self._pool = None if whole else np.flatnonzero(task.pool).astype(np.int32)
        #: True where every entity competes, so that counting sees every score.
        self.sees_all = not task.is_restricted

    def __call__(
        self, scored: DenseBlock | SparseBlock, asked: Asked
    ) -> Iterator[tuple[Queries, Block, LongArray]]:
        """Yield blocks, the query of each of their rows, and the rows of the rank table."""
        if isinstance(self._sets, QueryLists):
            yield self._listed(scored, asked, self._sets)
        elif isinstance(self._sets, RelationSets):
            relations = asked.queries.relations
            cuts = np.flatnonzero(relations[1:] != relations[:-1]) + 1
            bounds = [0, *cuts.tolist(), len(relations)]
            for first, last in pairwise(bounds):
                pool = self._sets.of(asked.queries.target, int(relations[first]))
                part = asked.part(first, last)
                block = self._pooled(_rows(scored, first, last), part, pool)
                yield part.queries, block, part.rows
        else:
            yield asked.queries, self._pooled(scored, asked, self._pool), asked.rows

    def _pooled(
        self, scored: DenseBlock | SparseBlock, asked: Asked, pool: IntArray | None
    ) -> Block:
        truths, known, compiled = asked.truths, asked.known, self._compiled
        if isinstance(scored, SparseBlock):
            return sparse_block(
                scored.found,
                self._n_entities,
                truths,
                known,
                pool=pool,
                wide=scored.wide,
                compiled=compiled,
            )
        if pool is None:
            return full_block(scored.scores, truths, known, wide=scored.wide, compiled=compiled)
        return pool_block(scored.scores, truths, known, pool, wide=scored.wide, compiled=compiled)

    def _listed(
        self, scored: DenseBlock | SparseBlock, asked: Asked, lists: QueryLists
    ) -> tuple[Queries, Block, LongArray]:
        groups, answers = asked.truths.groups, asked.truths.answers
        offsets, entities = self._without_known(asked, lists)
        rows = np.repeat(groups, np.diff(offsets))
        wide = None
        if isinstance(scored, DenseBlock):
            scores, truth = scored.scores[rows, entities], scored.scores[groups, answers]
            if scored.wide is not None:
                wide = Wide(scored.wide[rows, entities], scored.wide[groups, answers])
        else:
            found, n = scored.found, self._n_entities
            given = np.asarray(found.scores)
            scores = look_up(found, n, rows, entities, given)
            truth = look_up(found, n, groups, answers, given)
            if scored.wide is not None:
                wide = Wide(
                    look_up(found, n, rows, entities, scored.wide),
                    look_up(found, n, groups, answers, scored.wide),
                )
        block = list_block(
            scores, truth, answers, offsets, entities, wide=wide, compiled=self._compiled
        )
        queries = asked.queries
        repeated = Queries(queries.target, queries.anchors[groups], queries.relations[groups])
        return repeated, block, asked.rows

    def _without_known(self, asked: Asked, lists: QueryLists) -> tuple[LongArray, IntArray]:
        """Return offsets and entities of the lists of the true answers, known answers left out."""
        start, stop = lists.offsets[asked.rows], lists.offsets[asked.rows + 1]
        entities = lists.entities[flat_ranges(start, stop)]
        owners = np.repeat(np.arange(len(start)), stop - start)
        queries, known = asked.known.flat()
        free = ~contains_sorted(
            queries * self._n_entities + known,
            asked.truths.groups[owners] * self._n_entities + entities,
        )
        sizes = np.bincount(owners[free], minlength=len(start))
        return offsets_of(sizes), entities[free]


def _rows(scored: DenseBlock | SparseBlock, first: int, last: int) -> DenseBlock | SparseBlock:
    """Return the scores of some queries."""
    if isinstance(scored, DenseBlock):
        wide = None if scored.wide is None else scored.wide[first:last]
        return DenseBlock(scored.scores[first:last], wide)
    found = scored.found
    low, high = int(found.offsets[first]), int(found.offsets[last])
    part = type(found)(
        found.offsets[first : last + 1] - low, found.entities[low:high], found.scores[low:high]
    )
    return SparseBlock(part, None if scored.wide is None else scored.wide[low:high])
