"""Proofs: the smallest one, the minimal sets of statements behind a fact, and their checker."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from hybridkg.errors import OntologyError
from hybridkg.ontology.demands import role_demands
from hybridkg.ontology.derivations import Clash, Derivations, Fact, Link, Member, Step
from hybridkg.ontology.matrix_engine import Nodes
from hybridkg.ontology.normal_form import BOTTOM, TOP, NormalForm
from hybridkg.types import BoolArray

#: A statement at the foot of a proof: an asserted fact, or the number of an axiom.
Leaf: TypeAlias = Fact | int
LeafSet: TypeAlias = frozenset[Leaf]


@dataclass(frozen=True, slots=True)
class Proof:
    """Steps in an order in which every premise is concluded before it is used."""

    steps: tuple[Step, ...]

    @property
    def conclusion(self) -> Fact:
        """What is proven."""
        return self.steps[-1].conclusion

    @property
    def leaves(self) -> LeafSet:
        """The asserted facts and axioms it rests on."""
        facts: set[Leaf] = {s.conclusion for s in self.steps if s.rule == "asserted"}
        return frozenset(facts.union(*(s.axioms for s in self.steps)))


@dataclass(frozen=True, slots=True)
class Justifications:
    """Minimal sets of statements that entail a fact."""

    sets: tuple[LeafSet, ...]
    #: False where the search stopped at its limit.
    complete: bool


def smallest_proof(derivations: Derivations, goal: Fact) -> Proof | None:
    """Return a proof with the fewest steps, counted as a tree, or None where none exists.

    A long path is first split after its first asserted link only; should that
    give no proof, at every node.
    Source: Knuth, A generalization of Dijkstra's algorithm (1977), on the steps
    that reach back from the goal.
    """
    for thin in (True, False):
        proof = _cheapest(_cone(derivations, goal, thin=thin), goal)
        if proof is not None:
            return proof
    return None


def _cheapest(cone: dict[Fact, list[Step]], goal: Fact) -> Proof | None:
    using: dict[Fact, list[Step]] = defaultdict(list)
    missing: dict[Step, int] = {}
    costs: dict[Fact, int] = {}
    best: dict[Fact, Step] = {}
    queue: list[tuple[int, int, Step]] = []
    ticket = 0
    for steps in cone.values():
        for step in steps:
            needed = set(step.premises)
            missing[step] = len(needed)
            for premise in needed:
                using[premise].append(step)
            if not needed:
                heapq.heappush(queue, (1, ticket, step))
                ticket += 1
    while queue:
        cost, _, step = heapq.heappop(queue)
        if step.conclusion in costs:
            continue
        costs[step.conclusion], best[step.conclusion] = cost, step
        if step.conclusion == goal:
            break
        for later in using[step.conclusion]:
            missing[later] -= 1
            if missing[later] == 0 and later.conclusion not in costs:
                total = 1 + sum(costs[p] for p in later.premises)
                heapq.heappush(queue, (total, ticket, later))
                ticket += 1
    return Proof(tuple(_ordered(goal, best))) if goal in best else None


def _cone(
    derivations: Derivations, goal: Fact, *, thin: bool, known: BoolArray | None = None
) -> dict[Fact, list[Step]]:
    """Collect every step from which the goal can be reached."""
    cone: dict[Fact, list[Step]] = {}
    waiting = [goal]
    while waiting:
        fact = waiting.pop()
        if fact in cone or not derivations.holds(fact):
            continue
        cone[fact] = list(derivations.steps(fact, thin=thin))
        if known is not None and isinstance(fact, Member) and known[fact.cls, fact.node]:
            cone[fact] = [s for s in cone[fact] if _stays_known(s, known, derivations.nodes)]
        waiting.extend(p for step in cone[fact] for p in step.premises)
    return cone


def _stays_known(step: Step, known: BoolArray, nodes: Nodes) -> bool:
    return all(
        known[p.cls, p.node]
        if isinstance(p, Member)
        else isinstance(p, Link) and nodes.witness_of(p.target) is not None
        for p in step.premises
    )


def _ordered(goal: Fact, best: dict[Fact, Step]) -> list[Step]:
    done: dict[Fact, None] = {}
    stack: list[tuple[Fact, bool]] = [(goal, False)]
    while stack:
        fact, ready = stack.pop()
        if fact in done:
            continue
        if ready:
            done[fact] = None
            continue
        stack.append((fact, True))
        stack.extend((premise, False) for premise in reversed(best[fact].premises))
    return [best[fact] for fact in done]


def justify(
    derivations: Derivations,
    goal: Fact,
    *,
    axioms_fixed: bool = False,
    limit: int = 10_000,
    known: BoolArray | None = None,
) -> Justifications:
    """Return the minimal sets of statements that entail a fact.

    Args:
        derivations: steps of the closure.
        goal: the fact.
        axioms_fixed: leave axioms out of the sets, and so find the minimal sets of
            facts that do it together with all axioms.
        limit: sets kept for any one fact; beyond it the search is not complete.
        known: (classes, nodes) memberships that are traced to asserted types only, not
            also to each fact that repeats them; None traces everything to everything.
    """
    cone = _cone(derivations, goal, thin=False, known=known)
    using: dict[Fact, set[Fact]] = defaultdict(set)
    for fact, steps in cone.items():
        for step in steps:
            for premise in step.premises:
                using[premise].add(fact)
    sets: dict[Fact, set[LeafSet]] = {fact: set() for fact in cone}
    complete = True
    waiting = dict.fromkeys(reversed(cone))
    while waiting:
        fact = next(iter(waiting))
        del waiting[fact]
        found: set[LeafSet] = set()
        for step in cone[fact]:
            found |= _combine(step, sets, axioms_fixed, limit)
        kept = _minimal(found)
        if len(kept) > limit:
            kept, complete = set(sorted(kept, key=_set_order)[:limit]), False
        if kept != sets[fact]:
            sets[fact] = kept
            waiting.update(dict.fromkeys(using[fact]))
    return Justifications(tuple(sorted(sets.get(goal, ()), key=_set_order)), complete)


def _combine(
    step: Step, sets: dict[Fact, set[LeafSet]], axioms_fixed: bool, limit: int
) -> set[LeafSet]:
    own: set[Leaf] = set() if axioms_fixed else set(step.axioms)
    if step.rule == "asserted":
        own.add(step.conclusion)
    choices = [sets[premise] for premise in step.premises]
    found: set[LeafSet] = set()
    for parts in product(*choices):
        found.add(frozenset(own.union(*parts)))
        if len(found) > 20 * limit:
            break
    return found


def _minimal(sets: set[LeafSet]) -> set[LeafSet]:
    """Keep the sets that contain no other one."""
    kept: set[LeafSet] = set()
    singles = {next(iter(one)) for one in sets if len(one) == 1}
    by_leaf: dict[Leaf, list[LeafSet]] = defaultdict(list)
    for one in sorted(sets, key=len):
        if len(one) > 1 and not singles.isdisjoint(one):
            continue
        # A smaller set inside this one has its first leaf among this one's leaves.
        if len(one) > 1 and any(other < one for leaf in one for other in by_leaf[leaf]):
            continue
        if not one:
            return {one}
        kept.add(one)
        if len(one) > 1:
            by_leaf[min(one, key=_leaf_order)].append(one)
    return kept


def _leaf_order(leaf: Leaf) -> tuple[str, tuple[int, ...]]:
    if isinstance(leaf, int):
        return "axiom", (leaf,)
    if isinstance(leaf, Link):
        return "link", (leaf.role, leaf.source, leaf.target)
    if isinstance(leaf, Member):
        return "member", (leaf.node, leaf.cls)
    return "clash", (leaf.node,)


def _set_order(one: LeafSet) -> tuple[int, list[tuple[str, tuple[int, ...]]]]:
    return len(one), sorted(map(_leaf_order, one))


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
