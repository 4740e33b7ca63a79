"""Blocks of scored queries: rows of competing scores, whatever way a scorer gave them.

A row lists the scores of one query. It may hold every entity, the members of a restricted pool,
one list of sampled candidates, or only what a sparse scorer reached; the kernels see no
difference. What a row does not list has no score.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hybridkg.graph.sorted_keys import contains_sorted, flat_ranges
from hybridkg.types import BoolArray, DoubleArray, FloatArray, IntArray, LongArray


@dataclass(frozen=True, slots=True)
class KnownAnswers:
    """Known answers of b queries, those of one query side by side."""

    #: (b,) first place of each query's answers in ``entities``, and the place behind the last.
    start: LongArray
    stop: LongArray
    #: entity ids, ascending within a query.
    entities: IntArray

    def flat(self) -> tuple[LongArray, IntArray]:
        """Return the query of each answer and the answer, one entry an answer."""
        counts = self.stop - self.start
        rows = np.repeat(np.arange(len(counts)), counts)
        return rows, self.entities[flat_ranges(self.start, self.stop)]

    def select(self, rows: slice) -> KnownAnswers:
        """Return the answers of some queries."""
        return KnownAnswers(self.start[rows], self.stop[rows], self.entities)


@dataclass(frozen=True, slots=True)
class Truths:
    """The true answers of b queries, those of one query side by side."""

    #: (b + 1,) offsets of each query's answers.
    offsets: LongArray
    #: (m,) entity ids, one a row of the rank table.
    answers: IntArray

    @property
    def groups(self) -> LongArray:
        """(m,) the query of each answer."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@dataclass(frozen=True, slots=True)
class Wide:
    """Scores before they were narrowed to float32."""

    #: as :attr:`Block.scores`.
    scores: DoubleArray
    #: as :attr:`Block.truth`.
    truth: DoubleArray


@dataclass(frozen=True, slots=True)
class Block:
    """Scores of b distinct queries with the true answers to be ranked in each."""

    #: scores of all rows, one row behind another, no NaN; not to be written to.
    scores: FloatArray
    #: (b,) first place of each row in ``scores``, and the place behind its last.
    start: LongArray
    stop: LongArray
    #: true answers of each row.
    truths: Truths
    #: (m,) score of each true answer; -inf where it has none.
    truth: FloatArray
    #: (m,) place of each true answer within its row, -1 where the row does not list it.
    place: LongArray
    #: (m,) number of competing candidates, the true answer included.
    candidates: IntArray
    #: known answers as places within their rows, where the rows list them.
    known: KnownAnswers
    #: known answers as entities, all that are members of the pool.
    known_members: KnownAnswers
    #: entity of each place, or None where place and entity are the same number.
    entities: IntArray | None
    #: (b,) where in ``entities`` each row's entities begin.
    entity_start: LongArray
    #: distinct pools, each as entity ids or None for all entities; and (b,) which one each row has.
    pools: tuple[IntArray | None, ...]
    pool_rows: LongArray
    #: scores as the scorer gave them, where float32 cannot hold them exactly.
    wide: Wide | None = None
    #: True where the compiled kernels pay, by the size of the whole evaluation.
    compiled: bool = False

    def __len__(self) -> int:
        return len(self.start)

    def part(self, first: int, last: int) -> Block:
        """Return some rows; the scores are shared."""
        rows, offsets = slice(first, last), self.truths.offsets
        of_truths = slice(int(offsets[first]), int(offsets[last]))
        wide = self.wide
        return replace(
            self,
            start=self.start[rows],
            stop=self.stop[rows],
            truths=Truths(
                offsets[first : last + 1] - offsets[first], self.truths.answers[of_truths]
            ),
            truth=self.truth[of_truths],
            place=self.place[of_truths],
            candidates=self.candidates[of_truths],
            known=self.known.select(rows),
            known_members=self.known_members.select(rows),
            entity_start=self.entity_start[rows],
            pool_rows=self.pool_rows[rows],
            wide=None if wide is None else Wide(wide.scores, wide.truth[of_truths]),
        )

    def row_entities(self, row: int) -> IntArray:
        """Return the entity of each place of a row."""
        width = int(self.stop[row] - self.start[row])
        if self.entities is None:
            return np.arange(width, dtype=np.int32)
        first = int(self.entity_start[row])
        return self.entities[first : first + width]


def full_block(
    scores: FloatArray,
    truths: Truths,
    known: KnownAnswers,
    *,
    wide: DoubleArray | None = None,
    compiled: bool = False,
) -> Block:
    """Make the block of queries whose pool is every entity.

    Args:
        scores: (b, entities), C order.
        truths: true answers of the queries.
        known: known answers of the queries.
        wide: (b, entities) the same scores before they were narrowed.
        compiled: see :class:`Block`.
    """
    b, n = scores.shape
    start = np.arange(b, dtype=np.int64) * n
    groups = truths.groups
    counts = known.stop - known.start
    return Block(
        scores=scores.reshape(-1),
        start=start,
        stop=start + n,
        truths=truths,
        truth=scores[groups, truths.answers],
        place=truths.answers.astype(np.int64),
        candidates=(n - counts[groups] + _contains(known, truths)).astype(np.int32),
        known=known,
        known_members=known,
        entities=None,
        entity_start=np.zeros(b, dtype=np.int64),
        pools=(None,),
        pool_rows=np.zeros(b, dtype=np.int64),
        wide=None if wide is None else Wide(wide.reshape(-1), wide[groups, truths.answers]),
        compiled=compiled,
    )


def pool_block(
    scores: FloatArray,
    truths: Truths,
    known: KnownAnswers,
    pool: IntArray,
    *,
    wide: DoubleArray | None = None,
    compiled: bool = False,
) -> Block:
    """Make the block of queries that share a restricted pool; a true answer competes anyway.

    Args:
        scores: (b, entities).
        truths: true answers of the queries.
        known: known answers of the queries.
        pool: (p,) entity ids, ascending.
        wide: (b, entities) the same scores before they were narrowed.
        compiled: see :class:`Block`.
    """
    b, n = scores.shape
    width = len(pool)
    place_of = np.full(n, -1, dtype=np.int64)
    place_of[pool] = np.arange(width)
    members = _members(known, place_of >= 0)
    places = KnownAnswers(members.start, members.stop, place_of[members.entities].astype(np.int32))
    start = np.arange(b, dtype=np.int64) * width
    groups, place = truths.groups, place_of[truths.answers]
    counts = members.stop - members.start
    free = (place < 0) | _contains(members, truths)
    return Block(
        # In C order at once, and several times faster than indexing.
        scores=scores.take(pool, axis=1).reshape(-1),
        start=start,
        stop=start + width,
        truths=truths,
        truth=scores[groups, truths.answers],
        place=place,
        candidates=(width - counts[groups] + free).astype(np.int32),
        known=places,
        known_members=members,
        entities=pool,
        entity_start=np.zeros(b, dtype=np.int64),
        pools=(pool,),
        pool_rows=np.zeros(b, dtype=np.int64),
        wide=(
            None
            if wide is None
            else Wide(wide.take(pool, axis=1).reshape(-1), wide[groups, truths.answers])
        ),
        compiled=compiled,
    )


def list_block(
    scores: FloatArray,
    truth: FloatArray,
    answers: IntArray,
    offsets: LongArray,
    entities: IntArray,
    *,
    wide: Wide | None = None,
    compiled: bool = False,
) -> Block:
    """Make a block in which every true answer has a list of candidates of its own.

    Args:
        scores: (k,) scores of all lists, one list behind another.
        truth: (m,) score of each true answer.
        answers: (m,) entity ids of the true answers.
        offsets: (m + 1,) offsets of each answer's list.
        entities: (k,) ids of the candidates, ascending within a list, the answer left out.
        wide: scores of lists and answers before they were narrowed.
        compiled: see :class:`Block`.

    Returns:
        A block of m rows, one a true answer.
    """
    m = len(answers)
    start, stop = offsets[:-1], offsets[1:]
    none = np.zeros(m, dtype=np.int64)
    nothing = KnownAnswers(none, none, np.zeros(0, dtype=np.int32))
    return Block(
        scores=scores,
        start=start,
        stop=stop,
        truths=Truths(np.arange(m + 1, dtype=np.int64), answers),
        truth=truth,
        place=np.full(m, -1, dtype=np.int64),
        candidates=(stop - start + 1).astype(np.int32),
        known=nothing,
        known_members=nothing,
        entities=entities,
        entity_start=start,
        pools=tuple(np.split(entities, offsets[1:-1])),
        pool_rows=np.arange(m, dtype=np.int64),
        wide=wide,
        compiled=compiled,
    )


def _contains(known: KnownAnswers, truths: Truths) -> BoolArray:
    """Tell for each true answer whether it is among the known answers of its query."""
    rows, entities = known.flat()
    stride = max(int(entities.max(initial=0)), int(truths.answers.max(initial=0))) + 1
    # Rows ascend, and entities within a row, so the keys are sorted already.
    return contains_sorted(
        rows * stride + entities, truths.groups * stride + truths.answers.astype(np.int64)
    )


def _members(known: KnownAnswers, member: BoolArray) -> KnownAnswers:
    """Keep the known answers that are members of a pool."""
    rows, entities = known.flat()
    kept = member[entities]
    counts = np.bincount(rows[kept], minlength=len(known.start))
    stop = np.cumsum(counts)
    return KnownAnswers(stop - counts, stop, entities[kept])
