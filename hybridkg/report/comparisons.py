"""Comparisons of instances as text, Markdown, LaTeX and CSV: takes documents, computes nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from hybridkg._io import escape_controls
from hybridkg.errors import ConfigError
from hybridkg.evaluation.adjusted import metric_named
from hybridkg.report.comparison_rows import comparison_csv
from hybridkg.report.tables import (
    Cell,
    latex_table,
    markdown_table,
    markdown_text,
    spell_number,
    text_table,
)
from hybridkg.types import CHANCE

TableFormat = Literal["text", "markdown", "latex", "csv"]
TABLE_FORMATS: tuple[TableFormat, ...] = get_args(TableFormat)

_SHARES = {"tied": "tied", "coverage": "coverage"}


@dataclass(frozen=True, slots=True)
class _Section:
    """One table of a comparison."""

    #: what it shows; empty for the main table.
    title: str
    header: list[str]
    rows: list[list[Cell]]


def comparison_text(
    documents: Sequence[Mapping[str, Any]], table_format: TableFormat = "text"
) -> str:
    """Render comparisons of the same ranks, one after the other a tie policy.

    Protocol, tie policy and, where there are intervals, how they were made, stand in every
    format: as lines, as the caption of each LaTeX table, as columns of the CSV.

    Args:
        documents: as :func:`hybridkg.analysis.comparison.compare_instances` returns them.
        table_format: "text", "markdown", "latex" or "csv".

    Raises:
        ConfigError: there is no such format.
    """
    if table_format == "csv":
        return comparison_csv(documents)
    if table_format == "latex":
        return _latex(documents)
    if table_format == "markdown":
        return _markdown(documents)
    if table_format == "text":
        return _text(documents)
    raise ConfigError(f"format {table_format!r}; expected one of {', '.join(TABLE_FORMATS)}")


def _text(documents: Sequence[Mapping[str, Any]]) -> str:
    parts = [_protocol(documents[0])]
    for document in documents:
        parts += ["", f"ties: {document['ties']}"]
        for number, section in enumerate(_sections(document)):
            parts += ["", f"{section.title}:"] if number else []
            parts.append(text_table(section.header, section.rows))
        parts += _interval_line(document)
    return "\n".join([*parts, *_notes(documents)])


def _markdown(documents: Sequence[Mapping[str, Any]]) -> str:
    parts = [markdown_text(_protocol(documents[0]))]
    for document in documents:
        parts.append(f"ties: {document['ties']}")
        for section in _sections(document):
            parts += [f"{markdown_text(section.title)}:"] if section.title else []
            parts.append(markdown_table(section.header, section.rows))
        parts += [markdown_text(line) for line in _interval_line(document)]
    return "\n\n".join([*parts, *(markdown_text(line) for line in _notes(documents))])


def _latex(documents: Sequence[Mapping[str, Any]]) -> str:
    parts = ["% needs \\usepackage{booktabs}"]
    for document in documents:
        for section in _sections(document):
            words = [section.title or "metrics", f"ties: {document['ties']}"]
            words += [_protocol(document), *_interval_line(document)]
            parts.append(latex_table(section.header, section.rows, caption=". ".join(words) + "."))
    parts += [f"% {line}" for line in _notes(documents)]
    return "\n\n".join(parts)


def _protocol(document: Mapping[str, Any]) -> str:
    sentence = escape_controls(document["protocol_sentence"])
    return f"protocol: {sentence}; {document['n_queries']:,} queries"


def _interval_line(document: Mapping[str, Any]) -> list[str]:
    made = document["bootstrap"]
    if made is None:
        return []
    return [
        f"{100 * made['level']:.4g} % intervals: percentile bootstrap over "
        f"{made['n_triples']:,} test triples, {made['resamples']:,} resamples, "
        f"seed {made['seed']}"
    ]


def _notes(documents: Sequence[Mapping[str, Any]]) -> list[str]:
    found = [
        escape_controls(f"note: {row['name']}: {text}")
        for document in documents
        for row in document["instances"]
        for text in row["notes"]
    ]
    return list(dict.fromkeys(found))


def _sections(document: Mapping[str, Any]) -> list[_Section]:
    found = [_main_section(document)]
    if document["against"] is not None:
        found.append(_against_section(document))
    if document["breakdown"] is not None:
        found.append(_breakdown_section(document))
    return found


def _titles(document: Mapping[str, Any]) -> dict[str, str]:
    return {name: metric_named(name).title for name in document["metrics"]} | _SHARES


def _main_section(document: Mapping[str, Any]) -> _Section:
    titles = _titles(document)
    names: list[str] = []
    values: dict[str, list[tuple[float | None, str]]] = {name: [] for name in titles}
    if document["chance"] is not None:
        names.append(CHANCE)
        for metric, column in values.items():
            column.append((document["chance"].get(metric), ""))
    for group in document["groups"]:
        names.append(f"{escape_controls(group['name'])} (n={group['n_instances']})")
        for metric, column in values.items():
            column.append((group["mean"][metric], _spread(group, metric)))
    for row in document["instances"]:
        names.append(escape_controls(row["name"]))
        for metric, column in values.items():
            column.append((row[metric], _interval(row, metric)))
    columns = [_column(column) for column in values.values()]
    rows: list[list[Cell]] = [[name, *cells] for name, *cells in zip(names, *columns, strict=True)]
    return _Section("", ["instance", *titles.values()], rows)


def _spread(group: Mapping[str, Any], metric: str) -> str:
    """Standard deviation and interval; shares of queries go without, to keep the table narrow."""
    sd = group["sd"][metric]
    if metric in _SHARES or sd is None or math.isnan(sd):
        return _interval(group, metric)
    return f" ± {spell_number(sd)}{_interval(group, metric)}"


def _interval(row: Mapping[str, Any], metric: str) -> str:
    found = row.get("intervals", {}).get(metric)
    if found is None or math.isnan(found["low"]):
        return ""
    return f" [{spell_number(found['low'])}, {spell_number(found['high'])}]"


def _column(cells: Sequence[tuple[float | None, str]]) -> list[Cell]:
    """Return numbers, or texts whose numbers stand below each other where some say more."""
    if not any(suffix for _, suffix in cells):
        return [value for value, _ in cells]
    spelled = [spell_number(value) for value, _ in cells]
    width = max(map(len, spelled))
    return [text.rjust(width) + suffix for text, (_, suffix) in zip(spelled, cells, strict=True)]


def _against_section(document: Mapping[str, Any]) -> _Section:
    against = document["against"]
    titles = _titles(document)
    rows: list[list[Cell]] = [
        [
            escape_controls(row["instance"]),
            titles[row["metric"]],
            *(row[key] for key in ("difference", "low", "high", "p")),
        ]
        for row in against["differences"]
    ]
    # Whoever reads many p values corrects them; how depends on what is asked of them.
    name = escape_controls(against["instance"])
    title = f"difference to {name} (instance minus this one; p for one comparison alone)"
    return _Section(title, ["instance", "metric", "difference", "low", "high", "p"], rows)


def _breakdown_section(document: Mapping[str, Any]) -> _Section:
    by = document["breakdown"]["by"]
    macro = by == ["macro"]
    keys = [] if macro else by
    size = "relations" if macro else "queries"
    titles = _titles(document)
    rows: list[list[Cell]] = []
    for row in document["breakdown"]["rows"]:
        name = escape_controls(row["name"])
        label = f"{name} (mean)" if row["kind"] == "group" else name
        strata = [escape_controls(row[key]) for key in keys]
        rows.append([*strata, label, row[size], *(row.get(metric) for metric in titles)])
    title = "macro (mean over relations)" if macro else f"by {' and '.join(by)}"
    return _Section(title, [*keys, "instance", size, *titles.values()], rows)
