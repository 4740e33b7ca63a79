"""``hybridkg compare``: one table for many instances."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hybridkg.cli._options import AsJson, Ties
from hybridkg.errors import ConfigError

if TYPE_CHECKING:
    from hybridkg.analysis.comparison import ComparisonOptions

_RESAMPLES, _SEED, _LEVEL = 1000, 0, 95.0


def compare(
    instances: Annotated[
        list[Path],
        typer.Argument(help="Folders of trained and evaluated instances, or rank files (.tsv)."),
    ],
    group: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "A group whose mean is shown, NAME=INSTANCE,INSTANCE,...; may be repeated. By "
                "default one group a model with several instances."
            )
        ),
    ] = None,
    ties: Ties = "expected",
    metrics: Annotated[
        str | None,
        typer.Option(
            help=(
                "Comma-separated: mrr, hits_at_K, mean_rank, amr, amri, z_mean_rank, "
                "adjusted_mrr, z_mrr, adjusted_hits_at_K, z_hits_at_K. By default mrr, "
                "hits_at_1, hits_at_3, hits_at_10, mean_rank, amri."
            )
        ),
    ] = None,
    sort: Annotated[
        str, typer.Option(help="A metric, best first; or name; or none for the given order.")
    ] = "none",
    by: Annotated[
        str | None,
        typer.Option(
            help=(
                "Metrics apart by relation, cardinality or target, or several of them separated "
                "by commas; or macro, the mean over relations. A further table, without intervals."
            )
        ),
    ] = None,
    ci: Annotated[
        float | None,
        typer.Option(help="Print confidence intervals of this percentage, for example 95."),
    ] = None,
    resamples: Annotated[
        int | None,
        typer.Option(help=f"Resamples of the test triples, for --ci and --against [{_RESAMPLES}]."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help=f"Seed of the resamples [{_SEED}].")] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Print each other instance's paired difference to this one, with interval and p."
        ),
    ] = None,
    format: Annotated[  # noqa: A002
        str | None, typer.Option(help="text (default), markdown, latex, csv or json.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write the table to, in place of printing it.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Print the metrics of many instances in one table, with the chance line above them.

    Groups show mean ± sample standard deviation over their instances. Intervals come from a
    bootstrap over test triples: both queries of a triple together, all instances alike.
    """
    from hybridkg.analysis.comparison import compare_instances
    from hybridkg.cli._options import tie_policies
    from hybridkg.cli._output import emit, json_text, note
    from hybridkg.report.comparisons import comparison_text
    from hybridkg.training.stored_ranks import read_ranks

    policies, chosen = tie_policies(ties), _format(format, json, out)
    options = _options(group or [], metrics, sort, by, ci, resamples, seed, against)
    table = read_ranks(instances)
    documents = [compare_instances(table, options, ties=policy) for policy in policies]
    document = {"comparisons": documents}
    text = json_text(document) if chosen == "json" else comparison_text(documents, chosen)  # type: ignore[arg-type]  # checked above
    if out is None:
        emit(document, as_json=chosen == "json", text=text)
        return
    from hybridkg._io import write_text

    write_text(out, text + "\n")
    note(f"{chosen} written to {out}")
    if json:
        emit(document, as_json=True, text="")


def _format(name: str | None, json: bool, out: Path | None) -> str:
    """Return the format of the table; ``--json`` is the short for json."""
    from hybridkg.report.comparisons import TABLE_FORMATS

    known = (*TABLE_FORMATS, "json")
    if name is not None and name not in known:
        raise ConfigError(f"--format {name!r}; expected one of {', '.join(known)}")
    if json and name not in (None, "json") and out is None:
        raise ConfigError(
            f"--json and --format {name} both say what to print; expected one of them, or --out "
            f"FILE for the {name}"
        )
    return name or ("json" if json else "text")


def _options(
    groups: list[str],
    metrics: str | None,
    sort: str,
    by: str | None,
    ci: float | None,
    resamples: int | None,
    seed: int | None,
    against: str | None,
) -> ComparisonOptions:
    from hybridkg.analysis.bootstrap import Bootstrap
    from hybridkg.analysis.comparison import COMPARED_METRICS, ComparisonOptions
    from hybridkg.analysis.groups import parse_group
    from hybridkg.evaluation.adjusted import metric_named

    if ci is not None and not 1 <= ci < 100:
        raise ConfigError(f"--ci {ci:g}; expected a percentage from 1 to below 100, as in 95")
    given = {"--resamples": resamples, "--seed": seed}
    idle = [option for option, value in given.items() if value is not None]
    if ci is None and against is None and idle:
        raise ConfigError(
            f"{', '.join(idle)} without --ci or --against would change nothing; expected one of "
            "these beside it"
        )
    if seed is not None and seed < 0:
        raise ConfigError(f"--seed {seed}; expected 0 or more")
    names = _names("--metrics", metrics) if metrics is not None else COMPARED_METRICS
    return ComparisonOptions(
        metrics=tuple(dict.fromkeys(metric_named(n, where="--metrics").name for n in names)),
        groups=[parse_group(text) for text in groups],
        sort=sort,
        by=_names("--by", by) if by is not None else (),
        intervals=ci is not None,
        against=against,
        bootstrap=Bootstrap(
            _RESAMPLES if resamples is None else resamples, (_LEVEL if ci is None else ci) / 100
        ),
        seed=_SEED if seed is None else seed,
    )


def _names(option: str, text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(","))
    if not all(parts):
        raise ConfigError(f"{option} {text!r}; expected names separated by commas")
    return parts
