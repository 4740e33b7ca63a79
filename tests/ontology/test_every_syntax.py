"""One ontology in every syntax, packed and under wrong names: always the same result."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import warnings
from pathlib import Path

import pytest

from hybridkg.errors import DataError, OntologyError
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.load import read_ontology

FIXTURES = Path(__file__).parent.parent / "fixtures" / "reading"
B = "http://bakery.example/terms#"
SERIALIZED = ["nt", "xml", "json-ld", "turtle", "trig", "nquads"]


def content(found: Ontology) -> tuple[object, ...]:
    lists = (found.axioms, found.facts, found.types)
    return (*lists, found.individuals, found.classes, found.relations)


def serialized(syntax: str) -> bytes:
    from rdflib import Dataset, Graph

    graph = Graph().parse(FIXTURES / "bakery.ttl", format="turtle")
    if syntax not in ("trig", "nquads"):
        return graph.serialize(format=syntax, encoding="utf-8")
    with warnings.catch_warnings():
        # rdflib's own writer uses what rdflib deprecates.
        warnings.simplefilter("ignore", DeprecationWarning)
        dataset = Dataset()
        for number, statement in enumerate(sorted(graph)):
            # Half of the statements stand in a named graph.
            place = dataset.graph("http://bakery.example/g") if number % 2 else dataset
            place.add(statement)
        return dataset.serialize(format=syntax, encoding="utf-8")


def in_owl_xml() -> bytes:
    import pyhornedowl

    text = (FIXTURES / "bakery.ofn").read_text(encoding="utf-8")
    return pyhornedowl.open_ontology_from_string(text, "ofn").save_to_string("owx").encode()


@pytest.fixture(scope="module")
def bakery() -> Ontology:
    return read_ontology(FIXTURES / "bakery.ttl")


def test_what_the_bakery_holds(bakery: Ontology) -> None:
    assert bakery.report.statements == 35
    assert bakery.kinds == {"DisjointClasses": 1, "Domain": 2, "Range": 2, "SubClassOf": 2}
    assert bakery.disjoint_pairs == 3
    assert bakery.facts == (
        (B + "rye", B + "bakedIn", B + "stone"),
        (B + "stone", B + "firedBy", B + "ada"),
    )
    assert len(bakery.types) == 3
    sizes = (len(bakery.individuals), len(bakery.classes), len(bakery.relations))
    assert sizes == (3, 4, 2)


@pytest.mark.parametrize("suffix", [".owl", ".nt", ".ttl", ".rdf", ""])
@pytest.mark.parametrize("syntax", SERIALIZED)
def test_every_syntax_of_rdf_gives_the_same(
    tmp_path: Path, bakery: Ontology, syntax: str, suffix: str
) -> None:
    path = tmp_path / f"file{suffix}"
    path.write_bytes(serialized(syntax))
    found = read_ontology(path)
    assert content(found) == content(bakery)
    assert found.report.statements == bakery.report.statements
    assert found.report.skipped == {}
    assert bool(found.report.graphs) == (syntax in ("trig", "nquads"))


@pytest.mark.parametrize("suffix", [".owl", ".ofn", ".nt"])
def test_the_syntaxes_of_owl_give_the_same(tmp_path: Path, bakery: Ontology, suffix: str) -> None:
    path = tmp_path / f"file{suffix}"
    for text in ((FIXTURES / "bakery.ofn").read_bytes(), in_owl_xml()):
        path.write_bytes(text)
        assert content(read_ontology(path)) == content(bakery)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_packed_files_give_the_same(tmp_path: Path, bakery: Ontology, pack) -> None:
    path = tmp_path / "packed.owl"
    for text in (serialized("nt"), (FIXTURES / "bakery.ofn").read_bytes()):
        path.write_bytes(pack(text))
        assert content(read_ontology(path)) == content(bakery)


def test_a_cut_inside_a_statement_is_refused_with_its_line(tmp_path: Path) -> None:
    whole = (FIXTURES / "bakery.ttl").read_bytes()
    path = tmp_path / "cut.ttl"
    said: list[tuple[str, int]] = []
    for size in range(120, len(whole) - 1, 37):
        path.write_bytes(whole[:size])
        try:
            found = read_ontology(path)
        except OntologyError as error:
            said.append((str(error), size))
        else:
            assert len(found.axioms) < 7
    assert len(said) > 20
    for sentence, size in said:
        number = int(sentence.removeprefix(f"{path}:").split(":")[0])
        assert number <= whole[:size].rstrip().count(b"\n") + 1
        assert "\n" not in sentence


PAGE = "<!DOCTYPE html>\n<html><head><title>x</title></head><body>Sign in&nbsp;</body></html>"
XML = '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n'


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (PAGE, "", "this is an HTML page"),
        ('<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"/>', "", "HTML page"),
        ("", "", "the file is empty"),
        ("\n  \n", "", "the file is empty"),
        ("b:rye b:bakedIn b:stone .", ":1", "the prefix 'b:' is not declared"),
        ("<http://a> <http://b>\n <http://c d> .", ":2", "' ', which no IRI may have"),
        ("<http://a> <http://b> <http://c> .\n<http://a> <http://b c> <http://d> .", ":2", "' '"),
        (
            XML + '<rdf:Description rdf:about="http://a b"><rdf:value>1</rdf:value>\n'
            "</rdf:Description></rdf:RDF>",
            ":3",
            "' ', which no IRI",
        ),
        ('[{"@id": "http://a",\n "http://p": [{"@id": "http://b c"}]}]', ":2", "' ', which no"),
        ('[{"@id": "http://a",\n "http://p": [', ":2", "expected JSON-LD"),
        (XML + '<rdf:Description rdf:about="http://a">', ":3", "expected RDF/XML"),
        ("Ontology(<http://a>\nDeclaration(Class(q:B)))", ":2", "undefined prefix in 'q:B'"),
        ("Ontology(<http://a>\nSubClassOf(<http://b c> <http://d>))", ":2", "malformed"),
        ("PK\x03\x04....", "", "this is a zip archive"),
        ("some\0binary", ":1", "a NUL byte"),
    ],
)
def test_what_is_broken_is_told_in_one_sentence_with_its_place(
    tmp_path: Path, hybridkg_command, text: str, place: str, words: str
) -> None:
    path = tmp_path / "broken.owl"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises((OntologyError, DataError)) as caught:
        read_ontology(path)
    said = str(caught.value)
    assert said.startswith(f"{path}{place}:"), said
    assert words in said
    assert "\n" not in said
    code, out, error = hybridkg_command("inspect", path)
    assert (code, out, error) == (2, "", f"error: {said}\n")


def test_text_that_is_no_utf8_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.ttl"
    path.write_bytes("<http://a> <http://b> 'x' .\n<http://a> <http://b> 'ö' .".encode("latin-1"))
    with pytest.raises(OntologyError, match=r"latin\.ttl:2: .*UTF-8"):
        read_ontology(path)
    plain = "<http://a> <http://b> <http://ö> .\n".encode("latin-1")
    path.write_bytes(b"<http://a> <http://b> <http://c> .\n" * 3 + plain)
    with pytest.raises(OntologyError, match=r"latin\.ttl:4: "):
        read_ontology(path)


def test_xml_in_another_encoding_is_read(tmp_path: Path) -> None:
    path = tmp_path / "latin.rdf"
    text = XML.replace('"1.0"', '"1.0" encoding="ISO-8859-1"')
    text += '<rdf:Description rdf:about="http://a"><p xmlns="http://p/" rdf:resource="http://ö"/>'
    path.write_bytes((text + "</rdf:Description></rdf:RDF>").encode("latin-1"))
    assert read_ontology(path).facts == (("http://a", "http://p/p", "http://ö"),)
    path.write_bytes(text.replace("ISO-8859-1", "klingon").encode("latin-1"))
    with pytest.raises(OntologyError, match="names the encoding 'klingon'"):
        read_ontology(path)


def test_json_that_would_be_fetched_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "remote.jsonld"
    path.write_text(json.dumps([{"@context": ["http://c.example/"], "@id": "http://a"}]))
    with pytest.raises(OntologyError, match=r"'http://c\.example/' would have to be fetched"):
        read_ontology(path)
