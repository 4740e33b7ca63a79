"""Facts, types, texts and axioms from any mix of tab-separated and RDF files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import chain
from pathlib import Path
from typing import Any, cast

import numpy as np

from hybridkg.errors import DataError, OntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.label_rows import LabelRows, Places
from hybridkg.graph.read import SPLITS, ReadReport, graph_of, is_rdf
from hybridkg.graph.statements import Origin, Statements
from hybridkg.graph.tsv import TsvTable, read_table
from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.document import Ontology, ReadingReport
from hybridkg.ontology.load import Document, parse_document, sort_document
from hybridkg.ontology.rdf_nodes import Declared, declared_properties
from hybridkg.ontology.schema_text import schema_turtle
from hybridkg.ontology.texts import readable_texts


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
    #: all facts and types with their places, repeats included.
    facts: LabelRows[LabelTriple]
    types: LabelRows[tuple[str, str]]
    #: statements of the RDF files with axioms, unsorted and sorted.
    documents: tuple[tuple[Statements, Ontology], ...] = ()
    #: readable texts of RDF files whose tabs or line ends were turned into spaces.
    texts_respaced: int = 0

    @property
    def schema(self) -> bytes | None:
        """Turtle text of the axioms, or None where there is none; made anew each time."""
        return schema_turtle(self.documents)

    def source_of_fact(self, h: str, r: str, t: str) -> str | None:
        """Return the file, and the line where it is known, of a fact; None where unknown."""
        return self.facts.source_of((h, r, t))

    def source_of_type(self, e: str, c: str) -> str | None:
        """Return the file, and the line where it is known, of a type; None where unknown."""
        return self.types.source_of((e, c))

    def source_of_axiom(self, axiom: Axiom) -> str | None:
        """Return the file, and the line where it is known, of an axiom; None where unknown."""
        return self.ontology.source_of_axiom(axiom)


@dataclass(slots=True)
class _Parts:
    """What has been read so far."""

    #: the RDF files that are not sorted yet, and the properties that they declare.
    parsed: dict[str | Path, Document]
    declared: Declared
    splits: dict[str, list[Sequence[LabelTriple]]] = field(default_factory=dict)
    types: list[Sequence[tuple[str, str]]] = field(default_factory=list)
    texts: dict[tuple[str, str], str] = field(default_factory=dict)
    ontologies: list[Ontology] = field(default_factory=list)
    #: statements of RDF files with axioms, unsorted and sorted.
    documents: list[tuple[Statements, Ontology]] = field(default_factory=list)
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
    allow_no_facts: bool = False,
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
        allow_no_facts: take RDF files that hold no fact, as an ontology of classes.

    Raises:
        DataError: a file cannot be read, or all of them hold no fact.
        OntologyError: an RDF file is broken or of a syntax that is not read.
    """
    parts = _parsed(paths, ontology)
    for path in paths:
        stem = Path(path).name.split(".")[0]
        _read_one(parts, path, stem if named_splits and stem in SPLITS else "train")
    for further in parts.parsed.keys() - set(paths):
        _read_axioms(parts, further)
    if types_file is not None:
        _read_types(parts, types_file)
    if labels_file is not None:
        _read_labels(parts, labels_file)
    facts = {split: LabelRows[LabelTriple].joined(rows, 3) for split, rows in parts.splits.items()}
    may_be_empty = allow_no_facts and any(entry["format"] == "rdf" for entry in parts.files)
    if not len(facts.get("train", ())) and not may_be_empty:
        raise DataError(_nothing_found(parts))
    types = LabelRows[tuple[str, str]].joined(parts.types, 2)
    kg, report = graph_of(
        facts,
        name=name or Path(paths[0]).name.split(".")[0],
        types=types,
        texts=[(kind, label, text) for (kind, label), text in parts.texts.items()],
        sources={"files": ", ".join(str(path) for path in paths)},
        blank_lines=parts.blank_lines,
    )
    return FactFiles(
        kg=kg,
        report=report,
        ontology=merged_axioms(parts.ontologies),
        files=tuple(parts.files),
        facts=LabelRows[LabelTriple].joined(list(facts.values()), 3),
        types=types,
        documents=tuple(parts.documents),
        texts_respaced=parts.respaced,
    )


def _parsed(paths: Sequence[str | Path], ontology: str | Path | None) -> _Parts:
    """Parse the RDF files: what one of them says of a property counts in the others."""
    given = frozenset(Path(path).resolve() for path in paths)
    parsed = {path: parse_document(path, given=given) for path in paths if is_rdf(path)}
    if ontology is not None and Path(ontology).resolve() not in given:
        parsed[ontology] = parse_document(ontology, given=given)
    declared = declared_properties(one.statements for one in parsed.values())
    return _Parts(parsed=parsed, declared=declared)


def _read_one(parts: _Parts, path: str | Path, split: str) -> None:
    rows = parts.splits.setdefault(split, [])
    if path not in parts.parsed:
        table = read_table(path)
        triples = cast("list[LabelTriple]", table.rows)
        rows.append(LabelRows.of(triples, 3, _lines_of(table)))
        parts.blank_lines += len(table.blank_lines)
        entry = {"path": str(path), "format": "tsv", "split": split, "rows": len(table.rows)}
        parts.files.append({**entry, "blank_lines": len(table.blank_lines)})
        return
    document = parts.parsed[path]
    statements, found = document.statements, sort_document(document, declared=parts.declared)
    rows.append(found.facts)
    parts.types.append(found.types)
    _keep_axioms(parts, statements, found)
    parts.files.append({**_counts_of(path, found), "split": split})


def _read_types(parts: _Parts, path: str | Path) -> None:
    table = read_table(path, 2, ("entity", "class"))
    pairs = cast("list[tuple[str, str]]", table.rows)
    parts.types.append(LabelRows.of(pairs, 2, _lines_of(table)))
    parts.files.append({"path": str(path), "format": "types", "rows": len(table.rows)})
    parts.blank_lines += len(table.blank_lines)


def _read_labels(parts: _Parts, path: str | Path) -> None:
    table = read_table(path, 3, ("kind", "label", "text"))
    parts.texts.update({(kind, label): text for kind, label, text in table.rows})
    parts.files.append({"path": str(path), "format": "labels", "rows": len(table.rows)})
    parts.blank_lines += len(table.blank_lines)


def _lines_of(table: TsvTable) -> Places:
    """Return the line of each row of a table."""
    lines = np.arange(1, len(table.rows) + len(table.blank_lines) + 1, dtype=np.int32)
    lines = np.delete(lines, np.array(table.blank_lines, dtype=np.int64) - 1)
    return Places((Origin(table.path),), np.zeros(len(lines), dtype=np.int32), lines)


def _read_axioms(parts: _Parts, path: str | Path) -> None:
    document = parts.parsed[path]
    statements, found = document.statements, sort_document(document, declared=parts.declared)
    if not found.axioms:
        raise OntologyError(
            f"{path}: no axiom found in {found.report.statements} statements; expected an "
            "ontology; give a file of facts without --ontology"
        )
    _keep_axioms(parts, statements, found)
    # Facts beside the axioms were not asked for as facts; their counts show that they exist.
    parts.files.append({**_counts_of(path, found), "split": None})


def _keep_axioms(parts: _Parts, statements: Statements, found: Ontology) -> None:
    for kind, label, text in readable_texts(statements, found):
        flat = " ".join(text.split())
        parts.respaced += flat != text
        if flat:
            parts.texts.setdefault((kind, label), flat)
    if found.axioms:
        parts.ontologies.append(found)
        parts.documents.append((statements, found))


def _counts_of(path: str | Path, found: Ontology) -> dict[str, Any]:
    return {
        "path": str(path),
        "format": "rdf",
        "n_axioms": len(found.axioms),
        **asdict(found.report),
        "not_imported": found.report.not_imported,
        "individuals": len(found.individuals),
        "classes": len(found.classes),
        "object_properties": len(found.relations),
        "axioms_by_kind": found.kinds,
        "disjoint_pairs": found.disjoint_pairs,
    }


def merged_axioms(ontologies: Sequence[Ontology]) -> Ontology:
    """Put the axioms and names of several ontologies together, without facts and types.

    Places are kept where all that have axioms have some; the first place of an axiom counts.
    """

    def union(name: str) -> tuple[Any, ...]:
        return tuple(sorted({x for one in ontologies for x in getattr(one, name)}))

    first: dict[Axiom, int] = {}
    for number, axiom in enumerate(chain.from_iterable(one.axioms for one in ontologies)):
        first.setdefault(axiom, number)
    ordered = sorted(first, key=lambda a: (type(a).__name__, str(a)))
    speaking = [one for one in ontologies if one.axioms]
    known = [one.axiom_places for one in speaking if one.axiom_places is not None]
    places = None
    if len(known) == len(speaking):
        chosen = np.array([first[axiom] for axiom in ordered], dtype=np.int64)
        places = Places.joined(known).take(chosen)
    sources = [one.source for one in speaking or ontologies]
    return Ontology(
        axioms=tuple(ordered),
        originals=tuple(chain.from_iterable(one.originals for one in ontologies)),
        individuals=union("individuals"),
        classes=union("classes"),
        relations=union("relations"),
        report=_joined_reports([one.report for one in ontologies]),
        source=", ".join(dict.fromkeys(filter(None, sources))),
        axiom_places=places,
    )


def _joined_reports(reports: Sequence[ReadingReport]) -> ReadingReport:
    """Add the counts up; names are kept once, of examples the first."""
    found: dict[str, Any] = {}
    for one in fields(ReadingReport):
        values = [getattr(report, one.name) for report in reports]
        if isinstance(one.default, int):
            found[one.name] = sum(values)
        elif isinstance(one.default, tuple):
            found[one.name] = tuple(dict.fromkeys(chain.from_iterable(values)))
        elif one.name == "skipped":
            found[one.name] = dict(sum(map(Counter, values), Counter[str]()))
        else:
            found[one.name] = {k: v for value in reversed(values) for k, v in value.items()}
    return ReadingReport(**found)


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
