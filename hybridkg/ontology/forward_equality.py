"""The rules of equality by the fact that sets them off, for a handful of new facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.normal_form import TOP
from hybridkg.ontology.proof_steps import Clash, Exists, Fact, Link, Member, Step

if TYPE_CHECKING:
    from hybridkg.ontology.what_if import Trial


class EqualityRules:
    """Yields the steps that a new fact makes possible where something can be one."""

    def __init__(self, closure: Derivations) -> None:
        """Prepare for a closure whose normal form has the role of equality."""
        assert closure.normal.same_role is not None, "equality where nothing can be one"
        self.closure, self.same = closure, closure.normal.same_role
        self._roles = [r for r in range(len(closure.normal.roles)) if r != self.same]

    def steps_from(self, trial: Trial, fact: Fact) -> Iterator[Step]:
        """Yield the steps that use a new fact; see ``ForwardRules.steps_from``."""
        if isinstance(fact, Member):
            yield from self._of_member(trial, fact)
        elif isinstance(fact, Exists):
            yield from self._of_existence(trial, fact)
        elif isinstance(fact, Link):
            yield from self._of_link(trial, fact)
            if fact.role == self.same:
                yield from self._of_sameness(trial, fact)
                yield from self._clashes(fact)
            else:
                yield from self._carry(trial, fact)

    def _others(self, trial: Trial, node: int) -> list[int]:
        return [n for n in trial.sources(self.same, node) if n != node]

    def _made_one(self, trial: Trial, node: int, nominal: int, individual: int) -> Iterator[Step]:
        if node == individual or not trial.exists(node):
            return
        premises: tuple[Fact, ...] = (Member(node, nominal),)
        if not self.closure.is_individual(node):
            premises = (*premises, Exists(node))
        for ends in ((node, individual), (individual, node)):
            yield Step("one", Link(self.same, *ends), premises, (nominal, individual))

    def _of_member(self, trial: Trial, fact: Member) -> Iterator[Step]:
        node, cls = fact.node, fact.cls
        individual = self.closure.individual_of.get(cls)
        if individual is not None:
            yield from self._made_one(trial, node, cls, individual)
            if not self.closure.is_individual(node):
                yield from self._as_if(trial, fact, individual)
        if cls == TOP:
            return
        for other in self._others(trial, node):
            both = (Link(self.same, node, other), fact)
            yield Step("equal member", Member(other, cls), both)
        nominal = self.closure.nominal_of.get(node)
        if nominal is not None:
            for other in self._supposed(trial, nominal):
                pair = (Member(other, nominal), fact)
                yield Step("nominal member", Member(other, cls), pair, (nominal, node))

    def _supposed(self, trial: Trial, nominal: int) -> list[int]:
        """Return the nodes without a name that belong to a nominal."""
        nodes = self.closure.nodes
        return [n for n in range(nodes.n_individuals, nodes.n_nodes) if trial.is_in(n, nominal)]

    def _as_if(self, trial: Trial, fact: Member, individual: int) -> Iterator[Step]:
        """Carry what holds for an individual over to a node that is one with it if it exists."""
        node, piece = fact.node, (fact.cls, individual)
        for cls in trial.classes_of(individual):
            if cls != TOP:
                pair = (fact, Member(individual, cls))
                yield Step("nominal member", Member(node, cls), pair, piece)
        for role in self._roles:
            for target in trial.targets(role, individual):
                links = (fact, Link(role, individual, target))
                yield Step("nominal source", Link(role, node, target), links, piece)
            for source in trial.sources(role, node):
                links = (fact, Link(role, source, node))
                yield Step("nominal target", Link(role, source, individual), links, piece)

    def _of_existence(self, trial: Trial, fact: Exists) -> Iterator[Step]:
        for nominal, individual in self.closure.normal.nominals:
            if trial.is_in(fact.node, nominal):
                yield from self._made_one(trial, fact.node, nominal, individual)
        for role in self._roles:
            for target in trial.targets(role, fact.node):
                yield from self._reach(trial, Link(role, fact.node, target))

    def _of_link(self, trial: Trial, fact: Link) -> Iterator[Step]:
        if trial.exists(fact.source):
            yield from self._reach(trial, fact)

    def _reach(self, trial: Trial, link: Link) -> Iterator[Step]:
        """Follow a link from a node that exists to an anonymous one, or apply its range."""
        named_source = self.closure.is_individual(link.source)
        premises: tuple[Fact, ...] = (link,) if named_source else (link, Exists(link.source))
        if not self.closure.is_individual(link.target):
            if not trial.exists(link.target):
                yield Step("exists", Exists(link.target), premises)
        elif not named_source:
            for role, cls, axiom in self.closure.normal.rng:
                if role == link.role:
                    yield Step("rng", Member(link.target, cls), premises, (role, cls), (axiom,))

    def _of_sameness(self, trial: Trial, fact: Link) -> Iterator[Step]:
        one, other = fact.source, fact.target
        for end in trial.targets(self.same, other):
            links = (fact, Link(self.same, other, end))
            yield Step("same chain", Link(self.same, one, end), links)
        for start in trial.sources(self.same, one):
            links = (Link(self.same, start, one), fact)
            yield Step("same chain", Link(self.same, start, other), links)
        for cls in trial.classes_of(one):
            if cls != TOP:
                yield Step("equal member", Member(other, cls), (fact, Member(one, cls)))
        for role in self._roles:
            for target in trial.targets(role, one):
                links = (fact, Link(role, one, target))
                yield Step("equal source", Link(role, other, target), links)
            for source in trial.sources(role, one):
                links = (fact, Link(role, source, one))
                yield Step("equal target", Link(role, source, other), links)

    def _carry(self, trial: Trial, fact: Link) -> Iterator[Step]:
        role, source, target = fact.role, fact.source, fact.target
        for other in self._others(trial, source):
            links = (Link(self.same, source, other), fact)
            yield Step("equal source", Link(role, other, target), links)
        for other in self._others(trial, target):
            links = (Link(self.same, target, other), fact)
            yield Step("equal target", Link(role, source, other), links)
        nominal = self.closure.nominal_of.get(source)
        if nominal is not None:
            for other in self._supposed(trial, nominal):
                pair = (Member(other, nominal), fact)
                yield Step("nominal source", Link(role, other, target), pair, (nominal, source))
        if not self.closure.is_individual(target):
            for nominal, individual in self.closure.normal.nominals:
                if trial.is_in(target, nominal):
                    pair = (Member(target, nominal), fact)
                    piece = (nominal, individual)
                    yield Step("nominal target", Link(role, source, individual), pair, piece)

    def _clashes(self, fact: Link) -> Iterator[Step]:
        one, other, closure = fact.source, fact.target, self.closure
        if one == other or not closure.is_individual(one) or not closure.is_individual(other):
            return
        for individuals, axiom in closure.normal.dif:
            if one in individuals and other in individuals:
                yield Step("dif", Clash(one), (fact,), (one, other), (axiom,))
        if closure.normal.unique_names:
            yield Step("unique names", Clash(one), (fact,))
