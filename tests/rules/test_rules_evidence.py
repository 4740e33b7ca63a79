"""Evidence is made when it is asked for, and carries every confidence."""

import itertools

import numpy as np
import pytest

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.rules import evidence
from hybridkg.rules.evidence import explain_triple, stream_evidence
from hybridkg.rules.mine import MiningConfig, mine_rules
from hybridkg.rules.rule_set import CLOSED, RuleSet
from hybridkg.scoring.rule_scorer import RuleScorer


@pytest.fixture(scope="module")
def chain() -> KnowledgeGraph:
    """Five chains a -> b -> c -> d with a goal from a to d, and two loops."""
    train = []
    for n in range(5):
        train += [(f"a{n}", "one", f"b{n}"), (f"b{n}", "two", f"c{n}"), (f"c{n}", "three", f"d{n}")]
        train += [(f"a{n}", "goal", f"d{n}")] if n else []
        train += [(f"a{n}", "is", "thing"), (f"b{n}", "is", "other")]
        train += [(f"a{n}", "self", f"a{n}")] if n > 2 else []
    return KnowledgeGraph.from_labels({"train": train})


def test_three_steps_are_grounded_for_a_triple_that_is_not_known(chain):
    rules = mine_rules(chain, MiningConfig(max_length=3, constants=False))
    asked = tuple(chain.ids([("a0", "goal", "d0")])[0].tolist())
    (found,) = explain_triple(rules, chain, asked)
    assert found.text == "goal(X,Y) <= one(X,A), two(A,B), three(B,Y)"
    assert found.groundings == ((("a0", "one", "b0"), ("b0", "two", "c0"), ("c0", "three", "d0")),)
    # a0 has no goal yet, so that it speaks against the rule in the standard confidence only.
    assert (found.support, found.predictions, found.pca_body) == (4, 5, 4)
    assert (found.standard, found.pca, found.smoothed) == (4 / 5, 1, 4 / 10)
    assert found.confidence == found.smoothed


def test_a_loop_rule_proposes_the_given_entity_and_is_grounded(chain):
    rules = mine_rules(chain)
    itself, thing = chain.entities.id_of("a0"), chain.relations.id_of("self")
    found = explain_triple(rules, chain, (itself, thing, itself))
    kinds = {one.kind for one in found}
    assert kinds == {"loop_constant", "loop_dangling"}
    by_constant = [one for one in found if one.kind == "loop_constant"]
    assert [(one.support, one.predictions) for one in by_constant] == [(2, 5)]
    assert by_constant[0].groundings == ((("a0", "is", "thing"),),)
    steps = {one.groundings[0][0][1] for one in found if one.kind == "loop_dangling"}
    assert steps == {"one", "is"}
    scorer = RuleScorer(rules, chain)
    for target in ("tail", "head"):
        asked = Queries(target, np.array([itself], np.int32), np.array([thing], np.int32))
        for engine in ("plain", "compiled"):
            scorer = RuleScorer(rules, chain, engine=engine)
            assert scorer.score(asked)[0].argmax() == itself


def test_no_other_rule_explains_a_loop(chain):
    rules = mine_rules(chain, MiningConfig(min_support=1))
    a0, goal = chain.entities.id_of("a0"), chain.relations.id_of("goal")
    assert explain_triple(rules, chain, (a0, goal, a0)) == []


def test_bodies_are_tried_only_until_enough_rules_are_taken(academic, monkeypatch):
    rules = mine_rules(academic, MiningConfig(min_support=1))
    asked = tuple(academic.ids([("bob", "affiliated", "cmu")])[0].tolist())
    everything = explain_triple(rules, academic, asked, max_rules=1000)
    assert len(everything) > 2
    tried = []
    original = evidence._groundings

    def counted(*arguments):
        tried.append(arguments[1])
        return original(*arguments)

    monkeypatch.setattr(evidence, "_groundings", counted)
    stream = stream_evidence(rules, academic, asked)
    assert not tried
    assert list(itertools.islice(stream, 2)) == everything[:2]
    n_tried = len(tried)
    assert list(stream) == everything[2:]
    assert n_tried < len(tried)


def test_groundings_are_made_one_by_one_up_to_the_cap():
    # A hub with 1,000 ways: a list of all of them would hold a thousand tuples.
    train = [("x1", "to", f"m{n}") for n in range(1000)] + [
        (f"m{n}", "on", "y1") for n in range(1000)
    ]
    kg = KnowledgeGraph.from_labels({"train": [*train, ("x1", "goal", "y1"), ("x1", "goal", "y2")]})
    rules = mine_rules(kg, MiningConfig(min_support=1, constants=False))
    asked = tuple(kg.ids([("x1", "goal", "y1")])[0].tolist())
    (found,) = explain_triple(rules, kg, asked, max_groundings=2)
    assert found.groundings == (
        (("x1", "to", "m0"), ("m0", "on", "y1")),
        (("x1", "to", "m1"), ("m1", "on", "y1")),
    )


def test_counts_that_nobody_made_are_none(academic):
    one = np.ones(1)
    advises = academic.relations.id_of("advises")
    rules = RuleSet.of_kind(
        academic, CLOSED, advises * one, (advises * one).reshape(1, 1), -one, -one, one, one
    )
    alice, bob = (academic.entities.id_of(name) for name in ("alice", "bob"))
    (found,) = explain_triple(rules, academic, (alice, advises, bob))
    assert (found.pca_body, found.pca) == (None, None)


@pytest.mark.parametrize("triple", [(-1, 0, 0), (0, 5, 0), (0, 0, 13)])
def test_an_id_that_the_graph_lacks_is_named(academic, triple):
    with pytest.raises(ConfigError, match="entities 0 to 12 and relations 0 to 4"):
        explain_triple(mine_rules(academic), academic, triple)
    with pytest.raises(ConfigError, match="max_groundings=0"):
        stream_evidence(mine_rules(academic), academic, (0, 0, 1), max_groundings=0)
