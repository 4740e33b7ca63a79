"""``hybridkg audit``: what the ontology forbids among ranked or predicted candidates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hybridkg.cli._options import (
    AsJson,
    IriMap,
    Namespaces,
    OntologyFile,
    SetAside,
    tie_policies,
)
from hybridkg.cli._output import emit, note, shows_progress
from hybridkg.errors import ConfigError

if TYPE_CHECKING:
    from hybridkg.analysis.reasoning import Reasoning
    from hybridkg.graph.knowledge_graph import KnowledgeGraph
    from hybridkg.types import TiePolicy


def audit(
    data: Annotated[
        list[str] | None,
        typer.Argument(help="Folders of trained instances; or one data set or benchmark folder."),
    ] = None,
    ontology: OntologyFile = None,
    predictions: Annotated[
        Path | None,
        typer.Option(help="Triples, or lists with columns head, relation, tail (?), rank, "
                     "candidate; judged against DATA, or against the individuals of ONTOLOGY."),
    ] = None,
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
        typer.Option(help="Exit with 1 where there are more violations (impossible or unsupported) "
                     "than this in all lists of the greatest length together."),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(help="Name or folder of the data set, where it moved since the training."),
    ] = None,
    json: AsJson = False,
) -> None:  # fmt: skip
    """Count impossible, unsupported and untyped candidates.

    Impossible: facts, axioms and the candidate contradict each other. Unsupported: the
    candidate is typed, but not known to have the type that domain or range asks for. Untyped:
    nothing is known of its type; never a violation. Exit code 3 where the data themselves
    contradict the ontology.

    Three forms: INSTANCES of a training, ranked anew with the verdicts counted; --predictions
    from any tool; or the triples of a data set itself.
    """
    cutoffs = _cutoffs(k)
    if fail_over is not None and not 0 <= fail_over < float("inf"):
        raise ConfigError(f"--fail-over {fail_over!r}; expected a number from 0")
    if examples < 0:
        raise ConfigError(f"--examples {examples}; expected 0 or more")
    policies = tie_policies(ties)
    if len(policies) > 1:
        raise ConfigError(f"--ties {ties!r}; an audit prints one policy, expected for example")
    if types not in ("asserted", "entailed"):
        raise ConfigError(f"--types {types!r}; expected asserted or entailed")
    reasoning: dict[str, Any] = {
        "ontology": ontology,
        "namespaces": namespace or (),
        "iri_map": iri_map,
        "types": types,
        "set_aside": set_aside_culprits,
    }
    if predictions is not None:
        _refuse_given({"--by": by, "--dataset": dataset})
        document, text, worst = _predictions(data or [], predictions, cutoffs, reasoning)
    elif data and all((Path(folder) / "manifest.json").is_file() for folder in data):
        document, text, worst = _instances(
            data, cutoffs, by, policies[0], examples, dataset, reasoning
        )
    else:
        for folder in data or []:
            if (Path(folder) / "unfinished.json").is_file():
                raise ConfigError(
                    f"{folder}: an unfinished instance; run its training again, which completes it"
                )
        _refuse_given({"--by": by, "--dataset": dataset})
        document, text, worst = _data_set(data or [], reasoning)
    emit(document, as_json=json, text=text)
    if fail_over is not None and worst > fail_over:
        note(f"{worst:g} violations, more than --fail-over {fail_over:g}")
        raise typer.Exit(1)


def _instances(
    folders: list[str],
    cutoffs: tuple[int, ...],
    by: str,
    ties: TiePolicy,
    n_examples: int,
    dataset: str | None,
    reasoning: dict[str, Any],
) -> tuple[dict[str, Any], str, float]:
    from hybridkg.analysis.audit import audit_summary
    from hybridkg.report.audits import audit_text, example_lines, reasoning_lines
    from hybridkg.training.auditing import InstanceAudit

    keys = list(dict.fromkeys(part for part in by.split(",") if part))
    if set(keys) - {"relation", "target"}:
        raise ConfigError(f"--by {by!r}; expected relation, target, or relation,target")
    study = InstanceAudit(folders, dataset=dataset, note=note, **reasoning)
    table, absurd = study.rank(cutoffs=cutoffs, n_examples=n_examples, progress=shows_progress())
    whole = audit_summary(table, ties=ties)
    detailed = audit_summary(table, by=keys, ties=ties) if keys else None
    about = study.reasoning.about()
    document: dict[str, Any] = {
        "protocol": table.protocol.to_json(),
        "ties": ties,
        "cutoffs": list(cutoffs),
        "reasoning": about,
        "instances": whole.reset_index().to_dict("records"),
        "details": detailed.reset_index().to_dict("records") if detailed is not None else [],
        "examples": absurd,
    }
    parts = [f"protocol: {table.protocol.sentence()}; ties: {ties}"]
    parts += [*reasoning_lines(about), "", "mean number per query:", audit_text(whole, cutoffs)]
    if detailed is not None:
        parts += ["", audit_text(detailed, cutoffs)]
    parts += example_lines(absurd)
    last = cutoffs[-1]
    worst = (whole[f"impossible_top_{last}"] + whole[f"unsupported_top_{last}"]) * whole["queries"]
    return document, "\n".join(parts), round(float(worst.max()), 6)


def _predictions(
    data: list[str], path: Path, cutoffs: tuple[int, ...], reasoning: dict[str, Any]
) -> tuple[dict[str, Any], str, float]:
    from hybridkg.analysis.predictions import count_by_cutoff, judge, read_predictions
    from hybridkg.report.audits import judged_text, reasoning_lines

    read = read_predictions(path)
    study = _reasoning(data, reasoning)
    judged = judge(read, study.masks)
    counts, about = count_by_cutoff(judged, cutoffs), study.about()
    document = {
        "reasoning": about,
        "counts": counts,
        "candidates": [one.to_json() for one in judged],
    }
    text = "\n".join([*reasoning_lines(about), "", judged_text(document)])
    last = list(counts.values())[-1]
    return document, text, float(last["impossible"] + last["unsupported"])


def _data_set(data: list[str], reasoning: dict[str, Any]) -> tuple[dict[str, Any], str, float]:
    from hybridkg.analysis.predictions import count_triples
    from hybridkg.report.audits import reasoning_lines, split_counts_text

    study = _reasoning(data, reasoning)
    counts, about = count_triples(study.closure.kg, study.masks), study.about()
    text = "\n".join([*reasoning_lines(about), "", split_counts_text(counts)])
    worst = sum(split["impossible"] + split["unsupported"] for split in counts.values())
    return {"reasoning": about, "splits": counts}, text, float(worst)


def _reasoning(data: list[str], options: dict[str, Any]) -> Reasoning:
    """Reason over the named data set, or over the individuals of the ontology file."""
    from hybridkg.analysis.reasoning import Reasoning

    return Reasoning.over(_graph(data, options), **options)


def _graph(data: list[str], options: dict[str, Any]) -> KnowledgeGraph:
    from hybridkg.analysis.reasoning import graph_of_ontology
    from hybridkg.graph.datasets import load_dataset

    if len(data) > 1:
        raise ConfigError(
            f"{data[0]!r} and {data[1]!r} are not both folders of trained instances; expected "
            "instances, or one data set"
        )
    if data:
        return load_dataset(data[0])
    if options["ontology"] is None:
        raise ConfigError(
            "nothing to audit; expected folders of instances, a data set, or --ontology with "
            "--predictions"
        )
    return graph_of_ontology(options["ontology"], options["namespaces"])


def _refuse_given(options: dict[str, str | None]) -> None:
    """Refuse options that say something about instances where there are none."""
    for option, given in options.items():
        if given:
            raise ConfigError(f"{option} {given!r}; it goes with folders of trained instances only")


def _cutoffs(text: str) -> tuple[int, ...]:
    from hybridkg.evaluation.observers import MAX_CUTOFF

    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and 0 < int(part) <= MAX_CUTOFF for part in parts):
        raise ConfigError(
            f"--k {text!r}; expected whole numbers from 1 to {MAX_CUTOFF}, as in 1,3,10"
        )
    return tuple(sorted({int(part) for part in parts}))
