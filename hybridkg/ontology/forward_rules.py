"""The rules by the fact that sets them off, for a handful of new facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.forward_equality import EqualityRules
from hybridkg.ontology.normal_form import BOTTOM
from hybridkg.ontology.proof_steps import Clash, Fact, Link, Member, Step

if TYPE_CHECKING:
    from hybridkg.ontology.what_if import Trial

_FIRST = ("dom", "rng", "sr", "inv", "exl", "irr", "asym", "neg", "fun", "ifn")


class ForwardRules:
    """Yields the steps that a new fact makes possible."""

    def __init__(self, closure: Derivations) -> None:
        """Index the pieces of a closure's normal form."""
        self.closure, normal = closure, closure.normal
        self.equality = EqualityRules(closure) if normal.same_role is not None else None
        self._of_class: dict[str, dict[int, list[tuple[int, ...]]]] = {
            kind: defaultdict(list) for kind in ("sc", "conj", "exr", "exl")
        }
        self._of_role: dict[str, dict[int, list[tuple[int, ...]]]] = {
            kind: defaultdict(list) for kind in (*_FIRST, "chain", "djr")
        }
        for kind, place in (("sc", 0), ("exr", 0), ("exl", 1)):
            for piece in getattr(normal, kind):
                self._of_class[kind][piece[place]].append(piece)
        for piece in normal.conj:
            for cls in set(piece[:2]):
                self._of_class["conj"][cls].append(piece)
        for kind in _FIRST:
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

    def steps_from(self, trial: Trial, fact: Fact) -> Iterator[Step]:
        """Yield the steps that use a new fact.

        Args:
            trial: what holds, the new fact included.
            fact: the new fact.
        """
        if isinstance(fact, Member):
            yield from self._of_member(trial, fact)
            yield from self._member_clashes(trial, fact)
        elif isinstance(fact, Link):
            yield from self._of_link(trial, fact)
            yield from self._of_path(trial, fact)
            yield from self._link_clashes(trial, fact)
            yield from self._key_clashes(trial, fact)
        elif isinstance(fact, Clash):
            yield from self._of_empty_witness(trial, fact)
        if self.equality is not None:
            yield from self.equality.steps_from(trial, fact)

    def _of_member(self, trial: Trial, fact: Member) -> Iterator[Step]:
        node, cls, table = fact.node, fact.cls, self._of_class
        for _, sup, axiom in table["sc"].get(cls, ()):
            yield Step("sc", Member(node, sup), (fact,), (cls, sup), (axiom,))
        for first, second, result, axiom in table["conj"].get(cls, ()):
            if trial.is_in(node, first) and trial.is_in(node, second):
                both = (Member(node, first), Member(node, second))
                yield Step("conj", Member(node, result), both, (first, second, result), (axiom,))
        for _, role, filler, axiom in table["exr"].get(cls, ()):
            # What is asked about has its witnesses too; see ``Closure.about``.
            link = Link(role, node, self.closure.nodes.witness_node(role, filler))
            yield Step("exr", link, (fact,), (cls, role, filler), (axiom,))
        for role, _, result, axiom in table["exl"].get(cls, ()):
            for source in trial.sources(role, node):
                pair = (Link(role, source, node), fact)
                yield Step("exl", Member(source, result), pair, (role, cls, result), (axiom,))
        own = self.closure.self_role_of.get(cls)
        if own is not None:
            yield Step("self", Link(own, node, node), (fact,), (cls, own))

    def _member_clashes(self, trial: Trial, fact: Member) -> Iterator[Step]:
        node, cls = fact.node, fact.cls
        if cls == BOTTOM:
            yield Step("empty", Clash(node), (fact,))
        for classes, axiom in self._disjoint.get(cls, ()):
            for other in classes:
                if other != cls and trial.is_in(node, other):
                    premises = (fact, Member(node, other))
                    yield Step("dsj", Clash(node), premises, (cls, other), (axiom,))
            if classes.count(cls) > 1:
                yield Step("dsj", Clash(node), (fact,), (cls, cls), (axiom,))

    def _of_empty_witness(self, trial: Trial, fact: Clash) -> Iterator[Step]:
        if self.closure.nodes.witness_of(fact.node) is None:
            return
        for role in range(len(self.closure.normal.roles)):
            for source in trial.sources(role, fact.node):
                link = Link(role, source, fact.node)
                yield Step("empty witness", Clash(source), (link, fact))

    def _of_link(self, trial: Trial, fact: Link) -> Iterator[Step]:
        role, source, target = fact.role, fact.source, fact.target
        closure, table = self.closure, self._of_role
        for _, cls, axiom in table["dom"].get(role, ()):
            yield Step("dom", Member(source, cls), (fact,), (role, cls), (axiom,))
        for _, sup, axiom in table["sr"].get(role, ()):
            yield Step("sr", Link(sup, source, target), (fact,), (role, sup), (axiom,))
        for _, filler, result, axiom in table["exl"].get(role, ()):
            if trial.is_in(target, filler):
                both = (fact, Member(target, filler))
                yield Step("exl", Member(source, result), both, (role, filler, result), (axiom,))
        if not closure.is_individual(source) or not closure.is_individual(target):
            return
        for _, cls, axiom in table["rng"].get(role, ()):
            yield Step("rng", Member(target, cls), (fact,), (role, cls), (axiom,))
        for _, other, axiom in table["inv"].get(role, ()):
            yield Step("inv", Link(other, target, source), (fact,), (role, other), (axiom,))
        own = closure.self_class_of.get(role)
        if own is not None and source == target:
            yield Step("loop", Member(source, own), (fact,), (role, own))

    def _of_path(self, trial: Trial, fact: Link) -> Iterator[Step]:
        role, source, target = fact.role, fact.source, fact.target
        for first, second, third, axiom in self._of_role["chain"].get(role, ()):
            piece = (first, second, third)
            if first == role:
                for end in trial.targets(second, target):
                    links = (fact, Link(second, target, end))
                    yield Step("chain", Link(third, source, end), links, piece, (axiom,))
            if second == role:
                for start in trial.sources(first, source):
                    links = (Link(first, start, source), fact)
                    yield Step("chain", Link(third, start, target), links, piece, (axiom,))

    def _link_clashes(self, trial: Trial, fact: Link) -> Iterator[Step]:
        role, source, target = fact.role, fact.source, fact.target
        closure, table = self.closure, self._of_role
        if role in closure.empty_roles:
            axioms = closure.empty_roles[role]
            yield Step("empty role", Clash(source), (fact,), (role,), axioms)
        if closure.nodes.witness_of(target) is not None and trial.clashes(target):
            yield Step("empty witness", Clash(source), (fact, Clash(target)))
        if not closure.is_individual(source) or not closure.is_individual(target):
            return
        for _, axiom in table["irr"].get(role, ()):
            if source == target:
                yield Step("irr", Clash(source), (fact,), (role,), (axiom,))
        for _, axiom in table["asym"].get(role, ()):
            if trial.is_linked(role, target, source):
                back = Link(role, target, source)
                links = (fact, back) if back != fact else (fact,)
                yield Step("asym", Clash(source), links, (role,), (axiom,))
        for first, second, axiom in table["djr"].get(role, ()):
            pair = (Link(first, source, target), Link(second, source, target))
            if all(trial.is_linked(p.role, source, target) for p in pair):
                shown = pair if first != second else pair[:1]
                yield Step("djr", Clash(source), shown, (first, second), (axiom,))
        for _, head, tail, axiom in table["neg"].get(role, ()):
            if (head, tail) == (source, target):
                yield Step("neg", Clash(source), (fact,), (role, head, tail), (axiom,))

    def _key_clashes(self, trial: Trial, fact: Link) -> Iterator[Step]:
        role, source, target = fact.role, fact.source, fact.target
        closure = self.closure
        if not closure.is_individual(source) or not closure.is_individual(target):
            return
        for _, axiom in self._of_role["fun"].get(role, ()):
            for other in filter(closure.is_individual, trial.targets(role, source)):
                if other != target:
                    pair = (fact, Link(role, source, other))
                    yield Step("fun", Clash(source), pair, (role,), (axiom,))
        for _, axiom in self._of_role["ifn"].get(role, ()):
            for other in filter(closure.is_individual, trial.sources(role, target)):
                if other != source:
                    pair = (fact, Link(role, other, target))
                    yield Step("ifn", Clash(target), pair, (role,), (axiom,))
