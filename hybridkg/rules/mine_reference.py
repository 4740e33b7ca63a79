"""Plain counting of rules for tiny graphs; the kernels are held equal to it by tests."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np

from hybridkg.rules.index import DirectedGraph
from hybridkg.rules.rule_set import ABSENT
from hybridkg.types import LongArray


def closed_rows(graph: DirectedGraph, max_length: int) -> LongArray:
    """Count all closed rules with at least one right prediction.

    Args:
        graph: the training triples.
        max_length: longest body, 1 or 2 atoms.

    Returns:
        (n, 6) head relation, first step, second step or ABSENT, support, body count, PCA body.
    """
    edges = _edges(graph)
    pairs: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    heads: dict[tuple[int, int], list[int]] = defaultdict(list)
    valued: dict[int, set[int]] = defaultdict(set)
    for start, outgoing in enumerate(edges):
        for relation, end in outgoing:
            pairs[relation, ABSENT].add((start, end))
            if relation < graph.n_relations:
                heads[start, end].append(relation)
                valued[start].add(relation)
            if max_length < 2:
                continue
            for second, last in edges[end]:
                if last != start:
                    pairs[relation, second].add((start, last))
    rows = []
    for (first, second), found in sorted(pairs.items()):
        support = Counter(head for pair in found for head in heads.get(pair, ()))
        rows += [
            (head, first, second, count, len(found), sum(head in valued[x] for x, _ in found))
            for head, count in sorted(support.items())
            if (first, second) != (head, ABSENT)
        ]
    return np.array(rows, dtype=np.int64).reshape(-1, 6)


def unary_rows(graph: DirectedGraph, min_support: int, min_confidence: float) -> LongArray:
    """Count all constant and dangling rules over the thresholds.

    Returns:
        (n, 5) group, head feature, support, body count, PCA body.
    """
    features = [
        graph.own_feature[graph.own_offsets[e] : graph.own_offsets[e + 1]].tolist()
        for e in range(graph.n_entities)
    ]
    relation, entity = graph.feature_relation.tolist(), graph.feature_entity.tolist()
    valued = [
        set(graph.members_of(graph.n_features + one).tolist())
        for one in range(2 * graph.n_relations)
    ]
    rows = []
    for group in range(graph.n_groups):
        members = set(graph.members_of(group).tolist())
        # X is never the constant of the head.
        support = Counter(f for member in members for f in features[member] if entity[f] != member)
        for feature, count in sorted(support.items()):
            predicted = members - {entity[feature]}
            own = feature == group or relation[feature] == group - graph.n_features
            # The threshold is on all that the body holds for; see the kernel.
            if not own and count >= min_support and count / len(members) >= min_confidence:
                known = len(predicted & valued[relation[feature]])
                rows.append((group, feature, count, len(predicted), known))
    return np.array(rows, dtype=np.int64).reshape(-1, 5)


def _edges(graph: DirectedGraph) -> list[list[tuple[int, int]]]:
    """List the (directed relation, far end) of every entity."""
    relations, ends = graph.edge_relation.tolist(), graph.edge_entity.tolist()
    bounds = graph.entity_offsets.tolist()
    return [
        list(zip(relations[low:high], ends[low:high], strict=True))
        for low, high in pairwise(bounds)
    ]
