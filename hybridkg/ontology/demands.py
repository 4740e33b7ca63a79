"""What a relation asks of its heads and tails, directly or through other relations."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from hybridkg.ontology.normal_form import NormalForm
from hybridkg.types import Target


@dataclass(frozen=True, slots=True)
class ImpliedRole:
    """A role that follows from another one, perhaps turned round."""

    role: int
    #: True where R(x, y) gives role(y, x).
    flipped: bool
    #: numbers of the axioms on the way, first to last.
    axioms: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Demand:
    """A class that one end of a role belongs to."""

    #: the end, as a query would ask for it.
    side: Target
    cls: int
    #: the role whose domain or range it is, and which of the two.
    origin: int
    is_domain: bool
    #: numbers of the axioms, the domain or range axiom last.
    axioms: tuple[int, ...]


def implied_roles(normal: NormalForm) -> list[list[ImpliedRole]]:
    """Return for each role the roles that follow from it, itself first, by shortest way."""
    above: list[list[tuple[int, bool, int]]] = [[] for _ in normal.roles]
    for sub, sup, axiom in normal.sr:
        above[sub].append((sup, False, axiom))
    for first, second, axiom in normal.inv:
        above[first].append((second, True, axiom))
    found: list[list[ImpliedRole]] = []
    for role in range(len(normal.roles)):
        start = ImpliedRole(role, False, ())
        seen = {(role, False)}
        queue, reached = deque([start]), [start]
        while queue:
            here = queue.popleft()
            for sup, turns, axiom in above[here.role]:
                there = ImpliedRole(sup, here.flipped ^ turns, (*here.axioms, axiom))
                if (there.role, there.flipped) not in seen:
                    seen.add((there.role, there.flipped))
                    reached.append(there)
                    queue.append(there)
        found.append(reached)
    return found


def role_demands(normal: NormalForm) -> list[list[Demand]]:
    """Return for each role what its two ends must belong to, one entry a domain or range axiom."""
    ends: list[list[tuple[bool, int, int]]] = [[] for _ in normal.roles]
    for role, cls, axiom in normal.dom:
        ends[role].append((True, cls, axiom))
    for role, cls, axiom in normal.rng:
        ends[role].append((False, cls, axiom))
    demands: list[list[Demand]] = []
    for implied in implied_roles(normal):
        found: list[Demand] = []
        for way in implied:
            for is_domain, cls, axiom in ends[way.role]:
                side: Target = "head" if is_domain ^ way.flipped else "tail"
                found.append(Demand(side, cls, way.role, is_domain, (*way.axioms, axiom)))
        demands.append(found)
    return demands


def empty_roles(normal: NormalForm) -> dict[int, tuple[int, ...]]:
    """Return the roles that can relate nothing, since what follows from them excludes itself.

    Returns:
        Role -> numbers of the axioms that make it empty.
    """
    found: dict[int, tuple[int, ...]] = {}
    if not normal.djr and not normal.asym:
        return found
    for role, ways in enumerate(implied_roles(normal)):
        axioms = {(way.role, way.flipped): way.axioms for way in ways}
        for first, second, axiom in normal.djr:
            for flipped in (False, True):
                if (first, flipped) in axioms and (second, flipped) in axioms:
                    both = (*axioms[first, flipped], *axioms[second, flipped], axiom)
                    found.setdefault(role, tuple(dict.fromkeys(both)))
        for one, axiom in normal.asym:
            if (one, False) in axioms and (one, True) in axioms:
                both = (*axioms[one, False], *axioms[one, True], axiom)
                found.setdefault(role, tuple(dict.fromkeys(both)))
    return found
