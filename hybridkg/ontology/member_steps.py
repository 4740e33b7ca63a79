"""The steps that put a node into a class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridkg.ontology.normal_form import TOP
from hybridkg.ontology.proof_steps import Exists, Fact, Link, Member, Step

if TYPE_CHECKING:
    from hybridkg.ontology.derivations import Derivations


def steps_to(closure: Derivations, fact: Member, thin: bool = False) -> Iterator[Step]:
    """Yield the steps that give a membership, an assertion left out.

    Args:
        closure: where to look.
        fact: the membership.
        thin: of many links that give it, one or those that are asserted are enough.
    """
    if fact.cls == TOP:
        yield Step("top", fact, ())
    yield from _standing_steps(closure, fact)
    yield from _class_steps(closure, fact)
    yield from _link_steps(closure, fact, thin)
    if closure.normal.same_role is not None and fact.cls != TOP:
        yield from _equality_steps(closure, fact)


def _standing_steps(closure: Derivations, fact: Member) -> Iterator[Step]:
    """Yield what a node belongs to from the start."""
    if fact.node == closure.nodes.class_node(fact.cls):
        yield Step("stand-in", fact, (), (fact.cls,))
    if closure.individual_of.get(fact.cls) == fact.node:
        yield Step("nominal", fact, (), (fact.cls, fact.node))
    witness = closure.nodes.witness_of(fact.node)
    if witness is None:
        return
    role, filler = witness
    if filler == fact.cls:
        yield Step("witness", fact, (), (role, filler))
    for demand in closure.demands[role]:
        if demand.side == "tail" and demand.cls == fact.cls:
            yield Step("folded range", fact, (), (role, fact.cls), demand.axioms)


def _class_steps(closure: Derivations, fact: Member) -> Iterator[Step]:
    node, cls, members = fact.node, fact.cls, closure.members
    for sub, _, axiom in closure.by_class["sc"][cls]:
        if members.has(sub, node):
            yield Step("sc", fact, (Member(node, sub),), (sub, cls), (axiom,))
    for first, second, _, axiom in closure.by_class["conj"][cls]:
        if members.has(first, node) and members.has(second, node):
            premises = (Member(node, first), Member(node, second))
            yield Step("conj", fact, premises, (first, second, cls), (axiom,))
    role = closure.self_role_of.get(cls)
    if role is not None and closure.is_individual(node) and closure.has_link(role, node, node):
        yield Step("loop", fact, (Link(role, node, node),), (role, cls))


def _link_steps(closure: Derivations, fact: Member, thin: bool) -> Iterator[Step]:
    node, cls, members = fact.node, fact.cls, closure.members
    for role, _, axiom in closure.by_class["dom"][cls]:
        asserted = closure.asserted_targets(role, node) if thin else []
        for target in asserted[:1] or closure.targets(role, node):
            yield Step("dom", fact, (Link(role, node, target),), (role, cls), (axiom,))
    if closure.is_individual(node):
        for role, _, axiom in closure.by_class["rng"][cls]:
            yield from _range_steps(closure, fact, (role, axiom), thin)
    for role, filler, _, axiom in closure.by_class["exl"][cls]:
        near = closure.asserted_targets(role, node) if thin else []
        near = [target for target in near if members.has(filler, target)]
        for target in near or closure.targets(role, node):
            if members.has(filler, target):
                both = (Link(role, node, target), Member(target, filler))
                yield Step("exl", fact, both, (role, filler, cls), (axiom,))


def _range_steps(
    closure: Derivations, fact: Member, piece: tuple[int, int], thin: bool
) -> Iterator[Step]:
    role, axiom = piece
    sources = closure.sources(role, fact.node)
    if thin:
        found = (s for s in sources if closure.is_asserted(Link(role, s, fact.node)))
        first = next(found, None)
        sources = sources if first is None else [first]
    for source in sources:
        link = Link(role, source, fact.node)
        if closure.is_individual(source):
            yield Step("rng", fact, (link,), (role, fact.cls), (axiom,))
        elif closure.exists(source):
            yield Step("rng", fact, (link, Exists(source)), (role, fact.cls), (axiom,))


def _equality_steps(closure: Derivations, fact: Member) -> Iterator[Step]:
    node, cls, members = fact.node, fact.cls, closure.members
    same = closure.normal.same_role
    assert same is not None, "equality steps where nothing can be one"
    for other in closure.one_with(node):
        if members.has(cls, other):
            premises: tuple[Fact, ...] = (Link(same, other, node), Member(other, cls))
            yield Step("equal member", fact, premises)
    if not closure.is_individual(node):
        for nominal, individual in closure.normal.nominals:
            if members.has(nominal, node) and members.has(cls, individual):
                premises = (Member(node, nominal), Member(individual, cls))
                yield Step("nominal member", fact, premises, (nominal, individual))
