"""Transitive closure through strongly connected components; its size is known before its pairs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hybridkg.ontology.links import NO_KEYS
from hybridkg.types import IntArray, LongArray


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
        """Collect for every component those it reaches, itself only where it has a cycle."""
        n_components = len(self._sizes)
        edges = np.unique(
            self.component[sources].astype(np.int64) * n_components + self.component[targets]
        )
        heads, tails = edges // n_components, edges % n_components
        starts = np.searchsorted(heads, np.arange(n_components + 1))
        #: component -> components it reaches.
        self.reached: list[LongArray] = [NO_KEYS] * n_components
        #: number of pairs; where it is over the limit, that many at least.
        self.n_pairs = 0
        for one in _ends_first(n_components, starts, tails):
            nexts = tails[starts[one] : starts[one + 1]]
            own = [np.array([one])] if self._looped[one] else []
            parts = [*own, nexts, *(self.reached[n] for n in nexts.tolist())]
            self.reached[one] = np.unique(np.concatenate(parts)).astype(np.int64)
            self.n_pairs += int(self._sizes[one]) * int(self._sizes[self.reached[one]].sum())
            if self.n_pairs > limit:
                break

    def keys(self) -> LongArray:
        """Return the sorted keys of all pairs."""
        n_targets = [int(self._sizes[reached].sum()) for reached in self.reached]
        ends = np.cumsum(np.array(n_targets, dtype=np.int64)[self.component])
        found: LongArray = np.empty(self.n_pairs, dtype=np.int64)
        for one, reached in enumerate(self.reached):
            if not len(reached):
                continue
            targets = np.sort(np.concatenate([self._nodes_of(n) for n in reached.tolist()]))
            nodes = self._nodes_of(one)
            stops = ends[np.searchsorted(self.touched, nodes)]
            for node, stop in zip(nodes.tolist(), stops.tolist(), strict=True):
                np.add(node * self.n_nodes, targets, out=found[stop - len(targets) : stop])
        return found

    def _nodes_of(self, component: int) -> LongArray:
        return self._nodes[self._starts[component] : self._starts[component + 1]]


def _ends_first(n_components: int, starts: LongArray, tails: LongArray) -> Iterator[int]:
    """Yield components so that each comes after all it has links to."""
    waiting = np.diff(starts)
    order = np.argsort(tails, kind="stable")
    heads = np.repeat(np.arange(n_components), np.diff(starts))[order]
    into = np.searchsorted(tails[order], np.arange(n_components + 1))
    ready = np.flatnonzero(waiting == 0).tolist()
    while ready:
        one = ready.pop()
        yield one
        for before in heads[into[one] : into[one + 1]].tolist():
            waiting[before] -= 1
            if waiting[before] == 0:
                ready.append(before)
