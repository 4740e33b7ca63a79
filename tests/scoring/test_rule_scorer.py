"""Rules behind the Scorer protocol."""

import numpy as np
import pytest

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries, QueryList
from hybridkg.rules.mine import MiningConfig, mine_rules
from hybridkg.scoring.base import Scorer, SparseScorer
from hybridkg.scoring.rule_scorer import RuleScorer, mine_rule_scorer
from hybridkg.types import TARGETS

EVERYTHING = MiningConfig(min_support=1)


def pessimistic_ranks(kg: KnowledgeGraph, scorer: Scorer) -> np.ndarray:
    """1 + other unknown candidates that score at least as well as the truth."""
    ranks = []
    known = {tuple(row) for row in kg.known_triples("all").tolist()}
    for h, r, t in kg.split("test").tolist():
        for target, anchor, truth in (("tail", h, t), ("head", t, h)):
            query = Queries(target, np.array([anchor], np.int32), np.array([r], np.int32))
            scores = scorer.score(query)[0]
            others = [
                e
                for e in range(kg.n_entities)
                if e != truth and ((h, r, e) if target == "tail" else (e, r, t)) not in known
            ]
            ranks.append(1 + sum(scores[e] >= scores[truth] for e in others))
    return np.array(ranks)


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_academic_rules_of_support_one_rank_as_known(academic, engine):
    scorer = mine_rule_scorer(academic, EVERYTHING, engine=engine)
    ranks = pessimistic_ranks(academic, scorer)
    assert np.mean(1 / ranks) == pytest.approx((5 + 1 / 2) / 6)


def test_it_is_a_scorer_with_a_sparse_form(academic):
    scorer = mine_rule_scorer(academic, name="mined")
    assert isinstance(scorer, SparseScorer)
    assert scorer.name == "mined"


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize("aggregation", ["maxplus", "max"])
def test_sparse_and_dense_scores_agree(academic, engine, aggregation):
    scorer = mine_rule_scorer(academic, EVERYTHING, engine=engine, aggregation=aggregation)
    for target in TARGETS:
        queries = QueryList.from_triples(academic.train).distinct(target)[0]
        dense, sparse = scorer.score(queries), scorer.score_sparse(queries)
        again = np.full_like(dense, -np.inf)
        for number in range(len(queries)):
            part = slice(sparse.offsets[number], sparse.offsets[number + 1])
            again[number, sparse.entities[part]] = sparse.scores[part]
        np.testing.assert_array_equal(dense, again)
        assert dense.dtype == np.float32
        assert np.isfinite(dense).any()


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_a_query_scores_the_same_in_every_block(academic, engine):
    scorer = mine_rule_scorer(academic, EVERYTHING, engine=engine)
    for target in TARGETS:
        queries = QueryList.from_triples(academic.train).distinct(target)[0]
        whole = scorer.score(queries)
        for number in range(len(queries)):
            alone = scorer.score(queries.rows(slice(number, number + 1)))
            np.testing.assert_array_equal(alone[0], whole[number])
        backwards = Queries(target, queries.anchors[::-1], queries.relations[::-1])
        np.testing.assert_array_equal(scorer.score(backwards), whole[::-1])


@pytest.mark.parametrize("engine", ["plain", "compiled"])
def test_no_queries_give_no_scores(academic, engine):
    none = Queries("tail", np.zeros(0, np.int32), np.zeros(0, np.int32))
    assert mine_rule_scorer(academic, engine=engine).score(none).shape == (0, academic.n_entities)


def test_held_out_triples_do_not_help(academic):
    blind = academic.with_splits({"train": academic.train})
    queries = QueryList.from_triples(academic.split("test")).distinct("tail")[0]
    np.testing.assert_array_equal(
        mine_rule_scorer(academic, EVERYTHING).score(queries),
        mine_rule_scorer(blind, EVERYTHING).score(queries),
    )


def test_a_scorer_explains_its_predictions(academic):
    scorer = mine_rule_scorer(academic, EVERYTHING)
    triple = tuple(academic.ids([("erin", "affiliated", "cmu")])[0].tolist())
    first = scorer.explain(triple, max_rules=1)[0]
    assert first.text == "affiliated(X,Y) <= advises(A,X), affiliated(A,Y)"


def test_rules_of_another_graph_are_refused(academic):
    other = KnowledgeGraph.from_labels({"train": [("a1", "r1", "a2")]}, name="other")
    with pytest.raises(ConfigError, match="'other'"):
        RuleScorer(mine_rules(academic), other)


def test_ids_outside_the_graph_are_refused(academic):
    scorer = mine_rule_scorer(academic)
    with pytest.raises(ConfigError, match="entity ids 99 to 99"):
        scorer.score(Queries("tail", np.array([99], np.int32), np.array([0], np.int32)))


def test_an_unknown_aggregation_is_refused_at_once(academic):
    with pytest.raises(ConfigError, match="'mean'"):
        mine_rule_scorer(academic, aggregation="mean")  # type: ignore[arg-type]
