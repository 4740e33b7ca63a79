"""``hybridkg closure``: what follows from facts and an ontology, and what contradicts it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridkg.cli._exit_codes import INCONSISTENT
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
    profile_named,
    refuse_below_one,
)
from hybridkg.cli._output import emit, note, printable
from hybridkg.cli._reasoning import close_premises
from hybridkg.errors import InconsistentOntologyError

if TYPE_CHECKING:
    from hybridkg.analysis.closure_study import ClosureStudy
    from hybridkg.ontology.knowledge_base import KnowledgeBase
    from hybridkg.ontology.premises import Premises

Facts = Annotated[
    list[str] | None,
    typer.Argument(
        help="Files of facts and types, or one data set or benchmark folder, whose splits valid "
        "and test are held out. Facts in ONTOLOGY count too."
    ),
]
HeldOutFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--held-out", help="Triples to judge, instead of valid and test; may be repeated."
    ),
]
AllCulprits = Annotated[
    bool,
    typer.Option(
        "--all-culprits",
        help="List all minimal culprit sets where the data contradict, in JSON as well.",
    ),
]


def closure(
    ontology: Annotated[
        str, typer.Argument(help="OWL file or schema table; or a data set with its own ontology.")
    ],
    facts: Facts = None,
    held_out: HeldOutFiles = None,
    types_file: TypesFile = None,
    namespace: Namespaces = None,
    iri_map: IriMap = None,
    engine: Engine = "auto",
    profile: ProfileName = "el+",
    unique_names: UniqueNames = False,
    max_pairs: MaxPairs = None,
    set_aside_culprits: SetAside = False,
    all_culprits: AllCulprits = False,
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
    from hybridkg.analysis.closure_study import knowledge_base_of
    from hybridkg.ontology.premises import read_premises

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
        study = close_premises(
            premises,
            engine=engine,
            profile=profile,
            unique_names=unique_names,
            set_aside=set_aside_culprits,
            max_pairs=max_pairs,
        )
    except InconsistentOntologyError as error:
        base = knowledge_base_of(
            premises, profile=profile_named(profile), unique_names=unique_names
        )
        every = limit if all_culprits else None
        _report_contradiction(premises, base, error, every, as_json=json)
        raise typer.Exit(INCONSISTENT) from error
    _report_closure(study, out, max_steps, as_json=json)


def _report_closure(
    study: ClosureStudy, out: Path | None, max_steps: int, *, as_json: bool
) -> None:
    from hybridkg.analysis.closure_files import write_closure
    from hybridkg.report.closures import closure_text

    document = study.as_document()
    if out is not None:
        written = write_closure(study, out, document, max_steps=max_steps)
        document["written"] = [str(path) for path in written]
    text = closure_text(printable(document))
    if out is not None:
        text += f"\n\nwritten to {out}: {', '.join(path.name for path in written)}"
    emit(document, as_json=as_json, text=text)


def _report_contradiction(
    premises: Premises,
    base: KnowledgeBase,
    error: InconsistentOntologyError,
    every: int | None,
    *,
    as_json: bool,
) -> None:
    """Say what contradicts what; all culprit sets are searched only where asked for.

    Args:
        premises: what was read.
        base: the same, assembled.
        error: the contradiction, with one culprit set.
        every: sets that are listed for one individual; None for the one set alone.
        as_json: print JSON, with the facts and types to blame.
    """
    from hybridkg.analysis.closure_study import empty_document, read_document
    from hybridkg.ontology.empty import find_empty
    from hybridkg.report.closures import inconsistency_text

    document: dict[str, Any] = {
        "error": str(error),
        "exit_code": INCONSISTENT,
        **read_document(premises),
        **empty_document(find_empty(base)),
        "clashing": list(error.clashing),
        "all_culprits": every is not None,
        "culprit_sets": [list(one) for one in error.culprits],
    }
    note(f"error: {printable(str(error))}")
    if every is not None:
        found = error.all_culprits(every)
        document["culprits_of"] = {who: [list(one) for one in s] for who, s in found.sets.items()}
        document["culprits_complete"] = found.complete
    if as_json:
        document["triples"] = [list(one) for one in error.triples]
        document["types_to_blame"] = [list(one) for one in error.types]
        document["blame_complete"] = error.blamed.complete
    emit(document, as_json=as_json, text=inconsistency_text(printable(document)))
