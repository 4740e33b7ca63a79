"""Blocks of sparse scores: the work grows with what was scored, not with the entities."""

from __future__ import annotations

from typing import TypeVar, cast

import numpy as np

from hybridkg.evaluation.blocks import Block, KnownAnswers, Truths, Wide
from hybridkg.graph.sorted_keys import contains_sorted, find_sorted
from hybridkg.scoring.base import SparseScores
from hybridkg.types import BoolArray, DoubleArray, FloatArray, IntArray, LongArray

ScoreT = TypeVar("ScoreT", FloatArray, DoubleArray)


def sparse_block(
    found: SparseScores,
    n_entities: int,
    truths: Truths,
    known: KnownAnswers,
    *,
    pool: IntArray | None = None,
    wide: DoubleArray | None = None,
    compiled: bool = False,
) -> Block:
    """Make the block of queries of which few candidates have scores.

    Args:
        found: listed candidates of b queries with their float32 scores, checked.
        n_entities: number of entities.
        truths: true answers of the queries.
        known: known answers of the queries.
        pool: (p,) entity ids, ascending; None where every entity competes.
        wide: the listed scores before they were narrowed.
        compiled: see :class:`hybridkg.evaluation.blocks.Block`.
    """
    b = len(found.offsets) - 1
    rows = np.repeat(np.arange(b), np.diff(found.offsets))
    keys: LongArray = rows * n_entities + found.entities
    scores = np.asarray(found.scores, dtype=np.float32)
    entities = np.asarray(found.entities, dtype=np.int32)
    if (keys[1:] <= keys[:-1]).any():
        order = np.argsort(keys, kind="stable")
        keys, scores, entities = keys[order], scores[order], entities[order]
        wide = None if wide is None else wide[order]
    truth_keys = truths.groups * n_entities + truths.answers.astype(np.int64)
    truth = _score_at(keys, scores, truth_keys)
    wide_truth = None if wide is None else _score_at(keys, wide, truth_keys)
    known_rows, known_ids = known.flat()
    if pool is not None:
        member = np.zeros(n_entities, dtype=np.bool_)
        member[pool] = True
        kept = member[entities]
        keys, scores, entities = keys[kept], scores[kept], entities[kept]
        wide = None if wide is None else wide[kept]
        held = member[known_ids]
        known_rows, known_ids = known_rows[held], known_ids[held]
        outside = ~member[truths.answers]
    else:
        outside = np.zeros(len(truth), dtype=np.bool_)
    offsets = np.searchsorted(keys, np.arange(b + 1, dtype=np.int64) * n_entities)
    known_keys: LongArray = known_rows * n_entities + known_ids
    members = _grouped(known_rows, known_ids, b)
    places = _place_of(keys, known_keys, offsets[known_rows])
    listed = places >= 0
    counts = (members.stop - members.start)[truths.groups]
    size = n_entities if pool is None else len(pool)
    free: BoolArray = outside | contains_sorted(known_keys, truth_keys)
    return Block(
        scores=scores,
        start=offsets[:-1],
        stop=offsets[1:],
        truths=truths,
        truth=truth,
        place=_place_of(keys, truth_keys, offsets[truths.groups]),
        candidates=(size - counts + free).astype(np.int32),
        known=_grouped(known_rows[listed], places[listed].astype(np.int32), b),
        known_members=members,
        entities=entities,
        entity_start=offsets[:-1],
        pools=(pool,),
        pool_rows=np.zeros(b, dtype=np.int64),
        wide=None if wide is None or wide_truth is None else Wide(wide, wide_truth),
        compiled=compiled,
    )


def look_up(
    found: SparseScores,
    n_entities: int,
    rows: LongArray,
    entities: IntArray,
    values: ScoreT,
) -> ScoreT:
    """Return the value of each (row, entity), -inf where it is not listed.

    Args:
        found: listed candidates of b queries.
        n_entities: number of entities.
        rows: (n,) query of each wanted value.
        entities: (n,) entity of each wanted value.
        values: one a listed candidate.
    """
    owners = np.repeat(np.arange(len(found.offsets) - 1), np.diff(found.offsets))
    keys: LongArray = owners * n_entities + found.entities
    order = np.argsort(keys, kind="stable")
    return _score_at(keys[order], values[order], rows * n_entities + entities.astype(np.int64))


def _score_at(keys: LongArray, scores: ScoreT, asked: LongArray) -> ScoreT:
    """Return the score at each asked key of ascending ones, -inf where it is absent."""
    values = np.full(len(asked), -np.inf, dtype=scores.dtype)
    places = find_sorted(keys, asked)
    values[places >= 0] = scores[places[places >= 0]]
    return cast("ScoreT", values)


def _place_of(keys: LongArray, asked: LongArray, first: LongArray) -> LongArray:
    """Return the place of each asked key counted from ``first``, -1 where it is absent."""
    places = find_sorted(keys, asked)
    return np.where(places >= 0, places - first, -1).astype(np.int64, copy=False)


def _grouped(rows: LongArray, values: IntArray, b: int) -> KnownAnswers:
    """Group values whose rows ascend."""
    counts = np.bincount(rows, minlength=b)
    stop = np.cumsum(counts)
    return KnownAnswers(stop - counts, stop, values)
