"""Tables and lines of the schema audit for a terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hybridkg.ontology.labels import match_words
from hybridkg.report.tables import Cell, text_table

if TYPE_CHECKING:
    import pandas as pd


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
    met = ", ".join(match_words(kind, match) for kind, match in about["matches"].items())
    lines = [
        f"ontology: {about['ontology']}, {about['axioms']:,} axioms; known types: {about['types']}",
        f"names of the graph that the ontology has: {met}",
    ]
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
    """List absurd candidates with the axioms they break, one paragraph a contradiction."""
    lines = ["", "absurd candidates:"] if examples else []
    for one in examples:
        readable = one["readable"]
        lines.append(
            f"{one['instance']}: {_annotated(one['candidate'], readable)} at rank {one['rank']} of "
            f"{_annotated(one['query'], readable)}"
        )
        different = dict.fromkeys(frozenset(reason["axioms"]) for reason in one["reasons"])
        for number, reason in enumerate(one["reasons"]):
            if different.pop(frozenset(reason["axioms"]), True) is None:
                lines += ["    and also:"] if number else []
                lines += [f"    {_annotated(axiom, readable)}" for axiom in reason["axioms"]]
    return lines


def _annotated(text: str, readable: Mapping[str, str]) -> str:
    """Put the readable text of a name behind it, in brackets."""
    return re.sub(
        r"[^\s(),]+",
        lambda word: f"{word[0]} [{readable[word[0]]}]" if word[0] in readable else word[0],
        text,
    )


def judged_text(document: Mapping[str, Any]) -> str:
    """List predictions that are not ok with their reasons, then the counts."""
    lines = []
    for one in document["candidates"]:
        if one["verdict"] == "ok":
            continue
        place = f"  rank {one['rank']}" if one["rank"] is not None else ""
        lines.append(f"{one['verdict']}: {one['head']} {one['relation']} {one['tail']}{place}")
        for reason in one["reasons"]:
            if reason["must_be"]:
                lines.append(
                    f"    {reason['end']} {reason['entity']} must be {reason['must_be']} "
                    f"({reason['constraint']} of {reason['of']})"
                )
            lines += [f"    {axiom}" for axiom in reason["axioms"]]
    return "\n".join([*lines, "", _verdict_table("list", document["counts"])])


def split_counts_text(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Render the verdicts of each split's own triples."""
    return _verdict_table("split", counts)


def _verdict_table(title: str, counts: Mapping[str, Mapping[str, int]]) -> str:
    verdicts = list(next(iter(counts.values())))
    rows: list[list[Cell]] = [[name, *(row[v] for v in verdicts)] for name, row in counts.items()]
    return text_table([title, *verdicts], rows)
