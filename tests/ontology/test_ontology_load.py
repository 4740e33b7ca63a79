"""Reading ontologies: every syntax the same, every statement counted, every refusal in words."""

from __future__ import annotations

import gzip
import json
import lzma
from pathlib import Path

import pytest

from hybridkg.errors import DataError, MalformedRowsError, OntologyError
from hybridkg.ontology.axioms import (
    DisjointClasses,
    Domain,
    EquivalentClasses,
    InverseOf,
    OtherAxiom,
    PropertyChain,
    SubClassOf,
    Symmetric,
)
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.expressions import And, Named, Some
from hybridkg.ontology.load import read_ontology, read_schema_table

HARBOUR = """# harbour
@prefix : <http://example.org/harbour#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.org/harbour> a owl:Ontology ; owl:imports <http://example.org/absent> ;
  rdfs:comment \"\"\"Two
lines # no comment\"\"\" .
:Ship a owl:Class ; rdfs:label "ship"@en . :Pier a owl:Class . :Crew a owl:Class .
:Tug a owl:Class ; rdfs:subClassOf :Ship ,
  [ a owl:Restriction ; owl:onProperty :mooredAt ; owl:someValuesFrom
    [ a owl:Class ; owl:intersectionOf ( :Pier [ a owl:Restriction ;
        owl:onProperty :managedBy ; owl:someValuesFrom :Crew ] ) ] ] .
:Manned owl:equivalentClass [ a owl:Restriction ; owl:onProperty :managedBy ;
    owl:someValuesFrom :Crew ] .
[] a owl:AllDisjointClasses ; owl:members ( :Ship :Pier :Crew ) .
[] a owl:Axiom ; owl:annotatedSource :Tug ; owl:annotatedProperty rdfs:subClassOf ;
  owl:annotatedTarget :Ship ; rdfs:comment "checked" .
:mooredAt a owl:ObjectProperty ; rdfs:domain :Ship .
:managedBy a owl:ObjectProperty ; owl:inverseOf :manages .
:nextTo a owl:ObjectProperty , owl:SymmetricProperty .
:tow owl:propertyChainAxiom ( :nextTo :mooredAt ) .
:length a owl:DatatypeProperty , owl:FunctionalProperty .
:hero a :Tug ; :mooredAt :east ; :length 12 .
:east a :Pier ; :nextTo :west , [ a :Pier ] .
:anna a owl:NamedIndividual .
"""
H = "http://example.org/harbour#"


def harbour(tmp_path: Path, suffix: str = ".ttl", text: str = HARBOUR) -> Path:
    path = tmp_path / f"harbour{suffix}"
    path.write_text(text, encoding="utf-8")
    return path


def content(ontology: Ontology) -> tuple[object, ...]:
    return (
        ontology.axioms,
        ontology.facts,
        ontology.types,
        ontology.individuals,
        ontology.classes,
        ontology.relations,
        ontology.report,
    )


def test_each_statement_lands_in_one_place_and_the_counts_add_up(tmp_path: Path) -> None:
    ontology = read_ontology(harbour(tmp_path))
    report = ontology.report
    assert report.statements == (
        report.facts
        + report.types
        + report.declarations
        + report.axioms
        + report.literals
        + report.annotations
        + sum(report.skipped.values())
    )
    assert report.skipped == {
        "fact with an anonymous individual": 1,
        "type of an anonymous individual": 1,
    }
    assert report.imports == ("http://example.org/absent",)
    assert (report.facts, report.types, report.literals) == (2, 2, 1)


def test_restrictions_and_blank_nodes_are_no_entities(tmp_path: Path) -> None:
    ontology = read_ontology(harbour(tmp_path))
    assert ontology.facts == (
        (H + "east", H + "nextTo", H + "west"),
        (H + "hero", H + "mooredAt", H + "east"),
    )
    assert ontology.individuals == tuple(H + n for n in ("anna", "east", "hero", "west"))
    assert not any("w3.org" in name for name in (*ontology.classes, *ontology.relations))


def test_axioms_come_out_as_they_are_meant(tmp_path: Path) -> None:
    def n(name: str) -> Named:
        return Named(H + name)

    manned = Some(H + "managedBy", n("Crew"))
    assert set(read_ontology(harbour(tmp_path)).axioms) == {
        SubClassOf(n("Tug"), n("Ship")),
        SubClassOf(n("Tug"), Some(H + "mooredAt", And((n("Pier"), manned)))),
        EquivalentClasses((n("Manned"), manned)),
        DisjointClasses((n("Ship"), n("Pier"), n("Crew"))),
        Domain(H + "mooredAt", n("Ship")),
        InverseOf(H + "managedBy", H + "manages"),
        Symmetric(H + "nextTo"),
        PropertyChain((H + "nextTo", H + "mooredAt"), H + "tow"),
        OtherAxiom(
            "FunctionalProperty", f"{H}length a http://www.w3.org/2002/07/owl#FunctionalProperty"
        ),
    }


@pytest.mark.parametrize("syntax", ["nt", "xml", "json-ld", "turtle"])
def test_every_syntax_gives_the_same_whatever_the_suffix(tmp_path: Path, syntax: str) -> None:
    from rdflib import Graph

    wanted = content(read_ontology(harbour(tmp_path)))
    text = Graph().parse(data=HARBOUR, format="turtle").serialize(format=syntax)
    for suffix in (".owl", ".ttl", ".txt"):
        assert content(read_ontology(harbour(tmp_path, suffix, text))) == wanted


def test_packed_files_are_unpacked_by_their_bytes(tmp_path: Path) -> None:
    wanted = content(read_ontology(harbour(tmp_path)))
    for pack in (gzip.compress, lzma.compress):
        path = tmp_path / "packed.owl"
        path.write_bytes(pack(HARBOUR.encode()))
        assert content(read_ontology(path)) == wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<!DOCTYPE html><html><body>Sign in</body></html>", "HTML page"),
        ("Prefix(:=<http://x/>)\nOntology(<http://x>\nSubClassOf(:A", ":3: .*functional syntax"),
        (
            '<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#" '
            'ontologyIRI="http://x">\n<SubClassOf>',
            ":3: expected OWL/XML",
        ),
        ("Prefix: : <http://x/>\nOntology: <http://x>", "OWL Manchester syntax is not read"),
        ("format-version: 1.2\nontology: x\n", "OBO is not read"),
        ("", "empty"),
        ("@prefix : <http://x/> .\n:a :b :c ;\n", ":2: expected Turtle"),
        ("@prefix : <http://x/> .\n:a :b\n:c :d (\n", "expected Turtle"),
        ('<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://x#">\n<a>', ":3: expected RDF/XML"),
        (json.dumps({"@context": "http://example.org/context", "@id": "x"}), "fetched"),
    ],
)
def test_what_is_no_ontology_is_refused_in_one_sentence(
    tmp_path: Path, text: str, words: str
) -> None:
    path = harbour(tmp_path, ".owl", text)
    with pytest.raises(OntologyError, match=words) as caught:
        read_ontology(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_or_cut_file_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_ontology(tmp_path / "absent.ttl")
    cut = tmp_path / "cut.ttl.xz"
    cut.write_bytes(lzma.compress(HARBOUR.encode())[:-9])
    with pytest.raises(DataError, match="cannot be read"):
        read_ontology(cut)


def test_a_schema_table_names_each_bad_row(tmp_path: Path) -> None:
    path = tmp_path / "schema.tsv"
    path.write_text(
        "domain\tr\tC\tsource\nfunctional\tr\t\tsource\ncomain\tr\tC\nsymmetric\tr\tC\nrange\tr\n",
        encoding="utf-8",
    )
    with pytest.raises(MalformedRowsError) as caught:
        read_schema_table(path)
    assert [number for number, _ in caught.value.rows] == [3, 4, 5]
    path.write_text("domain\tr\tC\tsource\nfunctional\tr\t\tsource\n", encoding="utf-8")
    assert read_schema_table(path).kinds == {"Domain": 1, "Functional": 1}


@pytest.mark.parametrize(
    ("folder", "name", "kinds"),
    [
        (
            "codex-s",
            "schema.ttl",
            {
                "DisjointClasses": 44,
                "Domain": 30,
                "Range": 27,
                "SubClassOf": 978,
                "Symmetric": 4,
            },
        ),
        (
            "nell-995",
            "schema.ttl",
            {"Functional": 47, "InverseOf": 16, "SubClassOf": 332, "SubPropertyOf": 92},
        ),
        (
            "edukg",
            "educonto.owl",
            {
                "Domain": 31,
                "InverseOf": 1,
                "OtherAxiom": 1,
                "Range": 29,
                "SubClassOf": 71,
                "SubPropertyOf": 29,
            },
        ),
    ],
)
def test_real_schemas_are_read_in_full(
    benchmarks: Path, folder: str, name: str, kinds: dict[str, int]
) -> None:
    ontology = read_ontology(benchmarks / folder / name)
    assert ontology.kinds == kinds
    assert ontology.report.skipped == {}


@pytest.mark.slow
def test_undeclared_individuals_of_real_data_are_facts(benchmarks: Path) -> None:
    ontology = read_ontology(benchmarks / "edukg" / "edukg.ttl.xz")
    assert (len(ontology.facts), len(ontology.types)) == (33948 + 2353, 4331)
