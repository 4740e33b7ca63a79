"""Single steps behind a fact of a closure: which rule gives it, from which other facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hybridkg.ontology.demands import role_demands
from hybridkg.ontology.normal_form import BOTTOM, TOP, NormalForm
from hybridkg.ontology.saturation import Saturation
from hybridkg.types import IntArray, LongArray


@dataclass(frozen=True, slots=True, order=True)
class Member:
    """A node belongs to a class."""

    node: int
    cls: int


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A role relates two nodes."""

    role: int
    source: int
    target: int


@dataclass(frozen=True, slots=True, order=True)
class Clash:
    """A node has contradictory classes or links."""

    node: int


Fact: TypeAlias = Member | Link | Clash


@dataclass(frozen=True, slots=True)
class Step:
    """One application of one rule."""

    #: the rule, named as its piece of the normal form, or "asserted", "stand-in", "witness".
    rule: str
    conclusion: Fact
    premises: tuple[Fact, ...]
    #: the piece of the normal form that was applied, its axiom left off; empty for an assertion.
    piece: tuple[object, ...] = ()
    #: numbers of the axioms it rests on.
    axioms: tuple[int, ...] = ()


class Derivations:
    """Looks steps up backwards in a finished closure.

    A step may be circular (x knows y because y knows x): only a proof search
    over several steps tells which ones bear weight.
    """

    def __init__(
        self, normal: NormalForm, saturation: Saturation, types: IntArray, facts: IntArray
    ) -> None:
        """Index a closure.

        Args:
            normal: the axioms.
            saturation: what follows.
            types: (m, 2) asserted individual and class.
            facts: (k, 3) asserted individual, role, individual.
        """
        self.normal = normal
        self.saturation = saturation
        self.nodes = saturation.nodes
        self._types = {(int(e), int(c)) for e, c in types.tolist()}
        self._links = {(r, h, t) for h, r, t in facts.tolist()}
        self._forward_asserted: dict[int, LongArray] = {}
        self._facts = facts
        self._backward: dict[int, LongArray] = {}
        self._index()

    def _index(self) -> None:
        normal = self.normal
        self._by_class: dict[str, dict[int, list[tuple[int, ...]]]] = {
            kind: defaultdict(list) for kind in ("sc", "conj", "exl", "dom", "rng")
        }
        for kind, table in self._by_class.items():
            for piece in getattr(normal, kind):
                table[piece[-2]].append(piece)
        self._by_role: dict[str, dict[int, list[tuple[int, ...]]]] = {
            kind: defaultdict(list) for kind in ("sr", "inv", "chain")
        }
        for kind, table in self._by_role.items():
            for piece in getattr(normal, kind):
                table[piece[-2]].append(piece)
        self._existentials: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for cls, role, filler, axiom in normal.exr:
            self._existentials[role, filler].append((cls, axiom))
        self._demands = role_demands(normal) if self.nodes.witnesses else []

    def holds(self, fact: Fact) -> bool:
        """Tell whether a fact is in the closure."""
        if isinstance(fact, Clash):
            return bool(self.saturation.members[BOTTOM, fact.node])
        if isinstance(fact, Member):
            return bool(self.saturation.members[fact.cls, fact.node])
        return self.has_link(fact.role, fact.source, fact.target)

    def has_link(self, role: int, source: int, target: int) -> bool:
        """Tell whether a role relates two nodes."""
        keys = self.saturation.edges[role]
        wanted = source * self.nodes.n_nodes + target
        place = int(np.searchsorted(keys, wanted))
        return place < len(keys) and int(keys[place]) == wanted

    def is_asserted(self, fact: Fact) -> bool:
        """Tell whether a fact stands in the data itself."""
        if isinstance(fact, Member):
            return (fact.node, fact.cls) in self._types
        return isinstance(fact, Link) and (fact.role, fact.source, fact.target) in self._links

    def targets(self, role: int, source: int) -> list[int]:
        """Return the nodes that a role relates a node to, ascending."""
        return self._ends(self.saturation.edges[role], source)

    def sources(self, role: int, target: int) -> list[int]:
        """Return the nodes that a role relates to a node, ascending."""
        if role not in self._backward:
            keys, size = self.saturation.edges[role], self.nodes.n_nodes
            self._backward[role] = np.sort(keys % size * size + keys // size)
        return self._ends(self._backward[role], target)

    def _asserted_targets(self, role: int, source: int) -> list[int]:
        if role not in self._forward_asserted:
            rows = self._facts[self._facts[:, 1] == role].astype(np.int64)
            self._forward_asserted[role] = np.sort(rows[:, 0] * self.nodes.n_nodes + rows[:, 2])
        return self._ends(self._forward_asserted[role], source)

    def _ends(self, keys: LongArray, node: int) -> list[int]:
        size = self.nodes.n_nodes
        start, stop = np.searchsorted(keys, [node * size, (node + 1) * size])
        ends: list[int] = (keys[start:stop] - node * size).tolist()
        return ends

    def steps(self, fact: Fact, *, thin: bool = False) -> Iterator[Step]:
        """Yield the steps that give a fact from facts of the closure.

        Args:
            fact: the conclusion.
            thin: an asserted fact needs nothing more, and a path is split after its first
                asserted link where there is one, instead of at every node; enough for a
                proof, too few for all justifications.
        """
        if thin and self.is_asserted(fact):
            yield Step("asserted", fact, ())
        elif isinstance(fact, Clash):
            yield from self._clash_steps(fact)
        elif isinstance(fact, Member):
            yield from self._member_steps(fact)
        else:
            yield from self._link_steps(fact, thin)

    def _member_steps(self, fact: Member) -> Iterator[Step]:
        node, cls, members = fact.node, fact.cls, self.saturation.members
        if self.is_asserted(fact):
            yield Step("asserted", fact, ())
        if cls == TOP:
            yield Step("top", fact, ())
        yield from self._standing_steps(fact)
        for sub, _, axiom in self._by_class["sc"][cls]:
            if members[sub, node]:
                yield Step("sc", fact, (Member(node, sub),), (sub, cls), (axiom,))
        for first, second, _, axiom in self._by_class["conj"][cls]:
            if members[first, node] and members[second, node]:
                premises = (Member(node, first), Member(node, second))
                yield Step("conj", fact, premises, (first, second, cls), (axiom,))
        for role, _, axiom in self._by_class["dom"][cls]:
            for target in self.targets(role, node):
                yield Step("dom", fact, (Link(role, node, target),), (role, cls), (axiom,))
        if node < self.nodes.n_individuals:
            for role, _, axiom in self._by_class["rng"][cls]:
                for source in self.sources(role, node):
                    if source < self.nodes.n_individuals:
                        yield Step("rng", fact, (Link(role, source, node),), (role, cls), (axiom,))
        for role, filler, _, axiom in self._by_class["exl"][cls]:
            for target in self.targets(role, node):
                if members[filler, target]:
                    both = (Link(role, node, target), Member(target, filler))
                    yield Step("exl", fact, both, (role, filler, cls), (axiom,))

    def _standing_steps(self, fact: Member) -> Iterator[Step]:
        """Yield what a class stand-in or a witness node belongs to from the start."""
        if fact.node == self.nodes.class_node(fact.cls):
            yield Step("stand-in", fact, (), (fact.cls,))
        witness = self.nodes.witness_of(fact.node)
        if witness is None:
            return
        role, filler = witness
        if filler == fact.cls:
            yield Step("witness", fact, (), (role, filler))
        for demand in self._demands[role]:
            if demand.side == "tail" and demand.cls == fact.cls:
                yield Step("folded range", fact, (), (role, fact.cls), demand.axioms)

    def _link_steps(self, fact: Link, thin: bool) -> Iterator[Step]:
        role, source, target = fact.role, fact.source, fact.target
        if self.is_asserted(fact):
            yield Step("asserted", fact, ())
        witness = self.nodes.witness_of(target)
        if witness is not None and witness[0] == role:
            for cls, axiom in self._existentials[witness]:
                if self.saturation.members[cls, source]:
                    piece = (cls, role, witness[1])
                    yield Step("exr", fact, (Member(source, cls),), piece, (axiom,))
        for sub, _, axiom in self._by_role["sr"][role]:
            if self.has_link(sub, source, target):
                yield Step("sr", fact, (Link(sub, source, target),), (sub, role), (axiom,))
        if max(source, target) < self.nodes.n_individuals:
            for other, _, axiom in self._by_role["inv"][role]:
                if self.has_link(other, target, source):
                    yield Step("inv", fact, (Link(other, target, source),), (other, role), (axiom,))
        for first, second, _, axiom in self._by_role["chain"][role]:
            for middle in self._middles(first, second, fact, thin):
                premises = (Link(first, source, middle), Link(second, middle, target))
                yield Step("chain", fact, premises, (first, second, role), (axiom,))

    def _middles(self, first: int, second: int, fact: Link, thin: bool) -> list[int]:
        if thin:
            asserted = self._asserted_targets(first, fact.source)
            found = [m for m in asserted if self.has_link(second, m, fact.target)]
            if found:
                return found
        reached = self.targets(first, fact.source)
        return [m for m in reached if self.has_link(second, m, fact.target)]

    def _clash_steps(self, fact: Clash) -> Iterator[Step]:
        node, members = fact.node, self.saturation.members
        for classes, axiom in self.normal.dsj:
            inside = [cls for cls in classes if members[cls, node]]
            for place, first in enumerate(inside):
                for second in inside[place + 1 :]:
                    premises = (Member(node, first), Member(node, second))
                    # A class that is listed twice needs to be shown once.
                    shown = premises if first != second else premises[:1]
                    yield Step("dsj", fact, shown, (first, second), (axiom,))
        if any(True for _ in self._member_steps(Member(node, BOTTOM))):
            yield Step("empty", fact, (Member(node, BOTTOM),))
        yield from self._role_clash_steps(fact)
        for witness in range(self.nodes.n_individuals + self.nodes.n_classes, self.nodes.n_nodes):
            if members[BOTTOM, witness] and witness != node:
                for role in range(len(self.normal.roles)):
                    if self.has_link(role, node, witness):
                        premises_w = (Link(role, node, witness), Clash(witness))
                        yield Step("empty witness", fact, premises_w)

    def _role_clash_steps(self, fact: Clash) -> Iterator[Step]:
        node = fact.node
        for role, axiom in self.normal.irr:
            if self.has_link(role, node, node):
                yield Step("irr", fact, (Link(role, node, node),), (role,), (axiom,))
        for role, axiom in self.normal.asym:
            for target in self.targets(role, node):
                if self.has_link(role, target, node):
                    there, back = Link(role, node, target), Link(role, target, node)
                    shown_links = (there, back) if there != back else (there,)
                    yield Step("asym", fact, shown_links, (role,), (axiom,))
        for first, second, axiom in self.normal.djr:
            for target in self.targets(first, node):
                if self.has_link(second, node, target):
                    pair = (Link(first, node, target), Link(second, node, target))
                    shown_pair = pair if first != second else pair[:1]
                    yield Step("djr", fact, shown_pair, (first, second), (axiom,))
