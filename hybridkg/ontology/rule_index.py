"""The pieces of a normal form by what sets them off, for the matrix engine."""

from __future__ import annotations

from collections import defaultdict

from hybridkg.ontology.normal_form import NormalForm
from hybridkg.ontology.saturation import Nodes


class RuleIndex:
    """For each class and role what follows from its members and links."""

    def __init__(self, normal: NormalForm, nodes: Nodes) -> None:
        """Index the pieces.

        Args:
            normal: the axioms.
            nodes: for the witness nodes of existentials.
        """
        self.above: dict[int, list[int]] = defaultdict(list)
        self.conj: dict[int, list[tuple[int, int]]] = defaultdict(list)
        #: class -> role and witness node.
        self.exr: dict[int, list[tuple[int, int]]] = defaultdict(list)
        #: filler -> role and result.
        self.exl_class: dict[int, list[tuple[int, int]]] = defaultdict(list)
        #: role -> filler and result.
        self.exl_role: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.dom: dict[int, list[int]] = defaultdict(list)
        self.rng: dict[int, list[int]] = defaultdict(list)
        self.sup: dict[int, list[int]] = defaultdict(list)
        self.inv: dict[int, list[int]] = defaultdict(list)
        #: role -> what may follow it, and the result; transitivity is no chain here.
        self.chain_first: dict[int, list[tuple[int, int]]] = defaultdict(list)
        #: role -> what may go before it, and the result.
        self.chain_second: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.transitive: set[int] = set()
        #: class "R Self" -> R.
        self.self_roles: dict[int, list[int]] = defaultdict(list)
        #: R -> class "R Self".
        self.self_classes: dict[int, list[int]] = defaultdict(list)
        self._index_classes(normal, nodes)
        self._index_roles(normal)

    def _index_classes(self, normal: NormalForm, nodes: Nodes) -> None:
        for a, b, _ in normal.sc:
            self.above[a].append(b)
        for a, b, c, _ in normal.conj:
            self.conj[a].append((b, c))
            if a != b:
                self.conj[b].append((a, c))
        known = set(nodes.witnesses)
        for a, role, filler, _ in normal.exr:
            if (role, filler) in known:
                self.exr[a].append((role, nodes.witness_node(role, filler)))
        for role, a, b, _ in normal.exl:
            self.exl_class[a].append((role, b))
            self.exl_role[role].append((a, b))
        for cls, role in normal.selves:
            self.self_roles[cls].append(role)
            self.self_classes[role].append(cls)

    def _index_roles(self, normal: NormalForm) -> None:
        for table, pieces in ((self.dom, normal.dom), (self.rng, normal.rng)):
            for role, cls, _ in pieces:
                table[role].append(cls)
        for table, pieces in ((self.sup, normal.sr), (self.inv, normal.inv)):
            for first, second, _ in pieces:
                table[first].append(second)
        if normal.same_role is not None:
            self.transitive.add(normal.same_role)
        for first, second, third in {piece[:3]: None for piece in normal.chain}:
            if first == second == third:
                self.transitive.add(first)
            else:
                self.chain_first[first].append((second, third))
                self.chain_second[second].append((first, third))
