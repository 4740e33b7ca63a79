"""PyClause as a scorer: it applies the rules, our evaluator ranks."""

from __future__ import annotations

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries, QueryList
from hybridkg.rules.apply import Aggregation, check_aggregation
from hybridkg.rules.pyclause import PyClauseAnswers, answer_queries
from hybridkg.rules.rule_set import RuleSet
from hybridkg.rules.weights import RuleWeights
from hybridkg.scoring.base import SparseScores
from hybridkg.types import TARGETS, FloatArray, IntArray, LongArray, Target


class PyClauseScorer:
    """Score candidates by the order, or the scores, that PyClause returns.

    Under "max" candidates compare by PyClause's score; else by their place in its order, in
    which equal candidates stand by their frequency, so that no ties are left to see.
    """

    def __init__(
        self,
        rules: RuleSet,
        kg: KnowledgeGraph,
        asked: IntArray | None = None,
        *,
        aggregation: Aggregation = "maxplus",
        name: str = "rules-pyclause",
        weights: RuleWeights | None = None,
    ) -> None:
        """Answer the queries of some triples in one go; others are answered when they come.

        Args:
            rules: over the graph's vocabularies.
            kg: bodies are matched with its split "train".
            asked: (n, 3) triples whose queries are answered now, in one subprocess.
            aggregation: as of the native scorer.
            name: stands in tables.
            weights: how counts become confidences.

        Raises:
            ConfigError: PyClause is absent, or there is no such aggregation.
            TrainingError: PyClause failed.
        """
        check_aggregation(aggregation)
        rules.check_graph(kg)
        self.name = name
        self.rules = rules
        self.kg = kg
        self.weights = weights or RuleWeights()
        self.aggregation: Aggregation = aggregation
        #: target -> (relation * entities + anchor, ascending; the answers in that order).
        self._ready: dict[Target, tuple[LongArray, PyClauseAnswers]] = {}
        if asked is not None and len(asked):
            queries = QueryList.from_triples(asked)
            wanted = {target: queries.distinct(target)[0] for target in TARGETS}
            answers, _ = self._answer(wanted)
            for target, found in answers.items():
                self._ready[target] = (self._keys(wanted[target]), found)

    def score(self, queries: Queries) -> FloatArray:
        """Return (n, entities) float32 scores; -inf where no rule proposes the entity."""
        found = self.score_sparse(queries)
        scores = np.full((len(queries), self.kg.n_entities), -np.inf, dtype=np.float32)
        rows = np.repeat(np.arange(len(queries)), np.diff(found.offsets))
        scores[rows, found.entities] = found.scores
        return scores

    def score_sparse(self, queries: Queries) -> SparseScores:
        """Return the reached candidates of a block."""
        keys = self._keys(queries)
        known, answers = self._ready.get(queries.target, (keys[:0], None))
        if answers is None or not np.isin(keys, known).all():
            answers = self._answer({queries.target: queries})[0][queries.target]
            rows = np.arange(len(queries))
        else:
            rows = np.searchsorted(known, keys)
        sizes = np.diff(answers.offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        taken = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - answers.offsets[rows], sizes)
        return SparseScores(
            offsets, answers.entities[taken], self._scores(answers.scores[taken], offsets)
        )

    def _scores(self, returned: FloatArray, offsets: LongArray) -> FloatArray:
        """Number the places of each query from the last one; equal scores share one under max."""
        sizes = np.diff(offsets)
        place = np.arange(len(returned)) - np.repeat(offsets[:-1], sizes)
        if self.aggregation == "max" and len(returned):
            # The order falls by score: a place counts only where the score changes.
            changed = np.ones(len(returned), dtype=np.bool_)
            changed[1:] = (returned[1:] != returned[:-1]) | (place[1:] == 0)
            starts = np.flatnonzero(changed)
            place = place[starts[np.cumsum(changed) - 1]]
        return np.asarray(np.repeat(sizes, sizes) - place, dtype=np.float32)

    def _keys(self, queries: Queries) -> LongArray:
        return queries.relations.astype(np.int64) * self.kg.n_entities + queries.anchors

    def _answer(
        self, queries: dict[Target, Queries]
    ) -> tuple[dict[Target, PyClauseAnswers], dict[str, object]]:
        return answer_queries(
            self.rules, self.kg, queries, aggregation=self.aggregation, weights=self.weights
        )
