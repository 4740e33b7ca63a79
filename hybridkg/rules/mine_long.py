"""Closed rules with three body atoms: found on samples, screened cheaply, counted exactly."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.rules.index import DirectedGraph
from hybridkg.types import AnyArray, IntArray, LongArray


class EdgeColumns(NamedTuple):
    """Columns of :class:`hybridkg.rules.index.DirectedGraph` that long paths need."""

    n_entities: int
    n_relations: int
    offsets: AnyArray
    neighbours: AnyArray
    entity_offsets: AnyArray
    edge_relation: AnyArray
    edge_entity: AnyArray


class Bodies(NamedTuple):
    """Bodies with three atoms, those with the same first two next to each other."""

    #: (n, 3) directed relations.
    relations: AnyArray
    #: (n + 1,) body -> slice of ``heads``.
    head_offsets: AnyArray
    #: head relations whose right predictions are counted.
    heads: AnyArray


@dataclass(frozen=True, slots=True)
class LongRuleConfig:
    """How closed rules with three body atoms are looked for; all budgets count samples."""

    #: triples of each head relation whose paths are looked at.
    triples_per_head: int = 500
    #: a triple with more two-step paths at both of its ends is skipped.
    max_paths: int = 20_000
    #: sampled triples that a body must connect; fewer where a relation has fewer than 100.
    min_seen: int = 5
    #: bodies kept per head relation, those that connect most sampled triples.
    bodies_per_head: int = 500
    #: bodies counted exactly per head relation, those with the best estimated confidence.
    counted_per_head: int = 200
    #: subjects on which a body is screened.
    screen_subjects: int = 200
    #: steps after which the screening of a body ends.
    screen_steps: int = 100_000
    #: least support / body count.
    min_confidence: float = 0.01

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "min_confidence":
                if not 0 <= value <= 1:
                    raise ConfigError(f"long rules: min_confidence={value!r}; expected 0 to 1")
            elif value < 1:
                raise ConfigError(f"long rules: {one.name}={value!r}; expected at least 1")


@dataclass(frozen=True, slots=True)
class LongRules:
    """Closed rules with three body atoms, exactly counted."""

    #: (n, 7) head, three body relations, support, body count, PCA body.
    rows: LongArray
    #: pairs of head and body that a sample showed, but that were not counted exactly.
    n_screened_out: int
    #: sampled triples that were skipped for having too many paths.
    n_skipped: int


def long_rules(
    graph: DirectedGraph,
    config: LongRuleConfig,
    min_support: int,
    rng: np.random.Generator,
    *,
    plain: bool = False,
) -> LongRules:
    """Find closed rules with three body atoms.

    Types of paths are collected on sampled triples of each head relation, estimated on
    sampled subjects, and the promising ones counted on all of them. What is returned is
    exact; what is missed depends on the generator.

    Args:
        graph: the training triples.
        config: sample sizes and thresholds.
        min_support: least number of right predictions.
        rng: draws the samples.
        plain: walk in Python instead of the kernels.
    """
    columns = EdgeColumns(*(getattr(graph, name) for name in EdgeColumns._fields))
    heads, bodies, n_skipped = _candidates(graph, columns, config, rng, plain)
    n_found = len(heads)
    n_pairs, support, _ = _count(graph, columns, heads, bodies, config, rng, plain)
    chosen = _best_per_head(heads, support, n_pairs, config.counted_per_head)
    heads, bodies = heads[chosen], bodies[chosen]
    n_pairs, support, pca_body = _count(graph, columns, heads, bodies, config, None, plain)
    kept = (support >= min_support) & (support >= config.min_confidence * n_pairs)
    rows = np.column_stack([heads, bodies, support, n_pairs, pca_body]).astype(np.int64)
    return LongRules(rows[kept], n_found - len(heads), n_skipped)


def _best_per_head(
    heads: IntArray, support: LongArray, n_pairs: LongArray, n_kept: int
) -> LongArray:
    """Return the rows of the best estimates of each head, in their order, none without support."""
    estimate = support / np.maximum(n_pairs, 1)
    order = np.lexsort((np.arange(len(heads)), -support, -estimate, heads))
    place = np.arange(len(order)) - np.searchsorted(heads[order], heads[order])
    kept: LongArray = np.sort(order[(place < n_kept) & (support[order] > 0)])
    return kept


def _candidates(
    graph: DirectedGraph,
    columns: EdgeColumns,
    config: LongRuleConfig,
    rng: np.random.Generator,
    plain: bool,
) -> tuple[IntArray, IntArray, int]:
    """Return (n,) heads and (n, 3) bodies, sorted by body, and the number of skipped triples."""
    degrees = np.diff(graph.entity_offsets).astype(np.int64)
    sums = np.concatenate([[0], np.cumsum(degrees[graph.edge_entity])])
    two_steps = np.diff(sums[graph.entity_offsets])
    n_directed, n_skipped = 2 * graph.n_relations, 0
    parts = [np.zeros((0, 4), dtype=np.int64)]
    for head in range(graph.n_relations):
        start, stop = head * graph.n_entities, (head + 1) * graph.n_entities
        tails = graph.neighbours[graph.offsets[start] : graph.offsets[stop]]
        sources = np.repeat(
            np.arange(graph.n_entities, dtype=np.int32), np.diff(graph.offsets[start : stop + 1])
        )
        if len(tails) > config.triples_per_head:
            chosen = np.sort(rng.choice(len(tails), config.triples_per_head, replace=False))
            sources, tails = sources[chosen], tails[chosen]
        keys, counts, skipped = _all_types(sources, tails, config, two_steps, columns, plain)
        n_skipped += skipped
        least = min(config.min_seen, max(1, len(tails) // 20))
        keys, counts = keys[counts >= least], counts[counts >= least]
        best = np.lexsort((keys, -counts))[: config.bodies_per_head]
        rest, third = np.divmod(keys[best], n_directed)
        first, second = np.divmod(rest, n_directed)
        parts.append(np.column_stack([np.full(len(best), head), first, second, third]))
    rows = np.concatenate(parts)
    ordered = rows[np.lexsort((rows[:, 0], rows[:, 3], rows[:, 2], rows[:, 1]))]
    heads, bodies = (one.astype(np.int32) for one in (ordered[:, 0], ordered[:, 1:]))
    return heads, bodies, n_skipped


def _all_types(
    heads: IntArray,
    tails: IntArray,
    config: LongRuleConfig,
    two_steps: LongArray,
    columns: EdgeColumns,
    plain: bool,
) -> tuple[LongArray, LongArray, int]:
    """Count path types, by the kernel in a table that grows until they fit."""
    if plain:
        from hybridkg.rules import long_path_reference

        return long_path_reference.path_types(heads, tails, config.max_paths, two_steps, columns)
    from hybridkg.rules.path_type_kernels import path_types

    n_slots = 1 << 16
    while True:
        keys, counts, skipped = path_types(
            heads, tails, config.max_paths, two_steps, columns, n_slots
        )
        if skipped >= 0:
            return keys, counts, int(skipped)
        n_slots *= 4


def _count(
    graph: DirectedGraph,
    columns: EdgeColumns,
    heads: IntArray,
    bodies: IntArray,
    config: LongRuleConfig,
    rng: np.random.Generator | None,
    plain: bool,
) -> tuple[LongArray, LongArray, LongArray]:
    """Return (n,) pairs, right predictions, PCA bodies; a generator samples the subjects."""
    distinct, inverse = np.unique(bodies, axis=0, return_inverse=True)
    order = np.argsort(inverse.reshape(-1), kind="stable")
    offsets = np.searchsorted(inverse.reshape(-1)[order], np.arange(len(distinct) + 1))
    listed = Bodies(distinct.astype(np.int32).reshape(-1, 3), offsets, heads[order])
    first = graph.group_offsets[graph.n_features :]
    members = graph.members[first[0] :]
    subject_offsets = first - first[0]
    limit, least = 0, config.min_confidence
    if rng is not None:
        parts, bounds = [], [0]
        for start, stop in pairwise(subject_offsets.tolist()):
            drawn = rng.permutation(int(stop - start))[: config.screen_subjects]
            parts.append(members[start + drawn])
            bounds.append(bounds[-1] + len(drawn))
        members, subject_offsets = np.concatenate(parts), np.array(bounds)
        limit, least = config.screen_steps, 0.0
    if plain:
        from hybridkg.rules.long_path_reference import count_bodies
    else:
        from hybridkg.rules.body_kernels import count_bodies
    n_pairs, support, pca_body = count_bodies(
        listed, subject_offsets, members, limit, least, columns
    )
    right, known = (np.empty(len(heads), dtype=np.int64) for _ in range(2))
    right[order], known[order] = support, pca_body
    return n_pairs[inverse.reshape(-1)], right, known
