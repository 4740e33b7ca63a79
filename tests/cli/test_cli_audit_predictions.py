"""``audit --predictions``: verdicts of candidates from any tool, with the axioms behind them."""

from __future__ import annotations

import json

import pytest

ZOO = """@prefix : <http://zoo.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Animal a owl:Class . :Bird a owl:Class ; rdfs:subClassOf :Animal .
:Keeper a owl:Class . :Visitor a owl:Class . :Cage a owl:Class .
:Animal owl:disjointWith :Cage , :Keeper . :Keeper owl:disjointWith :Cage .
:feeds a owl:ObjectProperty ; rdfs:domain :Keeper ; rdfs:range :Animal .
:handFeeds a owl:ObjectProperty ; rdfs:subPropertyOf :feeds .
:livesIn a owl:ObjectProperty ; rdfs:domain :Animal ; rdfs:range :Cage .
:ada a :Keeper . :ben a :Visitor . :owl1 a :Bird . :pen a :Cage . :thing a owl:NamedIndividual .
:ada :feeds :owl1 . :owl1 :livesIn :pen .
"""
LISTS = """head\trelation\ttail\trank\tcandidate
ada\tfeeds\t?\t1\towl1
ada\tfeeds\t?\t2\tpen
ada\tfeeds\t?\t3\tthing
?\thandFeeds\towl1\t1\tben
?\thandFeeds\towl1\t2\tada
?\thandFeeds\towl1\t3\towl1
"""
SPACE = ("--namespace", "http://zoo.example/")


@pytest.fixture
def zoo(tmp_path):
    (tmp_path / "zoo.ttl").write_text(ZOO)
    (tmp_path / "lists.tsv").write_text(LISTS)
    (tmp_path / "plain.tsv").write_text("ada\tfeeds\towl1\npen\tlivesIn\tpen\nben\tfeeds\towl1\n")
    return tmp_path


def test_ranked_lists_are_judged_at_the_end_that_is_asked(zoo, hybridkg_command) -> None:
    code, out, _ = hybridkg_command(
        "audit", "--ontology", zoo / "zoo.ttl", "--predictions", zoo / "lists.tsv", *SPACE,
        "--k", "1,3", "--json",
    )  # fmt: skip
    assert code == 0
    document = json.loads(out)
    verdicts = [one["verdict"] for one in document["candidates"]]
    # ben is a visitor, who may be a keeper; the owl is an animal, which no keeper is.
    assert verdicts == ["ok", "impossible", "untyped", "unsupported", "ok", "impossible"]
    assert document["counts"]["@1"] == {"impossible": 0, "unsupported": 1, "untyped": 0, "ok": 1}
    assert document["counts"]["@3"] == {"impossible": 2, "unsupported": 1, "untyped": 1, "ok": 2}
    (reason,) = document["candidates"][3]["reasons"]
    assert (reason["end"], reason["must_be"], reason["constraint"], reason["of"]) == (
        "head", "Keeper", "domain", "feeds",
    )  # fmt: skip


def test_plain_triples_are_judged_at_both_ends(zoo, hybridkg_command) -> None:
    arguments = ("audit", "--ontology", zoo / "zoo.ttl", "--predictions", zoo / "plain.tsv", *SPACE)
    code, out, _ = hybridkg_command(*arguments)
    assert code == 0
    assert "impossible: pen livesIn pen" in out
    assert "Animal disjointWith Cage" in out
    assert out.split()[-5:] == ["all", "1", "1", "0", "1"]
    (zoo / "plain.tsv").write_text("head\trelation\ttail\n" + (zoo / "plain.tsv").read_text())
    assert hybridkg_command(*arguments)[1] == out
    assert hybridkg_command(*arguments, "--fail-over", "2")[0] == 0
    # One impossible and one unsupported: both are violations.
    assert hybridkg_command(*arguments, "--fail-over", "1")[0] == 1


def test_a_data_set_is_judged_by_its_own_schema(hybridkg_command) -> None:
    code, out, _ = hybridkg_command("audit", "academic", "--json")
    assert code == 0
    splits = json.loads(out)["splits"]
    assert splits["train"] == {"impossible": 0, "unsupported": 0, "untyped": 0, "ok": 15}
    assert splits["test"]["ok"] == 3


def test_bad_predictions_are_refused(zoo, hybridkg_command) -> None:
    bad = zoo / "bad.tsv"
    cases = [
        ("head\trelation\ttail\tcandidate\nada\tfeeds\t?\tpen\n", "missing: rank"),
        (LISTS.replace("feeds\t?\t1", "feeds\towl1\t1"), "bad.tsv:2: (ada, feeds, owl1); expected"),
        (LISTS.replace("?\t2\tpen", "?\ttwo\tpen"), "bad.tsv:3: rank is 'two'"),
        ("ada\tfeeds\tnobody\n", "unknown entity 'nobody'"),
        ("", "no prediction; expected one candidate a line"),
        (LISTS.splitlines()[0] + "\n", "no prediction; expected one candidate a line"),
        (LISTS + "?\thandFeeds\towl1\t3\tpen\n", "stands more than once"),
        (LISTS + "?\thandFeeds\towl1\t4\tben\n", "stands more than once"),
        ("ada\tfeeds\towl1\nada\tfeeds\towl1\n", "stands more than once"),
        ("ada\tfeedz\towl1\n", "unknown relation 'feedz'; did you mean 'feeds'?"),
    ]
    for text, words in cases:
        bad.write_text(text)
        code, _, err = hybridkg_command(
            "audit", "--ontology", zoo / "zoo.ttl", "--predictions", bad, *SPACE
        )
        assert code == 2
        assert words in err
    code, _, err = hybridkg_command("audit")
    assert code == 2
    assert "nothing to audit" in err
    code, _, err = hybridkg_command("audit", "academic", "academic")
    assert code == 2
    assert "not both folders of trained instances" in err
