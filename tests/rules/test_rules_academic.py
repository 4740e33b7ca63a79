"""The academic world: every rank follows from the rules that fire, written out here."""

from collections import defaultdict

import numpy as np
import pytest
from rule_oracle import Facts, rule_of

from hybridkg.graph.queries import Queries
from hybridkg.rules.mine import MiningConfig, mine_rules
from hybridkg.scoring.rule_scorer import RuleScorer

#: Who is affiliated with cmu is the one question that is missed: bob stands before erin.
RANKS = [1, 1, 1, 1, 1, 2]


@pytest.fixture(scope="module")
def rules(academic):
    return mine_rules(academic, MiningConfig(min_support=1))


def queries_of(academic):
    """(target, given entity, relation, true answer) of the six queries."""
    for head, relation, tail in academic.split("test").tolist():
        yield "tail", head, relation, tail
        yield "head", tail, relation, head


def confidences(academic, rules, target: str, given: int, relation: int) -> dict:
    """Candidate -> confidences of the rules that fire for it, best first, by every assignment."""
    facts, values, found = Facts(academic), rules.confidence(), defaultdict(list)
    asked = relation if target == "tail" else relation + academic.n_relations
    turned = (asked + academic.n_relations) % (2 * academic.n_relations)
    for row in range(len(rules)):
        kind, head, _, constant, _ = rule = rule_of(rules, row)
        if kind == "zero":
            if head == asked and constant != given:
                found[constant].append(values[row])
            continue
        for x, y in facts.predictions(rule):
            if (head, x) == (asked, given):
                found[y].append(values[row])
            if (head, y) == (turned, given):
                found[x].append(values[row])
    return {candidate: sorted(lines, reverse=True) for candidate, lines in found.items()}


def test_each_rank_follows_from_the_rules_that_fire(academic, rules):
    scorer, derived = RuleScorer(rules, academic), []
    for target, given, relation, truth in queries_of(academic):
        fired = confidences(academic, rules, target, given, relation)
        known = set(academic.answer_index(target, "all").answers_of(given, relation).tolist())
        others = [e for e in range(academic.n_entities) if e not in known]
        # Lists of confidences compare one by one, and the longer of two equal starts wins.
        rank = 1 + sum(fired.get(e, []) >= fired.get(truth, []) for e in others)
        derived.append(rank)
        asked = Queries(target, np.array([given], np.int32), np.array([relation], np.int32))
        scores = scorer.score(asked)[0]
        assert rank == 1 + np.count_nonzero(scores[others] >= scores[truth])
    assert derived == RANKS
    assert np.mean(1 / np.array(derived)) == pytest.approx(11 / 12)


def test_the_one_miss_is_bob_before_erin_at_cmu(academic, rules):
    relation, cmu = academic.relations.id_of("affiliated"), academic.entities.id_of("cmu")
    fired = confidences(academic, rules, "head", cmu, relation)
    bob, erin = (fired[academic.entities.id_of(name)] for name in ("bob", "erin"))
    assert bob > erin > []


def test_no_rule_proposes_the_given_entity_itself(academic, rules):
    scorer = RuleScorer(rules, academic)
    for target, given, relation, _ in queries_of(academic):
        asked = Queries(target, np.array([given], np.int32), np.array([relation], np.int32))
        assert scorer.score(asked)[0, given] == -np.inf
