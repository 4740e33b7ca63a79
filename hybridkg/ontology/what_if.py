"""What would follow if one more fact held: the rules once more, on a handful of new facts.

The closure itself is not changed. Set-based and forward, this is also an
implementation of the rules that is independent of the matrix engine.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hybridkg.ontology.derivations import Clash, Derivations, Fact, Link, Member, Step
from hybridkg.ontology.normal_form import BOTTOM
from hybridkg.ontology.proofs import Proof, smallest_proof


@dataclass(frozen=True, slots=True)
class Consequences:
    """What follows from assumed facts and a closure together."""

    #: every new fact with the step that gave it, in order; assumed ones first.
    steps: dict[Fact, Step]
    #: the first contradiction met, None where there is none.
    clash: Clash | None


class WhatIf:
    """Tries facts out against a closure, again and again."""

    def __init__(self, derivations: Derivations) -> None:
        """Index the rules by what sets them off."""
        self.base = derivations
        normal = derivations.normal
        self._of_class: dict[str, dict[int, list[tuple[int, ...]]]] = {
            "sc": defaultdict(list),
            "conj": defaultdict(list),
            "exr": defaultdict(list),
            "exl": defaultdict(list),
        }
        self._of_role: dict[str, dict[int, list[tuple[int, ...]]]] = {
            kind: defaultdict(list)
            for kind in ("dom", "rng", "sr", "inv", "exl", "chain", "irr", "asym", "djr")
        }
        for kind, place in (("sc", 0), ("exr", 0), ("exl", 1)):
            for piece in getattr(normal, kind):
                self._of_class[kind][piece[place]].append(piece)
        for piece in normal.conj:
            for cls in set(piece[:2]):
                self._of_class["conj"][cls].append(piece)
        for kind in ("dom", "rng", "sr", "inv", "exl", "irr", "asym"):
            for piece in getattr(normal, kind):
                self._of_role[kind][piece[0]].append(piece)
        for kind in ("chain", "djr"):
            for piece in getattr(normal, kind):
                for role in set(piece[:2]):
                    self._of_role[kind][role].append(piece)
        self._disjoint: dict[int, list[tuple[tuple[int, ...], int]]] = defaultdict(list)
        for classes, axiom in normal.dsj:
            for cls in set(classes):
                self._disjoint[cls].append((classes, axiom))

    def assume(self, facts: Iterable[Fact]) -> Consequences:
        """Return what follows from facts, up to the first contradiction."""
        run = _Run(self)
        for fact in facts:
            run.add(Step("asserted", fact, ()))
        return run.finish()

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
        return Proof(tuple(steps.values()))


class _Run:
    """One trial: the new facts, indexed as the rules ask for them."""

    def __init__(self, what_if: WhatIf) -> None:
        self.rules, self.base = what_if, what_if.base
        self.steps: dict[Fact, Step] = {}
        self.queue: deque[Fact] = deque()
        self.classes: dict[int, list[int]] = defaultdict(list)
        self.forward: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.backward: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.clash: Clash | None = None

    def add(self, step: Step) -> None:
        fact = step.conclusion
        if self.clash is not None or fact in self.steps:
            return
        if isinstance(fact, Clash):
            self.steps[fact] = step
            self.clash = fact
            return
        if self.base.holds(fact):
            return
        self.steps[fact] = step
        self.queue.append(fact)
        if isinstance(fact, Member):
            self.classes[fact.node].append(fact.cls)
        else:
            self.forward[fact.role, fact.source].append(fact.target)
            self.backward[fact.role, fact.target].append(fact.source)

    def finish(self) -> Consequences:
        while self.queue and self.clash is None:
            fact = self.queue.popleft()
            steps = self._of_member(fact) if isinstance(fact, Member) else self._of_link(fact)
            for step in steps:
                self.add(step)
        return Consequences(self.steps, self.clash)

    def _is_in(self, node: int, cls: int) -> bool:
        return Member(node, cls) in self.steps or self.base.holds(Member(node, cls))

    def _is_linked(self, role: int, source: int, target: int) -> bool:
        link = Link(role, source, target)
        return link in self.steps or self.base.holds(link)

    def _targets(self, role: int, source: int) -> list[int]:
        return self.base.targets(role, source) + self.forward.get((role, source), [])

    def _sources(self, role: int, target: int) -> list[int]:
        return self.base.sources(role, target) + self.backward.get((role, target), [])

    def _of_member(self, fact: Fact) -> Iterator[Step]:
        assert isinstance(fact, Member)
        node, cls, table = fact.node, fact.cls, self.rules._of_class
        if cls == BOTTOM:
            yield Step("empty", Clash(node), (fact,))
        for classes, axiom in self.rules._disjoint.get(cls, ()):
            for other in classes:
                if other != cls and self._is_in(node, other):
                    premises = (fact, Member(node, other))
                    yield Step("dsj", Clash(node), premises, (cls, other), (axiom,))
            if classes.count(cls) > 1:
                yield Step("dsj", Clash(node), (fact,), (cls, cls), (axiom,))
        for _, sup, axiom in table["sc"].get(cls, ()):
            yield Step("sc", Member(node, sup), (fact,), (cls, sup), (axiom,))
        for first, second, result, axiom in table["conj"].get(cls, ()):
            if self._is_in(node, first) and self._is_in(node, second):
                both = (Member(node, first), Member(node, second))
                yield Step("conj", Member(node, result), both, (first, second, result), (axiom,))
        for _, role, filler, axiom in table["exr"].get(cls, ()):
            link = Link(role, node, self.base.nodes.witness_node(role, filler))
            yield Step("exr", link, (fact,), (cls, role, filler), (axiom,))
        for role, _, result, axiom in table["exl"].get(cls, ()):
            for source in self._sources(role, node):
                both_ = (Link(role, source, node), fact)
                yield Step("exl", Member(source, result), both_, (role, cls, result), (axiom,))

    def _of_link(self, fact: Fact) -> Iterator[Step]:
        assert isinstance(fact, Link)
        role, source, target = fact.role, fact.source, fact.target
        table = self.rules._of_role
        named = max(source, target) < self.base.nodes.n_individuals
        yield from self._link_clashes(fact)
        for _, cls, axiom in table["dom"].get(role, ()):
            yield Step("dom", Member(source, cls), (fact,), (role, cls), (axiom,))
        if named:
            for _, cls, axiom in table["rng"].get(role, ()):
                yield Step("rng", Member(target, cls), (fact,), (role, cls), (axiom,))
            for _, other, axiom in table["inv"].get(role, ()):
                yield Step("inv", Link(other, target, source), (fact,), (role, other), (axiom,))
        for _, sup, axiom in table["sr"].get(role, ()):
            yield Step("sr", Link(sup, source, target), (fact,), (role, sup), (axiom,))
        for _, filler, result, axiom in table["exl"].get(role, ()):
            if self._is_in(target, filler):
                both = (fact, Member(target, filler))
                yield Step("exl", Member(source, result), both, (role, filler, result), (axiom,))
        for first, second, third, axiom in table["chain"].get(role, ()):
            piece = (first, second, third)
            if first == role:
                for end in self._targets(second, target):
                    links = (fact, Link(second, target, end))
                    yield Step("chain", Link(third, source, end), links, piece, (axiom,))
            if second == role:
                for start in self._sources(first, source):
                    links = (Link(first, start, source), fact)
                    yield Step("chain", Link(third, start, target), links, piece, (axiom,))

    def _link_clashes(self, fact: Link) -> Iterator[Step]:
        role, source, target = fact.role, fact.source, fact.target
        table = self.rules._of_role
        if self.base.nodes.witness_of(target) is not None and self.base.holds(Clash(target)):
            yield Step("empty witness", Clash(source), (fact, Clash(target)))
        for _, axiom in table["irr"].get(role, ()):
            if source == target:
                yield Step("irr", Clash(source), (fact,), (role,), (axiom,))
        for _, axiom in table["asym"].get(role, ()):
            if self._is_linked(role, target, source):
                back = Link(role, target, source)
                links = (fact, back) if back != fact else (fact,)
                yield Step("asym", Clash(source), links, (role,), (axiom,))
        for first, second, axiom in table["djr"].get(role, ()):
            pair = (Link(first, source, target), Link(second, source, target))
            if all(self._is_linked(p.role, source, target) for p in pair):
                shown = pair if first != second else pair[:1]
                yield Step("djr", Clash(source), shown, (first, second), (axiom,))
