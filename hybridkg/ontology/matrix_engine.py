"""Close facts under a normal form: one bool row a class, one sorted array of edges a role.

Nodes are individuals, stand-ins of classes and witnesses of existentials, as in
:class:`~hybridkg.ontology.saturation.Nodes`. Source of the scheme: completion for
EL with one successor per existential (Baader, Brandt, Lutz: Pushing the EL
envelope), extended by range folding into the witness nodes.

Nothing contradicts itself back along roles: ``BOTTOM`` marks a node with a clash of
its own, or one whose witness has one, so that the blame stays where it belongs.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping

import numpy as np
from scipy import sparse

from hybridkg.errors import OntologyError
from hybridkg.ontology.demands import role_demands
from hybridkg.ontology.normal_form import BOTTOM, TOP, NormalForm
from hybridkg.ontology.saturation import Nodes, Saturation
from hybridkg.types import BoolArray, IntArray, LongArray

#: A chain that could give more pairs than this is refused before it is multiplied.
MAX_PAIRS = 400_000_000


def saturate(
    normal: NormalForm,
    n_individuals: int,
    types: IntArray,
    facts: Mapping[int, IntArray],
) -> Saturation:
    """Close types and facts under a normal form.

    Args:
        normal: the axioms.
        n_individuals: individuals are 0 to n - 1.
        types: (m, 2) individual and class id.
        facts: role id -> (k, 2) individuals.

    Raises:
        OntologyError: a chain would give more pairs than can be held.
    """
    engine = _Engine(normal, n_individuals)
    engine.assert_facts(types, facts)
    engine.run()
    engine.mark_clashes()
    return Saturation(engine.nodes, engine.members, tuple(engine.edges))


class _Engine:
    """The tables while they grow, and the rules by the row or edge list that sets them off."""

    def __init__(self, normal: NormalForm, n_individuals: int) -> None:
        self.normal = normal
        witnesses = tuple(sorted({(role, filler) for _, role, filler, _ in normal.exr}))
        self.nodes = Nodes(n_individuals, normal.n_classes, witnesses)
        self.size = self.nodes.n_nodes
        self.members = np.zeros((normal.n_classes, self.size), dtype=np.bool_)
        self.edges: list[LongArray] = [np.zeros(0, dtype=np.int64) for _ in normal.roles]
        self.queue: deque[tuple[str, int]] = deque()
        self.queued: set[tuple[str, int]] = set()
        self._index_rules()
        self._seed_nodes()

    def _index_rules(self) -> None:
        normal = self.normal
        self.above: dict[int, list[int]] = defaultdict(list)
        self.conj: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.exr: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.exl_class: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.exl_role: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.dom: dict[int, list[int]] = defaultdict(list)
        self.rng: dict[int, list[int]] = defaultdict(list)
        self.sup: dict[int, list[int]] = defaultdict(list)
        self.inv: dict[int, list[int]] = defaultdict(list)
        self.chain: dict[int, set[tuple[int, int, int]]] = defaultdict(set)
        for a, b, _ in normal.sc:
            self.above[a].append(b)
        for a, b, c, _ in normal.conj:
            self.conj[a].append((b, c))
            self.conj[b].append((a, c))
        for a, role, filler, _ in normal.exr:
            self.exr[a].append((role, self.nodes.witness_node(role, filler)))
        for role, a, b, _ in normal.exl:
            self.exl_class[a].append((role, b))
            self.exl_role[role].append((a, b))
        for table, pieces in ((self.dom, normal.dom), (self.rng, normal.rng)):
            for role, c, _ in pieces:
                table[role].append(c)
        for table, pieces in ((self.sup, normal.sr), (self.inv, normal.inv)):
            for first, second, _ in pieces:
                table[first].append(second)
        for first, second, third, _ in normal.chain:
            self.chain[first].add((first, second, third))
            self.chain[second].add((first, second, third))

    def _seed_nodes(self) -> None:
        nodes, members = self.nodes, self.members
        members[TOP] = True
        members[np.arange(nodes.n_classes), nodes.n_individuals + np.arange(nodes.n_classes)] = True
        demands = role_demands(self.normal) if nodes.witnesses else []
        for place, (role, filler) in enumerate(nodes.witnesses):
            node = nodes.n_individuals + nodes.n_classes + place
            members[filler, node] = True
            for demand in demands[role]:
                if demand.side == "tail":
                    members[demand.cls, node] = True

    def assert_facts(self, types: IntArray, facts: Mapping[int, IntArray]) -> None:
        """Enter what is asserted, and put every row that is not empty on the queue."""
        if len(types):
            self.members[types[:, 1], types[:, 0]] = True
        for role, pairs in facts.items():
            keys = pairs[:, 0].astype(np.int64) * self.size + pairs[:, 1]
            self.edges[role] = np.unique(keys)
            self._push("role", role)
        for cls in range(self.normal.n_classes):
            self._push("class", cls)

    def _push(self, kind: str, number: int) -> None:
        if (kind, number) not in self.queued:
            self.queued.add((kind, number))
            self.queue.append((kind, number))

    def run(self) -> None:
        """Apply rules until nothing new follows."""
        while self.queue:
            item = self.queue.popleft()
            self.queued.discard(item)
            if item[0] == "class":
                self._from_class(item[1])
            else:
                self._from_role(item[1])

    def _add_members(self, cls: int, row: BoolArray) -> None:
        new = row & ~self.members[cls]
        if new.any():
            self.members[cls] |= new
            self._push("class", cls)

    def _add_edges(self, role: int, keys: LongArray) -> None:
        if not len(keys):
            return
        before = self.edges[role]
        merged = np.union1d(before, keys)
        if len(merged) > len(before):
            self.edges[role] = merged
            self._push("role", role)

    def _from_class(self, cls: int) -> None:
        row = self.members[cls]
        for sup in self.above[cls]:
            self._add_members(sup, row)
        for other, result in self.conj[cls]:
            self._add_members(result, row & self.members[other])
        for role, witness in self.exr[cls]:
            self._add_edges(role, np.flatnonzero(row).astype(np.int64) * self.size + witness)
        for role, result in self.exl_class[cls]:
            self._existential_left(role, cls, result)

    def _existential_left(self, role: int, cls: int, result: int) -> None:
        keys = self.edges[role]
        sources = keys[self.members[cls][keys % self.size]] // self.size
        row = np.zeros(self.size, dtype=np.bool_)
        row[sources] = True
        self._add_members(result, row)

    def _from_role(self, role: int) -> None:
        keys = self.edges[role]
        sources, targets = keys // self.size, keys % self.size
        named = (targets < self.nodes.n_individuals) & (sources < self.nodes.n_individuals)
        for cls in self.dom[role]:
            self._add_members(cls, self._row(sources))
        for cls in self.rng[role]:
            # Ranges are folded into witness nodes already; class stand-ins are no targets.
            self._add_members(cls, self._row(targets[named]))
        for cls, result in self.exl_role[role]:
            self._existential_left(role, cls, result)
        for sup in self.sup[role]:
            self._add_edges(sup, keys)
        for other in self.inv[role]:
            self._add_edges(other, targets[named] * self.size + sources[named])
        for first, second, third in sorted(self.chain[role]):
            self._compose(first, second, third)

    def _row(self, nodes: LongArray) -> BoolArray:
        row = np.zeros(self.size, dtype=np.bool_)
        row[nodes] = True
        return row

    def _matrix(self, role: int) -> sparse.csr_array:
        keys = self.edges[role]
        ones = np.ones(len(keys), dtype=np.bool_)
        places = (keys // self.size, keys % self.size)
        return sparse.csr_array((ones, places), shape=(self.size, self.size))

    def _compose(self, first: int, second: int, third: int) -> None:
        if not len(self.edges[first]) or not len(self.edges[second]):
            return
        into = np.bincount(self.edges[first] % self.size, minlength=self.size)
        out = np.bincount(self.edges[second] // self.size, minlength=self.size)
        n_pairs = int(into.astype(np.int64) @ out.astype(np.int64))
        if n_pairs > MAX_PAIRS:
            names = self.normal.roles
            raise OntologyError(
                f"the chain {names[first]} o {names[second]} subPropertyOf {names[third]} joins "
                f"{n_pairs} paths, more than the {MAX_PAIRS} that are tried; leave this axiom out"
            )
        product = (self._matrix(first) @ self._matrix(second)).tocoo()
        rows, columns = product.coords
        self._add_edges(third, rows.astype(np.int64) * self.size + columns)

    def mark_clashes(self) -> None:
        """Mark every node with a clash of its own, then those whose witness has one."""
        bottom = self.members[BOTTOM]
        for classes, _ in self.normal.dsj:
            count = np.zeros(self.size, dtype=np.int32)
            for cls in classes:
                count += self.members[cls]
            bottom |= count > 1
        self._mark_role_clashes(bottom)
        first_witness = self.nodes.n_individuals + self.nodes.n_classes
        grown = bool(self.nodes.witnesses)
        while grown:
            before = int(bottom.sum())
            for keys in self.edges:
                targets = keys % self.size
                bad = (targets >= first_witness) & bottom[targets]
                bottom[keys[bad] // self.size] = True
            # An empty class empties whatever belongs to it.
            empty = bottom[self.nodes.n_individuals : first_witness]
            bottom |= self.members[empty].any(axis=0)
            grown = int(bottom.sum()) > before

    def _mark_role_clashes(self, bottom: BoolArray) -> None:
        for role, _ in self.normal.irr:
            keys = self.edges[role]
            loops = keys[keys // self.size == keys % self.size]
            bottom[loops // self.size] = True
        for role, _ in self.normal.asym:
            keys = self.edges[role]
            back = np.sort(keys % self.size * self.size + keys // self.size)
            both = np.intersect1d(keys, back, assume_unique=True)
            bottom[both // self.size] = True
        for first, second, _ in self.normal.djr:
            both = np.intersect1d(self.edges[first], self.edges[second], assume_unique=True)
            if first == second:
                both = self.edges[first]
            bottom[both // self.size] = True
