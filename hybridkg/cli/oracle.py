"""``hybridkg oracle``: what the best choice per query would reach."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hybridkg.cli._options import AsJson, Ties


def oracle(
    instances: Annotated[
        list[Path],
        typer.Argument(help="Folders of evaluated instances, or rank files (.tsv)."),
    ],
    group: Annotated[
        list[str] | None,
        typer.Option(help="A group to study, NAME=INSTANCE,INSTANCE,...; may be repeated."),
    ] = None,
    ties: Ties = "expected",
    json: AsJson = False,
) -> None:
    """Study the oracle of groups of instances: an upper bound of selection, not a model.

    Per query the best member counts. Pessimistic ties are printed beside the default.
    """
    from hybridkg.analysis.groups import parse_group
    from hybridkg.analysis.oracle import oracle as study_oracle
    from hybridkg.cli._options import tie_policies
    from hybridkg.cli._output import emit
    from hybridkg.report.ranking import oracle_text
    from hybridkg.training.stored_ranks import read_ranks

    table = read_ranks(instances)
    groups = [parse_group(text) for text in group or []]
    policies = list(dict.fromkeys([*tie_policies(ties), "pessimistic"]))
    documents = [study_oracle(table, groups, ties=policy).to_json() for policy in policies]
    emit(
        {"protocol": table.protocol.to_json(), "oracles": documents},
        as_json=json,
        text=f"protocol: {table.protocol.sentence()}\n" + oracle_text(documents),
    )
