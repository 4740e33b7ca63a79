"""``hybridkg audit``: what the ontology forbids among the best-ranked candidates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hybridkg.cli._options import AsJson, IriMap, Namespaces, OntologyFile, SetAside
from hybridkg.errors import ConfigError


def audit(
    instances: Annotated[
        list[Path], typer.Argument(help="Folders of trained instances, made by `train`.")
    ],
    ontology: OntologyFile = None,
    namespace: Namespaces = None,
    iri_map: IriMap = None,
    types: Annotated[
        str,
        typer.Option(help="Types count as known when asserted, or when entailed by facts as well."),
    ] = "asserted",
    set_aside_culprits: SetAside = False,
    k: Annotated[str, typer.Option(help="List lengths, ascending.")] = "1,3,10",
    by: Annotated[
        str, typer.Option(help="Further rows: relation, target, or relation,target.")
    ] = "",
    ties: Annotated[
        str, typer.Option(help="Tie policy: expected, optimistic, pessimistic or realistic.")
    ] = "expected",
    examples: Annotated[int, typer.Option(help="Absurd candidates to show an instance.")] = 3,
    fail_over: Annotated[
        float | None,
        typer.Option(help="Exit with 1 where an instance has more impossible candidates in its "
                     "longest list, on average over the queries."),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(help="Name or folder of the data set, where it moved since the training."),
    ] = None,
    json: AsJson = False,
) -> None:  # fmt: skip
    """Count impossible, unsupported and untyped candidates in the rankings of instances.

    Impossible: facts, axioms and the candidate contradict each other. Unsupported: the
    candidate is typed, but not known to have the type that domain or range asks for. Untyped:
    nothing is known of its type; never a violation. Exit code 3 where the data themselves
    contradict the ontology.
    """
    from hybridkg.analysis.audit import audit_summary
    from hybridkg.cli._options import tie_policies
    from hybridkg.cli._output import emit, note, shows_progress
    from hybridkg.report.ranking import audit_text, example_lines, reasoning_lines
    from hybridkg.training.auditing import InstanceAudit

    cutoffs = _cutoffs(k)
    keys = [part for part in by.split(",") if part]
    if set(keys) - {"relation", "target"}:
        raise ConfigError(f"--by {by!r}; expected relation, target, or relation,target")
    if types not in ("asserted", "entailed"):
        raise ConfigError(f"--types {types!r}; expected asserted or entailed")
    policies = tie_policies(ties)
    if len(policies) > 1:
        raise ConfigError("--ties all; an audit prints one policy, expected for example")
    study = InstanceAudit(
        instances,
        ontology=ontology,
        namespaces=namespace or (),
        iri_map=iri_map,
        dataset=dataset,
        types=types,  # type: ignore[arg-type]  # checked above
        set_aside=set_aside_culprits,
        note=note,
    )
    table, absurd = study.rank(
        cutoffs=cutoffs, n_examples=max(examples, 0), progress=shows_progress()
    )
    whole = audit_summary(table, ties=policies[0])
    detailed = audit_summary(table, by=keys, ties=policies[0]) if keys else None
    about = study.about()
    document: dict[str, Any] = {
        "protocol": table.protocol.to_json(),
        "ties": policies[0],
        "cutoffs": list(cutoffs),
        "reasoning": about,
        "instances": _records(whole),
        "details": _records(detailed) if detailed is not None else [],
        "examples": absurd,
    }
    parts = [f"protocol: {table.protocol.sentence()}; ties: {policies[0]}"]
    parts += [*reasoning_lines(about), "", "mean number per query:", audit_text(whole, cutoffs)]
    if detailed is not None:
        parts += ["", audit_text(detailed, cutoffs)]
    parts += example_lines(absurd)
    emit(document, as_json=json, text="\n".join(parts))
    over = whole[f"impossible_top_{cutoffs[-1]}"].max()
    if fail_over is not None and over > fail_over:
        note(f"an instance has {over:.3f} impossible candidates a query, over {fail_over}")
        raise typer.Exit(1)


def _cutoffs(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.strip().isdecimal() and int(part) > 0 for part in parts):
        raise ConfigError(f"--k {text!r}; expected whole numbers from 1, as in 1,3,10")
    return tuple(sorted({int(part) for part in parts}))


def _records(frame: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = frame.reset_index().to_dict("records")
    return found
