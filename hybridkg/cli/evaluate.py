"""``hybridkg evaluate``: rank instances and score files under a stated protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hybridkg.cli._options import AsJson, Filter, Pool, Split, Targets, Ties, Unseen
from hybridkg.errors import ConfigError


def evaluate(
    instances: Annotated[
        list[Path] | None, typer.Argument(help="Folders of trained instances, made by `train`.")
    ] = None,
    ties: Ties = "expected",
    filter_name: Filter = None,
    candidates: Pool = None,
    unseen: Unseen = None,
    targets: Targets = None,
    split: Split = None,
    equality: Annotated[
        str | None,
        typer.Option(help="When scores tie: exact (default), or libkge within its tolerance."),
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option(help="Follow the protocol of these ranks: an instance or a folder of ranks."),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            help="Name or folder of the data set: of score files, or where it moved since the "
            "training."
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]FILE",
            help="Scores of another tool: a table (head, relation, tail with ?, candidate, score "
            "or rank), scored triples, an AnyBURL ranking, a TREC run, or a .npy or safetensors "
            "matrix with its maps, or a folder of them; query, candidate, score, is_answer needs "
            "no data set. May be repeated.",
        ),
    ] = None,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial",
            help="Rank score files that lack queries or candidates; these tie below all others.",
        ),
    ] = False,
    queries: Annotated[
        Path | None,
        typer.Option(
            help="What names of queries or rows of a matrix ask: query, head, relation, tail."
        ),
    ] = None,
    entity_map: Annotated[
        Path | None, typer.Option(help="Names of a matrix's columns, one label a line.")
    ] = None,
    trained_on: Annotated[
        str | None,
        typer.Option(
            help="Graph that an inductive model was trained on; it may share no entity with the "
            "data set, and enters neither filter nor candidates."
        ),
    ] = None,
    allow_overlap: Annotated[
        bool, typer.Option("--allow-overlap", help="Go on where it does share entities.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the ranks of score files here, one folder a name."),
    ] = None,
    keep_top: Annotated[
        int | None,
        typer.Option(help="Keep the best candidates of each query in lists.tsv beside the ranks."),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(help="Memory beside data and scorer, such as 500MiB or 2GiB; said before."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Threads of matrix products and of counting.")
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="Distinct queries a block; by default 64 MiB of scores.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Rank trained instances and score files on a split, and print the metrics in one table.

    The ranks of instances are written into their folders.
    """
    from hybridkg.analysis.summary import summarise
    from hybridkg.cli._options import given_protocol, n_bytes, refuse_below_one, tie_policies
    from hybridkg.cli._output import emit, note, shows_progress
    from hybridkg.report.ranking import ranking_text
    from hybridkg.training.protocol_options import stored_protocol
    from hybridkg.training.score_ranking import (
        Scores,
        evaluate_together,
        parse_score_file,
    )

    policies = tie_policies(ties)
    given = given_protocol(
        split=split, known=filter_name, pool=candidates, unseen=unseen, targets=targets
    )
    further = {
        "equality": equality,
        "keep_top": keep_top,
        "memory": n_bytes("--memory", memory) if memory is not None else None,
        "threads": threads,
        "batch_size": batch_size,
    }
    refuse_below_one({"--keep-top": keep_top})
    if keep_top is not None and scores and out is None:
        raise ConfigError(
            "--keep-top with score files needs --out DIR, the folder that the lists go to; name it"
        )
    table = evaluate_together(
        instances or [],
        Scores(
            tuple(parse_score_file(text) for text in scores or []),
            queries=queries,
            entity_map=entity_map,
            partial=partial,
            out=out,
            trained_on=trained_on,
            allow_overlap=allow_overlap,
        ),
        given=given | {option: value for option, value in further.items() if value is not None},
        like=stored_protocol(like) if like is not None else None,
        dataset=dataset,
        progress=shows_progress(),
        note=note,
    )
    documents = [summarise(table, policy) for policy in policies]
    emit({"evaluations": documents}, as_json=json, text=ranking_text(documents))
