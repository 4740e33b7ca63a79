"""Everything a closure starts from: an ontology, facts and types of any files, held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.read import ReadReport, graph_of
from hybridkg.ontology.choose import choose_ontology
from hybridkg.ontology.label_rules import LabelRule, namespaces_by_kind, strip_brackets
from hybridkg.ontology.labels import Joined
from hybridkg.ontology.premise_data import (
    is_data_set,
    merged,
    read_axioms,
    read_data,
    read_held_out,
    with_facts_of,
)
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
        DataError: a file cannot be read, or there is neither an axiom nor an individual.
        OntologyError: an ontology cannot be read, or no name of it meets the graph.
        ConfigError: a namespace is of no use, or options do not go together.
    """
    if ontology is not None and not data and is_data_set(ontology):
        data, ontology = [ontology], None
    axioms, entry = read_axioms(ontology)
    found = read_data([one for one in data if one != ontology], types_file, axioms, namespaces)
    whole = merged([one for one in (axioms, found.ontology) if one is not None])
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
        rows.append(HeldOut(str(path), read_held_out(path)))
    grown = with_facts_of(kg, joined.ontology)
    if not len(grown.entities) and not chosen.ontology.axioms:
        raise DataError(
            f"{ontology}: neither an axiom nor an individual found in "
            f"{chosen.ontology.report.statements} statements; expected an ontology, or facts"
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
