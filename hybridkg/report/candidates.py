"""What was written as candidates, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridkg.report.audits import reasoning_lines


def candidates_text(document: Mapping[str, Any]) -> str:
    """Lay the document of ``hybridkg candidates`` out for people."""
    what = "lists, one a query" if document["kind"] == "queries" else "sets per relation and target"
    lines = [
        f"{document['written'][0]}: {document['words']}",
        f"data set {document['dataset']}, split {document['split']}, targets "
        f"{document['targets']}, filter {document['filter']}: {document['queries']:,} queries",
        f"{document['n_sets']:,} {what}; {document['candidates']:,} candidates in all, "
        f"{document['mean_size']:,.1f} on average ({document['least_size']:,} to "
        f"{document['greatest_size']:,}) of {document['entities']:,} entities",
    ]
    if document["n_without_set"]:
        lines.append(
            f"without a candidate: {document['n_without_set']:,} relations and targets, none of "
            "them asked"
        )
    if document.get("n_shorter"):
        lines.append(f"shorter, because fewer exist: {document['n_shorter']:,} lists")
    if document["kind"] == "relations":
        lines.append(f"true answers outside their set: {document['n_outside']:,}; they compete")
        lines += reasoning_lines(document["reasoning"])
    return "\n".join(lines)
