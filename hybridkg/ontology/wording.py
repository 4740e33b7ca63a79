"""Facts, steps and justifications in words, auxiliary names folded back into expressions."""

from __future__ import annotations

from dataclasses import dataclass

from hybridkg.ontology.knowledge_base import KnowledgeBase
from hybridkg.ontology.proof_steps import Exists, Fact, Link, Member, Step
from hybridkg.ontology.proofs import Leaf, LeafSet, Proof
from hybridkg.ontology.saturation import Nodes

_RULES = {
    "asserted": "asserted",
    "sc": "subclass",
    "conj": "intersection",
    "exr": "existential",
    "exl": "existential on the left",
    "dom": "domain",
    "rng": "range",
    "sr": "subproperty",
    "inv": "inverse",
    "chain": "property chain",
    "dsj": "disjointness",
    "irr": "irreflexivity",
    "asym": "asymmetry",
    "djr": "disjoint properties",
    "neg": "negative fact",
    "same": "same individual",
    "one": "the only member",
    "dif": "different individuals",
    "fun": "functional, unique names",
    "ifn": "inverse functional, unique names",
    "self": "related to itself",
    "loop": "related to itself",
    "folded range": "range",
    "empty role": "relates nothing",
    "empty witness": "has a contradictory witness",
    "empty": "belongs to Nothing",
    "exists": "a link leads there",
    **dict.fromkeys(("equal member", "equal source", "equal target", "same chain"), "the same"),
    **dict.fromkeys(("nominal member", "nominal source", "nominal target"), "the only member"),
}
#: Rules that only start the calculus off; no print shows them.
SEEDS = frozenset({"top", "stand-in", "witness", "nominal"})


@dataclass(frozen=True, slots=True)
class Wording:
    """Turns ids into the words of one knowledge base."""

    base: KnowledgeBase
    nodes: Nodes

    def node(self, node: int) -> str:
        """Name a node; a witness is named by what it is a witness of."""
        if node < self.nodes.n_individuals:
            return self.base.individuals[node]
        witness = self.nodes.witness_of(node)
        normal = self.base.normal
        if witness is None:
            cls = self.nodes.class_of(node)
            assert cls is not None, "a node is an individual, a stand-in or a witness"
            return f"any {normal.classes[cls]}"
        return f"some {normal.classes[witness[1]]}"

    def fact(self, fact: Fact) -> str:
        """Say a fact."""
        normal = self.base.normal
        if isinstance(fact, Member):
            return f"{self.node(fact.node)} type {normal.classes[fact.cls]}"
        if isinstance(fact, Link):
            role = normal.roles[fact.role]
            return f"{self.node(fact.source)} {role} {self.node(fact.target)}"
        if isinstance(fact, Exists):
            return f"{self.node(fact.node)} exists"
        return f"{self.node(fact.node)} is contradictory"

    def leaf(self, leaf: Leaf) -> str:
        """Say an asserted statement or axiom."""
        return str(self.base.normal.axioms[leaf]) if isinstance(leaf, int) else self.fact(leaf)

    def leaves(self, leaves: LeafSet) -> tuple[str, ...]:
        """Say a set of statements, facts first, each part sorted."""
        facts = sorted(self.fact(leaf) for leaf in leaves if not isinstance(leaf, int))
        numbers = {leaf for leaf in leaves if isinstance(leaf, int)}
        return (*facts, *sorted({self.leaf(number) for number in numbers}))

    def proof(self, proof: Proof) -> str:
        """Print a proof, one step a line, numbered; seeds of the calculus are left out."""
        shown = [step for step in proof.steps if step.rule not in SEEDS]
        numbers = {step.conclusion: place for place, step in enumerate(shown, start=1)}
        lines = [
            f"{place}. {self.fact(step.conclusion)}  [{self._why(step, numbers)}]"
            for place, step in enumerate(shown, start=1)
        ]
        return "\n".join(lines)

    def rule(self, step: Step) -> str:
        """Say by which kind of reasoning a step concludes."""
        if step.rule == "inv" and step.piece[0] == step.piece[1]:
            return "symmetry"
        if step.rule == "chain" and len(set(step.piece)) == 1:
            return "transitivity"
        return _RULES.get(step.rule, step.rule)

    def _why(self, step: Step, numbers: dict[Fact, int]) -> str:
        used = [str(numbers[p]) for p in step.premises if p in numbers]
        axioms = [str(self.base.normal.axioms[number]) for number in step.axioms]
        parts = [self.rule(step)]
        if axioms:
            parts.append("; ".join(axioms))
        if used:
            parts.append("from " + ", ".join(used))
        return ": ".join(parts[:2]) + (f" {parts[2]}" if len(parts) > 2 else "")
