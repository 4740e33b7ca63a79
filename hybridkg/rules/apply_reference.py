"""Plain application of rules for tiny graphs; the kernels are held equal to it by tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from hybridkg.rules.index import DirectedGraph
from hybridkg.rules.rule_set import ABSENT
from hybridkg.types import AnyArray, DoubleArray, IntArray, LongArray

if TYPE_CHECKING:
    from hybridkg.rules.apply import RuleIndex


def score_candidates(
    index: RuleIndex,
    graph: DirectedGraph,
    anchors: IntArray,
    relations: IntArray,
    asked: LongArray,
    aggregation: str,
) -> tuple[LongArray, IntArray, AnyArray]:
    """Score the reached candidates of each query.

    Args:
        index: the rules.
        graph: the training triples.
        anchors: (n,) given entities.
        relations: (n,) directed query relations.
        asked: (n,) feature (inverse relation, given entity), -1 where unknown.
        aggregation: as for :func:`hybridkg.rules.apply.apply_rules`.

    Returns:
        (n + 1,) offsets, candidates, scores.
    """
    offsets, entities, scores = [0], list[int](), list[float]()
    for anchor, relation, feature in zip(
        anchors.tolist(), relations.tolist(), asked.tolist(), strict=True
    ):
        ranks: dict[int, list[int]] = defaultdict(list)
        for candidate, rank in _proposals(index, graph, anchor, relation, feature):
            ranks[candidate].append(rank)
        scored = _SCORES[aggregation](ranks, index.rank_weight)
        entities += sorted(scored)
        scores += [scored[candidate] for candidate in sorted(scored)]
        offsets.append(len(entities))
    return (
        np.array(offsets, dtype=np.int64),
        np.array(entities, dtype=np.int32),
        np.array(scores),
    )


def _classes(keys: dict[int, tuple[int, ...]]) -> dict[int, float]:
    """Number the distinct keys from the worst, which is 1."""
    place = {key: n for n, key in enumerate(sorted(set(keys.values()), reverse=True), start=1)}
    return {candidate: place[key] for candidate, key in keys.items()}


def _maxplus(ranks: dict[int, list[int]], weights: DoubleArray) -> dict[int, float]:
    # The end of a list is worse than any rank, so that the longer one wins.
    last = len(weights)
    return _classes({one: (*sorted(found), last) for one, found in ranks.items()})


def _max(ranks: dict[int, list[int]], weights: DoubleArray) -> dict[int, float]:
    return _classes({one: (min(found),) for one, found in ranks.items()})


def _noisy_or(ranks: dict[int, list[int]], weights: DoubleArray) -> dict[int, float]:
    return {one: float(weights[sorted(found)].sum()) for one, found in ranks.items()}


def _noisy_or_top(ranks: dict[int, list[int]], weights: DoubleArray) -> dict[int, float]:
    return _noisy_or({one: sorted(found)[:5] for one, found in ranks.items()}, weights)


_SCORES: dict[str, Callable[[dict[int, list[int]], DoubleArray], dict[int, float]]] = {
    "maxplus": _maxplus,
    "max": _max,
    "noisyor": _noisy_or,
    "noisyor_top5": _noisy_or_top,
}


def path_ends(graph: DirectedGraph, path: list[int], start: int) -> set[int]:
    """Return the entities at the end of a path whose entities are all distinct."""
    walks: list[tuple[int, ...]] = [(start,)]
    for relation in path:
        if relation == ABSENT:
            break
        walks = [
            (*walk, end)
            for walk in walks
            for end in graph.neighbours_of(relation, walk[-1]).tolist()
            if end not in walk
        ]
    return {walk[-1] for walk in walks}


def _proposals(
    index: RuleIndex, graph: DirectedGraph, anchor: int, relation: int, feature: int
) -> Iterator[tuple[int, int]]:
    """Yield (candidate, rank) of every rule that fires, in no particular order.

    Only a loop rule proposes the given entity: elsewhere X is never the head constant.
    """
    for row in _slice(index.path_offsets, relation):
        for end in path_ends(graph, index.paths[row].tolist(), anchor):
            yield end, int(index.path_rank[row])
    for group in _groups_of(graph, anchor):
        for row in _slice(index.given_offsets, group):
            candidate = int(index.given_candidate[row])
            if index.given_relation[row] == relation and candidate != anchor:
                yield anchor if candidate == ABSENT else candidate, int(index.given_rank[row])
    if feature >= 0:
        for row in _slice(index.asked_offsets, feature):
            for member in graph.members_of(int(index.asked_group[row])).tolist():
                if member != anchor:
                    yield member, int(index.asked_rank[row])
    for row in _slice(index.zero_offsets, relation):
        if index.zero_candidate[row] != anchor:
            yield int(index.zero_candidate[row]), int(index.zero_rank[row])


def _groups_of(graph: DirectedGraph, entity: int) -> list[int]:
    had = slice(int(graph.relation_offsets[entity]), int(graph.relation_offsets[entity + 1]))
    own = slice(int(graph.own_offsets[entity]), int(graph.own_offsets[entity + 1]))
    relations: list[int] = (graph.own_relation[had] + graph.n_features).tolist()
    features: list[int] = graph.own_feature[own].tolist()
    return features + relations


def _slice(offsets: IntArray, key: int) -> range:
    return range(int(offsets[key]), int(offsets[key + 1]))
