"""The steps that show a contradiction at a node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridkg.ontology import member_steps
from hybridkg.ontology.normal_form import BOTTOM
from hybridkg.ontology.proof_steps import Clash, Link, Member, Step

if TYPE_CHECKING:
    from hybridkg.ontology.derivations import Derivations


def steps_to(closure: Derivations, fact: Clash) -> Iterator[Step]:
    """Yield the steps that give a clash."""
    node, members = fact.node, closure.members
    for classes, axiom in closure.normal.dsj:
        inside = [cls for cls in classes if members.has(cls, node)]
        for place, first in enumerate(inside):
            for second in inside[place + 1 :]:
                premises = (Member(node, first), Member(node, second))
                # A class that is listed twice needs to be shown once.
                shown = premises if first != second else premises[:1]
                yield Step("dsj", fact, shown, (first, second), (axiom,))
    if any(True for _ in member_steps.steps_to(closure, Member(node, BOTTOM))):
        yield Step("empty", fact, (Member(node, BOTTOM),))
    for role, axioms in closure.empty_roles.items():
        for target in closure.targets(role, node):
            yield Step("empty role", fact, (Link(role, node, target),), (role,), axioms)
    if closure.is_individual(node):
        yield from _link_clashes(closure, fact)
        yield from _identity_clashes(closure, fact)
        if closure.normal.unique_names:
            yield from _key_clashes(closure, fact)
    yield from _witness_clashes(closure, fact)


def _link_clashes(closure: Derivations, fact: Clash) -> Iterator[Step]:
    node = fact.node
    for role, axiom in closure.normal.irr:
        if closure.has_link(role, node, node):
            yield Step("irr", fact, (Link(role, node, node),), (role,), (axiom,))
    for role, axiom in closure.normal.asym:
        for target in filter(closure.is_individual, closure.targets(role, node)):
            if closure.has_link(role, target, node):
                there, back = Link(role, node, target), Link(role, target, node)
                shown = (there, back) if there != back else (there,)
                yield Step("asym", fact, shown, (role,), (axiom,))
    for first, second, axiom in closure.normal.djr:
        for target in filter(closure.is_individual, closure.targets(first, node)):
            if closure.has_link(second, node, target):
                pair = (Link(first, node, target), Link(second, node, target))
                shown = pair if first != second else pair[:1]
                yield Step("djr", fact, shown, (first, second), (axiom,))
    for role, head, tail, axiom in closure.normal.neg:
        if head == node and closure.has_link(role, head, tail):
            yield Step("neg", fact, (Link(role, head, tail),), (role, head, tail), (axiom,))


def _identity_clashes(closure: Derivations, fact: Clash) -> Iterator[Step]:
    same, node = closure.normal.same_role, fact.node
    others = [other for other in closure.one_with(node) if closure.is_individual(other)]
    for individuals, axiom in closure.normal.dif:
        if individuals.count(node) > 1:
            yield Step("dif", fact, (), (node, node), (axiom,))
        if node in individuals and same is not None:
            for other in others:
                if other in individuals:
                    yield Step("dif", fact, (Link(same, node, other),), (node, other), (axiom,))
    if closure.normal.unique_names and same is not None:
        for other in others:
            yield Step("unique names", fact, (Link(same, node, other),))


def _key_clashes(closure: Derivations, fact: Clash) -> Iterator[Step]:
    node = fact.node
    for role, axiom in closure.normal.fun:
        ends = [t for t in closure.targets(role, node) if closure.is_individual(t)]
        for place, one in enumerate(ends):
            for other in ends[place + 1 :]:
                pair = (Link(role, node, one), Link(role, node, other))
                yield Step("fun", fact, pair, (role,), (axiom,))
    for role, axiom in closure.normal.ifn:
        starts = [s for s in closure.sources(role, node) if closure.is_individual(s)]
        for place, one in enumerate(starts):
            for other in starts[place + 1 :]:
                pair = (Link(role, one, node), Link(role, other, node))
                yield Step("ifn", fact, pair, (role,), (axiom,))


def _witness_clashes(closure: Derivations, fact: Clash) -> Iterator[Step]:
    node, first = fact.node, closure.nodes.first_witness
    for role in range(len(closure.normal.roles)):
        for target in closure.targets(role, node):
            if target >= first and target != node and closure.members.has(BOTTOM, target):
                yield Step("empty witness", fact, (Link(role, node, target), Clash(target)))
