"""Cut a set of statements down to one from which nothing can be left out.

The statements are closed by themselves, once; whether a smaller set still does is then
read off the steps of that small closure, which are propositional Horn clauses.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.knowledge_base import by_role
from hybridkg.ontology.matrix_engine import saturate
from hybridkg.ontology.normal_form import PIECES, NormalForm
from hybridkg.ontology.proof_steps import Clash, Fact, Link, Member, Step
from hybridkg.ontology.proofs import Leaf, LeafSet, nearest_steps

#: Steps that the search for what can be left out may look at; beyond it the rest is kept.
MAX_VISITS = 10_000_000
#: Steps between the statements and the fact; with more of them nothing is left out.
MAX_CONE = 200_000


@dataclass(frozen=True, slots=True)
class Support:
    """Statements that entail a fact."""

    leaves: LeafSet
    #: False where the search for what can be left out stopped at its limit.
    minimal: bool


def minimal_support(
    normal: NormalForm, leaves: Iterable[Leaf], goal: Fact, *, max_visits: int = MAX_VISITS
) -> Support:
    """Drop every statement that a fact does not need.

    Args:
        normal: the axioms that the leaves number.
        leaves: asserted facts between individuals, and axioms, that entail the goal.
        goal: a fact about individuals.
        max_visits: steps that the search may look at.
    """
    kept = set(leaves)
    cone, whole = nearest_steps(_closed(normal, kept), goal, max_steps=MAX_CONE)
    if not whole:
        return Support(frozenset(kept), False)
    clauses = _Clauses(cone)
    minimal = True
    while True:
        live = clauses.derivable(kept)
        assert goal in live, "the leaves of a proof entail its conclusion"
        open_questions = sorted(kept & clauses.leaves - clauses.needed(goal, kept, live), key=repr)
        kept &= clauses.leaves
        for leaf in open_questions:
            if clauses.visits > max_visits:
                minimal = False
                break
            if goal in clauses.derivable(kept - {leaf}):
                kept.discard(leaf)
                break
        else:
            break
        if not minimal:
            break
    return Support(frozenset(kept), minimal)


def minimal_clash(normal: NormalForm, leaves: LeafSet) -> LeafSet:
    """Drop every statement that a contradiction does not need, wherever it shows.

    Args:
        normal: the axioms that the leaves number.
        leaves: facts between individuals and axioms that contradict each other.
    """
    kept = leaves
    clashing = deque(_clashing(normal, kept))
    while clashing:
        smaller = minimal_support(normal, kept, clashing.popleft()).leaves
        if smaller < kept:
            # What is left may clash at another individual through even less.
            kept = smaller
            clashing = deque(_clashing(normal, kept))
            if len(clashing) == 1:
                break
    return kept


def _clashing(normal: NormalForm, leaves: LeafSet) -> list[Fact]:
    return [Clash(node) for node in _closed(normal, set(leaves)).saturation.clashing().tolist()]


def _closed(normal: NormalForm, leaves: set[Leaf]) -> Derivations:
    """Close statements and nothing else."""
    numbers = {leaf for leaf in leaves if isinstance(leaf, int)}
    pieces: dict[str, Any] = {
        kind: tuple(p for p in getattr(normal, kind) if p[-1] in numbers) for kind in PIECES
    }
    small = replace(normal, **pieces)
    members = [leaf for leaf in leaves if isinstance(leaf, Member)]
    links = [leaf for leaf in leaves if isinstance(leaf, Link)]
    types = np.array([(m.node, m.cls) for m in members], dtype=np.int32).reshape(-1, 2)
    rows = [(link.source, link.role, link.target) for link in links]
    facts = np.array(rows, dtype=np.int32).reshape(-1, 3)
    # Numbers stay as they are, since axioms name individuals too; without stand-ins a class
    # takes space only where it has a member.
    closed = saturate(small, small.n_individuals, types, by_role(facts), stand_ins=())
    return Derivations(small, closed, types, facts)


class _Clauses:
    """Steps towards one fact, each with the statements that it rests on itself."""

    def __init__(self, cone: dict[Fact, list[Step]]) -> None:
        self.cone = cone
        self.own: dict[Step, frozenset[Leaf]] = {}
        self.using: dict[Fact, list[Step]] = defaultdict(list)
        self.foot: list[Step] = []
        for steps in cone.values():
            # A step that is listed twice would count its premises twice.
            for step in dict.fromkeys(steps):
                asserted = {step.conclusion} if step.rule == "asserted" else set()
                self.own[step] = frozenset({*step.axioms, *asserted})
                for premise in set(step.premises):
                    self.using[premise].append(step)
                if not step.premises:
                    self.foot.append(step)
        self.leaves: frozenset[Leaf] = frozenset().union(*self.own.values())
        self.visits = 0

    def derivable(self, kept: set[Leaf]) -> set[Fact]:
        """Return the facts that follow from some of the statements."""
        missing = {step: len(set(step.premises)) for step in self.own}
        found: set[Fact] = set()
        queue: deque[Fact] = deque()

        def conclude(step: Step) -> None:
            if step.conclusion not in found and self.own[step] <= kept:
                found.add(step.conclusion)
                queue.append(step.conclusion)

        for step in self.foot:
            conclude(step)
        while queue:
            for step in self.using[queue.popleft()]:
                missing[step] -= 1
                if not missing[step]:
                    conclude(step)
        self.visits += len(self.own)
        return found

    def needed(self, goal: Fact, kept: set[Leaf], live: set[Fact]) -> set[Leaf]:
        """Return statements that every derivation uses; not necessarily all of these."""
        certain, seen, waiting = set[Leaf](), {goal}, [goal]
        while waiting:
            fact = waiting.pop()
            steps = [
                s for s in self.cone[fact] if self.own[s] <= kept and live.issuperset(s.premises)
            ]
            certain |= frozenset.intersection(*(self.own[s] for s in steps))
            shared = set[Fact].intersection(*(set(s.premises) for s in steps)) - seen
            seen |= shared
            waiting.extend(shared)
        self.visits += len(self.own)
        return certain
