"""Read ontologies and schema tables; the bytes decide the syntax, not the suffix."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridkg.errors import MalformedRowsError, OntologyError
from hybridkg.graph.rdf import read_bytes as read_bytes
from hybridkg.graph.statements import StatementBuilder, Statements, statements_of_graph
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.document import Ontology, ReadingReport, names_in_axiom
from hybridkg.ontology.imports import add_with_imports
from hybridkg.ontology.owl_terms import XSD
from hybridkg.ontology.owlready import is_owlready, statements_of_owlready
from hybridkg.ontology.rdf_nodes import Declared
from hybridkg.ontology.rdf_statements import ontology_from_statements

if TYPE_CHECKING:
    from rdflib import Graph

#: What an ontology is read from; the last one is an ontology or a world of Owlready2, which has
#: no types.
OntologyInput: TypeAlias = "str | Path | Graph | Any"


def read_ontology(source: OntologyInput) -> Ontology:
    """Read an ontology from a file, an rdflib graph, or an Owlready2 ontology or world.

    A file may be in Turtle, TriG, N-Triples, N-Quads, RDF/XML, JSON-LD, OWL/XML or functional
    syntax, plain, gzip, xz or bzip2; its bytes decide. ``owl:imports`` are read from the file's
    folder, by its catalog-v001.xml or by their names; nothing is ever fetched. Named graphs are
    united.

    Args:
        source: a path, an rdflib ``Graph`` or ``Dataset``, or an Owlready2 ``Ontology`` or
            ``World``; nothing is written to it.

    Raises:
        DataError: the file cannot be read or unpacked.
        OntologyError: its content is of none of these syntaxes, or is broken.
    """
    if isinstance(source, str | Path):
        return sort_document(parse_document(source))
    if is_owlready(source):
        return ontology_from_owlready(source)
    if hasattr(source, "triples") and hasattr(source, "namespaces"):
        return ontology_from_statements(statements_of_graph(source), source="rdflib graph")
    raise OntologyError(
        f"{type(source).__name__!r} is no ontology; expected a path, an rdflib graph, or an "
        "Owlready2 ontology or world"
    )


def ontology_from_owlready(onto: Any) -> Ontology:
    """Sort the statements of an Owlready2 ontology with its imports, or of a whole world.

    Args:
        onto: an ``owlready2.Ontology`` or ``owlready2.World``; it is not changed, and nothing is
            loaded into it.

    Raises:
        OntologyError: a list or a class expression leads back to itself.
    """
    found = statements_of_owlready(onto)
    return ontology_from_statements(found, source=found.origins[0].file if found.origins else "")


@dataclass(frozen=True, slots=True)
class Document:
    """The statements of a file and of what it imports, not sorted yet."""

    path: str
    statements: Statements
    #: IRI of each import that was found -> the file.
    imported: Mapping[str, str]


def parse_document(path: str | Path, *, given: Collection[Path] = ()) -> Document:
    """Read the statements of a file and of what it imports.

    Args:
        path: the file.
        given: resolved paths of files that are read apart, and so not imported again.

    Raises:
        DataError: as for :func:`read_ontology`.
        OntologyError: as for :func:`read_ontology`.
    """
    builder = StatementBuilder()
    imported = add_with_imports(builder, path, given=given)
    return Document(str(path), builder.build(), imported)


def sort_document(document: Document, *, declared: Declared | None = None) -> Ontology:
    """Sort the statements of a document into axioms, facts, types and the rest.

    Args:
        document: as parsed.
        declared: properties that other documents declare, by their kind.

    Raises:
        OntologyError: a list or a class expression leads back to itself.
    """
    found = ontology_from_statements(document.statements, source=document.path, declared=declared)
    return replace(found, report=replace(found.report, imported=document.imported))


_TABLE_KINDS: dict[str, Callable[[str, str], ax.Axiom]] = {
    "domain": lambda s, o: ax.Domain(s, ex.Named(o)),
    "range": lambda s, o: ax.Range(s, ex.Named(o)),
    "subClassOf": lambda s, o: ax.SubClassOf(ex.Named(s), ex.Named(o)),
    "equivalentClass": lambda s, o: ax.EquivalentClasses((ex.Named(s), ex.Named(o))),
    "disjointWith": lambda s, o: ax.DisjointClasses((ex.Named(s), ex.Named(o))),
    "subPropertyOf": ax.SubPropertyOf,
    "equivalentProperty": lambda s, o: ax.EquivalentProperties((s, o)),
    "inverseOf": ax.InverseOf,
    "symmetric": lambda s, _: ax.Symmetric(s),
    "transitive": lambda s, _: ax.Transitive(s),
    "irreflexive": lambda s, _: ax.Irreflexive(s),
    "asymmetric": lambda s, _: ax.Asymmetric(s),
    "functional": lambda s, _: ax.Functional(s),
    "inverseFunctional": lambda s, _: ax.InverseFunctional(s),
}
_UNARY = {"symmetric", "transitive", "irreflexive", "asymmetric", "functional", "inverseFunctional"}


def read_schema_table(path: str | Path) -> Ontology:
    """Read a benchmark folder's schema table: kind, subject, object, provenance.

    Its names are spelled as in the folder's triples and types. The object of a
    kind such as ``symmetric`` is empty; the provenance column may be missing.

    Raises:
        DataError: the file cannot be read, or rows do not have this form.
    """
    axioms: list[ax.Axiom] = []
    bad: list[tuple[int, str]] = []
    lines = read_bytes(path).decode("utf-8-sig").split("\n")
    for number, line in enumerate(lines, start=1):
        cells = line.rstrip("\r").split("\t")
        if cells == [""]:
            continue
        kind = cells[0]
        if kind not in _TABLE_KINDS:
            bad.append((number, f"unknown kind {kind!r}"))
        elif not 2 <= len(cells) <= 4 or not cells[1]:
            bad.append((number, f"{len(cells)} columns in {line!r}"))
        elif (kind in _UNARY) == bool(cells[2] if len(cells) > 2 else ""):
            bad.append((number, f"{kind} {'takes no' if kind in _UNARY else 'needs an'} object"))
        else:
            axioms.append(_table_axiom(kind, cells))
    if bad:
        raise MalformedRowsError(
            str(path), bad, f"kind, subject, object, provenance; kinds {sorted(_TABLE_KINDS)}"
        )
    return ontology_of(axioms, source=str(path))


def _table_axiom(kind: str, cells: list[str]) -> ax.Axiom:
    subject, value = cells[1], cells[2] if len(cells) > 2 else ""
    plain = value.removeprefix("<").removesuffix(">")
    if kind == "range" and plain.startswith(XSD):
        return ax.OtherAxiom("data range", f"{subject} range {plain}")
    if kind == "subClassOf" and plain == "http://www.w3.org/2002/07/owl#Thing":
        return ax.SubClassOf(ex.Named(subject), ex.Top())
    return _TABLE_KINDS[kind](subject, value)


def ontology_of(axioms: list[ax.Axiom], *, source: str = "axioms") -> Ontology:
    """Make an ontology of axioms that were written in Python or read from a table."""
    names: dict[str, set[str]] = {"entity": set(), "class": set(), "relation": set()}
    for axiom in axioms:
        for kind, name in names_in_axiom(axiom):
            names[kind].add(name)
    return Ontology(
        axioms=tuple(sorted(set(axioms), key=lambda a: (type(a).__name__, str(a)))),
        individuals=tuple(sorted(names["entity"])),
        classes=tuple(sorted(names["class"])),
        relations=tuple(sorted(names["relation"])),
        report=ReadingReport(statements=len(axioms), axioms=len(axioms)),
        source=source,
    )
