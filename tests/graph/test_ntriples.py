"""Statements written as N-Triples are read back as they were."""

from __future__ import annotations

from pathlib import Path

from rdflib import Graph
from rdflib.compare import isomorphic

from hybridkg.graph.ntriples import ntriples_of
from hybridkg.ontology.load import parse_document

TURTLE = r"""@prefix : <http://e.org/#> .
:a :p "plain", "with \"quotes\" and \\ and a tab\tand two\nlines", "dieren"@nl, "3"^^:number, 4 ;
   :q [ :r :b ; :s ( :c _:x ) ] .
_:x :p "é ☃" .
"""


def test_written_statements_are_those_that_were_read(tmp_path: Path) -> None:
    path = tmp_path / "all.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    text = "".join(ntriples_of(parse_document(path).statements))
    given, written = Graph().parse(data=TURTLE, format="turtle"), Graph()
    written.parse(data=text, format="nt")
    assert isomorphic(given, written)


def test_names_are_replaced_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "all.nt"
    path.write_text('<urn:a> <urn:b> "urn:a" .\n<urn:a> <urn:b> <urn:c> .\n', encoding="utf-8")
    new = {"urn:a": "urn:other"}
    lines = ntriples_of(parse_document(path).statements, rename=lambda one: new.get(one, one))
    assert list(lines) == [
        '<urn:other> <urn:b> "urn:a" .\n',
        "<urn:other> <urn:b> <urn:c> .\n",
    ]
