"""Closed rules with one and two body atoms: all of them, exactly counted."""

from __future__ import annotations

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules import mine_reference
from hybridkg.rules.index import DirectedGraph
from hybridkg.rules.mining_config import MiningConfig
from hybridkg.rules.rule_set import ABSENT, CLOSED, RuleSet
from hybridkg.types import LongArray


def short_rules(
    kg: KnowledgeGraph, graph: DirectedGraph, config: MiningConfig, *, plain: bool
) -> RuleSet:
    """Mine the closed rules with one and two atoms, ordered by length, body and head.

    Args:
        kg: gives the vocabularies.
        graph: its training triples.
        config: thresholds.
        plain: count in Python instead of the kernels.
    """
    if plain:
        rows = mine_reference.closed_rows(graph, min(config.max_length, 2))
    else:
        rows = _compiled_rows(graph, config)
    sizes = graph.relation_sizes()
    rows = rows[config.keeps(rows[:, 3], rows[:, 4], rows[:, 5], sizes[rows[:, 0]])]
    rows = rows[np.lexsort((rows[:, 0], rows[:, 2], rows[:, 1], rows[:, 2] != ABSENT))]
    none = np.full(len(rows), ABSENT, dtype=np.int32)
    columns = (rows[:, 0], rows[:, 1:3], none, none, rows[:, 3], rows[:, 4])
    return RuleSet.of_kind(kg, CLOSED, *columns, pca_body=rows[:, 5], head_size=sizes[rows[:, 0]])


def _compiled_rows(graph: DirectedGraph, config: MiningConfig) -> LongArray:
    """(n, 6) head, first, second or ABSENT, support, body count, PCA body, by the kernels."""
    from hybridkg.rules.closed_kernels import count_one_step

    n_relations, n_directed = graph.n_relations, 2 * graph.n_relations
    body = np.zeros(n_directed, dtype=np.int64)
    support, pca_body = (np.zeros((n_directed, n_relations), dtype=np.int64) for _ in range(2))
    count_one_step(
        graph.n_entities, n_relations, graph.entity_offsets, graph.edge_relation,
        graph.edge_entity, graph.relation_offsets, graph.own_relation, body, support, pca_body,
    )  # fmt: skip
    # A relation does not explain itself.
    support[np.arange(n_relations), np.arange(n_relations)] = 0
    first, head = np.nonzero(support)
    absent = np.full(len(head), ABSENT)
    counted = (support[first, head], body[first], pca_body[first, head])
    parts = [np.column_stack([head, first, absent, *counted])]
    if config.max_length >= 2:
        parts += _two_step_rows(graph, config.min_support)
    return np.concatenate(parts).astype(np.int64)


def _two_step_rows(graph: DirectedGraph, min_support: int) -> list[LongArray]:
    """List the rows of each first step."""
    from hybridkg.rules.closed_kernels import PathScratch, count_two_steps

    n_relations, n_directed = graph.n_relations, 2 * graph.n_relations
    n_cells = n_directed * n_relations
    sizes = (n_directed * graph.n_entities, graph.n_entities, graph.n_entities)
    stamp, place, place_stamp = (np.zeros(size, dtype=np.int32) for size in sizes)
    flat, touched, pca_body = (np.zeros(n_cells, dtype=np.int32) for _ in range(3))
    fresh, seconds = (np.zeros(n_directed, dtype=np.int32) for _ in range(2))
    body = np.zeros(n_directed, dtype=np.int64)
    scratch = PathScratch(stamp, place, place_stamp, body, flat, touched, pca_body, fresh, seconds)
    token, parts = 0, []
    for step in range(n_directed):
        body[:] = 0
        pca_body[:] = 0
        token, n_touched = count_two_steps(
            step, token, graph.n_entities, n_relations, graph.offsets, graph.neighbours,
            graph.entity_offsets, graph.edge_relation, graph.edge_entity,
            graph.relation_offsets, graph.own_relation, scratch,
        )  # fmt: skip
        cells = touched[:n_touched]
        second, counted = cells // max(n_relations, 1), flat[cells]
        steps = (np.full(n_touched, step), second, counted, body[second], pca_body[cells])
        rows = np.column_stack([cells % max(n_relations, 1), *steps])
        parts.append(rows[counted >= min_support])
        flat[cells] = 0
    return parts
