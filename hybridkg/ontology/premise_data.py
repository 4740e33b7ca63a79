"""Facts and types of a closure, read from a data set, from files, or from the ontology itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.datasets import registered_names, report_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.label_rows import LabelRows
from hybridkg.graph.read import ReadReport, graph_of, is_rdf
from hybridkg.graph.triples import contains_triples, distinct_triples
from hybridkg.graph.tsv import read_table
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.facts import FactFiles, merged_axioms, read_fact_files
from hybridkg.ontology.label_rules import namespaces_by_kind
from hybridkg.ontology.load import read_ontology, read_schema_table


@dataclass(frozen=True, slots=True)
class PremiseData:
    """What was read of facts and types."""

    kg: KnowledgeGraph
    report: ReadReport
    files: tuple[dict[str, Any], ...] = ()
    #: axioms that stand in files of facts.
    ontology: Ontology | None = None
    read: FactFiles | None = None


def is_data_set(name: str | Path) -> bool:
    """Tell whether a name means a folder or a registered data set rather than a file."""
    return Path(name).is_dir() or (not Path(name).is_file() and str(name) in registered_names())


def read_axioms(path: str | Path | None) -> tuple[Ontology | None, dict[str, Any] | None]:
    """Read an ontology or schema table; return it and where its statements went.

    Raises:
        DataError: the file cannot be read.
        OntologyError: it is no ontology.
    """
    if path is None:
        return None, None
    if Path(path).is_file() and not is_rdf(path):
        table = read_schema_table(path)
        return table, {"path": str(path), "format": "schema table", "rows": len(table.axioms)}
    found = read_ontology(path)
    return found, _entry_of(path, found)


def _entry_of(path: str | Path, found: Ontology) -> dict[str, Any]:
    counts = asdict(found.report)
    return {"path": str(path), "format": "rdf", "n_axioms": len(found.axioms), **counts}


def read_data(
    data: Sequence[str | Path],
    types_file: str | Path | None,
    axioms: Ontology | None,
    namespaces: Sequence[str],
) -> PremiseData:
    """Read facts and types.

    Args:
        data: one folder or data set, or files; empty where the ontology holds the facts.
        types_file: table of entity and class.
        axioms: the ontology.
        namespaces: left off the names of an ontology's own facts.

    Raises:
        DataError: a file cannot be read.
        OntologyError: an RDF file is broken.
        ConfigError: a data set and files stand side by side.
    """
    sets = [one for one in data if is_data_set(one)]
    if sets and (len(data) > 1 or types_file is not None):
        other = next((one for one in data if one != sets[0]), f"--types-file {types_file}")
        raise ConfigError(
            f"{str(sets[0])!r} is a data set, and {str(other)!r} stands beside it; expected one "
            "folder or named data set, or files of facts"
        )
    if sets:
        kg, report = report_dataset(sets[0])
        return PremiseData(kg, report, _split_entries(kg))
    if not data and axioms is not None:
        kg = _shortened(axioms, namespaces).to_graph(name=Path(axioms.source).name.split(".")[0])
        typed, entries = _read_types(types_file)
        return PremiseData(_with_types(kg, typed), ReadReport(), entries)
    if len(data) == 1 and not Path(data[0]).is_file() and not Path(data[0]).suffix:
        # Neither a file nor a data set: the reader of data sets knows what to say.
        report_dataset(data[0])
    return _read_files(data, types_file)


def _split_entries(kg: KnowledgeGraph) -> tuple[dict[str, Any], ...]:
    counts = {split: len(rows) for split, rows in kg.splits.items()} | {"types": len(kg.types)}
    return tuple(
        {"path": kg.sources[part], "format": "tsv", "rows": n, "split": part}
        for part, n in counts.items()
        if part in kg.sources
    )


def _read_files(paths: Sequence[str | Path], types_file: str | Path | None) -> PremiseData:
    try:
        found = read_fact_files(paths, types_file=types_file, named_splits=True)
    except DataError as error:
        return _without_facts(paths, types_file, error)
    kg, report = found.kg, found.report
    if report.types_set_aside:
        # In a closure an individual that stands in no triple has types that follow nevertheless.
        kg = _with_types(kg, found.types)
        report = replace(report, types_set_aside=0, entities_set_aside=0)
    return PremiseData(kg, report, found.files, found.ontology, found)


def _without_facts(
    paths: Sequence[str | Path], types_file: str | Path | None, error: DataError
) -> PremiseData:
    """Read files that hold types and axioms only; what is wrong with any of them is raised."""
    parts: list[Ontology] = []
    for path in paths:
        if not is_rdf(path):
            raise error
        parts.append(read_ontology(path))
    whole = merged(parts)
    if whole is None or len(whole.facts):
        raise error
    typed, entries = _read_types(types_file)
    kg = _with_types(whole.to_graph(name=Path(paths[0]).name.split(".")[0]), typed)
    files = tuple(_entry_of(path, part) for path, part in zip(paths, parts, strict=True))
    axioms = replace(whole, facts=(), types=())
    return PremiseData(kg, ReadReport(), (*files, *entries), axioms)


def _read_types(path: str | Path | None) -> tuple[list[tuple[str, str]], tuple[Any, ...]]:
    if path is None:
        return [], ()
    rows = cast("list[tuple[str, str]]", read_table(path, 2, ("entity", "class")).rows)
    return rows, ({"path": str(path), "format": "types", "rows": len(rows)},)


def read_held_out(path: str | Path) -> tuple[LabelTriple, ...]:
    """Read rows to judge, from RDF its types as well.

    Raises:
        DataError: there is none.
    """
    if is_rdf(path):
        found = read_ontology(path)
        rows = [*found.facts, *((entity, "type", cls) for entity, cls in found.types)]
    else:
        rows = cast("list[LabelTriple]", read_table(path).rows)
    if not rows:
        raise DataError(f"{path}: no triple; expected rows of head, relation, tail to judge")
    return tuple(rows)


def merged(parts: Sequence[Ontology]) -> Ontology | None:
    """Put the axioms, facts and names of several ontologies together; None for none."""
    if len(parts) < 2:
        return parts[0] if parts else None

    def rows(name: str, columns: int) -> Any:
        given = [getattr(part, name) for part in parts if len(getattr(part, name))]
        return LabelRows[Any].joined(given, columns) if given else ()

    return replace(merged_axioms(parts), facts=rows("facts", 3), types=rows("types", 2))


def _shortened(ontology: Ontology, namespaces: Sequence[str]) -> Ontology:
    prefixes = namespaces_by_kind(namespaces)

    def shorten(kind: str) -> Callable[[str], str]:
        return lambda name: name.removeprefix(prefixes[kind]) if kind in prefixes else name

    return ontology.renamed(shorten("entity"), shorten("class"), shorten("relation"))


def _with_types(kg: KnowledgeGraph, typed: Sequence[tuple[str, str]]) -> KnowledgeGraph:
    return _extended(kg, (), typed, ())


def with_facts_of(kg: KnowledgeGraph, ontology: Ontology) -> KnowledgeGraph:
    """Take the facts, types and individuals of an ontology's file in, spelled as the graph."""
    return _extended(kg, ontology.facts, ontology.types, ontology.individuals)


def _extended(
    kg: KnowledgeGraph,
    facts: Sequence[LabelTriple],
    types: Sequence[tuple[str, str]],
    individuals: Sequence[str],
) -> KnowledgeGraph:
    entities, relations, classes = kg.entities.labels, kg.relations.labels, kg.classes.labels
    train = LabelRows[LabelTriple]((entities, relations, entities), kg.train)
    typed = LabelRows[tuple[str, str]]((entities, classes), kg.types)
    rows = LabelRows[LabelTriple].joined([train, facts], 3)
    all_types = LabelRows[tuple[str, str]].joined([typed, types], 2)
    # What stands in the held-out splits only is no premise; it is unknown to the closure.
    whole = kg.splits.keys() == {"train"} or not len(train)
    seen = set(entities) if whole else {*train.used_labels(0), *train.used_labels(2)}
    names = {*seen, *individuals, *all_types.used_labels(0)}
    if not len(facts) and not len(types) and names == set(entities):
        return kg.with_splits({"train": kg.train})
    grown = graph_of(
        {"train": rows},
        name=kg.name,
        types=all_types,
        entities=names,
        sources=dict(kg.sources),
    )[0]
    own, added = np.split(grown.train, [len(train)])
    new = added[~contains_triples(own, added)]
    return grown.with_splits({"train": np.concatenate([own, distinct_triples(new)])})
