"""Comparisons in the long form: one row a value, with all that the value depends on."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: Columns that say what follows which protocol; they are the same in every row.
PROTOCOL_COLUMNS = (
    "dataset",
    "split",
    "filter",
    "candidates",
    "n_candidates",
    "unseen",
    "n_unseen",
    "targets",
)
COLUMNS = (
    *PROTOCOL_COLUMNS,
    "ties",
    "section",
    "kind",
    "name",
    "against",
    "relation",
    "cardinality",
    "target",
    "n_instances",
    "n_relations",
    "n_queries",
    "metric",
    "value",
    "sd",
    "low",
    "high",
    "p",
    "level",
    "resamples",
    "seed",
    "notes",
)


def comparison_csv(documents: Sequence[Mapping[str, Any]]) -> str:
    """Spell comparisons as CSV with a header; fields that do not apply are empty.

    ``section`` is "metrics", "differences" or "breakdown", ``kind`` is "chance", "group" or
    "instance". Floats have all their digits.

    Args:
        documents: as :func:`hybridkg.analysis.comparison.compare_instances` returns them.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for document in documents:
        same = {key: document["protocol"][key] for key in PROTOCOL_COLUMNS}
        same |= {"ties": document["ties"], "n_queries": document["n_queries"]}
        for row in _rows(document):
            writer.writerow({key: _field(value) for key, value in (same | row).items()})
    return out.getvalue().removesuffix("\n")


def _rows(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    names = [*document["metrics"], "tied", "coverage"]
    made = document["bootstrap"] or {}
    how = {key: made.get(key) for key in ("level", "resamples", "seed")}
    chance = document["chance"] or {}
    for metric in names:
        if metric in chance:
            yield {"section": "metrics", "kind": "chance", "metric": metric,
                   "value": chance[metric]}  # fmt: skip
    for group in document["groups"]:
        for metric in names:
            yield {
                "section": "metrics",
                "kind": "group",
                "name": group["name"],
                "n_instances": group["n_instances"],
                "metric": metric,
                "value": group["mean"][metric],
                "sd": group["sd"][metric],
            } | _interval(group, metric, how)
    for row in document["instances"]:
        for metric in names:
            yield {
                "section": "metrics",
                "kind": "instance",
                "name": row["name"],
                "metric": metric,
                "value": row[metric],
                "notes": "; ".join(row["notes"]),
            } | _interval(row, metric, how)
    yield from _differences(document, how)
    yield from _strata(document, names)


def _interval(row: Mapping[str, Any], metric: str, how: Mapping[str, Any]) -> dict[str, Any]:
    found = row.get("intervals", {}).get(metric)
    return {} if found is None else {**found, **how}


def _differences(document: Mapping[str, Any], how: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    against = document["against"] or {"differences": ()}
    for row in against["differences"]:
        yield {
            "section": "differences",
            "kind": "instance",
            "name": row["instance"],
            "against": against["instance"],
            "metric": row["metric"],
            "value": row["difference"],
            **{key: row[key] for key in ("low", "high", "p")},
            **how,
        }


def _strata(document: Mapping[str, Any], names: Sequence[str]) -> Iterator[dict[str, Any]]:
    rows = (document["breakdown"] or {"rows": ()})["rows"]
    sizes = {"queries": "n_queries", "relations": "n_relations"}
    for row in rows:
        same = {key: row[key] for key in ("relation", "cardinality", "target") if key in row}
        same |= {column: row[key] for key, column in sizes.items() if key in row}
        same |= {"kind": row["kind"], "name": "" if row["kind"] == "chance" else row["name"]}
        for metric in names:
            if metric in row:
                yield {"section": "breakdown", **same, "metric": metric, "value": row[metric]}


def _field(value: Any) -> Any:
    """Return an empty field for what is not defined."""
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else value
