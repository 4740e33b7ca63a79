"""``hybridkg train``: a grid of instances from one TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hybridkg.cli._options import AsJson, Ties
from hybridkg.errors import ConfigError


def train(
    spec: Annotated[
        Path | None,
        typer.Argument(help="TOML file: dataset, out, seeds and [[models]]; see examples/."),
    ] = None,
    models: Annotated[
        bool,
        typer.Option(
            "--models",
            help="List the models that a spec can name, with their options and defaults.",
        ),
    ] = False,
    ties: Ties = "expected",
    json: AsJson = False,
) -> None:
    """Train models × seeds into folders and rank each on the test split.

    Safe to repeat: finished instances are left alone, an interrupted one is trained again.
    """
    from hybridkg.analysis.summary import summarise
    from hybridkg.cli._options import tie_policies
    from hybridkg.cli._output import emit, note
    from hybridkg.report.ranking import ranking_text
    from hybridkg.training.ranking import train_and_rank
    from hybridkg.training.spec import read_spec

    if models:
        document, text = _list_models()
        emit(document, as_json=json, text=text)
        return
    if spec is None:
        raise ConfigError("no spec; expected a TOML file, see examples/, or --models")
    policies = tie_policies(ties)
    folders, table = train_and_rank(read_spec(spec), note=note)
    documents = [summarise(table, policy) for policy in policies] if table else []
    text = ranking_text(documents) if documents else "the data set has no test split to rank"
    emit(
        {"instances": [str(folder) for folder in folders], "evaluations": documents},
        as_json=json,
        text=text,
    )


def _list_models() -> tuple[dict[str, Any], str]:
    import dataclasses

    from hybridkg.training.models import find_model, model_names

    found, lines = [], []
    for kind in map(find_model, model_names()):
        options = dataclasses.asdict(kind.config())
        found.append({"name": kind.name, "summary": kind.summary, "options": options})
        lines += [f"{kind.name}: {kind.summary}"]
        lines += [f"    {option} = {value!r}" for option, value in options.items()]
    return {"models": found}, "\n".join(lines)
