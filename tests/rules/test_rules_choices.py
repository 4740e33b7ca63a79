"""Modes, profiles, caps of closed rules and seeded samples of rules."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_oracle import Facts, rule_of, small_graphs

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.mine import MiningConfig, mine_rules, profile, sampled_rules
from hybridkg.rules.rule_set import CLOSED, ZERO, RuleSet
from hybridkg.rules.weights import RuleWeights


def identities(rules: RuleSet) -> set:
    return {rule_of(rules, row) for row in range(len(rules))}


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@given(kg=small_graphs(), coverage=st.sampled_from([0, 0.3, 0.5]), pca=st.sampled_from([0, 0.5, 1]))
@settings(max_examples=20, deadline=None)
def test_amie_keeps_closed_rules_by_head_coverage_and_pca_confidence(engine, kg, coverage, pca):
    config = MiningConfig(
        mode="amie", min_support=1, min_head_coverage=coverage, min_pca_confidence=pca
    )
    mined, facts, expected = mine_rules(kg, config, engine=engine), Facts(kg), set()
    for rule in facts.all_rules():
        _, support, pca_body = facts.counts(rule)
        if rule[0] == "closed" and support >= 1:
            enough = support / facts.head_size(rule) >= coverage and support / pca_body >= pca
            expected |= {rule} if enough else set()
    assert identities(mined) == expected
    assert (mined.head_coverage() >= coverage).all()
    assert (mined.pca_confidence() >= pca).all()


def planted(n_wrong: int, n_silent: int) -> KnowledgeGraph:
    """20 families; some children were born elsewhere, of some nobody knows where."""
    train = []
    for family in range(20):
        mother, child, place = f"m{family}", f"c{family}", f"p{family}"
        train += [(mother, "has child", child), (mother, "lives in", place)]
        if family >= n_wrong + n_silent:
            train.append((child, "born in", place))
        elif family >= n_silent:
            train.append((child, "born in", f"q{family}"))
    return KnowledgeGraph.from_labels({"train": train})


@pytest.mark.parametrize("engine", ["plain", "compiled"])
@pytest.mark.parametrize(("n_wrong", "n_silent"), [(0, 0), (5, 0), (0, 8), (7, 6)])
def test_a_planted_rule_has_exactly_its_support_and_confidences(engine, n_wrong, n_silent):
    kg = planted(n_wrong, n_silent)
    rules = mine_rules(kg, MiningConfig(), engine=engine)
    born, child, lives = (kg.relations.id_of(r) for r in ("born in", "has child", "lives in"))
    (row,) = (
        row
        for row in range(len(rules))
        if rule_of(rules, row) == ("closed", born, (child + 3, lives), -1, -1)
    )
    right = 20 - n_wrong - n_silent
    assert (rules.support[row], rules.body_count[row]) == (right, 20)
    assert rules.standard_confidence()[row] == right / 20
    assert rules.pca_confidence()[row] == right / (20 - n_silent)
    assert rules.head_coverage()[row] == right / (20 - n_silent)


@given(small_graphs(n_entities=6), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_a_cap_keeps_the_best_closed_rules_of_each_head(kg, cap):
    config = MiningConfig(min_support=1, constants=False)
    everything = mine_rules(kg, config)
    capped = mine_rules(kg, replace(config, cap_closed=cap))
    for head in range(kg.n_relations):
        best = np.sort(everything.confidence()[everything.head == head])[::-1]
        kept = np.sort(capped.confidence()[capped.head == head])[::-1]
        np.testing.assert_array_equal(kept, best[:cap])
    assert sum(capped.dropped.values()) == len(everything) - len(capped)


def dense_graph(seed: int = 5) -> KnowledgeGraph:
    rows = np.random.default_rng(seed).integers(0, (40, 4, 40), (400, 3)).tolist()
    return KnowledgeGraph.from_labels({"train": [(f"e{h}", f"r{r}", f"e{t}") for h, r, t in rows]})


def test_samples_give_another_subset_of_the_same_rules_for_each_seed():
    kg = dense_graph()
    everything = mine_rules(kg)
    sets = [mine_rules(kg, MiningConfig(samples=500, seed=seed)) for seed in (0, 0, 1)]
    assert sets[0].digest == sets[1].digest != sets[2].digest
    for found in sets:
        assert identities(found) < identities(everything)
        assert sum(found.dropped.values()) == len(everything) - len(found)
        assert found.counts()["zero"] == everything.counts()["zero"]
        counted = int((found.kind != ZERO).sum())
        assert 100 < counted <= 500


def test_more_samples_find_more_rules_and_in_the_end_all():
    everything = mine_rules(dense_graph())
    found = [
        len(sampled_rules(everything, samples, np.random.default_rng(0)))
        for samples in (10, 1000, 10**6)
    ]
    assert found[0] < found[1] < found[2] == len(everything)


def test_a_rule_is_found_as_often_as_its_share_of_right_predictions_says():
    rules = mine_rules(dense_graph(), MiningConfig(min_support=4))
    sought = np.flatnonzero(rules.kind != ZERO)
    share = rules.support[sought] / rules.support[sought].sum()
    one = rules.select(sought)
    names = [rule_of(one, row) for row in range(len(one))]
    hits = np.zeros(len(one))
    for seed in range(400):
        found = identities(sampled_rules(one, 50, np.random.default_rng(seed)))
        hits += [name in found for name in names]
    expected = 1 - (1 - share) ** 50
    # Five standard errors of 400 tries.
    slack = 5 * np.sqrt(expected * (1 - expected) / 400)
    assert (np.abs(hits / 400 - expected) <= slack).all()


def test_profiles_are_the_named_choices():
    assert profile("fast") == MiningConfig()
    assert profile("default", seed=3) == MiningConfig(max_length=3, seed=3)
    assert profile("low-memory").min_support == 5
    amie = profile("amie")
    assert (amie.mode, amie.min_support, amie.weights.measure) == ("amie", 100, "pca")
    with pytest.raises(ConfigError, match="'slow'; expected one of fast, default, low-memory, a"):
        profile("slow")


def test_only_seeded_choices_say_that_they_draw():
    assert not profile("fast").draws
    assert profile("default").draws
    assert MiningConfig(samples=9).draws


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mode": "torm"}, "mode 'torm'"),
        ({"min_head_coverage": 2}, "min_head_coverage=2"),
        ({"min_pca_confidence": -1}, "min_pca_confidence=-1"),
        ({"cap_closed": 0}, "cap_closed=0"),
        ({"samples": 0}, "samples=0"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_unusable_choices_are_named(options, words):
    with pytest.raises(ConfigError, match=words):
        MiningConfig(**options)


def test_pca_confidence_orders_where_asked(academic):
    none, ones = np.full(2, -1), np.ones(2)
    counts = {"pca_body": [2, 9], "head_size": [4, 4]}
    rules = RuleSet.of_kind(
        academic, CLOSED, 0 * ones, ones.reshape(2, 1), none, none, [2, 3], [10, 9], **counts
    )
    pca = RuleWeights(unseen=0, measure="pca")
    np.testing.assert_allclose(rules.confidence(pca), [1, 1 / 3])
    np.testing.assert_allclose(rules.head_coverage(), [0.5, 0.75])
    assert rules.best_first(pca).support.tolist() == [2, 3]
    assert rules.best_first(RuleWeights(unseen=0)).support.tolist() == [3, 2]
    unknown = replace(rules, pca_body=none)
    assert np.isnan(unknown.pca_confidence()).all()
    with pytest.raises(ConfigError, match="2 rules without a PCA body"):
        unknown.confidence(pca)


def test_rules_of_different_semantics_do_not_join(academic):
    rules = mine_rules(academic)
    loose = replace(rules, semantics="homomorphism")
    assert loose.digest != rules.digest
    assert loose.select([0]).semantics == "homomorphism"
    joined = RuleSet.concatenate([RuleSet.empty(academic), loose, loose])
    assert joined.semantics == "homomorphism"
    with pytest.raises(ConfigError, match="different semantics"):
        RuleSet.concatenate([rules, loose])
    with pytest.raises(ConfigError, match="semantics 'bag'"):
        replace(rules, semantics="bag")
