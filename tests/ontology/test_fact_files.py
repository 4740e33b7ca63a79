"""Facts, types, texts and axioms from any mix of files, and what train entails."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from hybridkg.errors import ConfigError, DataError, InconsistentOntologyError, OntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.entailed_splits import entailed_splits
from hybridkg.ontology.facts import read_fact_files
from hybridkg.ontology.labels import join_ontology
from hybridkg.ontology.load import read_ontology
from hybridkg.ontology.namespaces import with_namespaces

ZOO = """@prefix : <http://zoo.example/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat a owl:Class ; rdfs:subClassOf :Animal ,
  [ a owl:Restriction ; owl:onProperty :eats ; owl:someValuesFrom :Fish ] .
:Fish a owl:Class ; owl:disjointWith :Cat .
:eats a owl:ObjectProperty ; rdfs:label "isst"@de , "eats"@en ; owl:inverseOf :eatenBy .
:eatenBy a owl:ObjectProperty .
:weight a owl:DatatypeProperty .
"""
FACTS = """:tom a :Cat ; rdfs:label "Tom\\n the cat" ; :eats :nemo ; :weight 4 .
:nemo a :Fish ; :near [ :eats :tom ] .
:idle a owl:NamedIndividual , :Cat .
"""
Z = "http://zoo.example/"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_every_statement_of_a_mixed_file_has_its_place(tmp_path: Path) -> None:
    path = write(tmp_path / "zoo.owl", ZOO + FACTS)
    found = read_fact_files([path])
    assert found.kg.label_triples(found.kg.train) == [(f"{Z}tom", f"{Z}eats", f"{Z}nemo")]
    assert found.report.types_set_aside == 1
    assert found.kg.readable["relation"] == {f"{Z}eats": "eats"}
    assert found.kg.readable["entity"] == {f"{Z}tom": "Tom the cat"}
    assert found.texts_respaced == 1
    (entry,) = found.files
    parts = ("facts", "types", "declarations", "axioms", "literals", "annotations")
    assert entry["statements"] == sum(entry[p] for p in parts) + sum(entry["skipped"].values())


def test_the_schema_holds_all_axioms_and_no_fact(tmp_path: Path) -> None:
    path = write(tmp_path / "zoo.ttl", ZOO + FACTS)
    found = read_fact_files([path])
    assert found.schema is not None
    schema = read_ontology(write(tmp_path / "schema.ttl", found.schema.decode()))
    assert schema.axioms == found.ontology.axioms
    assert (schema.facts, schema.types) == ((), ())
    assert schema.report.skipped == {}
    assert "tom" not in found.schema.decode()
    assert read_fact_files([path]).schema == found.schema


def test_a_turtle_file_of_axioms_alone_is_kept_as_it_is(tmp_path: Path) -> None:
    schema = write(tmp_path / "tbox.ttl", "# by hand\n" + ZOO)
    facts = write(tmp_path / "facts.tsv", f"{Z}tom\t{Z}eats\t{Z}nemo\n")
    found = read_fact_files([facts], ontology=schema)
    assert found.schema == schema.read_bytes()


def test_relative_names_are_not_copied_into_another_folder(tmp_path: Path) -> None:
    schema = write(tmp_path / "tbox.ttl", ZOO + "<#Dog> rdfs:subClassOf :Animal .\n")
    facts = write(tmp_path / "facts.tsv", f"{Z}tom\t{Z}eats\t{Z}nemo\n")
    found = read_fact_files([facts], ontology=schema)
    assert found.schema is not None
    assert found.schema != schema.read_bytes()
    assert b"tbox.ttl#Dog" in found.schema


def test_files_of_all_kinds_go_into_one_graph(tmp_path: Path) -> None:
    triples = tmp_path / "more.nt"
    triples.write_bytes(gzip.compress(f"<{Z}tom>\t<{Z}eats> <{Z}dory> .\n".encode()))
    rows = write(tmp_path / "rows.tsv", f"{Z}tim\t{Z}eats\t{Z}nemo\n")
    types = write(tmp_path / "types.tsv", f"{Z}tim\t{Z}Cat\n")
    labels = write(tmp_path / "labels.tsv", f"entity\t{Z}tim\tTim\n")
    found = read_fact_files(
        [triples, rows],
        ontology=write(tmp_path / "zoo.ttl", ZOO),
        types_file=types,
        labels_file=labels,
    )
    assert len(found.kg.train) == 2
    assert found.kg.classes.labels == (f"{Z}Cat",)
    assert found.kg.readable["entity"] == {f"{Z}tim": "Tim"}
    assert [one["format"] for one in found.files] == ["rdf", "tsv", "rdf", "types", "labels"]


def test_facts_beside_the_axioms_of_an_ontology_are_counted_only(tmp_path: Path) -> None:
    facts = write(tmp_path / "facts.tsv", f"{Z}tim\t{Z}eats\t{Z}dory\n")
    found = read_fact_files([facts], ontology=write(tmp_path / "zoo.ttl", ZOO + FACTS))
    assert len(found.kg.train) == 1
    assert found.files[1]["facts"] == 1
    assert found.files[1]["split"] is None


def test_names_of_files_make_splits_only_where_asked(tmp_path: Path) -> None:
    train = write(tmp_path / "train.tsv", "a\tr\tb\n")
    test = write(tmp_path / "test.tsv", "b\tr\ta\n")
    named = read_fact_files([train, test], named_splits=True).kg
    assert {s: len(rows) for s, rows in named.splits.items()} == {"train": 1, "test": 1}
    assert len(read_fact_files([train, test]).kg.train) == 2


def test_files_without_a_fact_are_refused_with_what_they_hold(tmp_path: Path) -> None:
    path = write(tmp_path / "tbox.ttl", ZOO)
    with pytest.raises(DataError, match=r"no training fact found .*tbox\.ttl: \d+ statements"):
        read_fact_files([path])
    facts = write(tmp_path / "facts.nt", f"<{Z}a> <{Z}r> <{Z}b> .\n")
    with pytest.raises(OntologyError, match="no axiom found in 1 statements"):
        read_fact_files(
            [path.with_name("facts.nt")], ontology=write(tmp_path / "b.nt", facts.read_text())
        )


def test_namespaces_turn_labels_into_iris_and_leave_iris_alone() -> None:
    kg = KnowledgeGraph.from_labels(
        {"train": [("tom", "eats", f"<{Z}nemo>")]},
        types=[("tom", "Cat")],
        readable={"entity": {"tom": "Tom"}},
    )
    spelled = with_namespaces(kg, [Z, "relation=http://p.example/"])
    assert spelled.label_triples(spelled.train) == [
        (f"{Z}tom", "http://p.example/eats", f"{Z}nemo")
    ]
    assert spelled.classes.labels == (f"{Z}Cat",)
    assert spelled.readable == {"entity": {f"{Z}tom": "Tom"}}
    assert with_namespaces(kg, []) is kg
    with pytest.raises(ConfigError, match="namespace 'node=x'"):
        with_namespaces(kg, ["node=x"])
    clash = KnowledgeGraph.from_labels({"train": [("a", "r", "<a>")]})
    with pytest.raises(DataError, match="two entity labels become the same IRI"):
        with_namespaces(clash, [Z])


def test_rows_that_train_entails_are_marked(tmp_path: Path) -> None:
    kg = KnowledgeGraph.from_labels(
        {
            "train": [("tom", "eats", "nemo"), ("tim", "eatenBy", "tom")],
            "test": [("nemo", "eatenBy", "tom"), ("tom", "eats", "tim"), ("tim", "eats", "tom")],
            "valid": [],
        }
    )
    ontology = read_ontology(write(tmp_path / "zoo.ttl", ZOO))
    joined = join_ontology(ontology, kg, namespaces=[Z])
    found = entailed_splits(kg, joined)
    assert found.marks["test"].tolist() == [True, True, False]
    assert found.marks["valid"].tolist() == []
    assert "train" not in found.marks
    strict = entailed_splits(kg, joined, profile="el")
    assert strict.marks["test"].tolist() == [False, False, False]
    assert [str(one) for one in strict.unused] == [
        "eats inverseOf eatenBy (outside the profile el)"
    ]
    assert strict.as_document()["complete"] is False


def test_a_contradiction_stops_the_marking_unless_set_aside(tmp_path: Path) -> None:
    kg = KnowledgeGraph.from_labels(
        {"train": [("tom", "eats", "nemo")], "test": [("nemo", "eatenBy", "tom")]},
        types=[("tom", "Cat"), ("tom", "Fish")],
    )
    ontology = read_ontology(write(tmp_path / "zoo.ttl", ZOO))
    joined = join_ontology(ontology, kg, namespaces=[Z])
    with pytest.raises(InconsistentOntologyError):
        entailed_splits(kg, joined)
    found = entailed_splits(kg, joined, set_aside=True)
    assert found.marks["test"].tolist() == [True]
    assert found.set_aside is not None
    assert found.set_aside.types == (("tom", "Cat"), ("tom", "Fish"))


def test_a_file_may_be_named_twice_and_as_the_ontology(tmp_path: Path) -> None:
    path = write(tmp_path / "zoo.ttl", ZOO + FACTS)
    found = read_fact_files([path, path], ontology=path)
    assert len(found.kg.train) == 2
    assert [entry["split"] for entry in found.files] == ["train", "train"]
