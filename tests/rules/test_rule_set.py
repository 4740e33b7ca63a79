"""Rules in columns."""

from dataclasses import replace

import numpy as np
import pytest

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.mine import MiningConfig, mine_rules
from hybridkg.rules.rule_set import CLOSED, DANGLING, ZERO, RuleSet
from hybridkg.rules.weights import RuleWeights


def test_confidence_is_smoothed_and_weighted_by_kind(academic):
    one = np.ones(1)
    rules = RuleSet.concatenate(
        RuleSet.of_kind(academic, kind, 0 * one, one.reshape(1, 1), one, one, 3 * one, 10 * one)
        for kind in (CLOSED, DANGLING, ZERO)
    )
    np.testing.assert_allclose(rules.confidence(), [3 / 15, 0.1 * 3 / 15, 0.01 * 3 / 15])
    plain = RuleWeights(unseen=0, dangling=1, zero=1)
    np.testing.assert_allclose(rules.confidence(plain), [3 / 10] * 3)


def test_best_first_does_not_depend_on_the_order_before(academic):
    rules = mine_rules(academic, MiningConfig(min_support=1))
    mixed = rules.select(np.random.default_rng(0).permutation(len(rules)))
    assert mixed.digest != rules.digest
    assert mixed.best_first().digest == rules.best_first().digest
    assert (np.diff(rules.best_first().confidence()) <= 0).all()


def test_columns_of_different_length_are_refused(academic):
    rules = mine_rules(academic)
    with pytest.raises(ConfigError, match=f"'head' has 1 rows, expected {len(rules)}"):
        replace(rules, head=np.zeros(1, dtype=np.int32))


def test_sets_of_different_graphs_do_not_join(academic):
    other = KnowledgeGraph.from_labels({"train": [("a1", "r1", "a2")]})
    with pytest.raises(ConfigError, match="same entities and relations"):
        RuleSet.concatenate([RuleSet.empty(academic), RuleSet.empty(other)])


def test_weights_are_not_negative():
    with pytest.raises(ConfigError, match=r"dangling=-0\.1"):
        RuleWeights(dangling=-0.1)


def test_a_graph_without_training_triples_has_no_rules():
    kg = KnowledgeGraph.from_labels({"train": []}, entities=["a1", "a2"])
    for engine in ("plain", "compiled"):
        assert len(mine_rules(kg, engine=engine)) == 0
