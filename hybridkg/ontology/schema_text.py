"""The axioms of RDF files as one Turtle text, without facts and types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hybridkg.graph.rdf import read_bytes
from hybridkg.graph.statements import (
    BLANK,
    LITERAL,
    QUOTED,
    Statements,
    literal_language,
    literal_text,
)
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.owl_terms import OWL
from hybridkg.ontology.rdf_nodes import Nodes
from hybridkg.ontology.rdf_places import Place, place_statements

if TYPE_CHECKING:
    from rdflib.term import Node

_AXIOMS = (Place.INNER, Place.HEAD, Place.HEAD_TYPE, Place.CONSTRUCTOR, Place.COMPLEX_TYPE)


def schema_turtle(documents: Sequence[tuple[Statements, Ontology]]) -> bytes | None:
    """Write what is no fact and no type as Turtle; the same bytes for the same statements.

    A single Turtle file of axioms stays as it is, with its comments.

    Args:
        documents: statements of files with axioms, unsorted and sorted.
    """
    if not documents:
        return None
    if len(documents) == 1 and (whole := _as_given(*documents[0])) is not None:
        return whole
    from rdflib import Graph
    from rdflib.compare import to_canonical_graph

    schema = Graph()
    for number, (found, ontology) in enumerate(documents):
        for prefix, namespace in found.prefixes.items():
            schema.bind(prefix, namespace)
        for statement in _without_facts(found, ontology, number):
            schema.add(statement)
    # Blank nodes get random names when parsed, which would order the text differently each time.
    canonical = Graph()
    for statement in to_canonical_graph(schema):
        canonical.add(statement)
    for prefix, space in schema.namespaces():
        canonical.bind(prefix, space)
    return canonical.serialize(format="turtle", encoding="utf-8")


def _as_given(found: Statements, ontology: Ontology) -> bytes | None:
    """Return the bytes of a Turtle file that may be copied, None for any other file."""
    if len(ontology.facts) or len(ontology.types) or len(found.origins) != 1:
        return None
    content = read_bytes(ontology.source)
    start = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start == b"{" or not re.search(rb"(?im)^\s*@?prefix\s+\S*:\s*<", content):
        return None
    # A relative IRI means another thing in another folder.
    here = Path(ontology.source).resolve().parent.as_uri()
    return None if any(term.startswith(here) for term in found.terms) else content


def _without_facts(
    found: Statements, ontology: Ontology, number: int
) -> Iterator[tuple[Node, Node, Node]]:
    """Yield the statements of axioms, and texts of what the axioms speak of."""
    from rdflib import BNode, Literal, URIRef

    nodes = Nodes(found, ontology.source)
    places = place_statements(nodes)
    individuals = {*ontology.individuals} - {*ontology.classes, *ontology.relations}
    about = np.array([term in individuals for term in found.terms], dtype=np.bool_)
    of_individuals = nodes.marks((OWL + "NamedIndividual", OWL + "Thing"))
    keep = np.isin(places, _AXIOMS)
    keep |= (places == Place.DECLARATION) & ~of_individuals[nodes.objects]
    keep |= np.isin(places, (Place.ANNOTATION, Place.LITERAL)) & ~about[nodes.subjects]

    def node(term: str) -> Node:
        if term.startswith(LITERAL):
            suffix = term[term.rindex('"') + 1 :].removeprefix("^^")
            language = literal_language(term) or None
            datatype = URIRef(suffix) if suffix and not language else None
            return Literal(literal_text(term), lang=language, datatype=datatype)
        if term.startswith(BLANK):
            return BNode(f"d{number}_{term.removeprefix(BLANK).replace('/', '_')}")
        return URIRef(term)

    rows = np.flatnonzero(keep)
    columns = (nodes.subjects[rows], nodes.predicates[rows], nodes.objects[rows])
    for row in zip(*(column.tolist() for column in columns), strict=True):
        s, p, o = (found.terms[one] for one in row)
        if not s.startswith(QUOTED) and not o.startswith(QUOTED):
            yield node(s), node(p), node(o)
