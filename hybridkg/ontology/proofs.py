"""Proofs of a fact: the search for the smallest one."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.proof_steps import Fact, Link, Member, Step
from hybridkg.ontology.saturation import Members, Nodes

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

    def without_unused(self) -> Proof:
        """Return the proof without the steps that its conclusion does not rest on."""
        best = {step.conclusion: step for step in reversed(self.steps)}
        return Proof(tuple(_ordered(self.conclusion, best)))


def smallest_proof(derivations: Derivations, goal: Fact) -> Proof | None:
    """Return a proof with the fewest steps, counted as a tree, or None where none exists.

    A long path is first split after its first asserted link only; should that
    give no proof, at every node.
    Source: Knuth, A generalization of Dijkstra's algorithm (1977), on the steps
    that reach back from the goal.
    """
    for thin in (True, False):
        proof = _cheapest(steps_towards(derivations, goal, thin=thin), goal)
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


def steps_towards(
    derivations: Derivations, goal: Fact, *, thin: bool, known: Members | None = None
) -> dict[Fact, list[Step]]:
    """Collect every step from which a goal can be reached, by what each concludes.

    Args:
        derivations: steps of the closure.
        goal: the fact.
        thin: leave out steps that a proof can do without; see ``Derivations.steps``.
        known: memberships that are traced to asserted types only, not
            also to each fact that repeats them; None traces everything to everything.
    """
    return nearest_steps(derivations, goal, thin=thin, known=known)[0]


def nearest_steps(
    derivations: Derivations,
    goal: Fact,
    *,
    thin: bool = False,
    known: Members | None = None,
    max_steps: int | None = None,
) -> tuple[dict[Fact, list[Step]], bool]:
    """Collect the steps towards a goal, the nearest ones first, up to a number of them.

    Args:
        derivations: steps of the closure.
        goal: the fact.
        thin: as for :func:`steps_towards`.
        known: as for :func:`steps_towards`.
        max_steps: steps that are collected; None for all.

    Returns:
        Fact -> steps that conclude it, and whether these are all.
    """
    cone: dict[Fact, list[Step]] = {}
    waiting, n_steps = deque([goal]), 0
    while waiting:
        fact = waiting.popleft()
        if fact in cone or not derivations.holds(fact):
            continue
        steps = _distinct(derivations.steps(fact, thin=thin))
        if max_steps is not None:
            steps = islice(steps, max_steps + 1 - n_steps)
        cone[fact] = list(steps)
        n_steps += len(cone[fact])
        if known is not None and isinstance(fact, Member) and known.has(fact.cls, fact.node):
            cone[fact] = [s for s in cone[fact] if _stays_known(s, known, derivations.nodes)]
        if max_steps is not None and n_steps > max_steps:
            return cone, False
        waiting.extend(p for step in cone[fact] for p in step.premises)
    return cone, True


def _distinct(steps: Iterable[Step]) -> Iterator[Step]:
    """Leave out steps that are met again: an axiom may list a class twice, a path may turn back."""
    seen: set[Step] = set()
    for step in steps:
        if step not in seen:
            seen.add(step)
            yield step


def _stays_known(step: Step, known: Members, nodes: Nodes) -> bool:
    return all(
        known.has(p.cls, p.node)
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
