"""``hybridkg explain``: proof, contradiction, witness, rules, or why not, for one statement."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hybridkg.cli._options import (
    AsJson,
    Engine,
    IriMap,
    MaxPairs,
    Namespaces,
    ProfileName,
    SetAside,
    TypesFile,
    UniqueNames,
    refuse_below_one,
)
from hybridkg.cli._output import emit
from hybridkg.cli._reasoning import close_premises
from hybridkg.errors import ConfigError


def explain(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="ONTOLOGY [FACTS]... HEAD RELATION TAIL",
            help="OWL file; files of facts or a data set; then the statement: 'type' as RELATION "
            "for class membership, 'some CLASS' as TAIL for a witness.",
        ),
    ],
    types_file: TypesFile = None,
    namespace: Namespaces = None,
    iri_map: IriMap = None,
    engine: Engine = "auto",
    profile: ProfileName = "el+",
    unique_names: UniqueNames = False,
    max_pairs: MaxPairs = None,
    set_aside_culprits: SetAside = False,
    all_justifications: Annotated[
        bool, typer.Option("--all", help="List all minimal justifications, not only one proof.")
    ] = False,
    limit: Annotated[int, typer.Option(help="Justifications that are listed.")] = 20,
    max_steps: Annotated[int, typer.Option(help="Steps of a proof that are shown.")] = 200,
    rules: Annotated[
        Path | None, typer.Option(help="Rule file to ask where no proof exists.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Explain why a statement holds, cannot hold, or does not follow."""
    from hybridkg.analysis.explaining import explain_statement
    from hybridkg.ontology.premises import read_premises
    from hybridkg.report.explanations import explanation_text

    refuse_below_one({"--limit": limit, "--max-steps": max_steps, "--max-pairs": max_pairs})
    if len(words) < 4:
        raise ConfigError(
            f"{len(words)} arguments ({' '.join(map(repr, words))}); expected ONTOLOGY, files of "
            "facts if any, and HEAD RELATION TAIL; put a name with spaces in quotes"
        )
    ontology, *data, head, relation, tail = words
    premises = read_premises(
        ontology, data, types_file=types_file, namespaces=namespace or (), iri_map=iri_map
    )
    study = close_premises(
        premises,
        engine=engine,
        profile=profile,
        unique_names=unique_names,
        set_aside=set_aside_culprits,
        max_pairs=max_pairs,
    )
    found = explain_statement(
        study, (head, relation, tail), every=all_justifications, limit=limit, rules=rules
    )
    emit(found.as_document(), as_json=json, text=explanation_text(found, max_steps=max_steps))
