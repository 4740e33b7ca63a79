"""Ranks of true answers by counting, never by sorting.

Two kernels give the same integers: a NumPy one that can be read, and a numba
one for real sizes. Known answers are marked NaN in a private copy of one row
at a time: NaN compares false with everything, so they never count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hybridkg.errors import ScoreError
from hybridkg.types import BoolArray, FloatArray, IntArray, LongArray

#: Below this many scores in all the NumPy kernels are quicker than loading compiled code.
SMALL = 2_000_000


@dataclass(frozen=True, slots=True)
class Ranks:
    """Filtered ranks of n queries, 1-based."""

    #: (n,) 1 + number of candidates with a better score.
    optimistic: IntArray
    #: (n,) 1 + number of other candidates with a better or an equal score.
    pessimistic: IntArray
    #: (n,) size of the pool, the true answer included.
    candidates: IntArray
    #: (n,) True where the true answer has a score above -inf.
    scored: BoolArray


class Block(NamedTuple):
    """Scores of b distinct queries, with the true answers to be ranked in each.

    A named tuple, because compiled kernels take it whole.
    """

    #: (b, entities) scores, no NaN; not to be written to.
    scores: FloatArray
    #: (b + 1,) offsets of each query's true answers in ``answers``.
    offsets: LongArray
    #: (m,) true answers, one a row of the rank table.
    answers: IntArray
    #: (b,) start and stop of each query's known answers in ``known``.
    known_start: LongArray
    known_stop: LongArray
    #: entity ids of known answers.
    known: IntArray
    #: (entities,) True for members of the candidate pool.
    pool: BoolArray
    #: False where the pool holds every entity.
    restricted: bool
    #: True where the compiled kernels pay, by the size of the whole evaluation.
    compiled: bool = False


def rank_targets(scores: FloatArray, targets: IntArray, excluded: BoolArray) -> Ranks:
    """Rank each query's true answer among its candidates.

    Args:
        scores: (queries, entities), larger is better; -inf marks "not scored".
        targets: (queries,) entity id of the true answer.
        excluded: (queries, entities), True where a known answer is filtered out;
            a true answer is never excluded, whatever stands at its place.

    Returns:
        Optimistic and pessimistic rank and number of candidates, 1-based.

    Raises:
        ScoreError: a score is NaN, or a true answer scores +inf.
    """
    values = np.asarray(scores, dtype=np.float32)
    rows = np.arange(len(targets))
    bad = first_nan(values)
    if bad is not None:
        raise ScoreError(f"query {bad[0]}, entity {bad[1]}: the score is NaN")
    truth = values[rows, targets]
    if np.isposinf(truth).any():
        raise ScoreError(f"query {int(np.argmax(np.isposinf(truth)))}: the true answer scores +inf")
    others = ~np.asarray(excluded, dtype=np.bool_)
    others[rows, targets] = False
    better = ((values > truth[:, None]) & others).sum(axis=1)
    tied = ((values == truth[:, None]) & others).sum(axis=1)
    return Ranks(
        (1 + better).astype(np.int32),
        (1 + better + tied).astype(np.int32),
        (1 + others.sum(axis=1)).astype(np.int32),
        ~np.isneginf(truth),
    )


def first_nan(scores: FloatArray) -> tuple[int, int] | None:
    """Return query and entity position of the first NaN in (queries, entities), if there is one."""
    # The maximum carries any NaN, in one read and without a second array.
    if not scores.size or not np.isnan(scores.max()):
        return None
    query, entity = np.argwhere(np.isnan(scores))[0].tolist()
    return query, entity


def count_block_numpy(block: Block) -> Ranks:
    """Rank all true answers of a block, one distinct query at a time.

    Args:
        block: scores of distinct queries, their true and known answers, and the pool.

    Returns:
        (m,) ranks in the order of ``block.answers``.
    """
    m = len(block.answers)
    better, tied, candidates = (np.empty(m, dtype=np.int32) for _ in range(3))
    truth = np.empty(m, dtype=np.float32)
    for i in range(len(block.scores)):
        others = block.pool.copy()
        others[block.known[block.known_start[i] : block.known_stop[i]]] = False
        for j in range(block.offsets[i], block.offsets[i + 1]):
            answer = block.answers[j]
            was, others[answer] = others[answer], False
            truth[j] = block.scores[i, answer]
            competing = block.scores[i][others]
            better[j] = (competing > truth[j]).sum()
            tied[j] = (competing == truth[j]).sum()
            candidates[j] = len(competing) + 1
            others[answer] = was
    return Ranks(1 + better, 1 + better + tied, candidates, ~np.isneginf(truth))


def count_block(block: Block) -> Ranks:
    """Rank all true answers of a block with the kernel that it asks for."""
    if not block.compiled:
        return count_block_numpy(block)
    from hybridkg.evaluation.compiled import count_ranks

    better, tied, candidates, scored = count_ranks(block)
    return Ranks(1 + better, 1 + better + tied, candidates, scored)
