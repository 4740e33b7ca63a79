"""Who bears out an existential: a named witness, an anonymous one, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.knowledge_base import KnowledgeBase


@dataclass(frozen=True, slots=True)
class Witness:
    """An existential that an individual is asked about, and who bears it out."""

    entity: str
    role: str
    #: the filler, in words.
    filler: str
    #: "none": the existential does not follow; "anonymous": it does, but no named witness
    #: does; "named": at least one named witness follows.
    status: Literal["none", "anonymous", "named"]
    #: named witnesses, sorted.
    named: tuple[str, ...] = ()

    def __str__(self) -> str:
        who = {
            "none": "no witness follows",
            "anonymous": "an anonymous witness only",
            "named": "witnessed by " + ", ".join(self.named),
        }
        return f"{self.entity} {self.role} some {self.filler}: {who[self.status]}"


def all_witnesses(base: KnowledgeBase, derivations: Derivations, node: int) -> tuple[Witness, ...]:
    """Report every existential that follows for an individual from an axiom."""
    nodes = derivations.nodes
    return tuple(
        find_witness(base, derivations, node, role, filler)
        for role, filler in nodes.witnesses
        if derivations.has_link(role, node, nodes.witness_node(role, filler))
    )


def find_witness(
    base: KnowledgeBase, derivations: Derivations, node: int, role: int, filler: int
) -> Witness:
    """Report who bears out "role some filler" for an individual.

    Args:
        base: what is asserted, for the names.
        derivations: steps of the closure.
        node: the individual.
        role: the role's id.
        filler: the class's id.
    """
    n_individuals, members = derivations.nodes.n_individuals, derivations.saturation.members
    reached = [t for t in derivations.targets(role, node) if members.has(filler, t)]
    named = sorted(base.individuals[t] for t in reached if t < n_individuals)
    status: Literal["none", "anonymous", "named"] = (
        "named" if named else "anonymous" if reached else "none"
    )
    return Witness(
        base.individuals[node],
        base.normal.roles[role],
        base.normal.classes[filler],
        status,
        tuple(named),
    )
