"""The rule miner: exhaustive, deterministic, without samples and without a time budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules import mine_reference
from hybridkg.rules.index import DirectedGraph
from hybridkg.rules.mine_long import LongRuleConfig, long_rules
from hybridkg.rules.rule_set import (
    ABSENT,
    CLOSED,
    CONSTANT,
    DANGLING,
    ZERO,
    RuleSet,
    RuleWeights,
)
from hybridkg.types import AnyArray, LongArray

#: "compiled" runs numba kernels, "plain" Python; "auto" takes the plain path for tiny graphs.
Engine: TypeAlias = Literal["auto", "compiled", "plain"]

#: Below this sum of squared degrees plain Python answers before numba is imported.
TINY = 20_000

#: Histogram bins from which the cap of a head relation is found before rules are written.
_BINS = 4096


@dataclass(frozen=True, slots=True)
class MiningConfig:
    """What is mined, and what is kept of it."""

    #: least number of right predictions.
    min_support: int = 2
    #: least support / body count; zero rules are exempt.
    min_confidence: float = 0.01
    #: longest body of closed rules: 0 (none), 1, 2 or 3 atoms.
    max_length: int = 2
    #: how bodies with three atoms are looked for.
    long: LongRuleConfig = field(default_factory=LongRuleConfig)
    #: seed of the samples that bodies with three atoms are found on.
    seed: int = 0
    #: mine rules with constants (constant, dangling and zero rules).
    constants: bool = True
    #: least support of zero rules; 1 lets a query reach every entity seen in its place.
    min_support_zero: int = 1
    #: constant and dangling rules kept per directed head relation, None for all.
    cap_per_head: int | None = 20_000
    #: decides which rules a cap keeps.
    weights: RuleWeights = field(default_factory=RuleWeights)

    def __post_init__(self) -> None:
        if self.min_support < 1 or self.min_support_zero < 1:
            raise ConfigError(
                f"min_support={self.min_support!r}, min_support_zero={self.min_support_zero!r}; "
                "expected at least 1"
            )
        if not 0 <= self.min_confidence <= 1:
            raise ConfigError(f"min_confidence={self.min_confidence!r}; expected 0 to 1")
        if self.max_length not in (0, 1, 2, 3):
            raise ConfigError(
                f"max_length={self.max_length!r}; closed rules have 1, 2 or 3 body atoms "
                "(0 mines none)"
            )
        if self.cap_per_head is not None and self.cap_per_head < 1:
            raise ConfigError(f"cap_per_head={self.cap_per_head!r}; expected at least 1 or None")


def mine_rules(
    kg: KnowledgeGraph, config: MiningConfig | None = None, *, engine: Engine = "auto"
) -> RuleSet:
    """Mine all rules of the training triples that pass the thresholds.

    The result depends on the graph and the configuration alone: both engines,
    every hash seed and every thread count give the same rules in the same order.

    Args:
        kg: the graph; only its split "train" is read.
        config: thresholds and caps.
        engine: "compiled", "plain", or "auto" for the faster one.

    Returns:
        Closed, constant, dangling and zero rules with exact counts;
        ``dropped`` tells how many rules the cap left out.
    """
    chosen = config or MiningConfig()
    graph = DirectedGraph.build(kg)
    plain = uses_plain(engine, graph)
    parts = [RuleSet.empty(kg)]
    if chosen.max_length:
        parts.append(_closed_rules(kg, graph, chosen, plain))
    if chosen.max_length == 3:
        found = long_rules(
            graph, chosen.long, chosen.min_support, np.random.default_rng(chosen.seed)
        )
        none = np.full(len(found.rows), ABSENT, dtype=np.int32)
        columns = (found.rows[:, 0], found.rows[:, 1:4], none, none, found.rows[:, 4])
        parts.append(RuleSet.of_kind(kg, CLOSED, *columns, found.rows[:, 5]))
    if chosen.constants:
        parts.append(_unary_rules(kg, graph, chosen, plain))
        parts.append(_zero_rules(kg, graph, chosen))
    return RuleSet.concatenate(parts)


def uses_plain(engine: Engine, graph: DirectedGraph) -> bool:
    """Tell whether an engine choice means the plain path for this graph.

    Raises:
        ConfigError: there is no such engine.
    """
    if engine not in ("auto", "compiled", "plain"):
        raise ConfigError(f"rule engine {engine!r}; expected 'auto', 'compiled' or 'plain'")
    return engine == "plain" or (engine == "auto" and graph.squared_degrees() <= TINY)


def _closed_rules(
    kg: KnowledgeGraph, graph: DirectedGraph, config: MiningConfig, plain: bool
) -> RuleSet:
    """Keep the closed rules over the thresholds, ordered by length, body and head."""
    if plain:
        rows = mine_reference.closed_rows(graph, min(config.max_length, 2))
    else:
        rows = _compiled_closed_rows(graph, config)
    enough = (rows[:, 3] >= config.min_support) & (
        rows[:, 3] / np.maximum(rows[:, 4], 1) >= config.min_confidence
    )
    rows = rows[enough]
    rows = rows[np.lexsort((rows[:, 0], rows[:, 2], rows[:, 1], rows[:, 2] != ABSENT))]
    none = np.full(len(rows), ABSENT, dtype=np.int32)
    return RuleSet.of_kind(kg, CLOSED, rows[:, 0], rows[:, 1:3], none, none, rows[:, 3], rows[:, 4])


def _compiled_closed_rows(graph: DirectedGraph, config: MiningConfig) -> LongArray:
    """(n, 5) head, first, second or ABSENT, support, body count, by the kernels."""
    from hybridkg.rules.mine_kernels import PathScratch, count_one_step, count_two_steps

    n_relations, n_directed = graph.n_relations, 2 * graph.n_relations
    body = np.zeros(n_directed, dtype=np.int64)
    support = np.zeros((n_directed, n_relations), dtype=np.int64)
    edges = (graph.entity_offsets, graph.edge_relation, graph.edge_entity)
    count_one_step(graph.n_entities, n_relations, *edges, body, support)
    # A relation does not explain itself.
    support[np.arange(n_relations), np.arange(n_relations)] = 0
    first, head = np.nonzero(support)
    parts = [
        np.column_stack(
            [head, first, np.full(len(head), ABSENT), support[first, head], body[first]]
        )
    ]
    n_cells = n_directed * n_relations
    sizes = (n_directed * graph.n_entities, graph.n_entities, graph.n_entities)
    stamp, place, place_stamp = (np.zeros(size, dtype=np.int32) for size in sizes)
    flat, touched = (np.zeros(n_cells, dtype=np.int32) for _ in range(2))
    scratch = PathScratch(stamp, place, place_stamp, body, flat, touched)
    token = 0
    for step in range(n_directed if config.max_length >= 2 else 0):
        body[:] = 0
        token, n_touched = count_two_steps(
            step, token, graph.n_entities, n_relations, graph.offsets, graph.neighbours,
            *edges, scratch,
        )  # fmt: skip
        cells = touched[:n_touched]
        second, counted = cells // max(n_relations, 1), flat[cells]
        rows = np.column_stack(
            [cells % max(n_relations, 1), np.full(n_touched, step), second, counted, body[second]]
        )
        parts.append(rows[counted >= config.min_support])
        flat[cells] = 0
    return np.concatenate(parts).astype(np.int64)


def _unary_rules(
    kg: KnowledgeGraph, graph: DirectedGraph, config: MiningConfig, plain: bool
) -> RuleSet:
    """Keep the best constant and dangling rules of each directed head relation."""
    if plain:
        rows = mine_reference.unary_rows(graph, config.min_support, config.min_confidence)
        found = np.array(
            [(rows[:, 0] < graph.n_features).sum(), (rows[:, 0] >= graph.n_features).sum()]
        )
    else:
        rows, found = _compiled_unary_rows(graph, config)
    group, feature, support, body_count = rows.T
    dangling = group >= graph.n_features
    safe = np.where(dangling, 0, group)
    n_rules = len(rows)
    relation = np.where(dangling, group - graph.n_features, _taken(graph.feature_relation, safe))
    rules = RuleSet(
        kind=np.where(dangling, DANGLING, CONSTANT),
        head=_taken(graph.feature_relation, feature),
        body=relation.reshape(-1, 1),
        head_constant=_taken(graph.feature_entity, feature),
        body_constant=np.where(dangling, ABSENT, _taken(graph.feature_entity, safe)),
        support=support,
        body_count=body_count,
        provenance=np.zeros(n_rules, dtype=np.int32),
        n_relations=kg.n_relations,
        vocabulary=RuleSet.empty(kg).vocabulary,
    )
    # Group and feature ascend as (relation, entity) do, so they stand for the whole rule.
    keys = (feature, group, -rules.support, -rules.confidence(config.weights), rules.head)
    order = np.lexsort(keys)
    head = rules.head[order]
    place = np.arange(n_rules) - np.searchsorted(head, head)
    if config.cap_per_head is not None:
        order = order[place < config.cap_per_head]
    kept = rules.select(order)
    counts = kept.counts()
    dropped = {
        f"{name} rules over the cap per head relation": int(total) - counts[name]
        for name, total in zip(("constant", "dangling"), found, strict=True)
        if total > counts[name]
    }
    return RuleSet(
        **{name: getattr(kept, name) for name in kept.__dataclass_fields__ if name != "dropped"},
        dropped=dropped,
    )


def _taken(column: AnyArray, rows: AnyArray) -> AnyArray:
    return column[rows] if len(column) else np.zeros(len(rows), dtype=np.int32)


def _compiled_unary_rows(graph: DirectedGraph, config: MiningConfig) -> tuple[AnyArray, AnyArray]:
    """(n, 4) group, head feature, support, body count; and the (2,) numbers found per kind.

    Two passes: the first finds, per head relation, the confidence bin where its
    cap falls; the second writes the rules from there on, so that memory holds
    kept rules only.
    """
    from hybridkg.rules.mine_kernels import UnaryGraph, UnaryLimits, UnaryResult, count_unary

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
    histogram, found, _ = run(cut, np.zeros((0, 4), dtype=np.int32))
    from_top = histogram[:, ::-1].cumsum(axis=1)[:, ::-1]
    if config.cap_per_head is not None:
        # The least bin with all better rules inside the cap, one further down for the rest.
        cut = np.maximum((from_top >= config.cap_per_head).sum(axis=1) - 1, 0)
    total = int(from_top[np.arange(n_directed), cut].sum())
    out = np.zeros((total, 4), dtype=np.int32)
    if total:
        run(cut, out)
    return out, found


def _zero_rules(kg: KnowledgeGraph, graph: DirectedGraph, config: MiningConfig) -> RuleSet:
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
    )
