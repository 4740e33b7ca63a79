"""Rules in words: what was mined, their counts, and the evidence for a triple."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridkg.report.tables import Cell, text_table


def mined_text(document: Mapping[str, Any]) -> str:
    """Say how many rules of which kind were written where."""
    lines = [f"{document['n_rules']:,} rules written to {document['out']} ({_kinds(document)})"]
    lines += [f"left out, {reason}: {number:,}" for reason, number in document["dropped"].items()]
    if document.get("ids"):
        lines.append(f"names behind the safe ids: {document['ids']}")
    lines += [f"triples with safe ids: {path}" for path in document.get("triples", [])]
    return "\n".join(lines)


def statistics_text(document: Mapping[str, Any]) -> str:
    """Render counts and confidences, one row a rule, under what the file said of them."""
    lines = [f"{document['n_rules']:,} rules of {document['file']} ({_kinds(document)})"]
    lines += document["notes"]
    rows: Sequence[Mapping[str, Any]] = document["rules"]
    if not rows:
        return "\n".join(lines)
    header = ["support", "predictions", "confidence", "PCA", "smoothed", "head coverage"]
    keys = ["support", "predictions", "confidence", "pca_confidence", "smoothed_confidence",
            "head_coverage"]  # fmt: skip
    if any(row["file_support"] is not None for row in rows):
        header.append("in the file")
    table: list[list[Cell]] = []
    for row in rows:
        cells: list[Cell] = [row[key] for key in keys]
        if len(header) > len(keys):
            known = row["file_support"] is not None
            cells.append(f"{row['file_support']}/{row['file_predictions']}" if known else "-")
        table.append([*cells, row["rule"]])
    lines += ["", text_table([*header, "rule"], table)]
    more = document["n_rules"] - len(rows)
    if more:
        lines.append(f"{more:,} more rules; --top N shows more, --out FILE writes all")
    return "\n".join(lines)


def evidence_text(document: Mapping[str, Any]) -> str:
    """Say which rules propose a triple, and through which facts."""
    triple = " ".join(document["triple"])
    state = f"known ({', '.join(document['splits'])})" if document["splits"] else "in no split"
    if not document["rules"]:
        return f"no rule proposes ({triple}), which is {state}"
    lines = [f"{len(document['rules'])} rules propose ({triple}), which is {state}"]
    for rule in document["rules"]:
        lines += [
            "",
            f"{rule['confidence']:.4f}  {rule['support']}/{rule['predictions']}  {rule['rule']}",
        ]
        lines += [
            "    because " + ", ".join(" ".join(fact) for fact in grounding)
            for grounding in rule["groundings"]
            if grounding
        ]
    return "\n".join(lines)


def _kinds(document: Mapping[str, Any]) -> str:
    return ", ".join(f"{kind} {number:,}" for kind, number in document["kinds"].items() if number)
