"""Which nodes have a clash of their own, or a witness that has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hybridkg.graph.sorted_keys import contains_sorted
from hybridkg.ontology import links
from hybridkg.ontology.demands import empty_roles
from hybridkg.ontology.normal_form import BOTTOM, NormalForm
from hybridkg.ontology.saturation import Nodes
from hybridkg.types import BoolArray, LongArray


def mark_clashes(
    normal: NormalForm,
    nodes: Nodes,
    rows: Mapping[int, BoolArray],
    edges: Sequence[LongArray],
) -> dict[int, BoolArray]:
    """Mark every node that clashes.

    A clash travels back from a witness to what it is a witness for, but not from one
    individual to another: the one that clashes by itself is to blame.

    Args:
        normal: the axioms.
        nodes: the nodes.
        rows: class -> (nodes,) its members.
        edges: role -> sorted keys of its links.

    Returns:
        The row of the empty class, by its id; empty where nothing clashes.
    """
    bottom = rows[BOTTOM].copy() if BOTTOM in rows else np.zeros(nodes.n_nodes, dtype=np.bool_)
    for classes, _ in normal.dsj:
        once, twice = np.zeros_like(bottom), np.zeros_like(bottom)
        for cls in classes:
            if cls in rows:
                twice |= once & rows[cls]
                once |= rows[cls]
        bottom |= twice
    marks = _RoleClashes(normal, nodes, edges, bottom)
    marks.of_pairs()
    marks.of_individuals()
    marks.of_keys()
    marks.backwards()
    return {BOTTOM: bottom} if bottom.any() else {}


class _RoleClashes:
    """Marks what links contradict; most rules hold between individuals only."""

    def __init__(
        self, normal: NormalForm, nodes: Nodes, edges: Sequence[LongArray], bottom: BoolArray
    ) -> None:
        self.normal, self.nodes, self.edges, self.bottom = normal, nodes, edges, bottom
        self.size = nodes.n_nodes

    def _named(self, role: int) -> LongArray:
        """Return the keys of a role between individuals."""
        keys, n_individuals = self.edges[role], self.nodes.n_individuals
        return keys[(keys // self.size < n_individuals) & (keys % self.size < n_individuals)]

    def of_pairs(self) -> None:
        """Mark irreflexive, asymmetric, disjoint, negated and impossible links."""
        for role, _ in self.normal.irr:
            keys = self._named(role)
            self.bottom[(keys // self.size)[keys // self.size == keys % self.size]] = True
        for role, _ in self.normal.asym:
            keys = self._named(role)
            both = keys[contains_sorted(links.turned(keys, self.size), keys)]
            self.bottom[both // self.size] = True
        for first, second, _ in self.normal.djr:
            keys = self._named(first)
            both = keys[contains_sorted(self.edges[second], keys)]
            self.bottom[both // self.size] = True
        for role in empty_roles(self.normal):
            self.bottom[self.edges[role] // self.size] = True
        for role, head, tail, _ in self.normal.neg:
            if contains_sorted(self.edges[role], np.array([head * self.size + tail]))[0]:
                self.bottom[head] = True

    def of_individuals(self) -> None:
        """Mark individuals that are one and must not be."""
        for individuals, _ in self.normal.dif:
            names, counts = np.unique(np.array(individuals, dtype=np.int64), return_counts=True)
            self.bottom[names[counts > 1]] = True
        if self.normal.same_role is None:
            return
        keys = self._named(self.normal.same_role)
        keys = keys[keys // self.size != keys % self.size]
        if self.normal.unique_names:
            self.bottom[keys // self.size] = True
        for individuals, _ in self.normal.dif:
            listed = np.zeros(self.size, dtype=np.bool_)
            listed[list(individuals)] = True
            both = keys[listed[keys // self.size] & listed[keys % self.size]]
            self.bottom[both // self.size] = True

    def of_keys(self) -> None:
        """Mark what has two values of a functional role, under unique names."""
        for pieces, forward in ((self.normal.fun, True), (self.normal.ifn, False)):
            for role, _ in pieces:
                keys = self._named(role)
                ends, counts = np.unique(
                    keys // self.size if forward else keys % self.size, return_counts=True
                )
                self.bottom[ends[counts > 1]] = True

    def backwards(self) -> None:
        """Mark whatever has a witness that clashes."""
        first, grown = self.nodes.first_witness, bool(self.nodes.witnesses)
        while grown:
            before = int(self.bottom.sum())
            for keys in self.edges:
                targets = keys % self.size
                bad = (targets >= first) & self.bottom[targets]
                self.bottom[keys[bad] // self.size] = True
            grown = int(self.bottom.sum()) > before
