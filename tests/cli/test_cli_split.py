"""``split``: any files become a benchmark folder that needs no further steps."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from hybridkg.cli.inspect import inspection
from hybridkg.cli.split import split, split_files
from hybridkg.errors import ConfigError, DataError, OntologyError, SplitError
from hybridkg.graph.read import read_folder
from hybridkg.ontology.load import read_ontology

CLUB = "http://club.example/"
PEOPLE = [f"m{n}" for n in range(8)]
TBOX = f"""@prefix : <{CLUB}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Member a owl:Class ; rdfs:subClassOf :Person .
:knows a owl:ObjectProperty , owl:SymmetricProperty ; rdfs:domain :Person .
:trains a owl:ObjectProperty ; rdfs:subPropertyOf :knows .
"""
ABOX = "\n".join(
    [f':{one} a :Member ; rdfs:label "{one.upper()}" .' for one in PEOPLE]
    + [f":{a} :knows :{b} ." for a in PEOPLE for b in PEOPLE if a != b]
    + [f":{a} :trains :{b} ." for a, b in pairwise(PEOPLE)]
)

app = typer.Typer()
app.command()(split)


@pytest.fixture
def club(tmp_path: Path) -> Path:
    (tmp_path / "club.ttl").write_text(TBOX + ABOX)
    (tmp_path / "terms.ttl").write_text("# terms\n" + TBOX)
    rows = [f"{a}\tknows\t{b}" for a in PEOPLE for b in PEOPLE if a != b]
    (tmp_path / "facts.tsv").write_text("\n".join([*rows, rows[0]]) + "\n")
    (tmp_path / "kinds.tsv").write_text("".join(f"{one}\tMember\n" for one in PEOPLE))
    return tmp_path


def test_one_owl_file_becomes_a_complete_folder(club: Path) -> None:
    out = club / "out"
    result = CliRunner().invoke(
        app, [str(club / "club.ttl"), "--out", str(out), "--seed", "5", "--json"]
    )
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["splits"] == {"train": 51, "valid": 6, "test": 6}
    assert sorted(p.name for p in out.iterdir()) == sorted(document["written"])
    kg = read_folder(out)
    assert kg.seen_entities().all()
    assert kg.n_entities == 8
    assert kg.classes.labels == (f"{CLUB}Member",)
    assert kg.readable["entity"][f"{CLUB}m0"] == "M0"
    schema = read_ontology(out / "schema.ttl")
    assert schema.axioms == read_ontology(club / "terms.ttl").axioms
    # A fact in the schema would hand the test triples to whoever reasons with it.
    assert (schema.facts, schema.types) == ((), ())


def test_the_folder_meets_its_schema_by_equality_and_shows_the_same_leaks(club: Path) -> None:
    out = club / "out"
    document = split_files([str(club / "club.ttl")], out, seed=5)
    again = inspection([str(out)], ontology=out / "schema.ttl")
    assert again["ontology"]["matches"]["relation"]["matched"] == 2
    assert list(again["entailed"]) == document["entailed"]
    assert list(again["reversed"]) == document["reversed"]
    # With a symmetric relation that holds both ways nearly every held-out triple follows.
    assert sum(one["derived"] for one in document["entailed"]) > 0


def test_labels_of_tables_become_iris_with_a_namespace(club: Path) -> None:
    arguments = {
        "ontology": club / "terms.ttl",
        "types_file": club / "kinds.tsv",
        "seed": 1,
    }
    with pytest.raises(OntologyError, match="no class of the graph is in"):
        split_files([str(club / "facts.tsv")], club / "bare", **arguments)  # type: ignore[arg-type]
    assert not (club / "bare").exists()
    document = split_files(
        [str(club / "facts.tsv")],
        club / "out",
        namespaces=[CLUB],
        **arguments,  # type: ignore[arg-type]
    )
    assert document["repeated_rows"] == 1
    assert (club / "out" / "schema.ttl").read_bytes() == (club / "terms.ttl").read_bytes()
    kg = read_folder(club / "out")
    assert kg.relations.labels == (f"{CLUB}knows",)
    assert kg.classes.labels == (f"{CLUB}Member",)


def test_the_same_seed_writes_the_same_bytes(club: Path) -> None:
    for name in ("a", "b"):
        split_files([str(club / "club.ttl")], club / name, seed=7)
    for path in (club / "a").iterdir():
        assert path.read_bytes() == (club / "b" / path.name).read_bytes()
    split_files([str(club / "club.ttl")], club / "a", seed=7)
    with pytest.raises(DataError, match="is not empty"):
        split_files([str(club / "club.ttl")], club / "a", seed=8)


def test_text_says_what_was_left_out_and_what_leaks(club: Path) -> None:
    result = CliRunner().invoke(
        app, [str(club / "facts.tsv"), "--out", str(club / "out"), "--valid", "0", "--test", ".25"]
    )
    assert result.exit_code == 0, result.output
    assert "train 42 / test 14; 8 entities, 1 relations, 0 types" in result.stdout
    assert "repeated rows left out: 1" in result.stdout
    assert re.search(r"test: \d+ triples have a reversed pair in train", result.stdout)


def test_impossible_shares_write_nothing(club: Path) -> None:
    with pytest.raises(SplitError, match="leave nothing for train"):
        split_files([str(club / "facts.tsv")], club / "out", valid=0.6, test=0.4)
    assert not (club / "out").exists()


def test_options_of_reasoning_are_refused_where_no_file_holds_axioms(club: Path) -> None:
    for options in ({"set_aside": True}, {"profile": "el"}):
        with pytest.raises(ConfigError, match="without an ontology would change nothing"):
            split_files([str(club / "facts.tsv")], club / "out", **options)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="profile 'owl'"):
        split_files([str(club / "facts.tsv")], club / "out", profile="owl")
    assert not (club / "out").exists()


def test_a_negative_seed_is_bad_input_and_writes_nothing(club: Path, hybridkg_command) -> None:
    out = club / "out"
    code, _, said = hybridkg_command("split", club / "facts.tsv", "--out", out, "--seed", "-1")
    assert (code, said) == (2, "error: seed -1; expected a whole number, 0 or more\n")
    assert not out.exists()


@pytest.mark.slow
def test_edukg_becomes_a_folder(benchmarks: Path, tmp_path: Path) -> None:
    source = benchmarks / "edukg"
    document = split_files(
        [str(source / "edukg.ttl.xz")], tmp_path / "edukg", ontology=source / "educonto.owl"
    )
    # 33,948 triples of the published split and 2,353 that it leaves out.
    assert sum(document["splits"].values()) == 33_948 + 2_353
    kg = read_folder(tmp_path / "edukg")
    assert (kg.n_entities, kg.n_relations) == (4_309, 24)
    assert kg.seen_entities().all()
