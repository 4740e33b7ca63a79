"""``hybridkg evaluate``: rank the instances of a training under a stated protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hybridkg.cli._options import AsJson, Ties


def evaluate(
    instances: Annotated[
        list[Path], typer.Argument(help="Folders of trained instances, made by `train`.")
    ],
    ties: Ties = "expected",
    filter: Annotated[  # noqa: A002
        str, typer.Option(help="Known answers: all (train+valid+test), train+valid, train, none.")
    ] = "all",
    candidates: Annotated[
        str, typer.Option(help="Candidate pool: all entities, or those of train.")
    ] = "all",
    unseen: Annotated[
        str,
        typer.Option(help="keep or drop test triples with entities or relations unseen in train."),
    ] = "keep",
    targets: Annotated[str, typer.Option(help="both, tail or head.")] = "both",
    split: Annotated[str, typer.Option(help="Split whose triples are asked.")] = "test",
    dataset: Annotated[
        str | None,
        typer.Option(help="Name or folder of the data set, where it moved since the training."),
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="Distinct queries a block; by default 16 MiB of scores.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Rank trained instances on a split, write the ranks into their folders, print the metrics."""
    from hybridkg.analysis.summary import summarise
    from hybridkg.cli._options import asked_targets, tie_policies
    from hybridkg.cli._output import emit, note, shows_progress
    from hybridkg.report.ranking import ranking_text
    from hybridkg.training.ranking import ProtocolOptions, evaluate_instances

    policies = tie_policies(ties)
    options = ProtocolOptions(
        split=split,
        filter_name=filter,  # type: ignore[arg-type]  # checked by the evaluator, with its names
        candidates=candidates,  # type: ignore[arg-type]
        unseen=unseen,  # type: ignore[arg-type]
        targets=asked_targets(targets),
        batch_size=batch_size,
    )
    table = evaluate_instances(
        instances, options=options, dataset=dataset, progress=shows_progress(), note=note
    )
    documents = [summarise(table, policy) for policy in policies]
    emit({"evaluations": documents}, as_json=json, text=ranking_text(documents))
