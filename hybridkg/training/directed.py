"""Training queries in both directions, and a validation cheap enough for every few epochs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.sorted_keys import flat_ranges, offsets_of
from hybridkg.types import AnyArray, BoolArray, FloatArray, IntArray, LongArray

#: Distinct queries that one validation product scores.
_BLOCK = 256


@dataclass(frozen=True, slots=True)
class DirectedQueries:
    """Distinct (anchor, directed relation) pairs with their answers.

    Relation r asks for tails as row 2r and for heads as row 2r + 1.
    """

    #: (n,) entity that is given.
    anchors: LongArray
    #: (n,) directed relation.
    relations: LongArray
    #: (n + 1,) offsets into ``answers``.
    offsets: LongArray
    #: (m,) answers, distinct within a query.
    answers: LongArray

    def __len__(self) -> int:
        return len(self.anchors)

    def batch(
        self, rows: LongArray
    ) -> tuple[LongArray, LongArray, LongArray, LongArray, FloatArray]:
        """Return anchors, relations, pair rows, pair answers and answers per query of some rows."""
        pair_rows, pairs = flatten_ranges(self.offsets[rows], self.offsets[rows + 1])
        counts = (self.offsets[rows + 1] - self.offsets[rows]).astype(np.float32)
        return self.anchors[rows], self.relations[rows], pair_rows, self.answers[pairs], counts

    def entity_counts(self, n_entities: int) -> FloatArray:
        """(n_entities,) pairs that an entity stands in, as anchor or as answer."""
        per_query = np.diff(self.offsets)
        counts = np.bincount(self.answers, minlength=n_entities).astype(np.float64)
        counts += np.bincount(self.anchors, weights=per_query, minlength=n_entities)
        return counts.astype(np.float32)

    def relation_counts(self, n_directed: int) -> FloatArray:
        """(n_directed,) pairs of a directed relation."""
        weights = np.diff(self.offsets)
        return np.bincount(self.relations, weights=weights, minlength=n_directed).astype(np.float32)


def directed_queries(kg: KnowledgeGraph) -> DirectedQueries:
    """Group the distinct training triples of a graph by directed query."""
    return _group(*_both_ways(kg.known_triples("train")), 2 * kg.n_relations)


def flatten_ranges(start: LongArray, stop: LongArray) -> tuple[LongArray, LongArray]:
    """Write (n,) ranges out: the row of each position, and the positions one after another.

    >>> flatten_ranges(np.array([5, 0]), np.array([7, 1]))[1].tolist()
    [5, 6, 0]
    """
    return np.repeat(np.arange(len(start)), stop - start), flat_ranges(start, stop)


@dataclass(frozen=True, slots=True)
class Validation:
    """Filtered MRR of the validation split (filter train + valid, pessimistic ties).

    It only compares epochs of one training; figures to report come from the
    evaluator.
    """

    #: validation queries with the answers asked for.
    asked: DirectedQueries
    #: train + valid queries with all known answers, in the order of ``asked``.
    known: DirectedQueries
    #: (entities,) True where training has a triple.
    seen: BoolArray
    #: (directed relations,) True where training has a triple.
    seen_relations: BoolArray

    @classmethod
    def from_graph(cls, kg: KnowledgeGraph) -> Validation | None:
        """Prepare the validation of a graph; None where it has no validation triple."""
        if len(kg.splits.get("valid", ())) == 0:
            return None
        n_directed = 2 * kg.n_relations
        asked = _group(*_both_ways(np.unique(kg.split("valid"), axis=0)), n_directed)
        known = _group(*_both_ways(kg.known_triples("train+valid")), n_directed)
        place = np.searchsorted(
            known.anchors * n_directed + known.relations,
            asked.anchors * n_directed + asked.relations,
        )
        _, positions = flatten_ranges(known.offsets[place], known.offsets[place + 1])
        lengths = known.offsets[place + 1] - known.offsets[place]
        restricted = DirectedQueries(
            asked.anchors,
            asked.relations,
            offsets_of(lengths),
            known.answers[positions],
        )
        return cls(asked, restricted, kg.seen_entities(), kg.seen_relations().repeat(2))

    def mrr(self, scores: Callable[[LongArray, LongArray], FloatArray]) -> float:
        """Return the MRR, from a function of anchors and directed relations to scores."""
        total = 0.0
        for start in range(0, len(self.asked), _BLOCK):
            rows = np.arange(start, min(start + _BLOCK, len(self.asked)), dtype=np.int64)
            anchors, relations = self.asked.anchors[rows], self.asked.relations[rows]
            block = np.array(scores(anchors, relations))
            block[:, ~self.seen] = -np.inf
            block[~(self.seen[anchors] & self.seen_relations[relations])] = -np.inf
            total += float((1.0 / self._ranks(block, rows)).sum())
        return total / len(self.asked.answers)

    def _ranks(self, block: FloatArray, rows: LongArray) -> LongArray:
        """Return pessimistic filtered ranks of the pairs of some queries."""
        _, _, pair_rows, answers, _ = self.asked.batch(rows)
        truth = block[pair_rows, answers]
        above = np.empty(len(answers), dtype=np.int64)
        for pair, (row, value) in enumerate(zip(pair_rows.tolist(), truth, strict=True)):
            above[pair] = np.count_nonzero(block[row] >= value)
        known_rows = rows[pair_rows]
        owner, positions = flatten_ranges(
            self.known.offsets[known_rows], self.known.offsets[known_rows + 1]
        )
        others = block[pair_rows[owner], self.known.answers[positions]] >= truth[owner]
        # The truth is one of the known answers, so it takes itself out of ``above`` too.
        ranks: LongArray = above - np.bincount(owner[others], minlength=len(answers)) + 1
        return ranks


def _both_ways(triples: IntArray) -> tuple[LongArray, LongArray, LongArray]:
    """Return anchors, directed relations and answers: tail queries, then head queries."""
    heads, relations, tails = triples.astype(np.int64).T
    return (
        np.concatenate([heads, tails]),
        np.concatenate([2 * relations, 2 * relations + 1]),
        np.concatenate([tails, heads]),
    )


def _group(
    anchors: LongArray, relations: LongArray, answers: LongArray, n_directed: int
) -> DirectedQueries:
    """Group (m,) pairs by query, queries ascending by anchor and directed relation."""
    keys: AnyArray = anchors * n_directed + relations
    order = np.lexsort((answers, keys))
    distinct, first = np.unique(keys[order], return_index=True)
    return DirectedQueries(
        distinct // n_directed,
        distinct % n_directed,
        np.append(first, len(keys)).astype(np.int64),
        answers[order],
    )
