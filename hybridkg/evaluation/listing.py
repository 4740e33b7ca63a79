"""Ranked lists of candidates for single queries: what a scorer would propose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.graph.triples import AnswerIndex
from hybridkg.scoring.base import Scorer
from hybridkg.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Listing:
    """The best-scored candidates of one query."""

    #: (k,) entity ids, best first; equal scores in the order of the labels.
    entities: IntArray
    #: (k,) 1 + number of candidates with a better score.
    ranks: IntArray


def list_candidates(
    scorer: Scorer,
    kg: KnowledgeGraph,
    queries: Queries,
    *,
    k: int = 10,
    known: AnswerIndex | None = None,
    answers: IntArray | None = None,
    pool: BoolArray | None = None,
) -> list[Listing]:
    """Return the first k scored candidates of each query.

    Args:
        scorer: scores every entity.
        kg: names the entities.
        queries: a block with one target.
        k: length of the lists; fewer where fewer candidates have a score.
        known: known answers to leave out, indexed for the same target.
        answers: (n,) true answers, which stay in their lists whatever is known.
        pool: (entities,) True for members of the candidate pool; by default all.
    """
    scores = np.array(scorer.score(queries), dtype=np.float32)
    rows = np.arange(len(queries))
    truth = None if answers is None else scores[rows, answers]
    if pool is not None:
        scores[:, ~pool] = -np.inf
    if known is not None:
        start, stop = known.locate(queries.anchors, queries.relations)
        for row in range(len(queries)):
            scores[row, known.answers[start[row] : stop[row]]] = -np.inf
    if truth is not None and answers is not None:
        scores[rows, answers] = truth
    return [_first(row, k) for row in scores]


def _first(scores: FloatArray, k: int) -> Listing:
    scored = np.flatnonzero(scores > -np.inf)
    order = scored[np.argsort(-scores[scored], kind="stable")][:k].astype(np.int32)
    better = [int((scores > scores[e]).sum()) for e in order.tolist()]
    return Listing(order, 1 + np.array(better, dtype=np.int32))
