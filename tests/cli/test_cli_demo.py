"""``demo`` prints the right answers of the academic world, as text and as JSON."""

from __future__ import annotations

import json

import pytest


@pytest.fixture(scope="module")
def study():
    from hybridkg.training.academic import study_academic_world

    return study_academic_world()


def test_graph_and_closure(study) -> None:
    graph = study["graph"]
    assert [graph[key] for key in ("entities", "relations", "triples", "train", "test")] == [
        13, 5, 18, 15, 3,
    ]  # fmt: skip
    closure = study["closure"]
    assert closure["outside"] == 3
    assert [entry["triple"] for entry in closure["entailed"]] == [
        ["alice", "grandAdvisor", "carol"],
        ["bob", "grandAdvisor", "erin"],
    ]
    for entry, facts in zip(
        closure["entailed"],
        (["alice advises bob", "bob advises carol"], ["bob advises carol", "carol advises erin"]),
        strict=True,
    ):
        assert [p for p in entry["premises"] if "subPropertyOf" not in p] == facts
        assert len(entry["premises"]) == 3
    status = {(w["entity"], w["status"], *w["named"]) for w in closure["witnesses"]}
    assert status == {("alice", "anonymous"), ("bob", "named", "carol")}


def test_chance_line_and_ranks(study) -> None:
    comparison = study["comparison"]
    chance = comparison["expected"]["chance"]
    assert study["pools"] == [12, 13, 13, 12, 13, 11]
    assert chance["mrr"] == pytest.approx(0.254269, abs=5e-7)
    assert chance["hits_at_1"] == pytest.approx(0.081391, abs=5e-7)
    assert chance["hits_at_10"] == pytest.approx(0.813908, abs=5e-7)
    assert comparison["optimistic_ranks"]["random"] == [10, 10, 12, 7, 10, 9]
    optimistic = {one["name"]: one["mrr"] for one in comparison["optimistic"]["instances"]}
    expected = {one["name"]: one["mrr"] for one in comparison["expected"]["instances"]}
    assert optimistic["random"] == pytest.approx(0.1062, abs=5e-5)
    assert optimistic["constant"] == 1.0
    assert expected["constant"] == pytest.approx(chance["mrr"], abs=1e-12)
    notes = {one["name"]: one["notes"] for one in comparison["optimistic"]["instances"]}
    assert any("flatter ties" in note for note in notes["constant"])
    chapter = study["chapter_transe"]
    assert chapter["runs"][0]["ranks"] == [3, 3, 1, 1, 1, 1]
    assert chapter["runs"][0]["mrr"] == pytest.approx((1 / 3 + 1 / 3 + 4) / 6)
    assert chapter["agreeing"] >= 8


def test_audit_and_oracle(study) -> None:
    audit = study["audit"]
    assert audit["impossible_per_query"] == [8, 8, 10, 8, 11, 8]
    assert (audit["impossible"], audit["candidates"]) == (53, 78)
    assert set(audit["truth_verdicts"]) == {"ok"}
    assert audit["example"]["verdict"] == "impossible"
    assert len(audit["example"]["axioms"]) >= 3
    names = {one["name"] for one in study["comparison"]["expected"]["instances"]}
    absent = {entry["name"] for entry in study["comparison"]["absent"]}
    wanted = {"constant", "random", "chapter_transe", "pykeen-distmult", "rules", "rule-file"}
    assert names | absent == wanted
    assert set(audit["summary"]) == names
    for oracle in study["oracle"]:
        group = oracle["groups"][-1]
        assert group["gap"] >= 0
        assert set(group["members"]) == names


def test_text_and_json_carry_the_numbers(hybridkg_command, study, monkeypatch) -> None:
    monkeypatch.setattr("hybridkg.training.academic.study_academic_world", lambda note: study)
    code, out, err = hybridkg_command("demo")
    assert (code, err) == (0, "")
    for words in (
        "13 entities, 5 relations, 18 triples, 15/3 split",
        "held out: advises(bob, dave): outside the closure",
        "entailed: grandAdvisor(alice, carol)",
        "advises o advises subPropertyOf grandAdvisor",
        "MRR .254269  Hits@1 .081391  Hits@10 .813908",
        "10 10 12 7 10 9",
        "seed 0: ranks 3 3 1 1 1 1, MRR 0.7778 (optimistic)",
        "warning: constant: all scores are equal in every query",
        "impossible candidates per query: 8 8 10 8 11 8 (53 of 78); true answers among them: none",
    ):
        assert words in out
    code, out, _ = hybridkg_command("demo", "--json")
    assert code == 0
    assert json.loads(out)["audit"]["impossible_per_query"] == [8, 8, 10, 8, 11, 8]


def test_without_pykeen_the_row_is_absent_with_the_way_to_get_it(monkeypatch) -> None:
    from hybridkg.errors import MissingExtraError
    from hybridkg.report.academic import demo_text
    from hybridkg.training import academic as study_module

    def missing(name):
        raise MissingExtraError("PyKEEN-defined models", "embeddings")

    monkeypatch.setattr(study_module, "find_model", missing)
    monkeypatch.setattr(study_module, "SEEDS", range(1))
    text = demo_text(study_module.study_academic_world())
    assert "absent: pykeen-distmult: PyKEEN-defined models: the optional dependencies" in text
    assert "pip install 'hybridkg[embeddings]'" in text
