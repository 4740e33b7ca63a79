"""The miner finds exactly the rules that the definitions name, with their counts."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_oracle import Facts, rule_of, small_graphs

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.mine import MiningConfig, mine_rules
from hybridkg.rules.mine_long import LongRuleConfig
from hybridkg.rules.rule_set import CONSTANT, LOOP_CONSTANT, LOOP_DANGLING, RuleSet
from hybridkg.rules.weights import RuleWeights


@given(small_graphs(), st.integers(1, 3), st.sampled_from([0.0, 0.01, 0.4, 0.5, 1.0]))
@settings(max_examples=40, deadline=None)
def test_mined_rules_are_all_rules_over_the_thresholds(kg, min_support, min_confidence):
    config = MiningConfig(min_support=min_support, min_confidence=min_confidence, cap_per_head=None)
    rules = mine_rules(kg, config, engine="plain")
    mined = mined_counts(rules)
    facts, expected = Facts(kg), {}
    for rule in facts.all_rules():
        body, support, pca_body = facts.counts(rule)
        least = 1 if rule[0] == "zero" else min_support
        if support >= least and (
            rule[0] == "zero" or support / facts.body_size(rule) >= min_confidence
        ):
            expected[rule] = (body, support, pca_body, facts.head_size(rule))
    assert len(mined) == len(rules)
    assert mined == expected


def mined_counts(rules: RuleSet) -> dict:
    """Rule -> body count, support, PCA body, head size."""
    columns = (rules.body_count, rules.support, rules.pca_body, rules.head_size)
    return {
        rule_of(rules, row): tuple(int(column[row]) for column in columns)
        for row in range(len(rules))
    }


@given(small_graphs(n_entities=5, n_relations=2), st.integers(1, 2))
@settings(max_examples=25, deadline=None)
def test_three_atoms_are_all_found_and_exact_where_the_samples_hold_everything(kg, min_support):
    long = LongRuleConfig(
        triples_per_head=10**6, min_seen=1, bodies_per_head=10**6, counted_per_head=10**6,
        screen_subjects=10**6, screen_steps=10**9, min_confidence=0.0,
    )  # fmt: skip
    config = MiningConfig(
        min_support=min_support, min_confidence=0.0, max_length=3, long=long, constants=False
    )
    rules = mine_rules(kg, config, engine="plain")
    mined, facts = mined_counts(rules.select(rules.lengths() == 3)), Facts(kg)
    expected = {}
    for rule in facts.long_rules():
        body, support, pca_body = facts.counts(rule)
        if support >= min_support:
            expected[rule] = (body, support, pca_body, facts.head_size(rule))
    assert mined == expected


@given(
    small_graphs(n_entities=7, n_relations=2),
    st.sampled_from(
        [
            LongRuleConfig(),
            LongRuleConfig(triples_per_head=3, max_paths=4, min_seen=1),
            LongRuleConfig(min_seen=1, bodies_per_head=4, counted_per_head=2),
            LongRuleConfig(min_seen=1, screen_subjects=2, screen_steps=3),
            # Bodies that cannot become so confident any more are left early.
            LongRuleConfig(min_seen=1, min_confidence=0.7),
        ]
    ),
    st.integers(0, 2),
)
@settings(max_examples=40, deadline=None)
def test_compiled_and_plain_search_for_three_atoms_agree(kg, long, seed):
    config = MiningConfig(min_support=1, max_length=3, long=long, seed=seed)
    plain, compiled = (mine_rules(kg, config, engine=engine) for engine in ("plain", "compiled"))
    assert plain.digest == compiled.digest
    assert plain.dropped == compiled.dropped


@given(
    small_graphs(n_entities=7, n_relations=3),
    st.integers(1, 2),
    st.sampled_from([None, 1, 3, 10]),
    st.integers(0, 2),
)
@settings(max_examples=60, deadline=None)
def test_compiled_and_plain_mining_give_the_same_bytes(kg, min_support, cap, max_length):
    config = MiningConfig(min_support=min_support, cap_per_head=cap, max_length=max_length)
    plain, compiled = (mine_rules(kg, config, engine=engine) for engine in ("plain", "compiled"))
    assert plain.digest == compiled.digest
    assert plain.dropped == compiled.dropped


@given(small_graphs(), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_a_cap_keeps_the_most_confident_rules_and_counts_the_others(kg, cap):
    weights = RuleWeights()
    everything = mine_rules(kg, MiningConfig(min_support=1, cap_per_head=None))
    capped = mine_rules(kg, MiningConfig(min_support=1, cap_per_head=cap))

    def unary(rules: RuleSet, head: int) -> np.ndarray:
        rows = ((rules.kind == 1) | (rules.kind == 2)) & (rules.head == head)
        return np.sort(rules.confidence(weights)[rows])[::-1]

    for head in range(2 * kg.n_relations):
        np.testing.assert_array_equal(unary(capped, head), unary(everything, head)[:cap])
    assert sum(capped.dropped.values()) == len(everything) - len(capped)


def test_a_planted_rule_is_found_with_its_counts():
    train = []
    for family in range(20):
        mother, child, place = f"m{family}", f"c{family}", f"p{family}"
        train += [(mother, "has child", child), (mother, "lives in", place)]
        # Every fifth child has moved.
        home = place if family % 5 else f"p{(family + 1) % 20}"
        train.append((child, "born in", home))
    rules = mine_rules(KnowledgeGraph.from_labels({"train": train}), MiningConfig(constants=False))
    born, child, lives = 0, 1, 2
    row = [
        r
        for r in range(len(rules))
        if rule_of(rules, r) == ("closed", born, (child + 3, lives), -1, -1)
    ]
    assert len(row) == 1
    assert (rules.support[row[0]], rules.body_count[row[0]]) == (16, 20)


def test_repeated_triples_change_nothing(academic):
    train = academic.label_triples(academic.train)
    again = KnowledgeGraph.from_labels({"train": [*train, *train]}, entities=academic.entities)
    config = MiningConfig(min_support=1, max_length=3)
    assert mine_rules(again, config).digest == mine_rules(academic, config).digest


def test_a_loop_is_no_step_of_a_path_but_a_feature_and_a_head(academic):
    train = [*academic.label_triples(academic.train), ("bob", "advises", "bob")]
    more, less = (
        mine_rules(kg, MiningConfig(min_support=1))
        for kg in (KnowledgeGraph.from_labels({"train": train}), academic)
    )
    bob, advises = academic.entities.id_of("bob"), academic.relations.id_of("advises")
    looped = (more.kind == CONSTANT) & (more.body_constant == bob)
    looped &= more.body[:, 0] % academic.n_relations == advises
    looped |= np.isin(more.kind, (LOOP_CONSTANT, LOOP_DANGLING))
    kept = [rule_of(more, row) for row in np.flatnonzero(~looped).tolist()]
    theirs = [rule_of(less, row) for row in range(len(less))]
    assert set(kept) <= set(theirs)
    assert {one for one in theirs if one[0] != "constant"} <= set(kept)
    mit, affiliated = academic.entities.id_of("mit"), academic.relations.id_of("affiliated")
    counts = mined_counts(more)
    # Alice and bob are at mit; both advise somebody, and bob himself too.
    assert counts["loop_constant", advises, (affiliated,), -1, mit] == (2, 1, 2, 4)
    # So is and does carol.
    assert counts["loop_dangling", advises, (affiliated,), -1, -1] == (4, 1, 3, 4)


def test_academic_rules_need_no_compiler(academic):
    script = (
        "import sys\n"
        "from conftest import FACTS, HELD_OUT\n"
        "from hybridkg.graph.knowledge_graph import KnowledgeGraph\n"
        "from hybridkg.graph.queries import QueryList\n"
        "from hybridkg.scoring.rule_scorer import mine_rule_scorer\n"
        "kg = KnowledgeGraph.from_labels({'train': FACTS, 'test': HELD_OUT})\n"
        "queries = QueryList.from_triples(kg.split('test')).distinct('tail')[0]\n"
        "from hybridkg.rules.mine import MiningConfig\n"
        "scorer = mine_rule_scorer(kg, MiningConfig(min_support=1, max_length=3, samples=500))\n"
        "scorer.score(queries)\n"
        "assert scorer.explain(tuple(kg.split('test')[0].tolist()))\n"
        "assert 'numba' not in sys.modules\n"
    )
    _run(script, "0")


@pytest.mark.parametrize(
    "options",
    [
        "cap_per_head=200",
        "max_length=3, seed=7, cap_closed=150",
        "max_length=3, samples=3000",
        "mode='amie', max_length=3",
    ],
)
def test_rules_are_the_same_bytes_under_every_hash_seed_and_thread_count(options):
    script = (
        "import numpy as np, hashlib, sys\n"
        "from hybridkg.graph.knowledge_graph import KnowledgeGraph\n"
        "from hybridkg.rules.files import write_rules\n"
        "from hybridkg.rules.mine import mine_rules, MiningConfig\n"
        "draw = np.random.default_rng(3)\n"
        "drawn = draw.integers(0, (60, 5, 60), (500, 3))\n"
        "rows = {(f'e{h}', f'r{r}', f'e{t}') for h, r, t in drawn}\n"
        "kg = KnowledgeGraph.from_labels({'train': rows})\n"
        f"rules = mine_rules(kg, MiningConfig({options}), engine='compiled')\n"
        "write_rules(rules, sys.argv[1], kg)\n"
        "print(len(rules), rules.digest, hashlib.sha256(open(sys.argv[1], 'rb').read()).digest())\n"
    )
    first, second = _run(script, "1"), _run(script, "2", threads="2")
    assert first == second
    assert int(first.split()[0]) > 500


def _run(script: str, hash_seed: str, threads: str = "1") -> str:
    environment = dict(
        os.environ,
        PYTHONHASHSEED=hash_seed,
        NUMBA_NUM_THREADS=threads,
        OMP_NUM_THREADS=threads,
        PYTHONPATH=str(Path(__file__).parents[1]),
    )
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", script, f"{folder}/written.rules"],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"min_support": 0}, "min_support=0"),
        ({"min_confidence": 1.5}, "min_confidence=1.5"),
        ({"max_length": 4}, "max_length=4"),
        ({"cap_per_head": 0}, "cap_per_head=0"),
    ],
)
def test_unusable_options_are_named(options, words):
    with pytest.raises(ConfigError, match=words):
        MiningConfig(**options)


def test_an_unknown_engine_is_named(academic):
    with pytest.raises(ConfigError, match="'fast'"):
        mine_rules(academic, engine="fast")  # type: ignore[arg-type]
