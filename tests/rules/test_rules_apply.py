"""Application proposes what the rules say, in the order of all their confidences."""

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_oracle import Facts, rule_of, small_graphs

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.rules.apply import AGGREGATIONS, apply_rules, index_rules
from hybridkg.rules.evidence import explain_triple
from hybridkg.rules.files import read_rules
from hybridkg.rules.index import DirectedGraph
from hybridkg.rules.mine import MiningConfig, mine_rules
from hybridkg.rules.rule_set import RuleSet
from hybridkg.types import TARGETS


def brute_order(rules: RuleSet, kg: KnowledgeGraph, target: str, anchor: int, relation: int, agg):
    """Candidate -> dense order, from the full list of confidences of each candidate."""
    facts, confidence = Facts(kg), rules.confidence()
    wanted = relation if target == "tail" else relation + kg.n_relations
    turned = (wanted + kg.n_relations) % (2 * kg.n_relations)
    lists = defaultdict(list)
    for row in range(len(rules)):
        rule = rule_of(rules, row)
        if rule[0] == "zero":
            if rule[1] == wanted and rule[3] != anchor:
                lists[rule[3]].append(confidence[row])
            continue
        for x, y in facts.predictions(rule):
            loop = rule[0].startswith("loop") and rule[1] in (wanted, turned)
            if (rule[1] == wanted or loop) and x == anchor:
                lists[y].append(confidence[row])
            elif rule[1] == turned and y == anchor and not loop:
                lists[x].append(confidence[row])
    if agg.startswith("noisyor"):
        best = 5 if agg == "noisyor_top5" else None
        return {
            c: pytest.approx(sum(-math.log1p(-x) for x in sorted(v, reverse=True)[:best]))
            for c, v in lists.items()
        }
    keys = {
        c: tuple(sorted(v, reverse=True))[: 1 if agg == "max" else None] for c, v in lists.items()
    }
    classes = sorted(set(keys.values()))
    return {candidate: classes.index(key) + 1 for candidate, key in keys.items()}


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@given(kg=small_graphs(n_entities=6, n_relations=2), support=st.integers(1, 2))
@settings(max_examples=20, deadline=None)
def test_order_is_that_of_the_full_confidence_lists(plain, aggregation, kg, support):
    rules = mine_rules(kg, MiningConfig(min_support=support, max_length=3))
    graph = DirectedGraph.build(kg)
    index = index_rules(rules, graph)
    anchors = np.repeat(np.arange(6, dtype=np.int32), kg.n_relations)
    relations = np.tile(np.arange(kg.n_relations, dtype=np.int32), 6)
    for target in TARGETS:
        queries = Queries(target, anchors, relations)
        reached = apply_rules(index, graph, queries, aggregation=aggregation, plain=plain)
        for number in range(len(queries)):
            part = slice(reached.offsets[number], reached.offsets[number + 1])
            found = dict(
                zip(reached.entities[part].tolist(), reached.scores[part].tolist(), strict=True)
            )
            assert len(found) == part.stop - part.start
            assert found == brute_order(
                rules, kg, target, int(anchors[number]), int(relations[number]), aggregation
            )


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=15, deadline=None)
def test_compiled_and_plain_application_agree_on_denser_graphs(aggregation, seed):
    draw = np.random.default_rng(seed)
    rows = draw.integers(0, (25, 4, 25), (150, 3)).tolist()
    kg = KnowledgeGraph.from_labels({"train": [(f"e{h}", f"r{r}", f"e{t}") for h, r, t in rows]})
    graph = DirectedGraph.build(kg)
    index = index_rules(mine_rules(kg, MiningConfig(min_support=1, max_length=3)), graph)
    anchors = np.arange(kg.n_entities, dtype=np.int32)
    for target in TARGETS:
        queries = Queries(target, anchors, anchors % kg.n_relations)
        plain, compiled = (
            apply_rules(index, graph, queries, aggregation=aggregation, plain=choice)
            for choice in (True, False)
        )
        np.testing.assert_array_equal(plain.offsets, compiled.offsets)
        query = np.repeat(np.arange(len(queries)), np.diff(plain.offsets))
        same = np.lexsort((compiled.entities, query))
        np.testing.assert_array_equal(plain.entities, compiled.entities[same])
        np.testing.assert_allclose(plain.scores, compiled.scores[same], rtol=1e-12)


def test_two_rules_beat_one_better_rule_only_below_it(tmp_path):
    # good reaches c1 only, the two fair rules reach c2 and c3, c3 twice.
    kg = KnowledgeGraph.from_labels(
        {"train": [("q1", "good", "c1"), ("q1", "fair", "c2"), ("q1", "fair", "c3"),
                   ("q1", "also", "c3"), ("z1", "goal", "z2")]}
    )  # fmt: skip
    path = tmp_path / "r.rules"
    path.write_text(
        "10\t9\t0.9\tgoal(X,Y) <= good(X,Y)\n"
        "10\t5\t0.5\tgoal(X,Y) <= fair(X,Y)\n"
        "10\t5\t0.5\tgoal(X,Y) <= also(X,Y)\n"
    )
    rules = read_rules(path, kg, statistics="file")
    graph = DirectedGraph.build(kg)
    query = Queries("tail", kg.entities.ids_of(["q1"]), kg.relations.ids_of(["goal"]))
    for aggregation, expected in (
        ("maxplus", {"c1": 3, "c3": 2, "c2": 1}),
        ("max", {"c1": 2, "c3": 1, "c2": 1}),
    ):
        for plain in (True, False):
            reached = apply_rules(
                index_rules(rules, graph), graph, query, aggregation=aggregation, plain=plain
            )
            labels = [kg.entities[e] for e in reached.entities]
            assert dict(zip(labels, reached.scores.tolist(), strict=True)) == expected


def test_an_unknown_aggregation_is_named(academic):
    graph = DirectedGraph.build(academic)
    index = index_rules(mine_rules(academic), graph)
    queries = Queries("tail", np.zeros(1, np.int32), np.zeros(1, np.int32))
    with pytest.raises(ConfigError, match="'best'"):
        apply_rules(index, graph, queries, aggregation="best")  # type: ignore[arg-type]


def test_evidence_names_the_facts_behind_a_prediction(academic, tmp_path):
    path = tmp_path / "r.rules"
    path.write_text("affiliated(X,Y) <= advises(A,X), affiliated(A,Y)\n")
    rules = read_rules(path, academic)
    triple = tuple(academic.ids([("erin", "affiliated", "cmu")])[0].tolist())
    (found,) = explain_triple(rules, academic, triple)
    assert found.text == "affiliated(X,Y) <= advises(A,X), affiliated(A,Y)"
    assert (found.support, found.predictions, found.confidence) == (1, 3, 0.125)
    assert found.groundings == ((("carol", "advises", "erin"), ("carol", "affiliated", "cmu")),)


@given(kg=small_graphs(n_entities=5, n_relations=2))
@settings(max_examples=20, deadline=None)
def test_evidence_lists_exactly_the_rules_that_predict_the_triple(kg):
    rules = mine_rules(kg, MiningConfig(min_support=1))
    facts = Facts(kg)
    known = set(kg.label_triples(kg.train))
    for head, relation, tail in [(0, 0, 1), (2, kg.n_relations - 1, 0), (3, 0, 3), (1, 0, 1)]:
        expected = set()
        for row in range(len(rules)):
            kind, directed, _, constant, _ = rule = rule_of(rules, row)
            pair = (head, tail) if directed == relation else (tail, head)
            if directed % kg.n_relations != relation:
                continue
            if head == tail and kind == "zero":
                continue
            fires = pair[1] == constant if kind == "zero" else pair in facts.predictions(rule)
            expected |= {row} if fires else set()
        found = explain_triple(rules, kg, (head, relation, tail), max_rules=10_000)
        assert {one.row for one in found} == expected
        confidences = [one.confidence for one in found]
        assert confidences == sorted(confidences, reverse=True)
        for one in found:
            assert all(fact in known for grounding in one.groundings for fact in grounding)


def test_evidence_is_capped(academic):
    rules = mine_rules(academic, MiningConfig(min_support=1))
    triple = tuple(academic.ids([("alice", "advises", "carol")])[0].tolist())
    everything = explain_triple(rules, academic, triple, max_rules=100, max_groundings=100)
    assert len(everything) > 2
    capped = explain_triple(rules, academic, triple, max_rules=2, max_groundings=1)
    assert [one.row for one in capped] == [one.row for one in everything[:2]]
    assert all(len(one.groundings) == 1 for one in capped)
    with pytest.raises(ConfigError, match="max_rules=0"):
        explain_triple(rules, academic, triple, max_rules=0)
