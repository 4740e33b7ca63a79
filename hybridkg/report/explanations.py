"""An explanation of one statement as lines for a terminal."""

from __future__ import annotations

from typing import Any

from hybridkg._io import escape_controls
from hybridkg.ontology.explanation import Explanation
from hybridkg.ontology.proof_tree import render_tree
from hybridkg.ontology.why_not import WhyNot


def explanation_text(explanation: Explanation, *, max_steps: int = 200) -> str:
    """Lay an explanation out as text.

    Args:
        explanation: of one statement.
        max_steps: steps of a proof that are shown.
    """
    said = escape_controls(explanation.statement)
    lines: list[str] = []
    if explanation.witness is not None:
        lines.append(said)
        for tree in explanation.witness_trees:
            lines += ["", *render_tree(tree, max_steps=max_steps)]
    elif explanation.verdict == "asserted":
        where = f" in {escape_controls(explanation.source)}" if explanation.source else ""
        lines.append(f"{said}: asserted{where}")
    elif explanation.verdict == "entailed":
        why = f"; {explanation.source}" if explanation.source else ""
        lines += [f"{said}: entailed{why}"]
        if explanation.tree:
            lines += ["", *render_tree(explanation.tree, max_steps=max_steps)]
    elif explanation.verdict == "inconsistent":
        lines += [
            f"{said}: inconsistent; assumed, and every rule applied (exact), it contradicts the "
            "rest:",
            "",
            *render_tree(explanation.tree, max_steps=max_steps),
        ]
    else:
        lines.append(
            f"{said}: undetermined; it does not follow, and assumed, with every rule applied "
            "(exact), it contradicts nothing"
        )
        if explanation.why_not is not None:
            lines += ["", *_why_not_lines(explanation.why_not)]
    lines += _set_lines(explanation)
    lines += _rule_lines(explanation.rules)
    return "\n".join([*lines, *(escape_controls(note) for note in explanation.notes)])


def _why_not_lines(reason: WhyNot) -> list[str]:
    lines = ["known:", *(f"  {escape_controls(one)}" for one in reason.known)]
    if reason.ways:
        lines.append("axioms that would give it:")
    else:
        lines.append("no axiom that is used concludes it: it could only be asserted")
    for way in reason.ways:
        lines.append(f"  {escape_controls(way.axiom)}")
        lines += [f"    holds: {escape_controls(one)}" for one in way.met]
        lines += [f"    missing: {escape_controls(one)}" for one in way.missing]
    if reason.n_unused:
        lines.append(
            f"axioms that were not used: {reason.n_unused:,}, {len(reason.unused):,} of them name "
            "what was asked for"
        )
        lines += [f"  {escape_controls(one)}" for one in reason.unused[:10]]
    return lines


def _set_lines(explanation: Explanation) -> list[str]:
    found = explanation.justifications
    if found is None:
        return []
    bound = "" if found.complete else " (the search stopped at a limit: there may be more)"
    lines = ["", f"minimal justifications: {len(found.sets):,}{bound}"]
    for number, one in enumerate(found.sets, start=1):
        lines.append(f"  {number}. {'; '.join(map(escape_controls, one[:50]))}")
        if len(one) > 50:
            lines[-1] += f"; and {len(one) - 50:,} more"
    return lines


def _rule_lines(rules: tuple[dict[str, Any], ...] | None) -> list[str]:
    if rules is None:
        return []
    if not rules:
        return ["", "no rule of the file proposes it"]
    lines = ["", f"rules that propose it: {len(rules):,}, the best first"]
    for rule in rules:
        lines.append(
            f"  {escape_controls(rule['text'])}  [support {rule['support']:,} of "
            f"{rule['predictions']:,} predictions, confidence {rule['confidence']:.4g}]"
        )
        for grounding in rule["groundings"]:
            lines.append(
                "    through " + "; ".join(escape_controls(" ".join(t)) for t in grounding)
            )
    return lines
