"""Graphs of rdflib and ontologies of Owlready2 are read where they are, and left as they are."""

from __future__ import annotations

import hashlib
import io
import socket
import warnings
from pathlib import Path
from typing import Any

import pytest
from rdflib import Dataset, Graph

import hybridkg as hk
from hybridkg.errors import OntologyError
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.load import ontology_from_owlready, read_ontology
from hybridkg.ontology.rdf_statements import ontology_from_graph

FIXTURES = Path(__file__).parent.parent / "fixtures" / "reading"


def content(found: Ontology) -> tuple[object, ...]:
    lists = (found.axioms, found.facts, found.types)
    return (*lists, found.individuals, found.classes, found.relations)


@pytest.fixture
def world(tmp_path: Path) -> Any:
    owlready2 = pytest.importorskip("owlready2")
    path = tmp_path / "engine.owl"
    Graph().parse(FIXTURES / "engine.ttl").serialize(path, format="xml")
    world = owlready2.World()
    with path.open("rb") as stream:
        world.get_ontology("http://engine.example/").load(fileobj=stream)
    return world


def digest(world: Any) -> tuple[int, str]:
    text = io.BytesIO()
    world.graph.save(text, format="ntriples")
    lines = sorted(text.getvalue().splitlines())
    return len(world.graph), hashlib.sha256(b"\n".join(lines)).hexdigest()


def test_an_ontology_of_owlready_is_the_file_it_was_read_from(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("a connection"))
    before = digest(world)
    onto = world.get_ontology("http://engine.example/")
    expected = content(read_ontology(FIXTURES / "engine.ttl"))
    for source in (onto, world):
        assert content(ontology_from_owlready(source)) == expected
        assert content(hk.read_ontology(source)) == expected
    assert digest(world) == before


def test_imported_ontologies_of_owlready_count(world: Any) -> None:
    engine = world.get_ontology("http://engine.example/")
    other = world.get_ontology("http://other.example/#")
    with other:
        kind = type("Tool", (pytest.importorskip("owlready2").Thing,), {"namespace": other})
        kind("hammer", namespace=other)
    assert "http://other.example/#hammer" not in read_ontology(engine).individuals
    engine.imported_ontologies.append(other)
    assert "http://other.example/#hammer" in read_ontology(engine).individuals


def test_an_rdflib_graph_is_read_and_not_changed() -> None:
    graph = Graph().parse(FIXTURES / "engine.ttl")
    before = set(graph)
    expected = content(read_ontology(FIXTURES / "engine.ttl"))
    assert content(hk.read_ontology(graph)) == expected
    assert content(ontology_from_graph(graph)) == expected
    assert set(graph) == before


def test_all_graphs_of_a_dataset_are_united() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        dataset = Dataset()
        dataset.parse(
            data="<http://a> <http://r> <http://b> . <http://g> { <http://b> <http://r> <http://c>}",
            format="trig",
        )
    found = read_ontology(dataset)
    assert [fact[0] for fact in found.facts] == ["http://a", "http://b"]
    assert found.report.graphs == ("http://g",)


def test_anything_else_is_refused() -> None:
    with pytest.raises(OntologyError, match="'dict' is no ontology; expected a path"):
        read_ontology({})
