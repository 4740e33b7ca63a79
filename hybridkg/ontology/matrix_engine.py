"""The rules of the normal form on whole rows and link lists, for large ABoxes.

Semi-naive: every rule is applied to what is new only, joined with all that is known.
Equality and transitivity wait until nothing else is new, since each is closed as a whole.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np

from hybridkg.errors import ClosureSizeError
from hybridkg.ontology import links
from hybridkg.ontology.clashes import mark_clashes
from hybridkg.ontology.demands import role_demands
from hybridkg.ontology.equality import Equality
from hybridkg.ontology.links import NO_KEYS
from hybridkg.ontology.normal_form import TOP, NormalForm
from hybridkg.ontology.rule_index import RuleIndex
from hybridkg.ontology.saturation import MemberRows, Nodes, Saturation, pair_keys, witnesses_of
from hybridkg.ontology.transitive import Reachability
from hybridkg.types import BoolArray, IntArray, LongArray

#: Pairs that the closure of one role may have, unless more are asked for.
MAX_PAIRS = 100_000_000
#: Paths that one join may try; a pair that many paths give is kept once, but costs all of them.
MAX_PATHS = 4_000_000_000
#: A role that grows to so many pairs at once is announced before.
ANNOUNCED = 1_000_000

Announce = Callable[[str], None]


def saturate(
    normal: NormalForm,
    n_individuals: int,
    types: IntArray,
    facts: Mapping[int, IntArray],
    *,
    stand_ins: Sequence[int] | None = None,
    classes: Collection[int] | None = None,
    max_pairs: int = MAX_PAIRS,
    announce: Announce | None = None,
) -> Saturation:
    """Close types and facts under a normal form.

    Args:
        normal: the axioms.
        n_individuals: individuals are 0 to n - 1.
        types: (m, 2) individual and class id.
        facts: role id -> (k, 2) individuals.
        stand_ins: classes whose consequences are wanted too; by default all.
        classes: classes that can have a member, so that others need no witnesses; by default all.
        max_pairs: pairs that the closure of one role may have.
        announce: told of large results before they are made.

    Raises:
        ClosureSizeError: a role would relate more pairs than allowed.
    """
    chosen = range(normal.n_classes) if stand_ins is None else stand_ins
    possible = range(normal.n_classes) if classes is None else classes
    nodes = Nodes(n_individuals, tuple(chosen), witnesses_of(normal, possible))
    engine = _Engine(normal, nodes, max_pairs, announce)
    engine.assert_facts(types, facts)
    engine.run()
    bottom = mark_clashes(normal, engine.nodes, engine.rows, engine.edges)
    members = MemberRows(normal.n_classes, engine.size, {**engine.rows, **bottom})
    return Saturation(engine.nodes, members, tuple(engine.edges))


class _Engine:
    """The tables while they grow, and the rules by the row or link list that sets them off."""

    def __init__(
        self, normal: NormalForm, nodes: Nodes, max_pairs: int, announce: Announce | None
    ) -> None:
        self.normal, self.nodes = normal, nodes
        self.max_pairs, self.announce = max_pairs, announce
        self.size = self.nodes.n_nodes
        self.rules = RuleIndex(normal, self.nodes)
        #: class -> (nodes,) True for its members; a class without any has no row.
        self.rows: dict[int, BoolArray] = {}
        self.edges: list[LongArray] = [NO_KEYS for _ in normal.roles]
        #: what the transitive closure of a role is made from.
        self.generators: dict[int, LongArray] = dict.fromkeys(self.rules.transitive, NO_KEYS)
        self.backward: dict[int, LongArray] = {}
        self.new_members: dict[int, list[LongArray]] = defaultdict(list)
        self.new_edges: dict[int, list[LongArray]] = defaultdict(list)
        self.queue: deque[tuple[str, int]] = deque()
        self.unclosed: set[int] = set()
        self.equality = Equality(normal, self.nodes) if normal.same_role is not None else None
        self._seed_nodes()

    def _seed_nodes(self) -> None:
        nodes = self.nodes
        self.rows[TOP] = np.ones(self.size, dtype=np.bool_)
        self.new_members[TOP].append(np.arange(self.size, dtype=np.int64))
        self.queue.append(("class", TOP))
        for cls in nodes.stand_ins:
            self.add_members(cls, np.array([nodes.class_node(cls)]))
        demands = role_demands(self.normal) if nodes.witnesses else []
        for role, filler in nodes.witnesses:
            node = np.array([nodes.witness_node(role, filler)])
            self.add_members(filler, node)
            for demand in demands[role]:
                if demand.side == "tail":
                    self.add_members(demand.cls, node)
        for cls, individual in self.normal.nominals:
            self.add_members(cls, np.array([individual]))

    def assert_facts(self, types: IntArray, facts: Mapping[int, IntArray]) -> None:
        """Enter what is asserted."""
        if len(types):
            ordered = types[np.argsort(types[:, 1], kind="stable")]
            classes, starts = np.unique(ordered[:, 1], return_index=True)
            parts = np.split(ordered[:, 0].astype(np.int64), starts[1:])
            for cls, part in zip(classes.tolist(), parts, strict=True):
                self.add_members(cls, part)
        for role, pairs in facts.items():
            self.add_edges(role, pair_keys(pairs, self.size))
        if self.equality is not None:
            self.add_edges(self.equality.role, self.equality.asserted(self.size))

    def run(self) -> None:
        """Apply rules until nothing new follows."""
        while True:
            while self.queue:
                kind, number = self.queue.popleft()
                if kind == "class":
                    self._from_class(number)
                else:
                    self._from_role(number)
            if self.unclosed:
                self._close_transitive(self.unclosed.pop())
            elif self.equality is None or not self.equality.spread(self):
                return

    def add_members(self, cls: int, nodes: LongArray) -> None:
        """Put nodes into a class."""
        if cls == TOP or not len(nodes):
            return
        row = self.rows.get(cls)
        if row is None:
            row = self.rows[cls] = np.zeros(self.size, dtype=np.bool_)
        new = nodes[~row[nodes]]
        if not len(new):
            return
        row[new] = True
        if cls not in self.new_members:
            self.queue.append(("class", cls))
        self.new_members[cls].append(links.distinct(new))

    def add_edges(self, role: int, keys: LongArray) -> None:
        """Add links to a role; they need not be sorted."""
        new = links.new_keys(self.edges[role], keys) if len(keys) else keys
        if len(new):
            if role in self.generators:
                self.generators[role] = links.merge(self.generators[role], new)
                self.unclosed.add(role)
            self._keep(role, new)

    def _keep(self, role: int, new: LongArray) -> None:
        n_pairs = len(self.edges[role]) + len(new)
        if n_pairs > self.max_pairs:
            raise ClosureSizeError(self.normal.roles[role], n_pairs, self.max_pairs)
        self.edges[role] = links.merge(self.edges[role], new)
        self.backward.pop(role, None)
        if role not in self.new_edges:
            self.queue.append(("role", role))
        self.new_edges[role].append(new)

    def _from_class(self, cls: int) -> None:
        nodes = _joined(self.new_members.pop(cls))
        rules = self.rules
        for sup in rules.above[cls]:
            self.add_members(sup, nodes)
        for other, result in rules.conj[cls]:
            row = self.rows.get(other)
            if row is not None:
                self.add_members(result, nodes[row[nodes]])
        for role, witness in rules.exr[cls]:
            self.add_edges(role, nodes * self.size + witness)
        for role, result in rules.exl_class[cls]:
            self.add_members(result, self._sources_into(role, nodes))
        for role in rules.self_roles[cls]:
            self.add_edges(role, nodes * self.size + nodes)

    def _sources_into(self, role: int, nodes: LongArray) -> LongArray:
        """Return the sources of the links of a role that end in some nodes."""
        keys = self.edges[role]
        if len(nodes) * 8 > len(keys):
            wanted = np.zeros(self.size, dtype=np.bool_)
            wanted[nodes] = True
            return keys[wanted[keys % self.size]] // self.size
        if role not in self.backward:
            self.backward[role] = links.turned(keys, self.size)
        return links.among(self.backward[role], nodes, self.size) % self.size

    def _from_role(self, role: int) -> None:
        keys = np.sort(_joined(self.new_edges.pop(role)), kind="stable")
        sources, targets = keys // self.size, keys % self.size
        rules, n_individuals = self.rules, self.nodes.n_individuals
        if rules.dom[role]:
            starts = links.distinct(sources)
            for cls in rules.dom[role]:
                self.add_members(cls, starts)
        for cls, result in rules.exl_role[role]:
            row = self.rows.get(cls)
            if row is not None:
                self.add_members(result, sources[row[targets]])
        for sup in rules.sup[role]:
            self.add_edges(sup, keys)
        named = (targets < n_individuals) & (sources < n_individuals)
        if rules.rng[role] and named.any():
            # Ranges are folded into witness nodes already; what stands for a class is no target.
            ends = links.distinct(targets[named])
            for cls in rules.rng[role]:
                self.add_members(cls, ends)
        for other in rules.inv[role]:
            self.add_edges(other, targets[named] * self.size + sources[named])
        for cls in rules.self_classes[role]:
            self.add_members(cls, sources[named & (sources == targets)])
        for second, result in rules.chain_first[role]:
            self._compose(role, second, result, keys, self.edges[second])
        for first, result in rules.chain_second[role]:
            self._compose(first, role, result, self.edges[first], keys)

    def _compose(
        self, first: int, second: int, third: int, left: LongArray, right: LongArray
    ) -> None:
        if not len(left) or not len(right):
            return
        counts = links.count_paths(left, right, self.size)
        n_paths = int(counts.sum())
        if n_paths > MAX_PATHS:
            names = self.normal.roles
            raise ClosureSizeError(f"{names[first]} o {names[second]}", n_paths, MAX_PATHS)
        for block in links.compose(left, right, counts, self.size):
            self.add_edges(third, block)

    def _close_transitive(self, role: int) -> None:
        found = Reachability(self.generators[role], self.size, self.max_pairs)
        if found.n_pairs > self.max_pairs:
            raise ClosureSizeError(self.normal.roles[role], found.n_pairs, self.max_pairs)
        if self.announce is not None and found.n_pairs >= max(ANNOUNCED, len(self.edges[role])):
            self.announce(
                f"the transitive closure of {self.normal.roles[role]} relates "
                f"{found.n_pairs:,} pairs"
            )
        new = links.new_keys(self.edges[role], found.keys())
        if len(new):
            self._keep(role, new)


def _joined(parts: Iterable[LongArray]) -> LongArray:
    listed = list(parts)
    return listed[0] if len(listed) == 1 else np.concatenate(listed)
