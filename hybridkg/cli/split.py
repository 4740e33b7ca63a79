"""``hybridkg split``: facts of any files as a benchmark folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from hybridkg.cli._options import (
    AsJson,
    Namespaces,
    ProfileName,
    SetAside,
    TypesFile,
    profile_named,
    refuse_without_ontology,
)
from hybridkg.cli._output import emit
from hybridkg.cli._reading import file_line
from hybridkg.cli._reasoning import check_reasoned_splits
from hybridkg.cli.inspect import aside_lines, reasoning_lines
from hybridkg.graph.split import plan_split
from hybridkg.graph.write import write_folder
from hybridkg.ontology.facts import read_fact_files
from hybridkg.ontology.labels import join_ontology
from hybridkg.ontology.namespaces import with_namespaces


def split(
    files: Annotated[list[str], typer.Argument(help="Files of facts: tab-separated or RDF.")],
    out: Annotated[
        Path,
        typer.Option(
            help="The folder to write: new, empty, or with the same result of an earlier call."
        ),
    ],
    ontology: Annotated[
        Path | None, typer.Option(help="RDF file of axioms, if not among the files.")
    ] = None,
    types_file: TypesFile = None,
    labels_file: Annotated[
        Path | None, typer.Option(help="Table of kind, label and readable text.")
    ] = None,
    namespace: Namespaces = None,
    valid: Annotated[float, typer.Option(help="Share of the facts for validation.")] = 0.1,
    test: Annotated[float, typer.Option(help="Share of the facts for the test.")] = 0.1,
    seed: Annotated[int, typer.Option(help="Seed of the drawing, 0 or more.")] = 0,
    profile: ProfileName = "el+",
    set_aside_culprits: SetAside = False,
    as_json: AsJson = False,
) -> None:
    """Split facts by relation so that every entity and relation keeps a training triple."""
    document = split_files(
        files,
        out,
        ontology=ontology,
        types_file=types_file,
        labels_file=labels_file,
        namespaces=namespace or (),
        valid=valid,
        test=test,
        seed=seed,
        profile=profile,
        set_aside=set_aside_culprits,
    )
    emit(document, as_json=as_json, text=render_split(document))


def split_files(
    files: Sequence[str],
    out: Path,
    *,
    ontology: Path | None = None,
    types_file: Path | None = None,
    labels_file: Path | None = None,
    namespaces: Sequence[str] = (),
    valid: float = 0.1,
    test: float = 0.1,
    seed: int = 0,
    profile: str = "el+",
    set_aside: bool = False,
) -> dict[str, Any]:
    """Read files, split their facts, write the folder, and tell what came out.

    Raises:
        HybridKGError: something cannot be read, split or written.
    """
    found = read_fact_files(
        files, ontology=ontology, types_file=types_file, labels_file=labels_file, name=out.name
    )
    whole = with_namespaces(found.kg, namespaces)
    profile_named(profile)
    if not found.ontology.axioms:
        refuse_without_ontology({"--set-aside-culprits": set_aside, "--profile": profile != "el+"})
    plan = plan_split(whole, valid=valid, test=test, seed=seed)
    kg = whole.with_splits(plan.splits)
    joined = join_ontology(found.ontology, kg) if found.ontology.axioms else None
    checks, reasoning = check_reasoned_splits(kg, joined, profile=profile, set_aside=set_aside)
    extra = {"schema.ttl": found.schema} if found.schema is not None else {}
    written = write_folder(kg, out, files=extra)
    return {
        "out": str(out),
        "written": [path.name for path in written],
        "seed": seed,
        "entities": kg.n_entities,
        "relations": kg.n_relations,
        "types": len(kg.types),
        "splits": {split: len(rows) for split, rows in kg.splits.items()},
        "asked": plan.asked,
        "shortfall": plan.sentence(),
        "repeated_rows": plan.repeated,
        "texts_respaced": found.texts_respaced,
        "files": list(found.files),
        "set_aside": asdict(found.report),
        "reversed": [asdict(one) for one in checks.reversed],
        "entailed": [asdict(one) for one in checks.entailed],
        "ontology": reasoning.as_document() if reasoning else None,
    }


def render_split(document: Mapping[str, Any]) -> str:
    """Lay the result out as text."""
    sizes = " / ".join(f"{split} {n:,}" for split, n in document["splits"].items())
    lines = [
        *(file_line(entry) for entry in document["files"]),
        *aside_lines(document["set_aside"]),
        f"{document['out']}: {sizes}; {document['entities']:,} entities, "
        f"{document['relations']:,} relations, {document['types']:,} types",
        f"written: {', '.join(document['written'])}",
        f"repeated rows left out: {document['repeated_rows']:,}",
    ]
    if document["texts_respaced"]:
        lines.append(f"texts with tabs or line ends respaced: {document['texts_respaced']:,}")
    if document["shortfall"]:
        lines.append(document["shortfall"])
    lines += [
        f"{one['split']}: {one['triples']:,} triples have a reversed pair in train "
        f"({100 * one['share']:.1f} %)"
        for one in document["reversed"]
    ]
    lines += reasoning_lines(document)
    return "\n".join(lines)
