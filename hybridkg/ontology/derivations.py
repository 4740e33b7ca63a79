"""Single steps behind a fact of a closure: which rule gives it, from which other facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from hybridkg.ontology import clash_steps, link_steps, links, member_steps
from hybridkg.ontology.demands import (
    Demand,
    ImpliedRole,
    empty_roles,
    implied_roles,
    role_demands,
)
from hybridkg.ontology.normal_form import BOTTOM, NormalForm
from hybridkg.ontology.proof_steps import Clash, Exists, Fact, Link, Member, Step
from hybridkg.ontology.range_notes import roles_of_witnesses
from hybridkg.ontology.saturation import Saturation, mark_existing
from hybridkg.types import BoolArray, IntArray, LongArray

_BY_CLASS = ("sc", "conj", "exl", "dom", "rng")
_BY_ROLE = ("sr", "inv", "chain")


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
        self.members = saturation.members
        self._types = np.unique(types[:, 1].astype(np.int64) * self.nodes.n_nodes + types[:, 0])
        self._facts = facts
        self._asserted: dict[int, LongArray] = {}
        self._backward: dict[int, LongArray] = {}
        self._first: dict[int, LongArray | None] = {}
        #: class or role that a piece concludes -> pieces, by kind.
        self.by_class: dict[str, dict[int, list[tuple[int, ...]]]] = {}
        self.by_role: dict[str, dict[int, list[tuple[int, ...]]]] = {}
        for kinds, tables in ((_BY_CLASS, self.by_class), (_BY_ROLE, self.by_role)):
            for kind in kinds:
                tables[kind] = defaultdict(list)
                for piece in getattr(normal, kind):
                    tables[kind][piece[-2]].append(piece)
        #: (role, filler) -> classes that ask for such a witness, with the axiom.
        self.existentials: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        for cls, role, filler, axiom in normal.exr:
            self.existentials[role, filler].append((cls, axiom))
        #: class {a} -> a, and the other way round.
        self.individual_of = dict(normal.nominals)
        self.nominal_of = {individual: cls for cls, individual in normal.nominals}
        #: class "R Self" -> R.
        self.self_role_of = dict(normal.selves)
        self.self_class_of = {role: cls for cls, role in normal.selves}

    @cached_property
    def demands(self) -> list[list[Demand]]:
        """Role -> what its ends must belong to."""
        return role_demands(self.normal)

    @cached_property
    def empty_roles(self) -> dict[int, tuple[int, ...]]:
        """Role that relates nothing -> the axioms that make it so."""
        return empty_roles(self.normal)

    @cached_property
    def _existing(self) -> BoolArray:
        found: BoolArray = np.zeros(self.nodes.n_nodes, dtype=np.bool_)
        found[: self.nodes.n_individuals] = True
        roles = roles_of_witnesses(self.normal)
        mark_existing(found, self.nodes, self.saturation.edges, roles)
        return found

    def is_individual(self, node: int) -> bool:
        """Tell whether a node is an individual."""
        return node < self.nodes.n_individuals

    def exists(self, node: int) -> bool:
        """Tell whether a node is an individual, or a witness that links lead to from one."""
        return self.is_individual(node) or bool(self._existing[node])

    def holds(self, fact: Fact) -> bool:
        """Tell whether a fact is in the closure."""
        if isinstance(fact, Clash):
            return self.members.has(BOTTOM, fact.node)
        if isinstance(fact, Member):
            return self.members.has(fact.cls, fact.node)
        if isinstance(fact, Exists):
            return self.exists(fact.node)
        return self.has_link(fact.role, fact.source, fact.target)

    def has_link(self, role: int, source: int, target: int) -> bool:
        """Tell whether a role relates two nodes."""
        return _has(self.saturation.edges[role], source * self.nodes.n_nodes + target)

    def is_asserted(self, fact: Fact) -> bool:
        """Tell whether a fact stands in the data itself."""
        size = self.nodes.n_nodes
        if isinstance(fact, Member):
            return _has(self._types, fact.cls * size + fact.node)
        if not isinstance(fact, Link):
            return False
        return _has(self._asserted_links(fact.role), fact.source * size + fact.target)

    def targets(self, role: int, source: int) -> list[int]:
        """Return the nodes that a role relates a node to, ascending."""
        return self._ends(self.saturation.edges[role], source)

    def sources(self, role: int, target: int) -> list[int]:
        """Return the nodes that a role relates to a node, ascending."""
        if role not in self._backward:
            self._backward[role] = links.turned(self.saturation.edges[role], self.nodes.n_nodes)
        return self._ends(self._backward[role], target)

    def asserted_targets(self, role: int, source: int) -> list[int]:
        """Return the nodes that an asserted link of a role leads to from a node, ascending."""
        return self._ends(self._asserted_links(role), source)

    def first_links(self, role: int, source: int) -> list[int] | None:
        """Return the targets to which a transitive role can take the first link of a path.

        Every path is a first link and a shorter path, whatever the order in which its links were
        joined, and rests on the same statements: the other ways to cut it need not be shown.

        Returns:
            Targets of links that hold for another reason than transitivity, ascending; some may
            hold by transitivity only. None where that is not known for the role.
        """
        if role not in self._first:
            self._first[role] = self._first_keys(role)
        keys = self._first[role]
        return None if keys is None else self._ends(keys, source)

    def _first_keys(self, role: int) -> LongArray | None:
        if self.normal.same_role is not None:
            return None
        size = self.nodes.n_nodes
        ahead = {(way.role, way.flipped) for way in self._implied[role]}
        parts: list[LongArray] = []
        waiting, seen = [(role, False)], {(role, False)}
        while waiting:
            one, flipped = waiting.pop()
            others = any(p[:2] != (one, one) for p in self.by_role["chain"].get(one, ()))
            if others or one in self.self_class_of:
                return None
            own = self._asserted_links(one)
            parts.append(links.turned(own, size) if flipped else own)
            if not flipped:
                parts += self._existential_links(one)
            feeding = [(sub, flipped) for sub, _, _ in self.by_role["sr"].get(one, ())]
            feeding += [(other, not flipped) for other, _, _ in self.by_role["inv"].get(one, ())]
            for way in feeding:
                if way in ahead and way not in seen:
                    # It says the same as the role: its own links count, not what they lead to.
                    waiting.append(way)
                    seen.add(way)
                elif way not in ahead:
                    keys = self.saturation.edges[way[0]]
                    parts.append(links.turned(keys, size) if way[1] else keys)
        return links.distinct(np.concatenate(parts).astype(np.int64))

    def _existential_links(self, role: int) -> list[LongArray]:
        size, parts = self.nodes.n_nodes, []
        for (asked, filler), classes in self.existentials.items():
            # Of a very large ontology only classes that can have a member have witnesses.
            if asked == role and (role, filler) in self.nodes.witnesses:
                witness = self.nodes.witness_node(role, filler)
                parts += [np.flatnonzero(self.members.row(c)) * size + witness for c, _ in classes]
        return parts

    @cached_property
    def _implied(self) -> list[list[ImpliedRole]]:
        return implied_roles(self.normal)

    def one_with(self, node: int) -> list[int]:
        """Return the other nodes that are one with a node."""
        same = self.normal.same_role
        return [] if same is None else [n for n in self.sources(same, node) if n != node]

    def _asserted_links(self, role: int) -> LongArray:
        if role not in self._asserted:
            rows = self._facts[self._facts[:, 1] == role].astype(np.int64)
            self._asserted[role] = np.sort(rows[:, 0] * self.nodes.n_nodes + rows[:, 2])
        return self._asserted[role]

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
        asserted = self.is_asserted(fact)
        if asserted:
            yield Step("asserted", fact, ())
        if thin and asserted:
            return
        if isinstance(fact, Clash):
            yield from clash_steps.steps_to(self, fact)
        elif isinstance(fact, Member):
            yield from member_steps.steps_to(self, fact, thin)
        elif isinstance(fact, Exists):
            yield from link_steps.steps_to_existence(self, fact)
        else:
            yield from link_steps.steps_to(self, fact, thin)


def _has(keys: LongArray, wanted: int) -> bool:
    place = int(np.searchsorted(keys, wanted))
    return place < len(keys) and int(keys[place]) == wanted
