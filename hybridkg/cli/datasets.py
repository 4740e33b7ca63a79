"""``hybridkg datasets``: the data sets that go by a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from hybridkg.cli._output import emit
from hybridkg.graph.datasets import benchmark_folder, list_datasets


def datasets(
    counts: Annotated[
        bool, typer.Option("--counts", help="Read all of them for their counts; takes seconds.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List the data sets that commands take by name."""
    document = dataset_listing(counts=counts)
    emit(document, as_json=as_json, text=render_listing(document))


def dataset_listing(*, counts: bool = False) -> dict[str, Any]:
    """Return the registered data sets as JSON-able values."""
    folder = benchmark_folder()
    return {
        "benchmarks": str(folder) if folder.is_dir() else None,
        "looked_for": str(folder),
        "datasets": [asdict(row) for row in list_datasets(counts=counts)],
    }


def render_listing(document: Mapping[str, Any]) -> str:
    """Lay the listing out as text."""
    rows: Sequence[Mapping[str, Any]] = document["datasets"]
    width = max(len(row["name"]) for row in rows) + 2
    lines = [f"{'name':<{width}}{'origin':<12}{'entities':>9}{'relations':>10}  splits"]
    for row in rows:
        if not row["available"]:
            lines.append(f"{row['name']:<{width}}{row['origin']:<12}not available: {row['where']}")
            continue
        numbers = [f"{row[key]:,}" if row[key] is not None else "-" for key in _COUNTS]
        sizes = row["triples"] or [None] * len(row["splits"])
        splits = ", ".join(
            split if size is None else f"{split} {size:,}"
            for split, size in zip(row["splits"], sizes, strict=True)
        )
        lines.append(
            f"{row['name']:<{width}}{row['origin']:<12}{numbers[0]:>9}{numbers[1]:>10}  {splits}"
        )
    if document["benchmarks"] is None:
        lines.append(
            f"no folder of benchmarks at {document['looked_for']}; name one in HYBRIDKG_BENCHMARKS"
        )
    if any(row["available"] and row["entities"] is None for row in rows):
        lines.append("- not counted; --counts reads them all")
    return "\n".join(lines)


_COUNTS = ("entities", "relations")
