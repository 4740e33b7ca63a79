"""Exact counts of any rule set on the training triples of a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.apply import body_groups
from hybridkg.rules.apply_reference import path_ends
from hybridkg.rules.index import DirectedGraph
from hybridkg.rules.mine import Engine, uses_plain
from hybridkg.rules.rule_set import (
    CLOSED,
    EXACT,
    LOOP_CONSTANT,
    LOOP_DANGLING,
    ZERO,
    RuleSet,
)
from hybridkg.types import AnyArray, DoubleArray, LongArray


@dataclass(frozen=True, slots=True)
class RuleStatistics:
    """Counts of n rules; every confidence follows from them."""

    #: (n,) distinct predictions.
    predictions: LongArray
    #: (n,) predictions that are training triples.
    support: LongArray
    #: (n,) predictions whose X has some value of the head relation.
    pca_body: LongArray

    def standard(self) -> DoubleArray:
        """(n,) support / predictions, 0 where nothing is predicted."""
        return self.smoothed(0)

    def pca(self) -> DoubleArray:
        """(n,) support / PCA body, 0 where that is empty.

        Source: Galarraga et al., "AMIE: Association rule mining under incomplete
        evidence in ontological knowledge bases", PCA confidence.
        """
        return _share(self.support, self.pca_body)

    def smoothed(self, unseen: float = 5.0) -> DoubleArray:
        """(n,) support / (predictions + unseen)."""
        return _share(self.support, self.predictions + unseen)


def rule_statistics(
    rules: RuleSet, kg: KnowledgeGraph, *, engine: Engine = "auto"
) -> RuleStatistics:
    """Count predictions, right predictions and PCA body of every rule.

    Only the split "train" is read. Distinct variables take distinct entities,
    and X is never the head constant. The body of a zero rule is read as
    "X has some value of the head relation". In the PCA body of a loop rule
    stands also an X whose only value is X itself.

    Raises:
        ConfigError: the rules belong to other vocabularies.
    """
    rules.check_graph(kg)
    graph = DirectedGraph.build(kg)
    counts = np.zeros((len(rules), 3), dtype=np.int64)
    closed = np.flatnonzero(rules.kind == CLOSED)
    is_loop = np.isin(rules.kind, (LOOP_CONSTANT, LOOP_DANGLING))
    counts[is_loop] = _count_loops(rules, graph, np.flatnonzero(is_loop))
    unary = np.flatnonzero((rules.kind != CLOSED) & ~is_loop)
    groups = unary_groups(rules, graph, unary)
    heads, constants = rules.head[unary], rules.head_constant[unary]
    if uses_plain(engine, graph):
        for row in closed.tolist():
            body = rules.body[row].tolist()
            counts[row] = _count_closed(graph, int(rules.head[row]), body)
        for row, group, head, constant in zip(
            unary.tolist(), groups.tolist(), heads.tolist(), constants.tolist(), strict=True
        ):
            counts[row] = _count_unary(graph, group, head, constant)
    else:
        from hybridkg.rules.statistics_kernels import count_closed, count_unary_rules

        order = np.lexsort(rules.body[closed].T) if len(closed) else closed
        closed = closed[order]
        counts[closed] = count_closed(
            rules.head[closed], rules.body[closed], graph.n_entities,
            graph.offsets, graph.neighbours,
        )  # fmt: skip
        counts[unary] = count_unary_rules(
            groups, heads, constants, graph.n_entities, graph.n_relations,
            graph.offsets, graph.neighbours, graph.group_offsets, graph.members,
        )  # fmt: skip
    return RuleStatistics(*np.ascontiguousarray(counts.T))


def with_statistics(rules: RuleSet, kg: KnowledgeGraph, *, engine: Engine = "auto") -> RuleSet:
    """Return the rules with exact counts of the graph in place of their own."""
    counts = rule_statistics(rules, kg, engine=engine)
    sizes = DirectedGraph.build(kg).relation_sizes()
    return replace(
        rules,
        pca_body=counts.pca_body.astype(np.int32),
        head_size=sizes[rules.head] if len(rules) else rules.head_size,
        semantics="object identity",
        support=counts.support.astype(np.int32),
        body_count=counts.predictions.astype(np.int32),
        provenance=np.full(len(rules), EXACT, dtype=np.int32),
    )


def unary_groups(rules: RuleSet, graph: DirectedGraph, rows: LongArray) -> LongArray:
    """(n,) group of each unary body, -1 where it holds nowhere; zero rules ask for the head."""
    groups = body_groups(rules, graph, rows)
    is_zero = rules.kind[rows] == ZERO
    return np.where(is_zero, graph.n_features + rules.head[rows], groups).astype(np.int64)


def _count_closed(graph: DirectedGraph, head: int, body: list[int]) -> tuple[int, int, int]:
    predictions = support = pca_body = 0
    for start in graph.members_of(graph.n_features + body[0]).tolist():
        ends = path_ends(graph, body, start)
        known = set(graph.neighbours_of(head, start).tolist())
        predictions += len(ends)
        support += len(ends & known)
        pca_body += len(ends) if known else 0
    return predictions, support, pca_body


def _count_unary(
    graph: DirectedGraph, group: int, head: int, constant: int
) -> tuple[int, int, int]:
    if group < 0:
        return 0, 0, 0
    predicted = set(graph.members_of(group).tolist()) - {constant}
    right = [x for x in predicted if constant in graph.neighbours_of(head, x)]
    valued = [x for x in predicted if len(graph.neighbours_of(head, x))]
    return len(predicted), len(right), len(valued)


def _count_loops(rules: RuleSet, graph: DirectedGraph, rows: LongArray) -> LongArray:
    """(n, 3) predictions, support and PCA body of loop rules."""
    counts = np.zeros((len(rows), 3), dtype=np.int64)
    groups = body_groups(rules, graph, rows)
    heads = rules.head[rows]
    for head in np.unique(heads).tolist():
        looped, valued = (np.zeros(graph.n_entities, dtype=np.bool_) for _ in range(2))
        looped[graph.looped(head)] = True
        valued[graph.members_of(graph.n_features + head)] = True
        valued |= looped
        for place in np.flatnonzero((heads == head) & (groups >= 0)).tolist():
            members = graph.members_of(int(groups[place]))
            counts[place] = (
                len(members),
                np.count_nonzero(looped[members]),
                np.count_nonzero(valued[members]),
            )
    return counts


def _share(part: AnyArray, whole: AnyArray) -> DoubleArray:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
