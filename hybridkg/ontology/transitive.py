"""Transitive closure through strongly connected components; its size is known before its pairs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hybridkg.ontology import links
from hybridkg.types import IntArray, LongArray

#: Paths of up to so many edges are followed step by step, for all nodes at once.
MAX_STEPS = 64


class Reachability:
    """Who reaches whom along the links of one role, kept by components.

    Source: Purdom, A transitive closure algorithm (1970): close the graph of the strongly
    connected components, which has no cycle, from its ends upwards.
    """

    def __init__(self, keys: LongArray, n_nodes: int, limit: int) -> None:
        """Find the components, what each reaches, and the number of pairs.

        Args:
            keys: sorted source * n_nodes + target.
            n_nodes: number of nodes.
            limit: pairs at which the search stops; see ``n_pairs``.
        """
        self.n_nodes = n_nodes
        #: (m,) the nodes that have a link.
        self.touched, ends = np.unique(
            np.concatenate([keys // n_nodes, keys % n_nodes]), return_inverse=True
        )
        sources, targets = ends[: len(keys)], ends[len(keys) :]
        size = len(self.touched)
        graph = sparse.csr_array(
            (np.ones(len(keys), dtype=np.int8), (sources, targets)), shape=(size, size)
        )
        n_components, self.component = connected_components(graph, connection="strong")
        self._members(n_components)
        self._looped = np.zeros(n_components, dtype=np.bool_)
        same = self.component[sources] == self.component[targets]
        self._looped[self.component[sources[same]]] = True
        self._reach(sources[~same], targets[~same], limit)

    def _members(self, n_components: int) -> None:
        """Index the nodes of every component."""
        order = np.argsort(self.component, kind="stable")
        self._nodes: LongArray = self.touched[order]
        self._starts = np.searchsorted(self.component[order], np.arange(n_components + 1))
        self._sizes: LongArray = np.diff(self._starts)

    def _reach(self, sources: IntArray, targets: IntArray, limit: int) -> None:
        """Collect which component reaches which, itself only where it has a cycle."""
        n_components = len(self._sizes)
        edges = links.distinct(
            self.component[sources].astype(np.int64) * n_components + self.component[targets]
        )
        loops = np.flatnonzero(self._looped) * (n_components + 1)
        self._limit = limit
        #: sorted reaching component * n_components + reached component.
        self._reached: LongArray = links.merge(edges, loops.astype(np.int64))
        #: number of pairs; where it is over the limit, that many at least.
        self.n_pairs = self._count(self._reached)
        if _is_shallow(edges, n_components):
            self._reach_by_steps(edges)
        else:
            self._reach_by_components(edges)

    def _count(self, reached: LongArray) -> int:
        n_components = len(self._sizes)
        return int(self._sizes[reached // n_components] @ self._sizes[reached % n_components])

    def _reach_by_steps(self, edges: LongArray) -> None:
        """Go one edge further for all components at once; few steps where paths are short."""
        n_components, new = len(self._sizes), edges
        while len(new) and self.n_pairs <= self._limit:
            counts = links.count_paths(new, edges, n_components)
            blocks = list(links.compose(new, edges, counts, n_components))
            found = blocks[0] if len(blocks) == 1 else np.concatenate([links.NO_KEYS, *blocks])
            new = links.new_keys(self._reached, found)
            self._reached = links.merge(self._reached, new)
            self.n_pairs += self._count(new)

    def _reach_by_components(self, edges: LongArray) -> None:
        """Go from the ends of long paths upwards, component by component."""
        n_components = len(self._sizes)
        heads, tails = edges // n_components, edges % n_components
        starts = np.searchsorted(heads, np.arange(n_components + 1))
        reached: list[LongArray] = [links.NO_KEYS] * n_components
        self.n_pairs = 0
        for one in _ends_first(n_components, starts, tails):
            nexts = tails[starts[one] : starts[one + 1]]
            own = [np.array([one])] if self._looped[one] else []
            parts = [*own, nexts, *(reached[n] for n in nexts.tolist())]
            reached[one] = links.distinct(np.concatenate(parts))
            self.n_pairs += int(self._sizes[one]) * int(self._sizes[reached[one]].sum())
            if self.n_pairs > self._limit:
                return
        self._reached = np.concatenate(
            [one * n_components + found for one, found in enumerate(reached)]
        )

    def keys(self) -> LongArray:
        """Return the sorted keys of all pairs."""
        n_components = len(self._sizes)
        heads, tails = self._reached // n_components, self._reached % n_components
        if len(self._sizes) == len(self.touched):
            sources = self._nodes[self._starts[heads]]
            return np.sort(sources * self.n_nodes + self._nodes[self._starts[tails]])
        bounds = np.searchsorted(heads, np.arange(n_components + 1))
        n_targets = np.zeros(n_components, dtype=np.int64)
        np.add.at(n_targets, heads, self._sizes[tails])
        ends = np.cumsum(n_targets[self.component])
        found: LongArray = np.empty(self.n_pairs, dtype=np.int64)
        for one in np.flatnonzero(n_targets).tolist():
            reached = tails[bounds[one] : bounds[one + 1]]
            targets = np.sort(np.concatenate([self._nodes_of(n) for n in reached.tolist()]))
            nodes = self._nodes_of(one)
            stops = ends[np.searchsorted(self.touched, nodes)]
            for node, stop in zip(nodes.tolist(), stops.tolist(), strict=True):
                np.add(node * self.n_nodes, targets, out=found[stop - len(targets) : stop])
        return found

    def _nodes_of(self, component: int) -> LongArray:
        return self._nodes[self._starts[component] : self._starts[component + 1]]


def _is_shallow(edges: LongArray, n_components: int) -> bool:
    """Tell whether no path of a graph without cycles has more than ``MAX_STEPS`` edges."""
    left = edges
    for _ in range(MAX_STEPS):
        if not len(left):
            return True
        has_way_on = np.zeros(n_components, dtype=np.bool_)
        has_way_on[left // n_components] = True
        left = left[has_way_on[left % n_components]]
    return not len(left)


def _ends_first(n_components: int, starts: LongArray, tails: LongArray) -> Iterator[int]:
    """Yield components so that each comes after all it has links to."""
    waiting = np.diff(starts)
    order = np.argsort(tails, kind="stable")
    heads = np.repeat(np.arange(n_components), waiting)[order]
    into = np.searchsorted(tails[order], np.arange(n_components + 1))
    ready = np.flatnonzero(waiting == 0).tolist()
    while ready:
        one = ready.pop()
        yield one
        for before in heads[into[one] : into[one + 1]].tolist():
            waiting[before] -= 1
            if waiting[before] == 0:
                ready.append(before)
