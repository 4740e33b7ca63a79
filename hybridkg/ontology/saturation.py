"""All that follows from a knowledge base, over numbered nodes.

Nodes are the individuals, then one stand-in a class (everything that follows
for its members), then one witness node an existential (role, filler).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.ontology.normal_form import BOTTOM
from hybridkg.types import BoolArray, LongArray


@dataclass(frozen=True, slots=True)
class Nodes:
    """How node numbers are dealt out."""

    n_individuals: int
    n_classes: int
    #: (role, filler) of each witness node, in order of their numbers.
    witnesses: tuple[tuple[int, int], ...]

    @property
    def n_nodes(self) -> int:
        """Number of individuals, class stand-ins and witness nodes together."""
        return self.n_individuals + self.n_classes + len(self.witnesses)

    def class_node(self, cls: int) -> int:
        """Return the stand-in of a class."""
        return self.n_individuals + cls

    def witness_of(self, node: int) -> tuple[int, int] | None:
        """Return (role, filler) of a witness node, None for any other node."""
        place = node - self.n_individuals - self.n_classes
        return self.witnesses[place] if place >= 0 else None

    def witness_node(self, role: int, filler: int) -> int:
        """Return the witness node of an existential."""
        return self.n_individuals + self.n_classes + self.witnesses.index((role, filler))


@dataclass(frozen=True, slots=True)
class Saturation:
    """All that follows, over node numbers."""

    nodes: Nodes
    #: (classes, nodes) True where a node belongs to a class.
    members: BoolArray
    #: one a role: sorted distinct source * n_nodes + target.
    edges: tuple[LongArray, ...]

    def pairs(self, role: int) -> LongArray:
        """Return (k, 2) source and target nodes of a role."""
        keys = self.edges[role]
        return np.stack([keys // self.nodes.n_nodes, keys % self.nodes.n_nodes], axis=1)

    def named_pairs(self, role: int) -> LongArray:
        """Return the (k, 2) pairs of a role that relate two individuals."""
        pairs = self.pairs(role)
        kept: LongArray = pairs[(pairs < self.nodes.n_individuals).all(axis=1)]
        return kept

    def clashing(self) -> LongArray:
        """Return the individuals that have a clash, ascending."""
        return np.flatnonzero(self.members[BOTTOM, : self.nodes.n_individuals]).astype(np.int64)
