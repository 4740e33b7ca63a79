"""What would follow if one more fact held: the rules once more, on a handful of new facts.

The closure itself is not changed. Set-based and forward, this is also an
implementation of the rules that is independent of the matrix engine.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.forward_rules import ForwardRules
from hybridkg.ontology.proof_steps import Clash, Exists, Fact, Link, Member, Step
from hybridkg.ontology.proofs import Proof, smallest_proof


@dataclass(frozen=True, slots=True)
class Consequences:
    """What follows from assumed facts and a closure together."""

    #: every new fact with the step that gave it, in order; assumed ones first.
    steps: dict[Fact, Step]
    #: the first contradiction met, None where there is none; what stands for a class, or for a
    #: witness that nothing links to, may be empty without one.
    clash: Clash | None


class WhatIf:
    """Tries facts out against a closure, again and again."""

    def __init__(self, derivations: Derivations) -> None:
        """Index the rules by what sets them off."""
        self.base = derivations
        self.rules = ForwardRules(derivations)

    def assume(self, facts: Iterable[Fact]) -> Consequences:
        """Return what follows from facts, up to the first contradiction."""
        trial = Trial(self.base)
        for fact in facts:
            trial.add(Step("asserted", fact, ()))
        while trial.queue and trial.clash is None:
            for step in self.rules.steps_from(trial, trial.queue.popleft()):
                trial.add(step)
        return Consequences(trial.steps, trial.clash)

    def clash_proof(self, consequences: Consequences) -> Proof:
        """Return the proof of a contradiction; assumed facts count as asserted in it."""
        assert consequences.clash is not None, "asked for the proof of a clash that is none"
        steps: dict[Fact, Step] = {}
        waiting: list[tuple[Fact, bool]] = [(consequences.clash, False)]
        while waiting:
            fact, ready = waiting.pop()
            if fact in steps:
                continue
            step = consequences.steps.get(fact)
            if step is None:
                proof = smallest_proof(self.base, fact)
                assert proof is not None, "a fact of the closure has a proof"
                for one in proof.steps:
                    steps.setdefault(one.conclusion, one)
            elif ready:
                steps[fact] = step
            else:
                waiting.append((fact, True))
                waiting.extend((premise, False) for premise in step.premises)
        # Two of the proofs may show one fact in two ways, of which one is kept.
        return Proof(tuple(steps.values())).without_unused()


class Trial:
    """A closure together with new facts, indexed as the rules ask for them."""

    def __init__(self, base: Derivations) -> None:
        """Start without new facts."""
        self.base = base
        self.steps: dict[Fact, Step] = {}
        self.queue: deque[Fact] = deque()
        self.clash: Clash | None = None
        self._classes: dict[int, list[int]] = defaultdict(list)
        self._forward: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._backward: dict[tuple[int, int], list[int]] = defaultdict(list)

    def add(self, step: Step) -> None:
        """Take a fact in, where it is new and nothing clashes yet."""
        fact = step.conclusion
        if self.clash is not None or fact in self.steps:
            return
        if self.base.holds(fact):
            return
        if isinstance(fact, Clash) and self.base.is_individual(fact.node):
            self.steps[fact] = step
            self.clash = fact
            return
        self.steps[fact] = step
        self.queue.append(fact)
        if isinstance(fact, Member):
            self._classes[fact.node].append(fact.cls)
        elif isinstance(fact, Link):
            self._forward[fact.role, fact.source].append(fact.target)
            self._backward[fact.role, fact.target].append(fact.source)

    def is_in(self, node: int, cls: int) -> bool:
        """Tell whether a node belongs to a class."""
        return Member(node, cls) in self.steps or self.base.members.has(cls, node)

    def is_linked(self, role: int, source: int, target: int) -> bool:
        """Tell whether a role relates two nodes."""
        link = Link(role, source, target)
        return link in self.steps or self.base.has_link(role, source, target)

    def clashes(self, node: int) -> bool:
        """Tell whether a node cannot be anything."""
        return self.base.holds(Clash(node)) or Clash(node) in self.steps

    def exists(self, node: int) -> bool:
        """Tell whether a node is an individual or known to exist."""
        return self.base.exists(node) or Exists(node) in self.steps

    def classes_of(self, node: int) -> list[int]:
        """Return the classes of a node."""
        return self.base.members.classes_of(node) + self._classes.get(node, [])

    def targets(self, role: int, source: int) -> list[int]:
        """Return the nodes that a role relates a node to."""
        return self.base.targets(role, source) + self._forward.get((role, source), [])

    def sources(self, role: int, target: int) -> list[int]:
        """Return the nodes that a role relates to a node."""
        return self.base.sources(role, target) + self._backward.get((role, target), [])
