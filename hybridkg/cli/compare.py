"""``hybridkg compare``: one table for many instances."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hybridkg.cli._options import AsJson, Ties


def compare(
    instances: Annotated[
        list[Path],
        typer.Argument(help="Folders of trained and evaluated instances, or rank files (.tsv)."),
    ],
    ties: Ties = "expected",
    json: AsJson = False,
) -> None:
    """Print the metrics of many instances in one table, with the chance line above them."""
    from hybridkg.analysis.summary import summarise
    from hybridkg.cli._options import tie_policies
    from hybridkg.cli._output import emit
    from hybridkg.report.ranking import ranking_text
    from hybridkg.training.stored_ranks import read_ranks

    table = read_ranks(instances)
    documents = [summarise(table, policy) for policy in tie_policies(ties)]
    emit(
        {"comparisons": documents},
        as_json=json,
        text=ranking_text(documents),
    )
