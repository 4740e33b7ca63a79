"""Stored rule sets: what is written is loaded as it was, and nothing else is loaded."""

import hashlib
import io
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_oracle import small_graphs

from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.mine import MiningConfig, mine_rules
from hybridkg.rules.rule_set import ABSENT, CLOSED, SEMANTICS, RuleSet
from hybridkg.rules.store import load_rule_set, save_rule_set

COLUMNS = (
    "kind", "head", "body", "head_constant", "body_constant", "support", "body_count", "provenance",
    "pca_body", "head_size",
)  # fmt: skip

#: Facts of a file without rules to check.
CURRENT = b'{"format":"hybridkg-rules-2","semantics":"object identity"}'


def assert_same(one: RuleSet, other: RuleSet) -> None:
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
        assert getattr(one, name).dtype == getattr(other, name).dtype == np.int32
    assert (one.n_relations, one.vocabulary) == (other.n_relations, other.vocabulary)
    assert one.semantics == other.semantics
    assert one.dropped == other.dropped


def sealed(*arrays: np.ndarray, pickled: bool = False) -> bytes:
    """Bytes of a file whose SHA-256 is right, whatever it holds."""
    content = io.BytesIO()
    for array in arrays:
        np.save(content, array, allow_pickle=pickled)
    return content.getvalue() + hashlib.sha256(content.getvalue()).digest()


@pytest.fixture
def rules(academic) -> RuleSet:
    return mine_rules(academic, MiningConfig(min_support=1, cap_per_head=100))


@given(small_graphs(), st.sampled_from([1, 3, None]), st.integers(0, 2), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_a_stored_set_is_loaded_as_it_was(tmp_path_factory, kg, cap, max_length, seed):
    draw = np.random.default_rng(seed)
    mined = mine_rules(kg, MiningConfig(min_support=1, cap_per_head=cap, max_length=max_length))
    mixed = mined.select(draw.permutation(len(mined)))
    mixed = replace(
        mixed, provenance=draw.integers(3, size=len(mined)), semantics=SEMANTICS[seed % 2]
    )
    path = tmp_path_factory.mktemp("rules") / "rules.npy"
    save_rule_set(mixed, path)
    assert_same(load_rule_set(path, kg), mixed)


@given(st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=6), max_size=8))
@settings(max_examples=40)
def test_bodies_of_any_length_are_kept(tmp_path_factory, academic, bodies):
    width = max([1, *map(len, bodies)])
    body = np.full((len(bodies), width), ABSENT)
    for row, steps in enumerate(bodies):
        body[row, : len(steps)] = steps
    none, ones = np.full(len(bodies), ABSENT), np.ones(len(bodies))
    long = RuleSet.of_kind(academic, CLOSED, 0 * ones, body, none, none, ones, ones)
    path = tmp_path_factory.mktemp("rules") / "rules.npy"
    save_rule_set(long, path)
    assert_same(load_rule_set(path, academic), long)


def test_what_a_cap_left_out_is_kept(academic, tmp_path):
    rules = mine_rules(academic, MiningConfig(min_support=1, cap_per_head=3))
    assert sum(rules.dropped.values()) > 0
    save_rule_set(rules, tmp_path / "rules.npy")
    assert load_rule_set(tmp_path / "rules.npy", academic).dropped == rules.dropped


def test_the_first_array_is_the_columns(rules, tmp_path):
    save_rule_set(rules, tmp_path / "rules.npy")
    columns = np.load(tmp_path / "rules.npy", allow_pickle=False)
    assert columns.dtype == np.dtype("<i4")
    assert columns.shape == (9 + rules.body.shape[1], len(rules))
    flat = [name for name in COLUMNS if name != "body"]
    for place, name in enumerate(flat):
        np.testing.assert_array_equal(columns[place], getattr(rules, name), err_msg=name)
    np.testing.assert_array_equal(columns[len(flat) :].T, rules.body)


def test_equal_sets_are_equal_bytes_under_every_hash_seed(tmp_path):
    script = (
        "import sys\n"
        "from conftest import FACTS\n"
        "from hybridkg.graph.knowledge_graph import KnowledgeGraph\n"
        "from hybridkg.rules.mine import mine_rules, MiningConfig\n"
        "from hybridkg.rules.store import save_rule_set\n"
        "kg = KnowledgeGraph.from_labels({'train': set(FACTS)})\n"
        "config = MiningConfig(min_support=1, cap_per_head=3)\n"
        "save_rule_set(mine_rules(kg, config, engine='plain'), sys.argv[1])\n"
    )
    for seed in ("1", "2"):
        environment = dict(
            os.environ, PYTHONHASHSEED=seed, PYTHONPATH=str(Path(__file__).parents[1])
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / seed)],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert len((tmp_path / "1").read_bytes()) > 1000


@given(st.data())
def test_no_changed_byte_goes_unseen(tmp_path_factory, academic, data):
    path = tmp_path_factory.mktemp("rules") / "rules.npy"
    save_rule_set(mine_rules(academic, MiningConfig(min_support=1)), path)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    damage = data.draw(st.sampled_from(["changed", "cut", "longer", "missing"]))
    if damage == "changed":
        content[place] ^= data.draw(st.integers(1, 255))
    elif damage == "cut":
        del content[place:]
    elif damage == "longer":
        content += content[place:]
    else:
        del content[place]
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"rules\.npy: .*SHA-256.*damaged.*write it again"):
        load_rule_set(path, academic)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "0 bytes that do not end with their own SHA-256"),
        (b"kind\thead\n", "10 bytes that do not end"),
        (sealed(), "expected a stored rule set"),
        (sealed(np.zeros((8, 1), "<i4")), "expected a stored rule set"),
        (sealed(np.array([None]), pickled=True), "expected a stored rule set; Object arrays"),
        (sealed(np.zeros(1), np.frombuffer(b"{", "u1")), "expected a stored rule set"),
        (sealed(np.zeros(1), np.frombuffer(b"[]", "u1")), r"format \[\]"),
        (sealed(np.zeros(1), np.frombuffer(b'{"format":"x"}', "u1")), "format 'x', expected 'hy"),
        *(
            (sealed(array, np.frombuffer(CURRENT, "u1")), words)
            for array, words in (
                (np.zeros((10, 1)), r"array \(10, 1\) of float64, expected int32"),
                (np.zeros((10, 1), "<i8"), "of int64, expected int32"),
                (np.zeros(8, "<i4"), r"array \(8,\) of int32"),
                (np.zeros((8, 1), "<i4"), r"array \(8, 1\) of int32"),
                (np.zeros((10, 1), "<i4"), "belong to other entities or relations"),
            )
        ),
    ],
)
def test_a_file_of_something_else_is_refused(academic, tmp_path, content, words):
    (tmp_path / "rules.npy").write_bytes(content)
    with pytest.raises(DataError, match=rf"rules\.npy: .*{words}"):
        load_rule_set(tmp_path / "rules.npy", academic)


def test_a_file_of_an_earlier_version_says_what_to_do(academic, tmp_path):
    earlier = np.frombuffer(b'{"format":"hybridkg-rules-1"}', "u1")
    (tmp_path / "rules.npy").write_bytes(sealed(np.zeros((8, 1), "<i4"), earlier))
    with pytest.raises(DataError, match=r"earlier version, which has no PCA body.*Mine the rules"):
        load_rule_set(tmp_path / "rules.npy", academic)


def test_unknown_semantics_are_refused(academic, tmp_path):
    facts = np.frombuffer(b'{"format":"hybridkg-rules-2","semantics":"x"}', "u1")
    (tmp_path / "rules.npy").write_bytes(sealed(np.zeros((10, 1), "<i4"), facts))
    with pytest.raises(DataError, match="semantics 'x'"):
        load_rule_set(tmp_path / "rules.npy", academic)


def test_a_missing_file_is_named(academic, tmp_path):
    with pytest.raises(DataError, match=r"none\.npy: cannot be read"):
        load_rule_set(tmp_path / "none.npy", academic)
    with pytest.raises(DataError, match="cannot be read"):
        load_rule_set(tmp_path, academic)


def test_a_graph_with_other_names_is_refused(academic, rules, tmp_path):
    save_rule_set(rules, tmp_path / "rules.npy")
    triples = [
        ("z" if h == "dave" else h, r, t) for h, r, t in academic.label_triples(academic.train)
    ]
    other = KnowledgeGraph.from_labels({"train": triples}, name="renamed")
    with pytest.raises(DataError, match="other entities or relations than graph 'renamed'"):
        load_rule_set(tmp_path / "rules.npy", other)


@pytest.mark.parametrize(
    ("column", "kind", "value", "words"),
    [
        ("kind", "closed", 6, "kind 6 in rule .*expected a code below 6"),
        ("kind", "zero", -1, "kind -1"),
        ("head", "closed", 5, "head 5 .*below 5 for closed and loop rules, below 10 for others"),
        ("head", "zero", 10, "head 10 "),
        ("head", "constant", -1, "head -1 "),
        ("body", "closed", [10, -1], r"body \[10, -1\] "),
        ("body", "closed", [-1, 2], r"body \[-1, 2\] "),
        ("body", "closed", [-1, -1], r"body \[-1, -1\] .*as many relations below 10 as the kind"),
        ("body", "closed", [2, -2], r"body \[2, -2\] "),
        ("body", "constant", [2, 2], r"body \[2, 2\] "),
        ("body", "dangling", [-1, -1], r"body \[-1, -1\] "),
        ("body", "zero", [2, -1], r"body \[2, -1\] "),
        ("head_constant", "closed", 0, "head_constant 0 .*-1 for closed and loop rules"),
        ("head_constant", "zero", -1, "head_constant -1 .*an entity below 13"),
        ("head_constant", "dangling", 13, "head_constant 13 "),
        ("body_constant", "constant", 13, "body_constant 13 .*an entity below 13"),
        ("body_constant", "constant", -1, "body_constant -1 "),
        ("body_constant", "dangling", 0, "body_constant 0 .*-1 for others"),
        ("body_count", "closed", -1, "body_count -1 .*at least 0"),
        ("support", "zero", -1, "support -1 .*0 to body_count"),
        ("support", "constant", 10**6, "support 1000000 "),
        ("provenance", "closed", 3, "provenance 3 .*below 3"),
        ("provenance", "closed", -1, "provenance -1 "),
        ("pca_body", "constant", 0, "pca_body 0 .*support to body_count, or -1"),
        ("pca_body", "constant", 10**6, "pca_body 1000000 "),
        ("head_size", "zero", 0, "head_size 0 .*at least the support, or -1"),
    ],
)
def test_values_that_are_no_rule_of_the_graph_are_refused(
    academic, rules, tmp_path, column, kind, value, words
):
    assert (academic.n_entities, academic.n_relations) == (13, 5)
    row = np.flatnonzero(rules.kind == ("closed", "constant", "dangling", "zero").index(kind))[-1]
    changed = getattr(rules, column).copy()
    changed[row] = value
    save_rule_set(replace(rules, **{column: changed}), tmp_path / "rules.npy")
    with pytest.raises(DataError, match=words) as caught:
        load_rule_set(tmp_path / "rules.npy", academic)
    assert f"in rule {row} " in str(caught.value)


def test_a_write_that_fails_leaves_the_file_before(academic, rules, tmp_path, monkeypatch):
    path = tmp_path / "rules.npy"
    save_rule_set(rules, path)

    def full(self: Path, content: bytes) -> int:
        with self.open("wb") as stream:
            stream.write(content[:100])
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="no space"):
        save_rule_set(RuleSet.empty(academic), path)
    assert_same(load_rule_set(path, academic), rules)
    assert [one.name for one in tmp_path.iterdir()] == ["rules.npy"]
