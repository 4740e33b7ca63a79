"""``hybridkg train``: a grid of instances from one TOML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hybridkg.cli._options import AsJson, Ties


def _list_models(shown: bool) -> None:
    if not shown:
        return
    import dataclasses

    from hybridkg.training.models import find_model, model_names

    for name in model_names():
        kind = find_model(name)
        print(f"{name}: {kind.summary}")
        for field in dataclasses.fields(kind.config):
            print(f"    {field.name} = {getattr(kind.config(), field.name)!r}")
    raise typer.Exit


def train(
    spec: Annotated[
        Path, typer.Argument(help="TOML file: dataset, out, seeds and [[models]]; see examples/.")
    ],
    models: Annotated[
        bool,
        typer.Option(
            "--models",
            callback=_list_models,
            is_eager=True,
            help="List the models that a spec can name with their options and defaults; leave.",
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

    policies = tie_policies(ties)
    folders, table = train_and_rank(read_spec(spec), note=note)
    documents = [summarise(table, policy) for policy in policies] if table else []
    text = ranking_text(documents) if documents else "the data set has no test split to rank"
    emit(
        {"instances": [str(folder) for folder in folders], "evaluations": documents},
        as_json=json,
        text=text,
    )
