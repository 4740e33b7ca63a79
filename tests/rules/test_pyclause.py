"""PyClause beside the native engine: equal where it is there, a clear sentence where it is not."""

import shutil
import stat
import sys

import numpy as np
import pytest
from benchmarks.bench_pyclause import compare_ranks, ranking_seconds, sampled

from hybridkg.errors import ConfigError, TrainingError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.graph.read import read_folder
from hybridkg.rules.apply import AGGREGATIONS
from hybridkg.rules.files import read_rules, rule_texts, write_rules
from hybridkg.rules.mine import MiningConfig, mine_rules
from hybridkg.rules.pyclause import (
    PYTHON_VARIABLE,
    answer_queries,
    count_rules,
    find_python,
    learn_rules,
)
from hybridkg.rules.rule_set import CLOSED, CONSTANT, DANGLING, ZERO
from hybridkg.rules.statistics import rule_statistics
from hybridkg.scoring.pyclause_scorer import PyClauseScorer
from hybridkg.scoring.rule_scorer import RuleScorer
from hybridkg.types import TARGETS


@pytest.fixture(scope="session")
def pyclause():
    try:
        return find_python()
    except ConfigError as error:
        pytest.skip(str(error))


@pytest.fixture
def codex(benchmarks) -> KnowledgeGraph:
    return read_folder(benchmarks / "codex-s")


def fake_python(folder, script: str) -> str:
    """An interpreter that has PyClause when asked, and then does as it likes."""
    path = folder / "python"
    path.write_text(f'#!/bin/sh\nif [ "$1" = "-c" ]; then exit 0; fi\n{script}\n')
    path.chmod(path.stat().st_mode | stat.S_IEXEC)
    return str(path)


def test_an_absent_pyclause_is_told_with_the_way_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setenv(PYTHON_VARIABLE, fake_python(tmp_path, "exit 0").replace("python", "none"))
    with pytest.raises(ConfigError, match=r"cannot be run .*a Python that has PyClause"):
        find_python()
    monkeypatch.delenv(PYTHON_VARIABLE)
    monkeypatch.setattr(sys, "executable", shutil.which("false") or "/bin/false")
    with pytest.raises(ConfigError, match=r"git clone https://github\.com/symbolic-kg/PyClause"):
        find_python()


def test_an_interpreter_that_ends_is_one_sentence_and_not_ours(academic, monkeypatch, tmp_path):
    rules = mine_rules(academic)
    script = "echo Unable to open file; exit 255"
    monkeypatch.setenv(PYTHON_VARIABLE, fake_python(tmp_path, script))
    with pytest.raises(TrainingError, match=r"exit code 255; its last words: Unable to open file"):
        count_rules(rules, academic)
    with pytest.raises(TrainingError, match="exit code 255"):
        answer_queries(rules, academic, {})


def test_learning_refuses_what_cannot_be_learned(academic, monkeypatch):
    with pytest.raises(ConfigError, match="expected at least 1"):
        learn_rules(academic, max_length=0)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ConfigError, match="needs Java"):
        learn_rules(academic)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_both_rank_the_academic_world_alike(pyclause, academic, aggregation):
    rules = mine_rules(academic, MiningConfig(min_support=1))
    native, by_frequency, other = compare_ranks(rules, academic, aggregation)
    assert (native.optimistic <= other.optimistic).all()
    assert (other.pessimistic <= native.pessimistic).all()
    if aggregation == "max":
        np.testing.assert_array_equal(other.pessimistic, native.pessimistic)
    else:
        np.testing.assert_array_equal(other.pessimistic, by_frequency.pessimistic)


def test_queries_that_were_not_prepared_are_answered_when_they_come(pyclause, academic):
    mined = mine_rules(academic, MiningConfig(min_support=1))
    # PyClause lets a zero rule propose the given entity itself; then the two differ there.
    for rules in (mined.select(np.flatnonzero(mined.kind != ZERO)), mined):
        prepared = PyClauseScorer(rules, academic, academic.split("test"), aggregation="max")
        native = RuleScorer(rules, academic, aggregation="max")
        for target in TARGETS:
            anchors = np.arange(academic.n_entities, dtype=np.int32)
            queries = Queries(target, anchors, np.full(len(anchors), 1, dtype=np.int32))
            differ = np.isfinite(prepared.score(queries)) != np.isfinite(native.score(queries))
            assert not (differ & ~np.eye(len(anchors), dtype=bool)).any()
            assert not differ.any() or rules is mined


def test_names_never_reach_pyclause(pyclause, tmp_path):
    names = ["a", "X", "New York, NY", "f(X,Y) <= g", '"q"', "tab\there"]
    triples = [(one, rel, two) for one in names for two in names[:2] for rel in ("is, in", "(")]
    kg = KnowledgeGraph.from_labels({"train": [t for t in triples if t[0] != t[2]]})
    rules = mine_rules(kg, MiningConfig(min_support=1))
    rules = rules.select(np.flatnonzero(rules.kind != ZERO))
    found, exact = count_rules(rules, kg), rule_statistics(rules, kg)
    same = np.isin(rules.kind, (CLOSED, CONSTANT))
    np.testing.assert_array_equal(found.support[same], exact.support[same])
    np.testing.assert_array_equal(found.predictions[same], exact.predictions[same])


def test_zero_rules_have_no_counts_there(pyclause, academic):
    rules = mine_rules(academic)
    found = count_rules(rules, academic)
    np.testing.assert_array_equal(found.predictions == -1, rules.kind == ZERO)


@pytest.mark.slow
def test_anyburl_learns_and_its_counts_are_taken_anew(pyclause):
    if shutil.which("java") is None:
        pytest.skip("AnyBURL needs Java")
    draw = np.random.default_rng(0)
    rows = [(f"a {h}", f"r,{r}", f"a {t}") for h, r, t in draw.integers(0, [30, 3, 30], (400, 3))]
    rows += [(h, "copy", t) for h, r, t in rows if r == "r,1"]
    kg = KnowledgeGraph.from_labels({"train": list(dict.fromkeys(rows))})
    found = learn_rules(kg, seconds=5)
    assert len(found.rules) > 100
    assert any('"r,1"(' in text for text in rule_texts(found.rules, kg))
    exact = rule_statistics(found.rules, kg)
    np.testing.assert_array_equal(found.rules.support, exact.support)
    assert found.differences.n_compared == len(found.rules)
    with pytest.raises(TrainingError, match="PyClause has no AMIE at"):
        learn_rules(kg, learner="amie")


def without_the_constant(rules, kg) -> np.ndarray:
    """(n, 2) support and predictions of dangling rules over values other than the constant."""
    counts = []
    train = {tuple(row) for row in kg.train.tolist()}
    for head, body, constant in zip(
        rules.head.tolist(), rules.body[:, 0].tolist(), rules.head_constant.tolist(), strict=True
    ):
        n = kg.n_relations
        pairs = [(h, t) if body < n else (t, h) for h, r, t in train if r == body % n]
        found = {x for x, value in pairs if value not in (x, constant)} - {constant}
        facts = {(x, head, constant) if head < n else (constant, head - n, x)
                 for x in found}  # fmt: skip
        counts.append((len(facts & train), len(found)))
    return np.array(counts)


@pytest.mark.slow
def test_codex_s_counts_and_ranks_are_equal_in_one_run(pyclause, codex, tmp_path):
    mined = mine_rules(codex, MiningConfig(max_length=3, min_confidence=0.02))
    path = tmp_path / "mined.rules"
    write_rules(mined, path, codex, safe_ids=True)
    rules = read_rules(path, codex, statistics="file")
    assert next(rule_texts(rules, codex)).count("(") == 2

    part = sampled(rules, 600, 1500)
    theirs, ours = count_rules(part, codex), rule_statistics(part, codex)
    equal = (theirs.support == ours.support) & (theirs.predictions == ours.predictions)
    assert equal[part.kind == CLOSED].sum() == 600
    assert equal[part.kind == CONSTANT].all()
    assert equal[part.kind != CLOSED].sum() >= 490
    # PyClause counts dangling rules over values other than the head constant only.
    dangling = part.kind == DANGLING
    expected = without_the_constant(part.select(np.flatnonzero(dangling)), codex)
    np.testing.assert_array_equal(
        expected, np.c_[theirs.support[dangling], theirs.predictions[dangling]]
    )

    native, by_frequency, other = compare_ranks(rules, codex, "maxplus")
    assert round(other.mrr(), 4) == round(by_frequency.mrr(), 4)
    inside = (native.optimistic <= other.pessimistic) & (other.pessimistic <= native.pessimistic)
    assert inside.mean() > 0.999
    native, _, other = compare_ranks(rules, codex, "max")
    assert round(other.mrr(), 4) == round(native.mrr(), 4)

    index, rank, theirs_seconds = ranking_seconds(rules, codex)
    assert index + rank <= 0.2 * theirs_seconds
