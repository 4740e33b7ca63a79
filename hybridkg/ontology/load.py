"""Read ontologies and schema tables from files; the bytes decide the syntax, not the suffix."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridkg.errors import MalformedRowsError, OntologyError
from hybridkg.graph.read import rdf_suffix
from hybridkg.graph.tsv import open_bytes
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.document import Ontology, ReadingReport, names_in_axiom
from hybridkg.ontology.owl_terms import XSD
from hybridkg.ontology.parsing import parse_rdf
from hybridkg.ontology.rdf_statements import ontology_from_graph

if TYPE_CHECKING:
    from rdflib import Graph

_STATEMENT_LINE = re.compile(
    r'\s*(?:(?:<[^<>"{}|^`\\\s]*>|_:\S+)\s+<[^<>\s]*>\s+'
    r'(?:<[^<>\s]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^<>\s]*>)?)\s*\.\s*)?(?:#.*)?$'
)


def read_ontology(path: str | Path) -> Ontology:
    """Read an ontology from Turtle, N-Triples, RDF/XML or JSON-LD, plain, gzip, xz or bzip2.

    Nothing is fetched: owl:imports are noted in the report.

    Raises:
        DataError: the file cannot be read or unpacked.
        OntologyError: its content is not one of these syntaxes, or is broken.
    """
    return ontology_from_graph(read_rdf(path), source=str(path))


def read_rdf(path: str | Path) -> Graph:
    """Parse the file of :func:`read_ontology` into an rdflib graph, unsorted.

    Raises:
        DataError: as for :func:`read_ontology`.
        OntologyError: as for :func:`read_ontology`.
    """
    text = _read_text(path)
    return parse_rdf(text, _sniff(text, path), path)


def read_bytes(path: str | Path) -> bytes:
    """Read a file, unpacked where its first bytes name gzip, xz or bzip2.

    Raises:
        DataError: the file is missing or its archive is damaged.
    """
    with open_bytes(path) as stream:
        return stream.read()


def _read_text(path: str | Path) -> str:
    raw = read_bytes(path)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise OntologyError(f"{path}:{line}: expected UTF-8 text; {error.reason}") from error


def _sniff(text: str, path: str | Path) -> str:
    """Return rdflib's name of the syntax.

    Raises:
        OntologyError: a kind of file that is known not to be read.
    """
    start = text.lstrip()[:4000]
    lower = start.lower()
    if not start:
        raise OntologyError(f"{path}: the file is empty; expected an ontology")
    if re.match(r"<!doctype html|<html", lower):
        raise OntologyError(
            f"{path}: this is an HTML page, not an ontology; download the file itself again"
        )
    if re.match(r"(prefix\s*\(|ontology\s*\()", lower):
        raise OntologyError(
            f"{path}: OWL functional syntax is not read; convert the file to Turtle or RDF/XML, "
            "for example with ROBOT (robot convert) or Protégé"
        )
    if re.match(r"<\?xml|<!--|<rdf:rdf|<!doctype rdf|<!doctype \[|<ontology", lower):
        if re.search(r"<(owl:)?ontology\b[^>]*(ontologyiri|w3\.org/2002/07/owl#\")", lower) and (
            "<rdf:rdf" not in lower
        ):
            raise OntologyError(
                f"{path}: OWL/XML is not read; convert the file to Turtle or RDF/XML, "
                "for example with ROBOT (robot convert) or Protégé"
            )
        return "xml"
    if start[0] in "{[" and _is_json(text):
        _refuse_remote_context(text, path)
        return "json-ld"
    if rdf_suffix(path) in (".json", ".jsonld"):
        return "json-ld"
    return "nt" if all(map(_STATEMENT_LINE.match, text.splitlines())) else "turtle"


def _is_json(text: str) -> bool:
    # A Turtle file may start with a bracket too.
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _refuse_remote_context(text: str, path: str | Path) -> None:
    def walk(node: Any) -> None:
        if isinstance(node, dict):
            context = node.get("@context")
            parts = context if isinstance(context, list) else [context]
            remote = [c for c in parts if isinstance(c, str)] + [
                c["@import"] for c in parts if isinstance(c, dict) and "@import" in c
            ]
            if remote:
                raise OntologyError(
                    f"{path}: the JSON-LD context {remote[0]!r} would have to be fetched; "
                    "write the context into the file, or convert the file to Turtle"
                )
            node = list(node.values())
        if isinstance(node, list):
            for part in node:
                walk(part)

    walk(json.loads(text))


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
    lines = _read_text(path).split("\n")
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
