"""``hybridkg closure``: what follows from facts and an ontology, and what contradicts it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridkg.cli._options import AsJson, IriMap, Namespaces, ProfileName, SetAside, TypesFile
from hybridkg.cli._output import emit, note, printable
from hybridkg.cli.inspect import profile_named
from hybridkg.errors import ConfigError, InconsistentOntologyError

if TYPE_CHECKING:
    from hybridkg.ontology.premises import Premises

#: Exit code of data that contradict the ontology.
INCONSISTENT = 3

Facts = Annotated[
    list[str] | None,
    typer.Argument(
        help="Files of facts and types, or one data set or benchmark folder, whose splits valid "
        "and test are held out. Facts in ONTOLOGY count too."
    ),
]
Engine = Annotated[str, typer.Option(help="auto, matrix, nemo or hermit.")]
UniqueNames = Annotated[
    bool, typer.Option("--unique-names", help="Two names never mean one individual.")
]
MaxPairs = Annotated[
    int | None, typer.Option(help="Pairs that the closure of one relation may have.")
]


def closure(
    ontology: Annotated[
        str, typer.Argument(help="OWL file or schema table; or a data set with its own ontology.")
    ],
    facts: Facts = None,
    held_out: Annotated[
        list[Path] | None,
        typer.Option(help="Triples to judge, instead of valid and test; may be repeated."),
    ] = None,
    types_file: TypesFile = None,
    namespace: Namespaces = None,
    iri_map: IriMap = None,
    engine: Engine = "auto",
    profile: ProfileName = "el+",
    unique_names: UniqueNames = False,
    max_pairs: MaxPairs = None,
    set_aside_culprits: SetAside = False,
    all_culprits: Annotated[
        bool,
        typer.Option(
            "--all-culprits", help="Show all minimal culprit sets where the data contradict."
        ),
    ] = False,
    limit: Annotated[
        int, typer.Option(help="Culprit sets that are listed for one individual.")
    ] = 5_000,
    max_steps: Annotated[int, typer.Option(help="Steps of one proof in proofs.txt.")] = 200,
    out: Annotated[
        Path | None, typer.Option(help="Folder for all of it, proofs and verdicts included.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Close facts under an ontology; judge held-out triples; list witnesses and what is unused.

    Exit code 3 where the data contradict the ontology, with one minimal culprit set.
    """
    from hybridkg.analysis.closure_files import write_closure
    from hybridkg.analysis.closure_study import ClosureStudy
    from hybridkg.ontology.matrix_engine import MAX_PAIRS
    from hybridkg.ontology.premises import read_premises
    from hybridkg.report.closures import closure_text

    refuse_below_one({"--limit": limit, "--max-steps": max_steps, "--max-pairs": max_pairs})
    premises = read_premises(
        ontology,
        facts or [],
        held_out=held_out or (),
        types_file=types_file,
        namespaces=namespace or (),
        iri_map=iri_map,
    )
    try:
        study = ClosureStudy.over(
            premises,
            engine=engine,
            profile=profile_named(profile),
            unique_names=unique_names,
            set_aside=set_aside_culprits,
            max_pairs=max_pairs or MAX_PAIRS,
            announce=lambda text: note(str(printable(text))),
        )
    except InconsistentOntologyError as error:
        _report_contradiction(
            premises, error, profile, unique_names, all_culprits, limit, as_json=json
        )
        raise typer.Exit(INCONSISTENT) from error
    document = study.as_document()
    if out is not None:
        written = write_closure(study, out, document, max_steps=max_steps)
        document["written"] = [str(path) for path in written]
    text = closure_text(printable(document))
    if out is not None:
        text += f"\n\nwritten to {out}: {', '.join(path.name for path in written)}"
    emit(document, as_json=json, text=text)


def _report_contradiction(
    premises: Premises,
    error: InconsistentOntologyError,
    profile: str,
    unique_names: bool,
    all_culprits: bool,
    limit: int,
    *,
    as_json: bool,
) -> None:
    from hybridkg.analysis.closure_study import (
        empty_document,
        knowledge_base_of,
        read_document,
    )
    from hybridkg.ontology.empty import find_empty
    from hybridkg.report.closures import inconsistency_text

    base = knowledge_base_of(premises, profile=profile_named(profile), unique_names=unique_names)
    document: dict[str, Any] = {
        "error": str(error),
        "exit_code": INCONSISTENT,
        **read_document(premises),
        **empty_document(find_empty(base)),
        "clashing": list(error.clashing),
        "all_culprits": all_culprits,
        "culprit_sets": [list(one) for one in error.culprits],
    }
    note(f"error: {printable(str(error))}")
    if all_culprits or as_json:
        found = error.all_culprits(limit)
        document["culprits_of"] = {who: [list(one) for one in s] for who, s in found.sets.items()}
        document["culprits_complete"] = found.complete
        document["triples"] = [list(one) for one in error.triples]
        document["types_to_blame"] = [list(one) for one in error.types]
        document["blame_complete"] = error.blamed.complete
    emit(document, as_json=as_json, text=inconsistency_text(printable(document)))


def refuse_below_one(options: dict[str, int | None]) -> None:
    """Refuse numbers that leave nothing to show.

    Raises:
        ConfigError: a number is below 1.
    """
    for option, value in options.items():
        if value is not None and value < 1:
            raise ConfigError(f"{option} {value}; expected 1 or more")
