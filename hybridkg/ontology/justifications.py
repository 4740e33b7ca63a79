"""Justifications of a fact: the minimal sets of asserted statements that entail it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import product

from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.proof_steps import Fact, Link, Member, Step
from hybridkg.ontology.proofs import Leaf, LeafSet, nearest_steps
from hybridkg.ontology.saturation import Members

#: Steps of a closure that one search looks at, unless more are asked for.
MAX_STEPS = 50_000
#: Statements that one search puts into sets, over all sets it tries.
MAX_WORK = 5_000_000


@dataclass(frozen=True, slots=True)
class Justifications:
    """Minimal sets of statements that entail a fact."""

    sets: tuple[LeafSet, ...]
    #: False where the search stopped at a limit: there may be more sets, and smaller ones.
    complete: bool


def justify(
    derivations: Derivations,
    goal: Fact,
    *,
    axioms_fixed: bool = False,
    limit: int = 10_000,
    known: Members | None = None,
    max_steps: int = MAX_STEPS,
) -> Justifications:
    """Return the minimal sets of statements that entail a fact.

    Args:
        derivations: steps of the closure.
        goal: the fact.
        axioms_fixed: leave axioms out of the sets, and so find the minimal sets of
            facts that do it together with all axioms.
        limit: sets kept for any one fact; beyond it the search is not complete.
        known: memberships that are traced to asserted types only, not
            also to each fact that repeats them; None traces everything to everything.
        max_steps: steps of the closure that are looked at, the nearest to the goal first;
            beyond them the search is not complete.
    """
    cone, complete = nearest_steps(derivations, goal, known=known, max_steps=max_steps)
    using: dict[Fact, set[Fact]] = defaultdict(set)
    for fact, steps in cone.items():
        for step in steps:
            for premise in step.premises:
                using[premise].add(fact)
    sets: dict[Fact, set[LeafSet]] = defaultdict(set)
    waiting, work = dict.fromkeys(reversed(cone)), 0
    while waiting:
        fact = next(iter(waiting))
        del waiting[fact]
        found: set[LeafSet] = set()
        for step in cone[fact]:
            combined = _combine(step, sets, axioms_fixed, limit)
            work += sum(map(len, combined))
            found |= combined
            if work > MAX_WORK:
                break
        if work > MAX_WORK:
            complete = False
            if fact == goal and not sets[goal]:
                sets[goal] = _minimal(found, limit)
            break
        kept = _minimal(found, limit)
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


def _minimal(sets: set[LeafSet], limit: int) -> set[LeafSet]:
    """Keep the sets that contain no other one, the smallest first, and one more than the limit."""
    kept: set[LeafSet] = set()
    singles = {next(iter(one)) for one in sets if len(one) == 1}
    by_leaf: dict[Leaf, list[LeafSet]] = defaultdict(list)
    for one in sorted(sets, key=len):
        if len(one) > 1 and not singles.isdisjoint(one):
            continue
        # A smaller set inside this one has its last leaf among this one's leaves; the last one
        # is a fact where there is any, which fewer sets share than an axiom.
        if len(one) > 1 and any(other < one for leaf in one for other in by_leaf[leaf]):
            continue
        if not one:
            return {one}
        kept.add(one)
        if len(kept) > limit:
            break
        if len(one) > 1:
            by_leaf[max(one, key=_leaf_order)].append(one)
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
