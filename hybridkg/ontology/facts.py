"""Facts, types, texts and axioms from any mix of tab-separated and RDF files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from hybridkg.errors import DataError, OntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.read import SPLITS, ReadReport, graph_of, is_rdf
from hybridkg.graph.tsv import read_table
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.load import read_bytes, read_rdf
from hybridkg.ontology.owl_terms import BUILT_IN
from hybridkg.ontology.rdf_statements import ontology_from_graph

if TYPE_CHECKING:
    from rdflib import Graph
    from rdflib.term import Node

_TEXT_PROPERTIES = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
)


@dataclass(frozen=True, slots=True)
class FactFiles:
    """A graph made of several files, and what each file held."""

    kg: KnowledgeGraph
    #: what was found beside the triples and is not part of the graph.
    report: ReadReport
    #: axioms of all RDF files, spelled as there; no facts and types.
    ontology: Ontology
    #: one entry a file: path, format, and where its rows or statements went.
    files: tuple[dict[str, Any], ...]
    #: Turtle text of the axioms, or None where there is none.
    schema: bytes | None
    #: readable texts of RDF files whose tabs or line ends were turned into spaces.
    texts_respaced: int = 0


@dataclass(slots=True)
class _Parts:
    """What has been read so far."""

    splits: dict[str, list[LabelTriple]] = field(default_factory=dict)
    types: list[tuple[str, str]] = field(default_factory=list)
    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    ontologies: list[Ontology] = field(default_factory=list)
    #: statements of RDF files with axioms, unsorted and sorted.
    graphs: list[tuple[Graph, Ontology]] = field(default_factory=list)
    files: list[dict[str, Any]] = field(default_factory=list)
    blank_lines: int = 0
    respaced: int = 0


def read_fact_files(
    paths: Sequence[str | Path],
    *,
    ontology: str | Path | None = None,
    types_file: str | Path | None = None,
    labels_file: str | Path | None = None,
    name: str | None = None,
    named_splits: bool = False,
) -> FactFiles:
    """Read facts from files and put them into one graph.

    Args:
        paths: tab-separated triples, or RDF with facts, types and possibly axioms.
        ontology: a further RDF file, used for its axioms and texts; its facts are counted only.
        types_file: tab-separated (entity, class).
        labels_file: tab-separated (kind, label, text).
        name: short name of the graph; by default that of the first file.
        named_splits: let files called train, valid and test make these splits; all others, and
            without this flag all files, go to "train".

    Raises:
        DataError: a file cannot be read, or all of them hold no fact.
        OntologyError: an RDF file is broken or of a syntax that is not read.
    """
    parts = _Parts()
    for path in paths:
        stem = Path(path).name.split(".")[0]
        _read_one(parts, path, stem if named_splits and stem in SPLITS else "train")
    given = {Path(path).resolve() for path in paths}
    if ontology is not None and Path(ontology).resolve() not in given:
        _read_axioms(parts, ontology)
    if types_file is not None:
        table = read_table(types_file, 2, ("entity", "class"))
        parts.types += cast("list[tuple[str, str]]", table.rows)
        parts.files.append({"path": str(types_file), "format": "types", "rows": len(table.rows)})
        parts.blank_lines += len(table.blank_lines)
    if labels_file is not None:
        table = read_table(labels_file, 3, ("kind", "label", "text"))
        parts.texts.update({(kind, label): text for kind, label, text in table.rows})
        parts.files.append({"path": str(labels_file), "format": "labels", "rows": len(table.rows)})
        parts.blank_lines += len(table.blank_lines)
    if not parts.splits.get("train"):
        raise DataError(_nothing_found(parts))
    merged = _merged(parts.ontologies)
    kg, report = graph_of(
        parts.splits,
        name=name or Path(paths[0]).name.split(".")[0],
        types=parts.types,
        texts=[(kind, label, text) for (kind, label), text in parts.texts.items()],
        sources={"files": ", ".join(str(path) for path in paths)},
        blank_lines=parts.blank_lines,
    )
    schema = _schema_turtle(parts.graphs)
    return FactFiles(kg, report, merged, tuple(parts.files), schema, parts.respaced)


def _read_one(parts: _Parts, path: str | Path, split: str) -> None:
    rows = parts.splits.setdefault(split, [])
    if not is_rdf(path):
        table = read_table(path)
        rows += cast("list[LabelTriple]", table.rows)
        parts.blank_lines += len(table.blank_lines)
        entry = {"path": str(path), "format": "tsv", "split": split, "rows": len(table.rows)}
        parts.files.append({**entry, "blank_lines": len(table.blank_lines)})
        return
    graph = read_rdf(path)
    found = ontology_from_graph(graph, source=str(path))
    rows += found.facts
    parts.types += found.types
    _keep_axioms(parts, graph, found)
    parts.files.append({**_counts_of(path, found), "split": split})


def _read_axioms(parts: _Parts, path: str | Path) -> None:
    graph = read_rdf(path)
    found = ontology_from_graph(graph, source=str(path))
    if not found.axioms:
        raise OntologyError(
            f"{path}: no axiom found in {found.report.statements} statements; expected an "
            "ontology; give a file of facts without --ontology"
        )
    _keep_axioms(parts, graph, found)
    # Facts beside the axioms were not asked for as facts; their counts show that they exist.
    parts.files.append({**_counts_of(path, found), "split": None})


def _keep_axioms(parts: _Parts, graph: Graph, found: Ontology) -> None:
    for kind, label, text in _texts(graph, found):
        flat = " ".join(text.split())
        parts.respaced += flat != text
        if flat:
            parts.texts.setdefault((kind, label), flat)
    if found.axioms:
        parts.ontologies.append(found)
        parts.graphs.append((graph, found))


def _counts_of(path: str | Path, found: Ontology) -> dict[str, Any]:
    counts = asdict(found.report)
    return {"path": str(path), "format": "rdf", "n_axioms": len(found.axioms), **counts}


def _texts(graph: Graph, found: Ontology) -> Iterable[LabelTriple]:
    """Yield (kind, name, text), English before no language before others."""
    from rdflib import Literal, URIRef

    kinds = {"entity": found.individuals, "relation": found.relations, "type": found.classes}
    for kind, names in kinds.items():
        for one in names:
            for prop in _TEXT_PROPERTIES:
                values = [
                    value
                    for value in graph.objects(URIRef(one), URIRef(prop))
                    if isinstance(value, Literal)
                ]
                if values:
                    yield kind, one, str(min(values, key=_preference))
                    break


def _preference(text: Any) -> tuple[int, str, str]:
    language = str(text.language or "")
    rank = 0 if language.split("-")[0].lower() == "en" else 1 if not language else 2
    return rank, language, str(text)


def _merged(ontologies: Sequence[Ontology]) -> Ontology:
    """Put the axioms and names of several ontologies together, without facts and types."""

    def union(name: str) -> tuple[Any, ...]:
        return tuple(sorted({x for one in ontologies for x in getattr(one, name)}))

    axioms = {axiom: None for one in ontologies for axiom in one.axioms}
    return Ontology(
        axioms=tuple(sorted(axioms, key=lambda a: (type(a).__name__, str(a)))),
        individuals=union("individuals"),
        classes=union("classes"),
        relations=union("relations"),
        source=", ".join(one.source for one in ontologies),
    )


def _schema_turtle(graphs: Sequence[tuple[Graph, Ontology]]) -> bytes | None:
    """Write what is no fact and no type as Turtle; the same bytes for the same statements.

    A single Turtle file of axioms stays as it is, with its comments.
    """
    if not graphs:
        return None
    if len(graphs) == 1 and (whole := _as_given(*graphs[0])) is not None:
        return whole
    from rdflib import Graph
    from rdflib.compare import to_canonical_graph

    schema = Graph()
    for graph, found in graphs:
        for prefix, namespace in graph.namespaces():
            schema.bind(prefix, namespace)
        for statement in _without_facts(graph, found):
            schema.add(statement)
    # Blank nodes get random names when parsed, which would order the text differently each time.
    canonical = Graph()
    for statement in to_canonical_graph(schema):
        canonical.add(statement)
    for prefix, namespace in schema.namespaces():
        canonical.bind(prefix, namespace)
    return canonical.serialize(format="turtle", encoding="utf-8")


def _as_given(graph: Graph, found: Ontology) -> bytes | None:
    """Return the bytes of a Turtle file that may be copied, None for any other file."""
    content = read_bytes(found.source)
    start = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    is_turtle = start != b"{" and re.search(rb"(?im)^\s*@?prefix\s+\S*:\s*<", content)
    if found.facts or found.types or not is_turtle:
        return None
    # A relative IRI means another thing in another folder.
    here = Path(found.source).resolve().parent.as_uri()
    relative = any(str(term).startswith(here) for statement in graph for term in statement)
    return None if relative else content


def _without_facts(graph: Graph, found: Ontology) -> Iterable[tuple[Node, Node, Node]]:
    """Yield the statements of axioms, and texts of what the axioms speak of."""
    from rdflib import BNode, Literal
    from rdflib.namespace import RDF

    terms = {*found.classes, *found.relations}
    individuals = set(found.individuals) - terms
    for s, p, o in graph:
        about_individual = not isinstance(s, BNode) and str(s) in individuals
        if isinstance(o, Literal):
            is_schema = not about_individual and (
                str(p).startswith(BUILT_IN) or isinstance(s, BNode) or str(s) in terms
            )
        elif p == RDF.type:
            named_class = not isinstance(o, BNode) and not str(o).startswith(BUILT_IN)
            is_schema = not named_class and (not about_individual or isinstance(o, BNode))
        else:
            is_schema = str(p).startswith(BUILT_IN)
        if is_schema:
            yield s, p, o


def _nothing_found(parts: _Parts) -> str:
    held = "; ".join(
        f"{entry['path']}: "
        + (
            f"{entry['rows']} rows"
            if "rows" in entry
            else f"{entry['statements']} statements, {entry['n_axioms']} axioms, "
            f"{entry['types']} types, {entry['literals']} literals, "
            f"{sum(entry['skipped'].values())} skipped"
        )
        for entry in parts.files
    )
    return (
        f"no training fact found ({held}); expected relations between named individuals; give "
        "a file that holds some"
    )
