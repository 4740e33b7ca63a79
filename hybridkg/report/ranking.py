"""Tables of metrics and oracles for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridkg.report.tables import Cell, text_table
from hybridkg.types import CHANCE

_TITLES = {
    "mrr": "MRR",
    "hits_at_1": "Hits@1",
    "hits_at_3": "Hits@3",
    "hits_at_10": "Hits@10",
    "mean_rank": "MR",
    "tied": "tied",
    "coverage": "coverage",
}


def ranking_text(documents: Sequence[Mapping[str, Any]]) -> str:
    """Render summaries of the same ranks, one table a tie policy, under one protocol line.

    Args:
        documents: as :func:`hybridkg.analysis.summary.summarise` returns them.
    """
    first = documents[0]
    parts = [f"protocol: {first['protocol_sentence']}; {first['n_queries']:,} queries"]
    for document in documents:
        parts += ["", f"ties: {document['ties']}", _metric_table(document)]
        parts += _model_lines(document)
    seen: list[str] = []
    for document in documents:
        for instance in document["instances"]:
            seen += [f"note: {instance['name']}: {text}" for text in instance["notes"]]
    parts += list(dict.fromkeys(seen))
    return "\n".join(parts)


def _metric_table(document: Mapping[str, Any]) -> str:
    rows: list[list[Cell]] = []
    if document["chance"] is not None:
        rows.append([CHANCE, *(document["chance"].get(key) for key in _TITLES)])
    for instance in document["instances"]:
        rows.append([instance["name"], *(instance[key] for key in _TITLES)])
    return text_table(["instance", *_TITLES.values()], rows)


def _model_lines(document: Mapping[str, Any]) -> list[str]:
    return [
        f"{model['model']}: MRR {model['mean']['mrr']:.4f} ± {model['sd']['mrr']:.4f} "
        f"over {model['instances']} instances"
        for model in document["models"]
    ]


def oracle_text(documents: Sequence[Mapping[str, Any]]) -> str:
    """Render oracle studies of the same ranks, one a tie policy."""
    parts = ["The oracle is an upper bound of selecting one member per query, not a model."]
    for document in documents:
        rows: list[list[Cell]] = []
        for group in document["groups"]:
            best = group["best"]["mrr"]
            rows.append(
                [
                    group["name"],
                    len(group["members"]),
                    group["mean"]["mrr"],
                    f"{best['value']:.4f} {best['instance']}",
                    group["oracle"]["mrr"],
                    group["gap"],
                    group["oracle"]["hits_at_1"],
                    group["oracle"]["hits_at_10"],
                    group["unsolved_at_1"] / group["n_queries"],
                ]
            )
        header = ["group", "n", "mean MRR", "best MRR", "oracle MRR", "gap", "Hits@1", "Hits@10",
                  "unsolved@1"]  # fmt: skip
        parts += ["", f"ties: {document['ties']}", text_table(header, rows)]
        everything = document["groups"][-1]
        if len(everything["members"]) > 1:
            drops = sorted(everything["leave_one_out"].items(), key=lambda pair: -pair[1])
            parts.append(
                "oracle MRR lost without: "
                + ", ".join(f"{name} {drop:.4f}" for name, drop in drops)
            )
            parts.append(
                "greedy order: "
                + ", ".join(f"{g['instance']} {g['oracle_mrr']:.4f}" for g in everything["greedy"])
            )
    return "\n".join(parts)
