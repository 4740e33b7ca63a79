"""Tables of metrics, oracles and audits for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridkg.report.tables import Cell, text_table

if TYPE_CHECKING:
    import pandas as pd

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
        rows.append(["(chance)", *(document["chance"].get(key) for key in _TITLES)])
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


def audit_text(summary: pd.DataFrame, cutoffs: Sequence[int]) -> str:
    """Render an audit summary: means per query of what the ontology forbids."""
    keys = [str(name) for name in summary.index.names]
    header = [*keys, "queries", "MRR", "clean MRR", "strict MRR"]
    for verdict in ("impossible", "unsupported", "untyped"):
        header += [f"{verdict} @{k}" for k in cutoffs] + ["above truth"]
    rows: list[list[Cell]] = []
    for index, row in summary.iterrows():
        labels = [str(part) for part in (index if isinstance(index, tuple) else (index,))]
        cells: list[Cell] = [*labels, int(row["queries"]), row["mrr"], row["clean_mrr"],
                             row["strict_mrr"]]  # fmt: skip
        for verdict in ("impossible", "unsupported", "untyped"):
            cells += [float(row[f"{verdict}_top_{k}"]) for k in cutoffs]
            cells.append(float(row[f"{verdict}_above"]))
        rows.append(cells)
    return text_table(header, rows, digits=3)


def reasoning_lines(about: Mapping[str, Any]) -> list[str]:
    """Say how names met, what was set aside, and which axioms were not used."""
    met = ", ".join(
        f"{kind} {match['matched']:,} of {match['in_graph']:,}"
        for kind, match in about["matches"].items()
    )
    lines = [f"names of the graph that the ontology has: {met}"]
    if not about["can_contradict"]:
        lines.append(
            "no axiom used here can make a candidate impossible (no disjointness, for example): "
            "0 impossible says nothing"
        )
    aside = about["set_aside"]
    if aside["triples"] or aside["types"]:
        lines.append(
            f"set aside as contradictory: {len(aside['triples'])} triples and "
            f"{len(aside['types'])} types at {', '.join(aside['clashing'][:10])}"
            + (" ..." if len(aside["clashing"]) > 10 else "")
        )
        lines += [f"    {' '.join(triple)}" for triple in aside["triples"][:20]]
        lines += [f"    {entity} type {name}" for entity, name in aside["types"][:20]]
        hidden = max(0, len(aside["triples"]) - 20) + max(0, len(aside["types"]) - 20)
        lines += [f"    and {hidden} more; all of them with --json"] if hidden else []
    for key, what in (
        ("unused_axioms", "axioms not used"),
        ("not_used_for_candidates", "axioms not used for candidates"),
    ):
        if about[key]:
            shown = "; ".join(about[key][:5]) + ("; ..." if len(about[key]) > 5 else "")
            lines.append(f"{what} ({len(about[key])}), so more may be impossible: {shown}")
    return lines


def example_lines(examples: Sequence[Mapping[str, Any]]) -> list[str]:
    """List absurd candidates with the axioms they break."""
    lines = ["", "absurd candidates:"] if examples else []
    for one in examples:
        lines.append(
            f"{one['instance']}: {one['candidate']} at rank {one['rank']} of {one['query']}"
        )
        lines += [f"    {axiom}" for reason in one["reasons"] for axiom in reason["axioms"]]
    return lines
