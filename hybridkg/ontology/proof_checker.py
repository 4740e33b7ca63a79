"""Check a proof step by step, without the engine and the search that found it."""

from __future__ import annotations

from collections.abc import Callable

from hybridkg.errors import OntologyError
from hybridkg.ontology.demands import role_demands
from hybridkg.ontology.derivations import Clash, Fact, Link, Member, Step
from hybridkg.ontology.normal_form import BOTTOM, TOP, NormalForm
from hybridkg.ontology.proofs import Proof
from hybridkg.ontology.saturation import Nodes


def check_proof(
    proof: Proof, normal: NormalForm, nodes: Nodes, is_asserted: Callable[[Fact], bool]
) -> None:
    """Check a proof step by step, knowing only the rules' shapes, the axioms and the data.

    Raises:
        OntologyError: a step that is no instance of its rule, or uses what is not concluded yet.
    """
    concluded: set[Fact] = set()
    for number, step in enumerate(proof.steps, start=1):
        missing = [p for p in step.premises if p not in concluded]
        if missing:
            raise OntologyError(f"step {number} uses {missing[0]!r}, which is not concluded yet")
        if not _is_instance(step, normal, nodes, is_asserted):
            raise OntologyError(f"step {number} is no instance of the rule {step.rule!r}: {step!r}")
        concluded.add(step.conclusion)


def _is_instance(
    step: Step, normal: NormalForm, nodes: Nodes, is_asserted: Callable[[Fact], bool]
) -> bool:
    end, premises, piece = step.conclusion, step.premises, step.piece
    if step.rule == "asserted":
        return not premises and is_asserted(end)
    if step.rule in ("sc", "conj", "exr", "exl", "dom", "rng", "sr", "inv", "chain"):
        if (*piece, *step.axioms) not in getattr(normal, step.rule):
            return False
    elif step.rule in ("irr", "asym", "djr"):
        if (*piece, *step.axioms) not in getattr(normal, step.rule):
            return False
        return _is_role_clash(step)
    elif step.rule == "dsj":
        return _is_disjointness(step, normal)
    if isinstance(end, Member):
        return _is_member_step(step, end, normal, nodes)
    if isinstance(end, Link):
        return _is_link_step(step, end, nodes)
    return _is_other_clash(step, end, nodes)


def _is_member_step(step: Step, end: Member, normal: NormalForm, nodes: Nodes) -> bool:
    node, cls = end.node, end.cls
    match step.rule, step.piece, step.premises:
        case "top", (), ():
            return cls == TOP
        case "stand-in", (one,), ():
            return one == cls and node == nodes.class_node(cls)
        case "witness", (role, filler), ():
            return filler == cls and nodes.witness_of(node) == (role, filler)
        case "folded range", (role, one), ():
            witness = nodes.witness_of(node)
            return (
                one == cls
                and witness is not None
                and witness[0] == role
                and any(
                    d.side == "tail" and d.cls == cls and d.axioms == step.axioms
                    for d in role_demands(normal)[role]
                )
            )
        case "sc", (sub, sup), (Member() as only,):
            return only == Member(node, sub) and sup == cls  # type: ignore[arg-type]
        case "conj", (first, second, result), (Member() as one, Member() as two):
            wanted = {Member(node, first), Member(node, second)}  # type: ignore[arg-type]
            return {one, two} == wanted and result == cls
        case "dom", (role, result), (Link() as link,):
            return link.role == role and link.source == node and result == cls
        case "rng", (role, result), (Link() as link,):
            named = max(link.source, link.target) < nodes.n_individuals
            return named and link.role == role and link.target == node and result == cls
        case "exl", (role, filler, result), (Link() as link, Member() as member):
            joined = link.target == member.node and link.source == node
            return joined and (link.role, member.cls, cls) == (role, filler, result)
    return False


def _is_link_step(step: Step, end: Link, nodes: Nodes) -> bool:
    match step.rule, step.piece, step.premises:
        case "exr", (cls, role, filler), (Member() as only,):
            right_witness = nodes.witness_of(end.target) == (role, filler)
            return right_witness and only == Member(end.source, cls) and end.role == role  # type: ignore[arg-type]
        case "sr", (sub, sup), (Link() as link,):
            return end.role == sup and link == Link(sub, end.source, end.target)  # type: ignore[arg-type]
        case "inv", (first, second), (Link() as link,):
            named = max(end.source, end.target) < nodes.n_individuals
            turned = Link(first, end.target, end.source)  # type: ignore[arg-type]
            return named and end.role == second and link == turned
        case "chain", (first, second, sup), (Link() as one, Link() as two):
            path = one.source == end.source and one.target == two.source
            ends = two.target == end.target and end.role == sup
            return path and ends and (one.role, two.role) == (first, second)
    return False


def _is_disjointness(step: Step, normal: NormalForm) -> bool:
    if not isinstance(step.conclusion, Clash) or len(step.piece) != 2:
        return False
    first, second = step.piece
    node = step.conclusion.node
    if {Member(node, first), Member(node, second)} != set(step.premises):  # type: ignore[arg-type]
        return False
    needed = 2 if first == second else 1
    return any(
        axiom in step.axioms and min(classes.count(c) for c in (first, second)) >= needed
        for classes, axiom in normal.dsj
    )


def _is_role_clash(step: Step) -> bool:
    if not isinstance(step.conclusion, Clash):
        return False
    node = step.conclusion.node
    links = [p for p in step.premises if isinstance(p, Link)]
    if len(links) != len(step.premises) or not links:
        return False
    one, other = links[0], links[-1]
    if one.source != node:
        return False
    if step.rule == "irr":
        return (one.role,) == step.piece and one.target == node and len(links) == 1
    if step.rule == "asym":
        turned = other.source == one.target and other.target == node
        return {one.role, other.role} == {step.piece[0]} and turned
    same_pair = (other.source, other.target) == (node, one.target)
    return same_pair and (one.role, other.role) == step.piece


def _is_other_clash(step: Step, end: Fact, nodes: Nodes) -> bool:
    if not isinstance(end, Clash):
        return False
    match step.rule, step.premises:
        case "empty", (Member() as member,):
            return member == Member(end.node, BOTTOM)
        case "empty witness", (Link() as link, Clash() as clash):
            joined = link.source == end.node and link.target == clash.node
            return joined and nodes.witness_of(clash.node) is not None
    return False
