"""All that follows from a knowledge base, over numbered nodes.

Nodes are the individuals, then one stand-in for each of some classes (everything that
follows for its members), then one witness node an existential (role, filler).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from hybridkg.ontology import links
from hybridkg.ontology.normal_form import BOTTOM, NormalForm
from hybridkg.types import BoolArray, IntArray, LongArray


@dataclass(frozen=True)
class Nodes:
    """How node numbers are dealt out."""

    n_individuals: int
    #: classes that have a stand-in, in order of their nodes.
    stand_ins: tuple[int, ...]
    #: (role, filler) of each witness node, in order of their numbers.
    witnesses: tuple[tuple[int, int], ...]

    @property
    def n_nodes(self) -> int:
        """Number of individuals, class stand-ins and witness nodes together."""
        return self.first_witness + len(self.witnesses)

    @property
    def first_witness(self) -> int:
        """Number of the first witness node."""
        return self.n_individuals + len(self.stand_ins)

    def class_node(self, cls: int) -> int | None:
        """Return the stand-in of a class, None where it has none."""
        return self._class_nodes.get(cls)

    def class_of(self, node: int) -> int | None:
        """Return the class that a node stands for, None for any other node."""
        if not self.n_individuals <= node < self.first_witness:
            return None
        return self.stand_ins[node - self.n_individuals]

    def witness_of(self, node: int) -> tuple[int, int] | None:
        """Return (role, filler) of a witness node, None for any other node."""
        place = node - self.first_witness
        return self.witnesses[place] if place >= 0 else None

    def witness_node(self, role: int, filler: int) -> int:
        """Return the witness node of an existential."""
        return self._witness_nodes[role, filler]

    @cached_property
    def _class_nodes(self) -> dict[int, int]:
        return {cls: self.n_individuals + n for n, cls in enumerate(self.stand_ins)}

    @cached_property
    def _witness_nodes(self) -> dict[tuple[int, int], int]:
        return {one: self.first_witness + n for n, one in enumerate(self.witnesses)}


class Members(Protocol):
    """Which node belongs to which class."""

    n_classes: int
    n_nodes: int

    def has(self, cls: int, node: int) -> bool:
        """Tell whether a node belongs to a class."""

    def row(self, cls: int) -> BoolArray:
        """Return (nodes,) True where a node belongs to a class; not to be written to."""

    def classes_of(self, node: int) -> list[int]:
        """Return the classes of a node, ascending."""

    def occupied(self) -> list[int]:
        """Return the classes that have a member, ascending."""


class MemberRows:
    """Members as one row of all nodes a class; a class without any takes no space."""

    def __init__(self, n_classes: int, n_nodes: int, rows: Mapping[int, BoolArray]) -> None:
        self.n_classes, self.n_nodes = n_classes, n_nodes
        self._rows = rows
        self._nothing: BoolArray = np.zeros(n_nodes, dtype=np.bool_)

    def has(self, cls: int, node: int) -> bool:
        """Tell whether a node belongs to a class."""
        row = self._rows.get(cls)
        return row is not None and bool(row[node])

    def row(self, cls: int) -> BoolArray:
        """Return (nodes,) True where a node belongs to a class; not to be written to."""
        return self._rows.get(cls, self._nothing)

    def classes_of(self, node: int) -> list[int]:
        """Return the classes of a node, ascending."""
        return [cls for cls in sorted(self._rows) if self._rows[cls][node]]

    def occupied(self) -> list[int]:
        """Return the classes that have a member, ascending."""
        return sorted(cls for cls, row in self._rows.items() if row.any())


class MemberKeys:
    """Members as sorted pairs, for many classes with few members each."""

    def __init__(self, n_classes: int, n_nodes: int, pairs: LongArray) -> None:
        """Keep members.

        Args:
            n_classes: number of classes.
            n_nodes: number of nodes.
            pairs: (k, 2) class and node.
        """
        self.n_classes, self.n_nodes = n_classes, n_nodes
        self._by_class = pair_keys(pairs, n_nodes)
        self._by_node = pair_keys(pairs[:, ::-1], n_classes)

    def has(self, cls: int, node: int) -> bool:
        """Tell whether a node belongs to a class."""
        wanted = cls * self.n_nodes + node
        place = int(np.searchsorted(self._by_class, wanted))
        return place < len(self._by_class) and int(self._by_class[place]) == wanted

    def row(self, cls: int) -> BoolArray:
        """Return (nodes,) True where a node belongs to a class; not to be written to."""
        found: BoolArray = np.zeros(self.n_nodes, dtype=np.bool_)
        bounds = [cls * self.n_nodes, (cls + 1) * self.n_nodes]
        start, stop = np.searchsorted(self._by_class, bounds)
        found[self._by_class[start:stop] - bounds[0]] = True
        return found

    def classes_of(self, node: int) -> list[int]:
        """Return the classes of a node, ascending."""
        bounds = [node * self.n_classes, (node + 1) * self.n_classes]
        start, stop = np.searchsorted(self._by_node, bounds)
        found: list[int] = (self._by_node[start:stop] - bounds[0]).tolist()
        return found

    def occupied(self) -> list[int]:
        """Return the classes that have a member, ascending."""
        found: list[int] = np.unique(self._by_class // self.n_nodes).tolist()
        return found


def member_table(
    members: Members, classes: Iterable[int], stop: int, *, start: int = 0
) -> BoolArray:
    """Return (classes, stop - start) True where a node from ``start`` on belongs to a class."""
    rows = [members.row(cls)[start:stop] for cls in classes]
    return np.stack(rows) if rows else np.zeros((0, stop - start), dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class Saturation:
    """All that follows, over node numbers."""

    nodes: Nodes
    members: Members
    #: one a role: sorted distinct source * n_nodes + target.
    edges: tuple[LongArray, ...]
    #: the engine that found it.
    engine: str = "matrix"

    def pairs(self, role: int) -> LongArray:
        """Return (k, 2) source and target nodes of a role."""
        keys = self.edges[role]
        return np.stack([keys // self.nodes.n_nodes, keys % self.nodes.n_nodes], axis=1)

    def named_pairs(self, role: int) -> LongArray:
        """Return the (k, 2) pairs of a role that relate two individuals."""
        pairs = self.pairs(role)
        kept: LongArray = pairs[(pairs < self.nodes.n_individuals).all(axis=1)]
        return kept

    def n_named_pairs(self, role: int) -> int:
        """Return the number of pairs of a role that relate two individuals."""
        n_nodes, n_individuals = self.nodes.n_nodes, self.nodes.n_individuals
        keys = self.edges[role]
        keys = keys[: np.searchsorted(keys, n_individuals * n_nodes)]
        return int(np.count_nonzero(keys % n_nodes < n_individuals))

    def clashing(self) -> LongArray:
        """Return the individuals that have a clash, ascending."""
        row = self.members.row(BOTTOM)[: self.nodes.n_individuals]
        return np.flatnonzero(row).astype(np.int64)


def witnesses_of(normal: NormalForm, classes: Collection[int]) -> tuple[tuple[int, int], ...]:
    """Return (role, filler) of every existential that one of some classes asks for, sorted."""
    wanted = set(classes)
    return tuple(sorted({(role, filler) for a, role, filler, _ in normal.exr if a in wanted}))


def mark_existing(
    found: BoolArray, nodes: Nodes, edges: Sequence[LongArray], roles: Iterable[int]
) -> None:
    """Mark the witnesses that links lead to from nodes that are marked, in place.

    Args:
        found: (nodes,) True for nodes that exist, the individuals at least.
        nodes: the nodes.
        edges: role -> sorted keys of its links.
        roles: roles that can lead to a witness.
    """
    size, first, listed = nodes.n_nodes, nodes.first_witness, list(roles)
    grown = True
    while grown:
        before = int(found.sum())
        for role in listed:
            keys = edges[role]
            targets = keys % size
            found[targets[(targets >= first) & found[keys // size]]] = True
        grown = int(found.sum()) > before


def pair_keys(pairs: IntArray | LongArray, n_nodes: int) -> LongArray:
    """Return (k,) sorted distinct keys of (k, 2) source and target."""
    return links.distinct(pairs[:, 0].astype(np.int64) * n_nodes + pairs[:, 1])
