"""``hybridkg rules``: mine, count, apply, convert and explain rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hybridkg.cli._options import (
    AsJson,
    Filter,
    Pool,
    Split,
    Targets,
    Ties,
    Unseen,
    refuse_below_one,
)

rules = typer.Typer(
    help=(
        "Mine rules, count them, rank with them, convert their files, and see their evidence.\n\n"
        "Each of these commands takes --json."
    ),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

Data = Annotated[str, typer.Argument(help="Data set: folder or registered name.")]
RuleFilePath = Annotated[
    Path, typer.Argument(help="Rules: AnyBURL's lines, AMIE's table, or JSON lines.")
]
Format = Annotated[
    str | None,
    typer.Option(help="anyburl, amie or json; by default the suffix (.tsv, .json) or anyburl."),
]
SafeIdsOption = Annotated[
    bool,
    typer.Option("--safe-ids", help="Write e0 and r0 for names, and the map to FILE.ids.tsv."),
]
Statistics = Annotated[
    str,
    typer.Option(
        help="Counts: graph (taken anew on train), file (believed), compare (anew, and each "
        "rule of the file must have some)."
    ),
]
DropUnusable = Annotated[
    bool,
    typer.Option(
        "--drop-unusable",
        help="Leave out rules with unknown names or of a form that is not covered; counted.",
    ),
]


@rules.command()
def mine(
    data: Data,
    out: Annotated[Path, typer.Option("--out", help="Rule file to write.")],
    profile: Annotated[
        str, typer.Option(help="Thresholds and caps: default, fast, low-memory or amie.")
    ] = "default",
    min_support: Annotated[
        int | None, typer.Option(help="Least number of right predictions.")
    ] = None,
    min_confidence: Annotated[
        float | None, typer.Option(help="Least support / predictions.")
    ] = None,
    max_length: Annotated[
        int | None, typer.Option(help="Most body atoms of closed rules: 0 to 3.")
    ] = None,
    cap_per_head: Annotated[
        int | None, typer.Option(help="Rules with constants kept per head relation; 0 for all.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the samples for three atoms, and of --samples.")
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(help="Keep what a sampler finds that draws so many right predictions."),
    ] = None,
    no_constants: Annotated[
        bool, typer.Option("--no-constants", help="Closed rules only.")
    ] = False,
    backend: Annotated[
        str, typer.Option(help="native; anyburl or amie through PyClause, where installed.")
    ] = "native",
    seconds: Annotated[int, typer.Option(help="Learning time of AnyBURL.")] = 60,
    format: Format = None,  # noqa: A002
    safe_ids: SafeIdsOption = False,
    json: AsJson = False,
) -> None:
    """Mine the training triples of a data set into a rule file, the best rule first."""
    from hybridkg.cli._output import emit, note
    from hybridkg.cli._rules import learn, mining_config
    from hybridkg.graph.datasets import load_dataset
    from hybridkg.report.rules import mined_text
    from hybridkg.rules.files import check_format, format_for, write_rules
    from hybridkg.rules.mine import mine_rules
    from hybridkg.rules.safe_ids import ids_path

    chosen = check_format(format) if format else format_for(out)
    config = mining_config(
        profile,
        min_support=min_support,
        min_confidence=min_confidence,
        max_length=max_length,
        cap_per_head=cap_per_head,
        seed=seed,
        samples=samples,
        constants=False if no_constants else None,
    )
    kg = load_dataset(data)
    if backend == "native":
        found = mine_rules(kg, config)
    else:
        found = learn(kg, backend, config, seconds, note)
    write_rules(found, out, kg, file_format=chosen, safe_ids=safe_ids)
    document = {
        "dataset": kg.name,
        "out": str(out),
        "format": chosen,
        "ids": str(ids_path(out)) if safe_ids else None,
        "profile": profile if backend == "native" else None,
        "backend": backend,
        "n_rules": len(found),
        "kinds": found.counts(),
        "dropped": dict(found.dropped),
        "digest": found.digest,
    }
    emit(document, as_json=json, text=mined_text(document))


@rules.command()
def stats(
    file: RuleFilePath,
    data: Data,
    sort: Annotated[
        str,
        typer.Option(
            help="smoothed_confidence, confidence, pca_confidence, head_coverage, support, "
            "predictions or difference."
        ),
    ] = "smoothed_confidence",
    top: Annotated[int, typer.Option(help="Rules that are shown.")] = 20,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write all rules as a tab-separated table.")
    ] = None,
    drop_unusable: DropUnusable = False,
    backend: Annotated[
        str, typer.Option(help="Who counts: native, or pyclause where installed.")
    ] = "native",
    json: AsJson = False,
) -> None:
    """Count each rule on the training triples, and compare with the counts of its file."""
    from hybridkg.analysis.rule_table import rule_table
    from hybridkg.cli._output import emit
    from hybridkg.cli._rules import counted_by, imported_rules, records, table_text
    from hybridkg.graph.datasets import load_dataset
    from hybridkg.report.rules import statistics_text

    refuse_below_one({"--top": top})
    kg = load_dataset(data)
    found = imported_rules(file, kg, drop_unusable=drop_unusable, quiet=True)
    table = rule_table(found.file, kg, sort=sort, statistics=counted_by(backend, found, kg))
    if out is not None:
        from hybridkg._io import write_text

        write_text(out, table_text(table))
    document: dict[str, Any] = {
        "file": str(file),
        "format": found.file.file_format,
        "dataset": kg.name,
        "backend": backend,
        "n_rules": len(found.rules),
        "kinds": found.rules.counts(),
        "dropped": {**found.file.outside, **found.rules.dropped},
        "differences": found.differences.to_json() if found.differences else None,
        "sort": sort,
        "out": str(out) if out else None,
        "notes": found.notes(),
        "rules": records(table.head(top)),
    }
    emit(document, as_json=json, text=statistics_text(document))


@rules.command()
def apply(
    file: RuleFilePath,
    data: Data,
    aggregation: Annotated[
        str, typer.Option(help="Comma-separated: maxplus, max, noisyor, noisyor_top5.")
    ] = "maxplus",
    split: Split = None,
    ties: Ties = "expected",
    filter_name: Filter = None,
    candidates: Pool = None,
    unseen: Unseen = None,
    targets: Targets = None,
    measure: Annotated[
        str, typer.Option(help="Confidence that orders rules: standard or pca.")
    ] = "standard",
    statistics: Statistics = "graph",
    drop_unusable: DropUnusable = False,
    backend: Annotated[
        str, typer.Option(help="Who applies the rules: native, or pyclause where installed.")
    ] = "native",
    out: Annotated[Path | None, typer.Option("--out", help="Folder to write the ranks to.")] = None,
    json: AsJson = False,
) -> None:
    """Rank a split with the rules of a file; print the metrics as `evaluate` does."""
    from hybridkg.analysis.summary import summarise
    from hybridkg.cli._options import given_protocol, tie_policies
    from hybridkg.cli._output import emit, note, shows_progress
    from hybridkg.cli._rules import asked_aggregations, imported_rules, rank_rules, rule_weights
    from hybridkg.graph.datasets import load_dataset
    from hybridkg.report.ranking import ranking_text
    from hybridkg.training.protocol_options import ProtocolOptions

    policies, wanted = tie_policies(ties), asked_aggregations(aggregation)
    options = ProtocolOptions(
        **given_protocol(
            split=split, known=filter_name, pool=candidates, unseen=unseen, targets=targets
        )
    )
    kg = load_dataset(data)
    found = imported_rules(file, kg, statistics=statistics, drop_unusable=drop_unusable)
    table = rank_rules(
        found.rules,
        kg,
        wanted,
        options,
        backend,
        weights=rule_weights(measure),
        progress=shows_progress(),
    )
    if out is not None:
        note(f"ranks written to {table.write(out)}")
    documents = [summarise(table, policy) for policy in policies]
    document = {
        "file": str(file),
        "n_rules": len(found.rules),
        "kinds": found.rules.counts(),
        "dropped": {**found.file.outside, **found.rules.dropped},
        "differences": found.differences.to_json() if found.differences else None,
        "backend": backend,
        "measure": measure,
        "evaluations": documents,
    }
    emit(document, as_json=json, text=ranking_text(documents))


@rules.command()
def convert(
    file: RuleFilePath,
    to: Annotated[Path, typer.Argument(help="Rule file to write.")],
    data: Annotated[
        str | None,
        typer.Option(help="Data set to count on; without it the file's counts are copied."),
    ] = None,
    statistics: Statistics = "graph",
    drop_unusable: DropUnusable = False,
    format: Format = None,  # noqa: A002
    safe_ids: SafeIdsOption = False,
    triples: Annotated[
        Path | None,
        typer.Option(help="With --safe-ids and --data: write the splits in safe ids there."),
    ] = None,
    json: AsJson = False,
) -> None:
    """Write the rules of a file in another format, or with safe ids for other tools."""
    from hybridkg.cli._output import emit, note
    from hybridkg.cli._rules import convert_rules
    from hybridkg.report.rules import mined_text
    from hybridkg.rules.files import check_format

    document, notes = convert_rules(
        file,
        to,
        data=data,
        statistics=statistics,
        unusable="drop" if drop_unusable else "refuse",
        file_format=check_format(format) if format else None,
        safe_ids=safe_ids,
        triples=triples,
    )
    for line in notes:
        note(f"{file}: {line}")
    emit(document, as_json=json, text=mined_text(document))


@rules.command()
def explain(
    file: RuleFilePath,
    data: Data,
    head: Annotated[str, typer.Argument(help="Head entity.")],
    relation: Annotated[str, typer.Argument(help="Relation.")],
    tail: Annotated[str, typer.Argument(help="Tail entity.")],
    max_rules: Annotated[int, typer.Option(help="Rules that are listed.")] = 10,
    max_groundings: Annotated[int, typer.Option(help="Groundings listed per rule.")] = 3,
    statistics: Statistics = "graph",
    drop_unusable: DropUnusable = False,
    json: AsJson = False,
) -> None:
    """List the rules that propose a triple, known or not, with the facts that fire them."""
    from hybridkg.cli._output import emit
    from hybridkg.cli._rules import evidence_document, imported_rules
    from hybridkg.graph.datasets import load_dataset
    from hybridkg.report.rules import evidence_text

    kg = load_dataset(data)
    found = imported_rules(file, kg, statistics=statistics, drop_unusable=drop_unusable)
    document = evidence_document(
        found.rules, kg, (head, relation, tail), max_rules=max_rules, max_groundings=max_groundings
    )
    emit(document, as_json=json, text=evidence_text(document))
