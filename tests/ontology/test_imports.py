"""Imports come from local files, by catalog or by name, in every syntax; never from a network."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from hybridkg.errors import OntologyError
from hybridkg.ontology.facts import read_fact_files
from hybridkg.ontology.load import read_ontology

N = "http://mill.example/"
OWL = "http://www.w3.org/2002/07/owl#"
SUBCLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
XML = f'<rdf:RDF xmlns:rdf="{TYPE.removesuffix("type")}" xmlns:owl="{OWL}">'


def importing(iri: str) -> dict[str, str]:
    """An ontology that imports an IRI, in each syntax."""
    turtle = f"<{N}> a <{OWL}Ontology> ; <{OWL}imports> <{iri}> .\n<{N}a> <{N}r> <{N}b> .\n"
    lines = f"<{N}> <{OWL}imports> <{iri}> .\n<{N}a> <{N}r> <{N}b> .\n"
    return {
        "ttl": turtle,
        "nt": lines,
        "nq": lines.replace(" .\n", f" <{N}graph> .\n"),
        "trig": f"<{N}graph> {{ {turtle} }}",
        "rdf": f'{XML}<owl:Ontology rdf:about="{N}"><owl:imports rdf:resource="{iri}"/>'
        f'</owl:Ontology><rdf:Description rdf:about="{N}a"><r xmlns="{N}" rdf:resource="{N}b"/>'
        "</rdf:Description></rdf:RDF>",
        "jsonld": f'[{{"@id": "{N}", "{OWL}imports": [{{"@id": "{iri}"}}]}}, '
        f'{{"@id": "{N}a", "{N}r": [{{"@id": "{N}b"}}]}}]',
        "ofn": f"Ontology(<{N}> Import(<{iri}>) ObjectPropertyAssertion(<{N}r> <{N}a> <{N}b>))",
        "owx": f'<?xml version="1.0"?><Ontology xmlns="{OWL}" ontologyIRI="{N}">'
        f'<Import>{iri}</Import><ObjectPropertyAssertion><ObjectProperty IRI="{N}r"/>'
        f'<NamedIndividual IRI="{N}a"/><NamedIndividual IRI="{N}b"/></ObjectPropertyAssertion>'
        "</Ontology>",
    }


SYNTAXES = sorted(importing(""))


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoSocket(socket.socket):
        def __init__(self, *_: object, **__: object) -> None:
            raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", NoSocket)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("syntax", SYNTAXES)
def test_an_import_that_is_nowhere_is_noted_and_the_rest_is_read(
    tmp_path: Path, syntax: str, hybridkg_command
) -> None:
    iri = "http://unreachable.example/parts.owl"
    path = write(tmp_path / f"mill.{syntax}", importing(iri)[syntax])
    found = read_ontology(path)
    assert found.facts == ((N + "a", N + "r", N + "b"),)
    assert found.report.imports == found.report.not_imported == (iri,)
    code, out, _ = hybridkg_command("inspect", path)
    assert code == 0
    assert f"imports {iri}, for which no file lies beside it" in out


@pytest.mark.parametrize("imported", SYNTAXES)
@pytest.mark.parametrize("syntax", ["ttl", "ofn", "rdf"])
def test_an_import_is_found_by_its_name_whatever_its_syntax(
    tmp_path: Path, syntax: str, imported: str
) -> None:
    path = write(tmp_path / f"mill.{syntax}", importing("http://x.example/parts#")[syntax])
    other = importing("http://x.example/none")[imported].replace(N, "http://parts.example/")
    beside = write(tmp_path / f"parts.{imported}", other)
    found = read_ontology(path)
    assert len(found.facts) == 2
    assert found.report.imported == {"http://x.example/parts#": str(beside)}
    assert found.report.not_imported == ("http://x.example/none",)
    report = found.report
    assert report.statements == report.facts + report.declarations + report.annotations
    place = found.source_of_fact(*("http://parts.example/" + one for one in "arb"))
    assert place is not None
    assert place.startswith(str(beside))


def test_a_catalog_goes_before_names(tmp_path: Path) -> None:
    path = write(tmp_path / "mill.ttl", importing("http://x.example/parts")["ttl"])
    write(tmp_path / "parts.ttl", f"<{N}wrong> <{N}r> <{N}b> .")
    (tmp_path / "sub").mkdir()
    write(tmp_path / "sub" / "other name.nt", f"<{N}right> <{N}r> <{N}b> .")
    write(
        tmp_path / "catalog-v001.xml",
        '<?xml version="1.0"?><catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">'
        '<uri id="1" name="http://y.example/" uri="http://elsewhere.example/y.owl"/>'
        '<uri id="2" name="http://x.example/parts" uri="sub/other%20name.nt"/></catalog>',
    )
    assert [head for head, _, _ in read_ontology(path).facts] == [N + "a", N + "right"]
    write(tmp_path / "catalog-v001.xml", "<catalog>\n<uri")
    with pytest.raises(OntologyError, match=r"catalog-v001\.xml:2: expected a catalog"):
        read_ontology(path)


def test_circles_of_imports_end(tmp_path: Path) -> None:
    texts = {"mill": "parts", "parts": "tools", "tools": "mill"}
    for name, imports in texts.items():
        text = importing(f"http://x.example/{imports}")["ttl"].replace(N, f"http://{name}.example/")
        write(tmp_path / f"{name}.owl", text)
    found = read_ontology(tmp_path / "mill.owl")
    assert len(found.facts) == 3
    assert len(found.report.imported) == 3


def test_blank_nodes_of_two_files_never_meet(tmp_path: Path) -> None:
    one = f"<{N}A> <{SUBCLASS}> _:x . _:x <{OWL}complementOf> <{N}B> .\n"
    path = write(tmp_path / "mill.ttl", importing("http://x.example/parts")["ttl"] + one)
    write(tmp_path / "parts.ttl", one.replace(f"{N}B", f"{N}C").replace(f"{N}A", f"{N}D"))
    assert sorted(map(str, read_ontology(path).axioms)) == [
        f"{N}A subClassOf not {N}B",
        f"{N}D subClassOf not {N}C",
    ]


def test_what_is_said_of_a_property_in_an_import_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "mill.ttl", importing("http://x.example/parts")["ttl"])
    write(tmp_path / "parts.ofn", f"Ontology(Declaration(AnnotationProperty(<{N}r>)))")
    found = read_ontology(path)
    assert found.facts == ()
    assert found.relations == ()


def test_a_file_that_is_given_too_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "mill.ttl", importing("http://x.example/parts")["ttl"])
    parts = write(tmp_path / "parts.nt", f"<{N}c> <{N}r> <{N}d> .\n")
    assert len(read_fact_files([path]).kg.train) == 2
    both = read_fact_files([path, parts])
    assert len(both.kg.train) == 2
    assert both.files[0]["not_imported"] == ()


def test_a_broken_import_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "mill.ttl", importing("http://x.example/parts")["ttl"])
    write(tmp_path / "parts.ttl", "\n<http://a> <http://b> .")
    with pytest.raises(OntologyError, match=r"parts\.ttl:2: expected Turtle"):
        read_ontology(path)


def test_what_another_given_file_says_of_a_property_counts(tmp_path: Path) -> None:
    facts = write(tmp_path / "facts.nt", f"<{N}a> <{N}r> <{N}b> .\n<{N}a> <{N}s> <{N}b> .\n")
    terms = write(tmp_path / "terms.ttl", f"<{N}s> a <{OWL}AnnotationProperty> .")
    assert len(read_fact_files([facts]).kg.train) == 2
    for found in (read_fact_files([facts, terms]), read_fact_files([terms, facts])):
        assert found.kg.relations.labels == (N + "r",)
