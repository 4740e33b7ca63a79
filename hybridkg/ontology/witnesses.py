"""Who bears out an existential: a named witness, an anonymous one, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.knowledge_base import KnowledgeBase
from hybridkg.ontology.saturation import Saturation
from hybridkg.types import IntArray


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


@dataclass(frozen=True, slots=True)
class WitnessCount:
    """How many individuals have a witness of one existential."""

    role: str
    #: the filler, in words.
    filler: str
    #: individuals with a named witness, with an anonymous one only, and with none.
    named: int
    anonymous: int
    none: int
    #: ids of the individuals with a named witness, and of those with an anonymous one only.
    holders: tuple[IntArray, IntArray]


def count_witnesses(base: KnowledgeBase, saturation: Saturation) -> tuple[WitnessCount, ...]:
    """Count the witnesses of every existential that follows for some individual from an axiom.

    Returns:
        One entry an existential, the one with the most anonymous-only individuals first.
    """
    nodes, normal = saturation.nodes, base.normal
    found = []
    asked: dict[int, list[int]] = {}
    for role, filler in nodes.witnesses:
        asked.setdefault(role, []).append(filler)
    for role, fillers in asked.items():
        pairs = saturation.pairs(role)
        pairs = pairs[pairs[:, 0] < nodes.n_individuals]
        is_named = pairs[:, 1] < nodes.n_individuals
        reached = set(np.unique(pairs[~is_named, 1]).tolist())
        for filler in fillers:
            if nodes.witness_node(role, filler) not in reached:
                continue
            inside = saturation.members.row(filler)[pairs[:, 1]]
            named = np.unique(pairs[inside & is_named, 0])
            anonymous = np.setdiff1d(pairs[inside & ~is_named, 0], named)
            found.append(
                WitnessCount(
                    normal.roles[role],
                    normal.classes[filler],
                    len(named),
                    len(anonymous),
                    nodes.n_individuals - len(named) - len(anonymous),
                    (named.astype(np.int32), anonymous.astype(np.int32)),
                )
            )
    return tuple(sorted(found, key=lambda one: (-one.anonymous, one.role, one.filler)))
