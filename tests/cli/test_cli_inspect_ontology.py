"""``inspect`` on ontologies: what was read is told, whether or not there are facts to split."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent.parent / "fixtures" / "reading"
TBOX = """@prefix : <http://t.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://t.example/> a owl:Ontology ; owl:imports <http://t.example/missing> .
:A a owl:Class ; rdfs:subClassOf :B ; owl:disjointWith :C . :r a owl:ObjectProperty .
:i a :A . _:x a :A . :t rdf:value "x" .
""".replace("rdf:value", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#value>")


@pytest.mark.parametrize("name", ["bakery.ttl", "bakery.ofn"])
def test_the_document_has_all_counts(hybridkg_command, name: str) -> None:
    code, out, _ = hybridkg_command("inspect", FIXTURES / name, "--json")
    assert code == 0
    reading = json.loads(out)["reading"]
    n = "http://bakery.example/terms#"
    assert reading["listed"]["facts"] == [
        [n + "rye", n + "bakedIn", n + "stone"],
        [n + "stone", n + "firedBy", n + "ada"],
    ]
    counts = {key: value for key, value in reading.items() if isinstance(value, int)}
    assert counts == {
        "statements": 35,
        "facts": 2,
        "types": 3,
        "individuals": 3,
        "classes": 4,
        "object_properties": 2,
        "disjoint_pairs": 3,
        "skipped_anonymous": 0,
    }
    kinds = {"DisjointClasses": 1, "Domain": 2, "Range": 2, "SubClassOf": 2}
    assert reading["axioms_by_kind"] == kinds


def test_an_ontology_without_facts_is_no_error(tmp_path: Path, hybridkg_command) -> None:
    path = tmp_path / "tbox.owl"
    path.write_text(TBOX)
    code, out, error = hybridkg_command("inspect", path)
    assert (code, error) == (0, "")
    assert out.splitlines()[0] == "tbox: no facts between individuals, so no splits to check"
    for words in (
        "9 statements = 0 facts + 1 types + 2 for 2 axioms + 3 declarations",
        "1 individuals, 3 classes, 1 object properties",
        "axioms: DisjointClasses 1, SubClassOf 1; disjoint pairs 1",
        "left out, type of an anonymous individual: 1, the first is _ http://www.w3.org/",
        "left out, built-in property http://www.w3.org/1999/02/22-rdf-syntax-ns#value: 1",
        "imports http://t.example/missing, for which no file lies beside it; it was not read",
    ):
        assert words in out, words
    document = json.loads(hybridkg_command("inspect", path, "--json")[1])
    assert document["reading"]["not_imported"] == ["http://t.example/missing"]
    assert document["splits"] == {"train": 0}


def test_facts_are_still_asked_for_where_they_are_needed(tmp_path: Path, hybridkg_command) -> None:
    path = tmp_path / "tbox.ttl"
    path.write_text(TBOX)
    code, _, error = hybridkg_command("split", path, "--out", tmp_path / "out")
    assert code == 2
    assert "no training fact found" in error
    code, _, error = hybridkg_command("inspect", path, "--ontology", path)
    assert code == 2
    rows = tmp_path / "empty.tsv"
    rows.write_text("")
    assert hybridkg_command("inspect", rows)[0] == 2


def test_the_real_educational_ontology_adds_up(benchmarks: Path, hybridkg_command) -> None:
    folder = benchmarks / "edukg"
    files = (folder / "educonto.owl", folder / "edukg.ttl.xz")
    code, out, _ = hybridkg_command("inspect", *files, "--json")
    assert code == 0
    document = json.loads(out)
    keys = ("facts", "types", "declarations", "axioms", "literals", "annotations")
    for entry in document["files"]:
        assert entry["statements"] == sum(entry[k] for k in keys) + sum(entry["skipped"].values())
    assert (document["reading"]["facts"], document["reading"]["types"]) == (36301, 4331)
    assert document["files"][0]["n_axioms"] == 162
