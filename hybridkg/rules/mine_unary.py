"""Rules with one variable: constant, dangling, loop and zero rules, all exactly counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules import mine_reference
from hybridkg.rules.index import DirectedGraph
from hybridkg.rules.mining_config import MiningConfig
from hybridkg.rules.rule_set import (
    ABSENT,
    CONSTANT,
    DANGLING,
    EXACT,
    LOOP_CONSTANT,
    LOOP_DANGLING,
    RULE_KINDS,
    ZERO,
    RuleSet,
    vocabulary_digest,
)
from hybridkg.rules.weights import RuleWeights
from hybridkg.types import AnyArray, IntArray, LongArray

#: Histogram bins from which the cap of a head relation is found before rules are written.
_BINS = 4096


def unary_rules(
    kg: KnowledgeGraph, graph: DirectedGraph, config: MiningConfig, *, plain: bool
) -> RuleSet:
    """Mine the best constant and dangling rules of each directed head relation.

    Args:
        kg: gives the vocabularies.
        graph: its training triples.
        config: thresholds and cap.
        plain: count in Python instead of the kernels.
    """
    if plain:
        rows = mine_reference.unary_rows(graph, config.min_support, config.min_confidence)
        found = np.array(
            [(rows[:, 0] < graph.n_features).sum(), (rows[:, 0] >= graph.n_features).sum()]
        )
    else:
        rows, found = _compiled_rows(graph, config)
    group, feature, support, body_count, pca_body = rows.T
    body, body_constant = _bodies(graph, group)
    head = _taken(graph.feature_relation, feature)
    rules = RuleSet(
        kind=np.where(group >= graph.n_features, DANGLING, CONSTANT),
        head=head,
        body=body,
        body_constant=body_constant,
        head_constant=_taken(graph.feature_entity, feature),
        support=support,
        body_count=body_count,
        provenance=np.full(len(rows), EXACT),
        n_relations=kg.n_relations,
        vocabulary=vocabulary_digest(kg),
        pca_body=pca_body,
        head_size=_taken(graph.relation_sizes(), head),
    )
    # Group and feature ascend as (relation, entity) do, so they stand for the whole rule.
    return _capped(
        rules, (feature, group), config, {CONSTANT: int(found[0]), DANGLING: int(found[1])}
    )


def loop_rules(kg: KnowledgeGraph, graph: DirectedGraph, config: MiningConfig) -> RuleSet:
    """Mine the rules whose head is h(X,X), where a relation has such triples.

    A relation does not explain itself: no body has the head's relation, in either direction.
    The PCA body holds the X with some value of the head relation, X itself included.
    """
    looped = graph.looped_features() & (graph.feature_relation < graph.n_relations)
    head, owner = graph.feature_relation[looped], graph.feature_entity[looped]
    row, place = _spread(graph.own_offsets, owner)
    other_row, other_place = _spread(graph.relation_offsets, owner)
    group = np.concatenate(
        [graph.own_feature[place], graph.n_features + graph.own_relation[other_place]]
    ).astype(np.int64)
    head = head[np.concatenate([row, other_row])].astype(np.int64)
    keys, support = np.unique(head * graph.n_groups + group, return_counts=True)
    head, group = np.divmod(keys, max(graph.n_groups, 1))
    body, body_constant = _bodies(graph, group)
    body_count = _taken(np.diff(graph.group_offsets), group)
    kept = (support >= config.min_support) & (body[:, 0] % graph.n_relations != head)
    kept &= support / np.maximum(body_count, 1) >= config.min_confidence
    head, group, support, body_count, body, body_constant = (
        column[kept] for column in (head, group, support, body_count, body, body_constant)
    )
    rules = RuleSet(
        kind=np.where(group >= graph.n_features, LOOP_DANGLING, LOOP_CONSTANT),
        head=head,
        body=body,
        body_constant=body_constant,
        head_constant=np.full(len(head), ABSENT),
        support=support,
        body_count=body_count,
        provenance=np.full(len(head), EXACT),
        n_relations=kg.n_relations,
        vocabulary=vocabulary_digest(kg),
        pca_body=_loop_pca(graph, head, group),
        head_size=_taken(graph.relation_sizes(), head),
    )
    found = np.bincount(rules.kind, minlength=len(RULE_KINDS))
    totals = {kind: int(found[kind]) for kind in (LOOP_CONSTANT, LOOP_DANGLING)}
    return _capped(rules, (group,), config, totals)


def zero_rules(kg: KnowledgeGraph, graph: DirectedGraph, config: MiningConfig) -> RuleSet:
    """State for each feature (h, c) how many of the entities that have h(X, _) have h(X, c)."""
    groups = np.diff(graph.group_offsets)
    looped = graph.looped_features()
    support, having = groups[: graph.n_features] - looped, groups[graph.n_features :]
    relation, constant = graph.feature_relation, graph.feature_entity
    key = relation.astype(np.int64) * graph.n_entities + constant
    # X is never the constant, which may itself have a value.
    itself = (graph.offsets[key + 1] > graph.offsets[key]).astype(np.int32)
    body_count = having[relation] - itself
    keep = support >= config.min_support_zero
    n_rules = int(keep.sum())
    return RuleSet.of_kind(
        kg,
        ZERO,
        relation[keep],
        np.full((n_rules, 1), ABSENT, dtype=np.int32),
        constant[keep],
        np.full(n_rules, ABSENT, dtype=np.int32),
        support[keep],
        body_count[keep],
        pca_body=body_count[keep],
        head_size=graph.relation_sizes()[relation[keep]],
    )


def _bodies(graph: DirectedGraph, group: LongArray) -> tuple[IntArray, IntArray]:
    """Return (n, 1) body relations and (n,) body constants of groups."""
    dangling = group >= graph.n_features
    feature = np.where(dangling, 0, group)
    relation = np.where(dangling, group - graph.n_features, _taken(graph.feature_relation, feature))
    constant = np.where(dangling, ABSENT, _taken(graph.feature_entity, feature))
    return relation.reshape(-1, 1).astype(np.int32), constant.astype(np.int32)


def _capped(
    rules: RuleSet, last_keys: tuple[AnyArray, ...], config: MiningConfig, found: dict[int, int]
) -> RuleSet:
    """Order rules by head and confidence, keep the best of each head, and count the others."""
    weights = RuleWeights(config.weights.unseen, config.weights.dangling, config.weights.zero)
    order = np.lexsort((*last_keys, -rules.support, -rules.confidence(weights), rules.head))
    head = rules.head[order]
    place = np.arange(len(rules)) - np.searchsorted(head, head)
    if config.cap_per_head is not None:
        order = order[place < config.cap_per_head]
    kept = rules.select(order)
    counts = kept.counts()
    dropped = {
        f"{RULE_KINDS[kind]} rules over the cap per head relation": int(total)
        - counts[RULE_KINDS[kind]]
        for kind, total in found.items()
        if total > counts[RULE_KINDS[kind]]
    }
    return replace(kept, dropped=dropped)


def _taken(column: AnyArray, rows: AnyArray) -> AnyArray:
    return column[rows] if len(column) else np.zeros(len(rows), dtype=np.int32)


def _spread(offsets: AnyArray, keys: AnyArray) -> tuple[LongArray, LongArray]:
    """Return the row of each key and the place, for all places of the keys' slices."""
    sizes = offsets[keys + 1] - offsets[keys]
    row = np.repeat(np.arange(len(keys)), sizes)
    before = np.cumsum(sizes) - sizes
    return row, np.arange(len(row)) - before[row] + offsets[keys][row]


def _loop_pca(graph: DirectedGraph, head: LongArray, group: LongArray) -> IntArray:
    """(n,) members of each group that have some value of the head, themselves included."""
    counts = np.zeros(len(head), dtype=np.int32)
    for relation in np.unique(head).tolist():
        valued = np.zeros(graph.n_entities, dtype=np.bool_)
        valued[graph.members_of(graph.n_features + relation)] = True
        valued[graph.looped(relation)] = True
        for row in np.flatnonzero(head == relation).tolist():
            counts[row] = np.count_nonzero(valued[graph.members_of(int(group[row]))])
    return counts


def _compiled_rows(graph: DirectedGraph, config: MiningConfig) -> tuple[AnyArray, AnyArray]:
    """(n, 5) group, head feature, support, body count, PCA body; (2,) numbers found per kind.

    Two passes: the first finds, per head relation, the confidence bin where its
    cap falls; the second writes the rules from there on, so that memory holds
    kept rules only.
    """
    from hybridkg.rules.unary_kernels import UnaryGraph, UnaryLimits, UnaryResult, count_unary

    n_directed = 2 * graph.n_relations
    weights = config.weights.per_kind()[[CONSTANT, DANGLING]]
    least = np.full(2, config.min_confidence)
    columns = UnaryGraph(*(getattr(graph, name) for name in UnaryGraph._fields))

    def run(cut: AnyArray, out: AnyArray) -> tuple[LongArray, LongArray, int]:
        histogram = np.zeros((n_directed, _BINS), dtype=np.int64)
        found = np.zeros(2, dtype=np.int64)
        unseen = float(config.weights.unseen)
        limits = UnaryLimits(config.min_support, least, weights, unseen, cut)
        written = count_unary(columns, limits, UnaryResult(histogram, found, out))
        return histogram, found, written

    cut = np.zeros(n_directed, dtype=np.int64)
    histogram, found, _ = run(cut, np.zeros((0, 5), dtype=np.int32))
    from_top = histogram[:, ::-1].cumsum(axis=1)[:, ::-1]
    if config.cap_per_head is not None:
        # The least bin with all better rules inside the cap, one further down for the rest.
        cut = np.maximum((from_top >= config.cap_per_head).sum(axis=1) - 1, 0)
    total = int(from_top[np.arange(n_directed), cut].sum())
    out = np.zeros((total, 5), dtype=np.int32)
    if total:
        run(cut, out)
    return out, found
