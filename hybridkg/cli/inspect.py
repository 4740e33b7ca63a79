"""``hybridkg inspect``: what was read, how much of it, and whether the splits are sound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from hybridkg.cli._options import (
    AsJson,
    IriMap,
    Namespaces,
    ProfileName,
    SetAside,
    TypesFile,
    profile_named,
    refuse_without_ontology,
)
from hybridkg.cli._output import emit
from hybridkg.cli._reading import reading_document, reading_lines
from hybridkg.cli._reasoning import check_reasoned_splits
from hybridkg.errors import ConfigError
from hybridkg.graph.datasets import registered_names, report_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.read import ReadReport, find_part
from hybridkg.ontology.choose import ontology_for
from hybridkg.ontology.facts import read_fact_files
from hybridkg.ontology.labels import match_words
from hybridkg.report.closures import leak_lines

#: Examples that a line of text shows.
N_SHOWN = 3


def inspect(
    data: Annotated[
        list[str],
        typer.Argument(help="A benchmark folder, a data set's name, or files: tables, RDF, OWL."),
    ],
    ontology: Annotated[
        Path | None, typer.Option(help="Ontology; what train entails with it is a leak.")
    ] = None,
    namespace: Namespaces = None,
    iri_map: IriMap = None,
    types_file: TypesFile = None,
    profile: ProfileName = "el+",
    set_aside_culprits: SetAside = False,
    as_json: AsJson = False,
) -> None:
    """Show what was read and check the splits; exit code 1 where they leak."""
    document = inspection(
        data,
        ontology=ontology,
        namespaces=namespace or (),
        iri_map=iri_map,
        types_file=types_file,
        profile=profile,
        set_aside=set_aside_culprits,
    )
    emit(document, as_json=as_json, text=render_inspection(document))
    if document["leaks"]:
        raise typer.Exit(1)


def inspection(
    data: Sequence[str],
    *,
    ontology: Path | None = None,
    namespaces: Sequence[str] = (),
    iri_map: Path | None = None,
    types_file: Path | None = None,
    profile: str = "el+",
    set_aside: bool = False,
) -> dict[str, Any]:
    """Read data, check it, and return all counts as JSON-able values.

    Files may hold an ontology without facts: then only what was read is told.

    Args:
        data: one folder or data set name, or files; files called train, valid and test make
            these splits, all others go to train.
        ontology: axioms with which derived test triples are found.
        namespaces: how labels become IRIs.
        iri_map: table of label and IRI.
        types_file: table of entity and class, for files only.
        profile: axiom kinds that are used, "el+" or "el".
        set_aside: reason without the facts that contradict the ontology.

    Raises:
        ConfigError: an option is of no use without an ontology, or with this data.
        HybridKGError: something cannot be read or joined.
    """
    profile_named(profile)
    if ontology is None:
        refuse_without_ontology(
            {
                "--namespace": namespaces,
                "--iri-map": iri_map,
                "--set-aside-culprits": set_aside,
                "--profile": profile != "el+",
            }
        )
    kg, report, files = _read(data, types_file, allow_no_facts=ontology is None)
    joined = None
    if ontology is not None:
        joined = ontology_for(kg, ontology, namespaces=namespaces, iri_map=iri_map)
    checks, reasoning = check_reasoned_splits(kg, joined, profile=profile, set_aside=set_aside)
    return {
        "name": kg.name,
        "entities": kg.n_entities,
        "relations": kg.n_relations,
        "classes": len(kg.classes),
        "types": len(kg.types),
        "untyped_entities": kg.n_entities - len(np.unique(kg.types[:, 0])),
        "texts": {kind: len(texts) for kind, texts in kg.readable.items()},
        "splits": {split: len(rows) for split, rows in kg.splits.items()},
        "sources": dict(kg.sources),
        "files": files,
        "reading": reading_document(kg, files),
        "set_aside": asdict(report),
        "ontology": reasoning.as_document() if reasoning else None,
        "schema_beside": None if reasoning else _schema_beside(kg, data),
        **checks.as_document(),
    }


def render_inspection(document: Mapping[str, Any]) -> str:
    """Lay the counts out as text."""
    has_facts = any(document["splits"].values())
    lines = [
        f"{document['name']}: no facts between individuals, so no splits to check"
        if not has_facts
        else f"{document['name']}: {document['entities']:,} entities, {document['relations']:,} "
        f"relations; {document['types']:,} types in {document['classes']:,} classes, "
        f"{document['untyped_entities']:,} entities without one",
        *reading_lines(document["files"]),
        *aside_lines(document["set_aside"]),
    ]
    if not has_facts:
        return "\n".join(lines)
    lines += [
        "",
        f"{'split':<8}{'rows':>10}{'distinct':>10}{'repeated':>10}{'reversed pair':>22}",
    ]
    turned = {one["split"]: one for one in document["reversed"]}
    for size in document["sizes"]:
        line = (
            f"{size['split']:<8}{size['rows']:>10,}{size['distinct']:>10,}{size['repeated']:>10,}"
        )
        if size["split"] in turned:
            found = turned[size["split"]]
            line += f"{found['triples']:>14,} ({100 * found['share']:.1f} %)"
        lines.append(line)
    lines.append("")
    for one in document["unseen"]:
        lines.append(
            f"{one['split']}: {one['entities']:,} entities unseen in train, in "
            f"{one['entity_triples']:,} triples at {one['entity_positions']:,} positions; "
            f"{one['relations']:,} relations unseen, in {one['relation_triples']:,} triples"
            + _shown(one["entity_examples"] + one["relation_examples"])
        )
    for one in document["overlaps"]:
        lines.append(
            f"{one['split']} also in {one['other']}: {one['triples']:,} triples"
            + _shown([" ".join(triple) for triple in one["examples"]])
        )
    lines += reasoning_lines(document)
    for one in document["clean"]:
        also = "" if one["underivable"] is None else f", {one['underivable']:,} of them underivable"
        lines.append(
            f"{one['split']} without overlaps and unseen: {one['triples']:,} triples{also}"
        )
    if document["schema_beside"]:
        lines.append(
            f"{document['schema_beside']} lies beside the triples; name it with --ontology to find "
            "triples that follow from train"
        )
    lines += ["", f"leaks: {document['leaks']:,}" if document["leaks"] else "leaks: none"]
    return "\n".join(lines)


def _read(
    data: Sequence[str], types_file: Path | None, *, allow_no_facts: bool
) -> tuple[KnowledgeGraph, ReadReport, list[dict[str, Any]]]:
    """Read a folder, a named data set, or files."""
    named = [one for one in data if not one or Path(one).is_dir()]
    if len(data) == 1 and not Path(data[0]).is_file() and data[0] in registered_names():
        named = list(data)
    if types_file is not None and named:
        raise ConfigError(
            f"--types-file goes with files of facts; {named[0]!r} is a data set, whose types stand "
            "in its types.tsv; leave the option out, or give the files of the data set"
        )
    if len(data) == 1 and not Path(data[0]).is_file() and types_file is None:
        kg, report = report_dataset(data[0])
        return kg, report, []
    found = read_fact_files(
        data, types_file=types_file, named_splits=True, allow_no_facts=allow_no_facts
    )
    return found.kg, found.report, list(found.files)


def _schema_beside(kg: KnowledgeGraph, data: Sequence[str]) -> str | None:
    """Find a schema of the folder of the triples that was not given as a file of facts."""
    found = [kg.sources[name] for name in ("schema.ttl", "schema.tsv") if name in kg.sources]
    if "files" in kg.sources:
        given = {Path(one).resolve() for one in data}
        folder = Path(data[0]).parent
        parts = [find_part(folder, "schema", (ending,)) for ending in (".ttl", ".tsv")]
        found = [str(part) for part in parts if part is not None and part.resolve() not in given]
    return found[0] if found else None


def aside_lines(aside: Mapping[str, int]) -> list[str]:
    """Say what was read and is not part of the graph."""
    lines = []
    if aside["types_set_aside"]:
        lines.append(
            f"set aside: {aside['types_set_aside']:,} types of {aside['entities_set_aside']:,} "
            "entities that stand in no triple"
        )
    for key, what in (
        ("types_repeated", "repeated rows of types"),
        ("labels_set_aside", "texts of labels that stand in no triple"),
        ("blank_lines", "blank lines between rows"),
    ):
        if aside[key]:
            lines.append(f"set aside: {aside[key]:,} {what}")
    return lines


def reasoning_lines(document: Mapping[str, Any]) -> list[str]:
    """Say what follows from train, how the names met, and what the reasoning left out."""
    reasoning = document["ontology"]
    if reasoning is None:
        return []
    lines = [
        f"{one['split']}: {one['asserted']:,} stand in train, {one['derived']:,} follow from it, "
        f"{one['outside']:,} are outside the closure, {one['inconsistent']:,} contradict it"
        + _shown([" ".join(triple) for triple in one["derived_triples"]])
        for one in document["entailed"]
    ]
    lines += leak_lines(reasoning["leaks"])
    met = ", ".join(match_words(kind, match) for kind, match in reasoning["matches"].items())
    lines.append(f"names of the graph that the ontology has too: {met}")
    aside = reasoning["set_aside_culprits"]
    if aside:
        lines.append(
            f"reasoning without {len(aside['triples'])} facts and {len(aside['types'])} types that "
            f"contradict the ontology at {len(aside['clashing'])} entities"
            + _shown([" ".join(one) for one in (*aside["triples"], *aside["types"])])
        )
    if reasoning["unused"]:
        lines.append("not used in reasoning, so more may follow:")
        lines += [f"  {axiom}" for axiom in reasoning["unused"][:10]]
        more = len(reasoning["unused"]) - 10
        lines += [f"  and {more} more"] if more > 0 else []
    return lines


def _shown(examples: Sequence[str]) -> str:
    """Show a few examples in brackets; the JSON document has more."""
    more = ", ..." if len(examples) > N_SHOWN else ""
    return f" ({', '.join(examples[:N_SHOWN])}{more})" if examples else ""
