"""The text of ``hybridkg demo``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridkg.report.tables import Cell, text_table
from hybridkg.types import CHANCE


def demo_text(study: Mapping[str, Any]) -> str:
    """Render the study of the academic world, section by section."""
    sections = (
        _graph(study),
        _closure(study["closure"]),
        _chance(study),
        _comparison(study),
        _chapter(study["chapter_transe"]),
        _oracle(study["oracle"]),
        _audit(study),
    )
    return "\n\n".join(sections)


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}"


def _graph(study: Mapping[str, Any]) -> str:
    graph = study["graph"]
    return "\n".join(
        [
            _title("The academic world"),
            f"{graph['entities']} entities, {graph['relations']} relations, "
            f"{graph['triples']} triples, {graph['train']}/{graph['test']} split, "
            f"{graph['types']} types in {graph['classes']} classes",
        ]
    )


def _closure(closure: Mapping[str, Any]) -> str:
    lines = [_title("What follows from the 15 training triples")]
    for entry in closure["held_out"]:
        where = "outside the closure" if entry["verdict"] == "undetermined" else entry["verdict"]
        lines.append(f"held out: {_atom(entry['triple'])}: {where}")
    for entry in closure["entailed"]:
        lines.append(f"entailed: {_atom(entry['triple'])}")
        lines += [f"    from {premise}" for premise in entry["premises"]]
    for witness in closure["witnesses"]:
        who = {
            "none": "no witness",
            "anonymous": "an anonymous witness only",
            "named": "named witness " + ", ".join(witness["named"]),
        }[witness["status"]]
        lines.append(f"{witness['entity']} {witness['role']} some {witness['filler']}: {who}")
    if closure["unused_axioms"]:
        lines.append("axioms not used, so more may follow: " + "; ".join(closure["unused_axioms"]))
    else:
        lines.append("every axiom was used: the closure is complete")
    return "\n".join(lines)


def _atom(triple: list[str]) -> str:
    head, relation, tail = triple
    return f"{relation}({head}, {tail})"


def _chance(study: Mapping[str, Any]) -> str:
    chance = study["comparison"]["expected"]["chance"]
    return "\n".join(
        [
            _title("Chance line"),
            f"pools {' '.join(map(str, study['pools']))}",
            f"MRR {_decimal(chance['mrr'])}  Hits@1 {_decimal(chance['hits_at_1'])}  "
            f"Hits@10 {_decimal(chance['hits_at_10'])}",
        ]
    )


def _decimal(value: float) -> str:
    return f"{value:.6f}".lstrip("0")


def _comparison(study: Mapping[str, Any]) -> str:
    comparison = study["comparison"]
    rows: list[list[Cell]] = []
    chance = comparison["expected"]["chance"]
    rows.append([CHANCE, "", None, chance["mrr"], None, chance["hits_at_1"],
                 chance["hits_at_10"], None, None])  # fmt: skip
    by_policy = {
        ties: {one["name"]: one for one in comparison[ties]["instances"]}
        for ties in ("optimistic", "expected", "pessimistic")
    }
    for name, expected in by_policy["expected"].items():
        ranks = " ".join(map(str, comparison["optimistic_ranks"][name]))
        rows.append(
            [
                name,
                ranks,
                by_policy["optimistic"][name]["mrr"],
                expected["mrr"],
                by_policy["pessimistic"][name]["mrr"],
                expected["hits_at_1"],
                expected["hits_at_10"],
                expected["tied"],
                expected["coverage"],
            ]
        )
    header = ["model", "optimistic ranks", "MRR optimistic", "expected", "pessimistic", "Hits@1",
              "Hits@10", "tied", "coverage"]  # fmt: skip
    lines = [
        _title("Comparison"),
        f"protocol: {comparison['expected']['protocol_sentence']}",
        "queries: " + "; ".join(study["queries"]),
        text_table(header, rows),
    ]
    for name, one in by_policy["optimistic"].items():
        lines += [f"warning: {name}: {text}" for text in one["notes"]]
    lines += [f"absent: {entry['name']}: {entry['why']}" for entry in comparison["absent"]]
    lines.append(
        "the mined rules have as little as one supporting triple: an illustration, not evidence"
    )
    lines.append("rule file rules/academic.rules:")
    lines += [
        f"    {rule['rule']}  ({rule['support']} of {rule['predictions']} predictions hold)"
        for rule in study["rule_file"]
    ]
    return "\n".join(lines)


def _chapter(chapter: Mapping[str, Any]) -> str:
    runs = chapter["runs"]
    first = runs[0]
    expected = " ".join(map(str, chapter["expected_ranks"]))
    return "\n".join(
        [
            _title("The chapter's TransE"),
            f"seed {first['seed']}: ranks {' '.join(map(str, first['ranks']))}, "
            f"MRR {first['mrr']:.4f} (optimistic)",
            f"{chapter['agreeing']} of {len(runs)} seeds give the ranks {expected}",
            "the setting was chosen on these six queries: a fixture, not evidence; the chapter's "
            "score table comes from unpublished settings and is not reproducible",
        ]
    )


def _oracle(studies: list[Mapping[str, Any]]) -> str:
    lines = [_title("Oracle: best member per query, an upper bound of selection, not a model")]
    for study in studies:
        group = study["groups"][-1]
        best = group["best"]["mrr"]
        lines.append(
            f"{study['ties']}: oracle MRR {group['oracle']['mrr']:.4f}, best single "
            f"{best['instance']} {best['value']:.4f}, gap {group['gap']:.4f}, unsolved at 1: "
            f"{group['unsolved_at_1']} of {group['n_queries']}"
        )
    return "\n".join(lines)


def _audit(study: Mapping[str, Any]) -> str:
    audit = study["audit"]
    rows: list[list[Cell]] = [
        [
            name,
            row["impossible_top_1"],
            row["impossible_top_3"],
            row["impossible_top_10"],
            row["impossible_above"],
            row["unsupported_top_10"],
            row["untyped_top_10"],
            row["mrr"],
            row["clean_mrr"],
        ]
        for name, row in audit["summary"].items()
    ]
    header = ["model", "impossible @1", "@3", "@10", "above truth", "unsupported @10",
              "untyped @10", "MRR", "MRR without impossible"]  # fmt: skip
    truths = [verdict for verdict in audit["truth_verdicts"] if verdict == "impossible"]
    example = audit["example"]
    return "\n".join(
        [
            _title("Schema audit"),
            "impossible candidates per query: "
            + " ".join(map(str, audit["impossible_per_query"]))
            + f" ({audit['impossible']} of {audit['candidates']}); true answers among them: "
            + (str(len(truths)) if truths else "none"),
            f"example: {example['candidate']} as answer of {example['query']} is impossible:",
            *(f"    {axiom}" for axiom in example["axioms"]),
            "mean number per query in the first places of each ranking:",
            text_table(header, rows, digits=3),
        ]
    )
