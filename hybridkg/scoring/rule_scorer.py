"""Rules as a scorer: mined or read rules rank the candidates of a query."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.rules.apply import Aggregation, Reached, apply_rules, check_aggregation, index_rules
from hybridkg.rules.evidence import RuleEvidence, explain_triple, stream_evidence
from hybridkg.rules.index import DirectedGraph
from hybridkg.rules.mine import Engine, MiningConfig, mine_rules, uses_plain
from hybridkg.rules.rule_set import RuleSet
from hybridkg.rules.weights import RuleWeights
from hybridkg.scoring.base import SparseScores
from hybridkg.types import FloatArray


class RuleScorer:
    """Score candidates by the rules that propose them, on the training triples alone.

    Under "maxplus" and "max" a score is the place of the candidate in its query's order, 1 for
    the worst reached class; under noisy-or the sum of -log(1 - confidence). Candidates with equal
    confidences share a score, and those that no rule reaches have none. Scores compare within
    one query only.
    """

    def __init__(
        self,
        rules: RuleSet,
        kg: KnowledgeGraph,
        *,
        aggregation: Aggregation = "maxplus",
        name: str = "rules",
        weights: RuleWeights | None = None,
        engine: Engine = "auto",
    ) -> None:
        """Index the rules.

        Args:
            rules: mined on ``kg``, or read with its vocabularies.
            kg: bodies are matched with its split "train".
            aggregation: one of AGGREGATIONS.
            name: stands in tables.
            weights: how counts become confidences.
            engine: "compiled", "plain", or "auto" for the plain path on tiny graphs.

        Raises:
            ConfigError: unknown aggregation or engine, or rules over another vocabulary.
        """
        check_aggregation(aggregation)
        rules.check_graph(kg)
        self.name = name
        self.rules = rules
        self.kg = kg
        self.weights = weights or RuleWeights()
        self.aggregation: Aggregation = aggregation
        self._graph = DirectedGraph.build(kg)
        self._plain = uses_plain(engine, self._graph)
        self._index = index_rules(rules, self._graph, self.weights)

    def score(self, queries: Queries) -> FloatArray:
        """Score every entity as answer of every query.

        Args:
            queries: a block of n queries with one target.

        Returns:
            (n, entities) float32, larger is better; -inf where no rule proposes it.
        """
        reached = self._reached(queries)
        scores = np.full((len(queries), self.kg.n_entities), -np.inf, dtype=np.float32)
        rows = np.repeat(np.arange(len(queries)), np.diff(reached.offsets))
        scores[rows, reached.entities] = reached.scores
        return scores

    def score_sparse(self, queries: Queries) -> SparseScores:
        """Return the reached candidates of a block."""
        reached = self._reached(queries)
        return SparseScores(reached.offsets, reached.entities, reached.scores.astype(np.float32))

    def explain(
        self, triple: tuple[int, int, int], *, max_rules: int = 10, max_groundings: int = 3
    ) -> list[RuleEvidence]:
        """List the rules that propose a triple of ids, the best first, with groundings."""
        return explain_triple(
            self.rules,
            self.kg,
            triple,
            max_rules=max_rules,
            max_groundings=max_groundings,
            weights=self.weights,
            graph=self._graph,
        )

    def stream_evidence(
        self, triple: tuple[int, int, int], *, max_groundings: int = 3
    ) -> Iterator[RuleEvidence]:
        """Yield the rules that propose a triple of ids one by one, the best first."""
        return stream_evidence(
            self.rules,
            self.kg,
            triple,
            max_groundings=max_groundings,
            weights=self.weights,
            graph=self._graph,
        )

    def _reached(self, queries: Queries) -> Reached:
        limits = (
            ("entity", queries.anchors, self.kg.n_entities),
            ("relation", queries.relations, self.kg.n_relations),
        )
        for kind, ids, size in limits:
            if len(ids) and (ids.min() < 0 or ids.max() >= size):
                raise ConfigError(
                    f"a query names {kind} ids {int(ids.min())} to {int(ids.max())}; "
                    f"graph {self.kg.name!r} has 0 to {size - 1}"
                )
        return apply_rules(
            self._index, self._graph, queries, aggregation=self.aggregation, plain=self._plain
        )


def mine_rule_scorer(
    kg: KnowledgeGraph,
    config: MiningConfig | None = None,
    *,
    aggregation: Aggregation = "maxplus",
    name: str = "rules",
    engine: Engine = "auto",
) -> RuleScorer:
    """Mine the training triples of a graph and score with the rules found."""
    chosen = config or MiningConfig()
    rules = mine_rules(kg, chosen, engine=engine)
    return RuleScorer(
        rules, kg, aggregation=aggregation, name=name, weights=chosen.weights, engine=engine
    )
