"""Axioms with nominals that are not followed to the end for what stands for a class.

What leads from a class to {a} says something of a only where the class has a member. Each node
inside {a} takes on all of a, but two such nodes take on nothing of each other, and a nothing of
them: so a superclass may be missed where such a node has more than a itself.
Source: Kazakov, Kroetzsch, Simancik, Practical reasoning with nominals in the EL family (2012).
"""

from __future__ import annotations

import numpy as np

from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.normal_form import TOP, NormalForm
from hybridkg.ontology.saturation import Saturation

WHY = "for superclasses, followed as far as {a} alone, not on from there under a condition"


def note_conditional_nominals(
    normal: NormalForm, saturation: Saturation | None
) -> tuple[UnusedAxiom, ...]:
    """List the axioms that lead from classes to nominals.

    Args:
        normal: the axioms.
        saturation: with a stand-in for every class, to leave out what has no consequences; None
            to list every axiom that can have them.
    """
    asked = dict(normal.nominals)
    if saturation is not None:
        asked = {cls: a for cls, a in asked.items() if _says_more(normal, saturation, cls, a)}
    if not asked:
        return ()
    numbers: set[int] = set()
    nominals = dict(normal.nominals)
    for sub, cls, axiom in normal.sc:
        if cls in asked and sub not in nominals:
            numbers.add(axiom)
    for first, second, cls, axiom in normal.conj:
        if cls in asked and first not in nominals and second not in nominals:
            numbers.add(axiom)
    numbers |= {axiom for sub, _, cls, axiom in normal.exr if cls in asked and sub not in nominals}
    numbers |= {axiom for _, _, cls, axiom in normal.exl if cls in asked}
    for pieces in (normal.dom, normal.rng):
        numbers |= {axiom for _, cls, axiom in pieces if cls in asked}
    return tuple(UnusedAxiom(normal.axioms[number], WHY) for number in sorted(numbers))


def _says_more(normal: NormalForm, saturation: Saturation, nominal: int, individual: int) -> bool:
    """Tell whether a node inside a nominal has a class or link that the individual lacks."""
    members, nodes = saturation.members, saturation.nodes
    inside = np.flatnonzero(members.row(nominal))
    inside = inside[inside >= nodes.n_individuals]
    if not len(inside):
        return False
    for cls in members.occupied():
        row = members.row(cls)
        if cls not in (TOP, nominal) and not row[individual] and row[inside].any():
            return True
    for role in range(len(normal.roles)):
        pairs = saturation.pairs(role)
        own = set(pairs[pairs[:, 0] == individual, 1].tolist())
        more = pairs[np.isin(pairs[:, 0], inside)]
        if role != normal.same_role and not {*more[:, 1].tolist()} <= own | {*inside.tolist()}:
            return True
    return False
