"""What is one with what, and what follows from it, for the matrix engine.

A node in the class {a} is one with the individual a, if it exists at all. Individuals
exist, and so do the witnesses that links lead to from them; what stands for a class need
not, so from there nothing is carried over to a.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from hybridkg.ontology import links
from hybridkg.ontology.normal_form import TOP, NormalForm
from hybridkg.ontology.range_notes import roles_of_witnesses
from hybridkg.ontology.saturation import Nodes, mark_existing, pair_keys
from hybridkg.types import BoolArray, LongArray


class Tables(Protocol):
    """The engine's tables, as equality needs them."""

    rows: dict[int, BoolArray]
    edges: list[LongArray]
    unclosed: set[int]

    @property
    def queue(self) -> Any:
        """What waits for its rules."""

    def add_members(self, cls: int, nodes: LongArray) -> None:
        """Put nodes into a class."""

    def add_edges(self, role: int, keys: LongArray) -> None:
        """Add links to a role."""


class Equality:
    """Carries memberships and links over between nodes that are one."""

    def __init__(self, normal: NormalForm, nodes: Nodes) -> None:
        """Prepare for a normal form in which something can be one.

        Args:
            normal: the axioms.
            nodes: the nodes.
        """
        assert normal.same_role is not None, "asked for equality where nothing can be one"
        self.role = normal.same_role
        self.normal, self.nodes = normal, nodes
        self._to_witnesses = sorted(roles_of_witnesses(normal))
        self.actual: BoolArray = np.zeros(nodes.n_nodes, dtype=np.bool_)
        self.actual[: nodes.n_individuals] = True

    def asserted(self, n_nodes: int) -> LongArray:
        """Return the keys of what axioms say is one, both ways."""
        pairs = [(a, b) for a, b, _ in self.normal.same]
        both = np.array([*pairs, *((b, a) for a, b in pairs)], dtype=np.int64).reshape(-1, 2)
        return pair_keys(both, n_nodes)

    def spread(self, tables: Tables) -> bool:
        """Carry everything over once; return whether that gave anything new."""
        mark_existing(self.actual, self.nodes, tables.edges, self._to_witnesses)
        self._apply_ranges(tables)
        outwards, inwards = self._pairs(tables)
        size = self.nodes.n_nodes
        sources, targets = outwards // size, outwards % size
        for cls, row in list(tables.rows.items()):
            if cls != TOP:
                tables.add_members(cls, targets[row[sources]])
        back = links.turned(outwards, size)
        for role, keys in enumerate(tables.edges):
            if role == self.role or not len(keys):
                continue
            for first, second in ((back, keys), (keys, inwards)):
                counts = links.count_paths(first, second, size)
                for block in links.compose(first, second, counts, size):
                    tables.add_edges(role, block)
        return bool(tables.queue) or bool(tables.unclosed)

    def _apply_ranges(self, tables: Tables) -> None:
        """Apply ranges to individuals at the end of links from actual witnesses."""
        size, n_individuals = self.nodes.n_nodes, self.nodes.n_individuals
        for role, cls, _ in self.normal.rng:
            keys = tables.edges[role]
            sources, targets = keys // size, keys % size
            reached = (sources >= n_individuals) & self.actual[sources] & (targets < n_individuals)
            tables.add_members(cls, links.distinct(targets[reached]))

    def _pairs(self, tables: Tables) -> tuple[LongArray, LongArray]:
        """Return the keys (from, to) along which classes and outgoing, and incoming links go."""
        size = self.nodes.n_nodes
        outwards, inwards = [], []
        for cls, individual in self.normal.nominals:
            inside = np.flatnonzero(tables.rows[cls]).astype(np.int64)
            inside = inside[inside != individual]
            actual = inside[self.actual[inside]]
            both = np.concatenate([actual * size + individual, individual * size + actual])
            tables.add_edges(self.role, both)
            supposed = inside[~self.actual[inside]]
            outwards.append(individual * size + supposed)
            inwards.append(supposed * size + individual)
        same = tables.edges[self.role]
        return links.distinct(np.concatenate([same, *outwards])), links.distinct(
            np.concatenate([same, *inwards])
        )
