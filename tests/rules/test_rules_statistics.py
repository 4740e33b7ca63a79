"""Counts of given rules equal the counts of every assignment."""

import numpy as np
import pytest
from hypothesis import given, settings
from rule_oracle import Facts, rule_of, small_graphs

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.files import read_rules
from hybridkg.rules.mine import MiningConfig, mine_rules
from hybridkg.rules.rule_set import RuleSet
from hybridkg.rules.statistics import rule_statistics, with_statistics

RULES = """affiliated(X,Y) <= advises(A,X), affiliated(A,Y)
authored(X,Y) <= advises(X,A), authored(A,Y)
"""


def test_two_rules_of_the_academic_world_have_the_known_counts(academic, tmp_path):
    (tmp_path / "two.rules").write_text(RULES)
    counts = rule_statistics(read_rules(tmp_path / "two.rules", academic), academic)
    np.testing.assert_array_equal(counts.predictions, [3, 1])
    np.testing.assert_array_equal(counts.support, [1, 0])
    np.testing.assert_array_equal(counts.standard(), [1 / 3, 0])
    # Erin has no known affiliation, so she does not speak against rule 1.
    np.testing.assert_array_equal(counts.pca(), [1 / 2, 0])
    np.testing.assert_array_equal(counts.smoothed(5), [1 / (3 + 5), 0])


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@given(kg=small_graphs(n_entities=5, n_relations=2))
@settings(max_examples=25, deadline=None)
def test_statistics_equal_every_assignment_tried(engine, kg):
    rules = mine_rules(kg, MiningConfig(min_support=1, cap_per_head=None))
    longer = _with_three_steps(kg)
    rules = RuleSet.concatenate([rules, longer])
    counts, facts = rule_statistics(rules, kg, engine=engine), Facts(kg)
    found = np.column_stack([counts.predictions, counts.support, counts.pca_body])
    expected = [facts.counts(rule_of(rules, row)) for row in range(len(rules))]
    np.testing.assert_array_equal(found, np.array(expected).reshape(-1, 3))


def _with_three_steps(kg: KnowledgeGraph) -> RuleSet:
    n_directed = 2 * kg.n_relations
    body = np.array([(a, b, c) for a in range(n_directed) for b in (0, 1) for c in range(2)])
    none = np.full(len(body), -1)
    return RuleSet.of_kind(
        kg, 0, np.zeros(len(body)), body % n_directed, none, none, none * 0, none * 0
    )


def test_mined_counts_are_the_counted_ones(academic):
    rules = mine_rules(academic, MiningConfig(min_support=1))
    counts = rule_statistics(rules, academic)
    np.testing.assert_array_equal(counts.support, rules.support)
    np.testing.assert_array_equal(counts.predictions, rules.body_count)
    np.testing.assert_array_equal(counts.pca_body, rules.pca_body)
    assert with_statistics(rules, academic).digest == rules.digest


def test_rules_of_other_vocabularies_are_refused(academic):
    other = KnowledgeGraph.from_labels({"train": [("a1", "r1", "a2")]}, name="other")
    with pytest.raises(ConfigError, match="graph 'other'"):
        rule_statistics(mine_rules(academic), other)
