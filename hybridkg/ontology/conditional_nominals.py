"""Axioms with nominals that are not followed to the end for what stands for a class.

What leads from a class to {a} says something of a only where the class has a member. Each node
inside {a} takes on all of a, but two such nodes take on nothing of each other, and a nothing of
them: so a superclass may be missed where such a node has more than a itself.
Source: Kazakov, Kroetzsch, Simancik, Practical reasoning with nominals in the EL family (2012).
"""

from __future__ import annotations

import numpy as np

from hybridkg.graph.sorted_keys import contains_sorted
from hybridkg.ontology import links
from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.normal_form import TOP, NormalForm
from hybridkg.ontology.saturation import Saturation
from hybridkg.types import BoolArray

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
        asked = {cls: asked[cls] for cls in nominals_that_say_more(normal, saturation)}
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


def nominals_that_say_more(normal: NormalForm, saturation: Saturation) -> list[int]:
    """Find the nominals with a node inside that has a class or link which the individual lacks."""
    members, nodes = saturation.members, saturation.nodes
    size = nodes.n_nodes
    classes, individuals = np.array(normal.nominals, dtype=np.int64).reshape(-1, 2).T
    # One row a node inside a nominal: the number of the nominal, and the node.
    parts = [np.flatnonzero(members.row(c)[nodes.n_individuals :]) for c in classes.tolist()]
    which = np.repeat(np.arange(len(parts), dtype=np.int64), [len(part) for part in parts])
    node = np.concatenate([links.NO_KEYS, *parts]) + nodes.n_individuals
    found: BoolArray = np.zeros(len(parts), dtype=np.bool_)
    if not len(node):
        return []
    for cls in members.occupied():
        if cls != TOP:
            row = members.row(cls)
            more = row[node] & ~row[individuals[which]] & (classes[which] != cls)
            found[which[more]] = True
    inside = links.distinct(which * size + node)
    for role, keys in enumerate(saturation.edges):
        if role == normal.same_role:
            continue
        who = np.repeat(which, links.count_paths(node, keys, size))
        target = links.among(keys, node, size) % size
        own = contains_sorted(keys, individuals[who] * size + target)
        found[who[~own & ~contains_sorted(inside, who * size + target)]] = True
    chosen: list[int] = classes[found].tolist()
    return chosen
