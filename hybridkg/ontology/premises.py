"""Everything a closure starts from: an ontology, facts and types of any files, held-out rows."""

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
from hybridkg.ontology.choose import choose_ontology
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.facts import FactFiles, read_fact_files
from hybridkg.ontology.label_rules import LabelRule, namespaces_by_kind, strip_brackets
from hybridkg.ontology.labels import Joined
from hybridkg.ontology.load import read_ontology, read_schema_table
from hybridkg.ontology.sources import Sources


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Rows that were kept out of the facts, to be judged by what follows from these."""

    #: the split, or the file.
    name: str
    #: head, relation, tail as they stand there.
    rows: tuple[LabelTriple, ...]


@dataclass(frozen=True, slots=True)
class Premises:
    """A graph, an ontology spelled in its labels, and where both came from."""

    #: all facts in "train"; facts, types and individuals of the ontology's file are among them.
    kg: KnowledgeGraph
    joined: Joined
    #: one entry a file: path, format, and where its rows or statements went.
    files: tuple[dict[str, Any], ...]
    report: ReadReport
    held_out: tuple[HeldOut, ...]
    #: kind of name -> ways from a label to an IRI and back.
    rules: dict[str, list[LabelRule]]
    #: tells where a statement stands.
    sources: Sources


@dataclass(frozen=True, slots=True)
class _Data:
    kg: KnowledgeGraph
    report: ReadReport
    files: tuple[dict[str, Any], ...] = ()
    #: axioms that stand in files of facts.
    ontology: Ontology | None = None
    read: FactFiles | None = None


def read_premises(
    ontology: str | Path | None,
    data: Sequence[str | Path] = (),
    *,
    held_out: Sequence[str | Path] = (),
    types_file: str | Path | None = None,
    namespaces: Sequence[str] = (),
    iri_map: str | Path | None = None,
) -> Premises:
    """Read an ontology and facts, and bring them over one set of names.

    Args:
        ontology: an OWL file or schema table; facts and types in it count too. None, or the name
            of a data set or folder, for the ontology that belongs to a data set.
        data: one folder or registered data set, or files of facts; empty where the ontology's
            file holds them. Files called valid and test, and these splits of a data set, are
            held out.
        held_out: files of triples to judge, instead of the splits valid and test.
        types_file: table of entity and class.
        namespaces: an IRI for all kinds, or ``entity=IRI``, ``class=IRI``, ``relation=IRI``.
        iri_map: table of label and IRI.

    Raises:
        DataError: a file cannot be read, or nothing speaks of any individual.
        OntologyError: an ontology cannot be read, or no name of it meets the graph.
        ConfigError: a namespace is of no use, or options do not go together.
    """
    if ontology is not None and not data and _is_data_set(ontology):
        data, ontology = [ontology], None
    axioms, entry = _read_axioms(ontology)
    found = _read_data([one for one in data if one != ontology], types_file, axioms, namespaces)
    whole = _merged([one for one in (axioms, found.ontology) if one is not None])
    kg = _one_spelling(found.kg, namespaces)
    chosen = choose_ontology(kg, whole, namespaces=namespaces, iri_map=iri_map)
    joined = chosen.join(kg)
    kept = {
        split: kg.label_triples(rows)
        for split, rows in kg.splits.items()
        if split != "train" and not held_out
    }
    files = (*((entry,) if entry else ()), *found.files)
    rows = [HeldOut(split, tuple(triples)) for split, triples in kept.items()]
    for path in held_out:
        rows.append(HeldOut(str(path), _read_held_out(path)))
    grown = _with_facts_of(kg, joined.ontology)
    if not len(grown.entities):
        raise DataError(
            f"{ontology}: no individual found in {chosen.ontology.report.statements} statements; "
            "expected types or relations of individuals there or in FACTS"
        )
    return Premises(
        grown,
        joined,
        files,
        found.report,
        tuple(rows),
        chosen.rules(),
        Sources(kg, chosen.ontology, joined.ontology, found.read),
    )


def _is_data_set(name: str | Path) -> bool:
    return Path(name).is_dir() or (not Path(name).is_file() and str(name) in registered_names())


def _read_axioms(path: str | Path | None) -> tuple[Ontology | None, dict[str, Any] | None]:
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


def _read_data(
    data: Sequence[str | Path],
    types_file: str | Path | None,
    axioms: Ontology | None,
    namespaces: Sequence[str],
) -> _Data:
    sets = [one for one in data if _is_data_set(one)]
    if sets and (len(data) > 1 or types_file is not None):
        other = next((one for one in data if one != sets[0]), f"--types-file {types_file}")
        raise ConfigError(
            f"{str(sets[0])!r} is a data set, and {str(other)!r} stands beside it; expected one "
            "folder or named data set, or files of facts"
        )
    if sets:
        kg, report = report_dataset(sets[0])
        return _Data(kg, report, _split_entries(kg))
    if not data and axioms is not None:
        kg = _shortened(axioms, namespaces).to_graph(name=Path(axioms.source).name.split(".")[0])
        typed, entries = _read_types(types_file)
        return _Data(_with_types(kg, typed), ReadReport(), entries)
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


def _read_files(paths: Sequence[str | Path], types_file: str | Path | None) -> _Data:
    try:
        found = read_fact_files(paths, types_file=types_file, named_splits=True)
    except DataError as error:
        return _without_facts(paths, types_file, error)
    kg, report = found.kg, found.report
    if report.types_set_aside:
        # In a closure an individual that stands in no triple has types that follow nevertheless.
        typed = _read_types(types_file)[0]
        typed += [pair for path in paths if is_rdf(path) for pair in read_ontology(path).types]
        kg = _with_types(kg, typed)
        report = replace(report, types_set_aside=0, entities_set_aside=0)
    return _Data(kg, report, found.files, found.ontology, found)


def _without_facts(
    paths: Sequence[str | Path], types_file: str | Path | None, error: DataError
) -> _Data:
    """Read files that hold types and axioms only; what is wrong with any of them is raised."""
    parts: list[Ontology] = []
    for path in paths:
        if not is_rdf(path):
            raise error
        parts.append(read_ontology(path))
    whole = _merged(parts)
    if whole is None or len(whole.facts):
        raise error
    typed, entries = _read_types(types_file)
    kg = _with_types(whole.to_graph(name=Path(paths[0]).name.split(".")[0]), typed)
    files = tuple(_entry_of(path, part) for path, part in zip(paths, parts, strict=True))
    axioms = replace(whole, facts=(), types=())
    return _Data(kg, ReadReport(), (*files, *entries), axioms)


def _read_types(path: str | Path | None) -> tuple[list[tuple[str, str]], tuple[Any, ...]]:
    if path is None:
        return [], ()
    rows = cast("list[tuple[str, str]]", read_table(path, 2, ("entity", "class")).rows)
    return rows, ({"path": str(path), "format": "types", "rows": len(rows)},)


def _read_held_out(path: str | Path) -> tuple[LabelTriple, ...]:
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


def _merged(parts: Sequence[Ontology]) -> Ontology | None:
    if len(parts) < 2:
        return parts[0] if parts else None

    def union(name: str) -> tuple[Any, ...]:
        return tuple(sorted({one for part in parts for one in getattr(part, name)}))

    def rows(name: str, columns: int) -> Any:
        given = [getattr(part, name) for part in parts if len(getattr(part, name))]
        return LabelRows[Any].joined(given, columns) if given else ()

    axioms = {axiom: None for part in parts for axiom in part.axioms}
    speaking = [part.source for part in parts if part.axioms] or [part.source for part in parts]
    return replace(
        parts[0],
        axioms=tuple(sorted(axioms, key=lambda a: (type(a).__name__, str(a)))),
        facts=rows("facts", 3),
        types=rows("types", 2),
        individuals=union("individuals"),
        classes=union("classes"),
        relations=union("relations"),
        source=", ".join(dict.fromkeys(filter(None, speaking))),
    )


def _shortened(ontology: Ontology, namespaces: Sequence[str]) -> Ontology:
    prefixes = namespaces_by_kind(namespaces)

    def shorten(kind: str) -> Callable[[str], str]:
        return lambda name: name.removeprefix(prefixes[kind]) if kind in prefixes else name

    return ontology.renamed(shorten("entity"), shorten("class"), shorten("relation"))


def _one_spelling(kg: KnowledgeGraph, namespaces: Sequence[str]) -> KnowledgeGraph:
    """Give a name one label where files spell it as a label and as its IRI."""
    prefixes = namespaces_by_kind(namespaces)
    vocabularies = {"entity": kg.entities, "relation": kg.relations, "class": kg.classes}
    shorter: dict[str, dict[str, str]] = {kind: {} for kind in vocabularies}
    for kind, iri in prefixes.items():
        for label in vocabularies[kind]:
            rest = strip_brackets(label).removeprefix(iri)
            if rest != label and rest in vocabularies[kind]:
                shorter[kind][label] = rest
    if not any(shorter.values()):
        return kg
    entity, relation, cls = (
        [shorter[kind].get(label, label) for label in names] for kind, names in vocabularies.items()
    )
    return graph_of(
        {
            split: [(entity[h], relation[r], entity[t]) for h, r, t in rows.tolist()]
            for split, rows in kg.splits.items()
        },
        name=kg.name,
        types=[(entity[e], cls[c]) for e, c in kg.types.tolist()],
        entities=entity,
        sources=dict(kg.sources),
    )[0]


def _with_types(kg: KnowledgeGraph, typed: Sequence[tuple[str, str]]) -> KnowledgeGraph:
    return _extended(kg, (), typed, ())


def _with_facts_of(kg: KnowledgeGraph, ontology: Ontology) -> KnowledgeGraph:
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
