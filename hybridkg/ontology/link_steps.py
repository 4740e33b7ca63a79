"""The steps that relate two nodes, or show that an anonymous one exists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridkg.ontology.proof_steps import Exists, Fact, Link, Member, Step

if TYPE_CHECKING:
    from hybridkg.ontology.derivations import Derivations


def steps_to(closure: Derivations, fact: Link, thin: bool) -> Iterator[Step]:
    """Yield the steps that give a link, an assertion left out.

    Args:
        closure: where to look.
        fact: the link.
        thin: split a path after its first asserted link where there is one.
    """
    role, source, target = fact.role, fact.source, fact.target
    witness = closure.nodes.witness_of(target)
    if witness is not None and witness[0] == role:
        for cls, axiom in closure.existentials[witness]:
            if closure.members.has(cls, source):
                piece = (cls, role, witness[1])
                yield Step("exr", fact, (Member(source, cls),), piece, (axiom,))
    for sub, _, axiom in closure.by_role["sr"][role]:
        if closure.has_link(sub, source, target):
            yield Step("sr", fact, (Link(sub, source, target),), (sub, role), (axiom,))
    if closure.is_individual(source) and closure.is_individual(target):
        for other, _, axiom in closure.by_role["inv"][role]:
            if closure.has_link(other, target, source):
                yield Step("inv", fact, (Link(other, target, source),), (other, role), (axiom,))
    for first, second, _, axiom in closure.by_role["chain"][role]:
        for middle in _middles(closure, first, second, fact, thin):
            premises = (Link(first, source, middle), Link(second, middle, target))
            yield Step("chain", fact, premises, (first, second, role), (axiom,))
    own = closure.self_class_of.get(role)
    if source == target and own is not None and closure.members.has(own, source):
        yield Step("self", fact, (Member(source, own),), (own, role))
    if role == closure.normal.same_role:
        yield from _same_steps(closure, fact)
    elif closure.normal.same_role is not None:
        yield from _carried_steps(closure, fact)


def _middles(closure: Derivations, first: int, second: int, fact: Link, thin: bool) -> list[int]:
    if thin:
        asserted = closure.asserted_targets(first, fact.source)
        found = [m for m in asserted if closure.has_link(second, m, fact.target)]
        if found:
            return found
    reached = closure.targets(first, fact.source)
    if first == second == fact.role:
        starts = closure.first_links(first, fact.source)
        reached = reached if starts is None else starts
    before = set(closure.sources(second, fact.target))
    return [middle for middle in reached if middle in before]


def _same_steps(closure: Derivations, fact: Link) -> Iterator[Step]:
    """Yield the steps that make two nodes one."""
    role, source, target = fact.role, fact.source, fact.target
    for one, other, axiom in closure.normal.same:
        if (source, target) in ((one, other), (other, one)):
            yield Step("same", fact, (), (one, other), (axiom,))
    for node, individual in ((source, target), (target, source)):
        nominal = closure.nominal_of.get(individual)
        if nominal is None or node == individual or not closure.members.has(nominal, node):
            continue
        if closure.is_individual(node):
            yield Step("one", fact, (Member(node, nominal),), (nominal, individual))
        elif closure.exists(node):
            premises: tuple[Fact, ...] = (Member(node, nominal), Exists(node))
            yield Step("one", fact, premises, (nominal, individual))
    for middle in closure.targets(role, source):
        if middle not in (source, target) and closure.has_link(role, middle, target):
            links = (Link(role, source, middle), Link(role, middle, target))
            yield Step("same chain", fact, links)


def _carried_steps(closure: Derivations, fact: Link) -> Iterator[Step]:
    """Yield the steps that carry a link over from a node that is one with an end of it."""
    role, source, target, same = fact.role, fact.source, fact.target, closure.normal.same_role
    assert same is not None, "links carried over where nothing can be one"
    for other in closure.one_with(source):
        if closure.has_link(role, other, target):
            carried = (Link(same, other, source), Link(role, other, target))
            yield Step("equal source", fact, carried)
    for other in closure.one_with(target):
        if closure.has_link(role, source, other):
            carried = (Link(same, other, target), Link(role, source, other))
            yield Step("equal target", fact, carried)
    for nominal, individual in closure.normal.nominals:
        has = closure.members.has
        is_supposed = not closure.is_individual(source) and has(nominal, source)
        if is_supposed and closure.has_link(role, individual, target):
            premises = (Member(source, nominal), Link(role, individual, target))
            yield Step("nominal source", fact, premises, (nominal, individual))
        if target == individual:
            for other in closure.targets(role, source):
                if not closure.is_individual(other) and has(nominal, other):
                    premises = (Member(other, nominal), Link(role, source, other))
                    yield Step("nominal target", fact, premises, (nominal, individual))


def steps_to_existence(closure: Derivations, fact: Exists) -> Iterator[Step]:
    """Yield the links that lead to an anonymous node from one that exists."""
    for role in range(len(closure.normal.roles)):
        for source in closure.sources(role, fact.node):
            link = Link(role, source, fact.node)
            if closure.is_individual(source):
                yield Step("exists", fact, (link,))
            elif source != fact.node and closure.exists(source):
                yield Step("exists", fact, (link, Exists(source)))
