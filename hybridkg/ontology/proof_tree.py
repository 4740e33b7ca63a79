"""Proofs as trees: what is proven on top, asserted statements at the foot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hybridkg._io import escape_controls
from hybridkg.ontology.proof_steps import Clash, Fact, Link, Member, Step
from hybridkg.ontology.proofs import Proof
from hybridkg.ontology.sources import Sources
from hybridkg.ontology.wording import SEEDS, Wording


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One step of a proof; premises are named by the numbers of their nodes."""

    #: from 1 for what is proven, in the order in which a reader meets the steps.
    number: int
    statement: str
    #: "asserted", "assumed", or the rule in words.
    rule: str
    #: axioms that the step rests on, each with where it stands.
    axioms: tuple[tuple[str, str | None], ...]
    premises: tuple[int, ...]
    #: where an asserted statement stands, None where that is not known.
    source: str | None

    def as_document(self) -> dict[str, Any]:
        """Return the node as JSON-able values."""
        return {
            "step": self.number,
            "statement": self.statement,
            "rule": self.rule,
            "axioms": [{"axiom": text, "source": source} for text, source in self.axioms],
            "premises": list(self.premises),
            "source": self.source,
        }


def proof_tree(
    proof: Proof, words: Wording, sources: Sources, *, assumed: Fact | None = None
) -> tuple[TreeNode, ...]:
    """Return the steps of a proof from what is proven down, each once.

    Steps that only seed the calculus are left out.

    Args:
        proof: any proof.
        words: names for ids.
        sources: knows where statements stand.
        assumed: a fact that is not asserted, but counts as such in the proof.
    """
    steps = {step.conclusion: step for step in proof.steps if step.rule not in SEEDS}
    numbers: dict[Fact, int] = {}
    waiting = [proof.conclusion]
    while waiting:
        fact = waiting.pop()
        if fact in numbers or fact not in steps:
            continue
        numbers[fact] = len(numbers) + 1
        waiting.extend(reversed(steps[fact].premises))
    source = _source_finder(words, sources)
    nodes = []
    for fact, number in numbers.items():
        step = steps[fact]
        asserted = step.rule == "asserted" and fact != assumed
        nodes.append(
            TreeNode(
                number,
                words.fact(fact),
                "assumed" if fact == assumed else words.rule(step),
                _axioms(step, words, sources),
                tuple(numbers[p] for p in dict.fromkeys(step.premises) if p in numbers),
                source(fact) if asserted else None,
            )
        )
    return tuple(nodes)


def render_tree(nodes: Sequence[TreeNode], *, max_steps: int = 200) -> list[str]:
    """Lay a proof out as indented lines.

    A step that is used twice is shown once and referred to by its number afterwards.

    Args:
        nodes: as :func:`proof_tree` returns them.
        max_steps: steps that are shown; the line after the last one says how many there are.
    """
    by_number = {node.number: node for node in nodes}
    used_again = {p for node in nodes for p in node.premises} & _repeated(nodes)
    lines: list[str] = []
    shown: set[int] = set()
    waiting: list[tuple[int, int]] = [(1, 0)] if nodes else []
    while waiting:
        number, depth = waiting.pop()
        node, indent = by_number[number], "  " * depth
        if number in shown:
            lines.append(f"{indent}{_said(node.statement)}  [see step {number}]")
            continue
        if len(shown) == max_steps:
            lines.append(
                f"... cut after {max_steps:,} of {len(nodes):,} steps; --max-steps N shows more, "
                "--json all"
            )
            break
        shown.add(number)
        mark = f"step {number}: " if number in used_again else ""
        lines.append(f"{indent}{mark}{_said(node.statement)}  [{_why(node)}]")
        waiting.extend((premise, depth + 1) for premise in reversed(node.premises))
    return lines


def _repeated(nodes: Sequence[TreeNode]) -> set[int]:
    seen: set[int] = set()
    again: set[int] = set()
    for node in nodes:
        for premise in node.premises:
            (again if premise in seen else seen).add(premise)
    return again


def _why(node: TreeNode) -> str:
    said = node.rule
    if node.source:
        said += f", {_said(node.source)}"
    if node.axioms:
        axioms = (_said(text) + (f" ({_said(at)})" if at else "") for text, at in node.axioms)
        said += ": " + "; ".join(axioms)
    return said


def _said(text: str) -> str:
    return escape_controls(text)


def _axioms(step: Step, words: Wording, sources: Sources) -> tuple[tuple[str, str | None], ...]:
    axioms = dict.fromkeys(words.base.normal.axioms[number] for number in step.axioms)
    return tuple((str(axiom), sources.axiom(axiom)) for axiom in axioms)


def _source_finder(words: Wording, sources: Sources) -> Callable[[Fact], str | None]:
    normal, individuals = words.base.normal, words.base.individuals

    def source(fact: Fact) -> str | None:
        if isinstance(fact, Link):
            ends = individuals[fact.source], individuals[fact.target]
            return sources.fact(ends[0], normal.roles[fact.role], ends[1])
        if isinstance(fact, Member):
            return sources.type(individuals[fact.node], normal.classes[fact.cls])
        assert not isinstance(fact, Clash), "a contradiction is never asserted"
        return None

    return source
