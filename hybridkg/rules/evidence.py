"""Which rules propose a triple, and through which facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.rules.files import rule_texts
from hybridkg.rules.index import DirectedGraph
from hybridkg.rules.rule_set import (
    ABSENT,
    CLOSED,
    CONSTANT,
    LOOP_CONSTANT,
    LOOP_DANGLING,
    RULE_KINDS,
    UNKNOWN,
    ZERO,
    RuleSet,
)
from hybridkg.rules.weights import RuleWeights
from hybridkg.types import BoolArray

IdTriple = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class RuleEvidence:
    """One rule that proposes a triple."""

    #: row of the rule in its set.
    row: int
    #: the rule as AnyBURL writes it.
    text: str
    #: one of RULE_KINDS.
    kind: str
    support: int
    predictions: int
    #: the confidence that orders rules: weighted and smoothed.
    confidence: float
    #: training triples that make the body true, one tuple a grounding; at most as many as asked.
    groundings: tuple[tuple[LabelTriple, ...], ...]
    #: support / predictions.
    standard: float
    #: support / (predictions + unseen), without the factor of the kind.
    smoothed: float
    #: predictions whose X has some value of the head relation, None where nobody counted them.
    pca_body: int | None = None
    #: support / PCA body, None where that is not known.
    pca: float | None = None


def explain_triple(
    rules: RuleSet,
    kg: KnowledgeGraph,
    triple: IdTriple,
    *,
    max_rules: int = 10,
    max_groundings: int = 3,
    weights: RuleWeights | None = None,
    graph: DirectedGraph | None = None,
) -> list[RuleEvidence]:
    """List the rules that propose a triple, the best confidence first.

    Both numbers are caps because one triple can have thousands of groundings.

    Args:
        rules: any rules over the graph's vocabularies.
        kg: bodies are matched with its split "train".
        triple: head, relation, tail ids; known or hypothetical.
        max_rules: rules that are listed.
        max_groundings: groundings that are listed per rule.
        weights: how counts become confidences.
        graph: the index of ``kg``, if there is one already.

    Raises:
        ConfigError: a cap below 1, an id that the graph does not have, or rules over
            other vocabularies.
    """
    if max_rules < 1:
        raise ConfigError(f"max_rules={max_rules!r}; expected at least 1")
    found = stream_evidence(
        rules, kg, triple, max_groundings=max_groundings, weights=weights, graph=graph
    )
    return list(islice(found, max_rules))


def stream_evidence(
    rules: RuleSet,
    kg: KnowledgeGraph,
    triple: IdTriple,
    *,
    max_groundings: int = 3,
    weights: RuleWeights | None = None,
    graph: DirectedGraph | None = None,
) -> Iterator[RuleEvidence]:
    """Yield the rules that propose a triple one by one, the best confidence first.

    A body is tried when its turn comes, and at most ``max_groundings`` of its groundings
    are made: neither time nor memory is spent on what nobody asks for.

    Args:
        rules: any rules over the graph's vocabularies.
        kg: bodies are matched with its split "train".
        triple: head, relation, tail ids; known or hypothetical.
        max_groundings: groundings that are listed per rule.
        weights: how counts become confidences.
        graph: the index of ``kg``, if there is one already.

    Raises:
        ConfigError: as for :func:`explain_triple`, before the first rule.
    """
    if max_groundings < 1:
        raise ConfigError(f"max_groundings={max_groundings!r}; expected at least 1")
    rules.check_graph(kg)
    limits = zip(triple, (kg.n_entities, kg.n_relations, kg.n_entities), strict=True)
    if not all(0 <= one < limit for one, limit in limits):
        raise ConfigError(
            f"triple {triple!r}; graph {kg.name!r} has entities 0 to {kg.n_entities - 1} and "
            f"relations 0 to {kg.n_relations - 1}"
        )
    return _stream(
        rules,
        kg,
        triple,
        max_groundings,
        weights or RuleWeights(),
        graph or DirectedGraph.build(kg),
    )


def _stream(
    rules: RuleSet,
    kg: KnowledgeGraph,
    triple: IdTriple,
    max_groundings: int,
    weights: RuleWeights,
    graph: DirectedGraph,
) -> Iterator[RuleEvidence]:
    rows = np.flatnonzero(_fitting(rules, triple))
    confidence = rules.select(rows).confidence(weights)
    order = np.lexsort((rows, -confidence))
    fitting = rules.select(rows[order])
    texts = rule_texts(fitting, kg)
    columns = zip(rows[order].tolist(), confidence[order].tolist(), texts, strict=True)
    for place, (row, value, text) in enumerate(columns):
        found = list(islice(_groundings(fitting, place, graph, triple), max_groundings))
        if not found:
            continue
        support, predictions = int(fitting.support[place]), int(fitting.body_count[place])
        pca_body = int(fitting.pca_body[place])
        smoothed = predictions + weights.unseen
        yield RuleEvidence(
            row=row,
            text=text,
            kind=RULE_KINDS[int(fitting.kind[place])],
            support=support,
            predictions=predictions,
            confidence=value,
            groundings=tuple(
                tuple(kg.label_triples(np.array(one).reshape(-1, 3))) for one in found
            ),
            standard=support / predictions if predictions else 0.0,
            smoothed=support / smoothed if smoothed else 0.0,
            pca_body=None if pca_body == UNKNOWN else pca_body,
            pca=support / pca_body if pca_body > 0 else None if pca_body == UNKNOWN else 0.0,
        )


def _fitting(rules: RuleSet, triple: IdTriple) -> BoolArray:
    """(n,) True where the head atom can be the triple."""
    head, relation, tail = triple
    loop = np.isin(rules.kind, (LOOP_CONSTANT, LOOP_DANGLING))
    if head == tail:
        # Two variables stand for two entities, and X is never the head constant.
        return np.asarray(loop & (rules.head == relation), dtype=np.bool_)
    closed = (rules.kind == CLOSED) & (rules.head == relation)
    forwards = (rules.head == relation) & (rules.head_constant == tail)
    backwards = (rules.head == relation + rules.n_relations) & (rules.head_constant == head)
    unary = (rules.kind != CLOSED) & ~loop & (forwards | backwards)
    return np.asarray(closed | unary, dtype=np.bool_)


def _groundings(
    rules: RuleSet, row: int, graph: DirectedGraph, triple: IdTriple
) -> Iterator[list[IdTriple]]:
    """Yield the triples of each way in which the body holds, in the order of entity ids."""
    head, relation, tail = triple
    kind = int(rules.kind[row])
    given = head if kind == CLOSED or rules.head[row] == relation else tail
    if kind == ZERO:
        # A zero rule has nothing to ground and proposes a constant to the given entity, not back.
        yield []
        return
    body = [step for step in rules.body[row].tolist() if step != ABSENT]
    if kind == CLOSED:
        target: int | None = tail
    elif kind in (CONSTANT, LOOP_CONSTANT):
        target = int(rules.body_constant[row])
        # A constant is no variable: X may be it, which no path between variables could.
        if target in graph.own_values(body[0], given):
            yield [_as_triple(graph, given, body[0], target)]
        return
    else:
        target = None
    yield from _walks(graph, body, (given,), target)


def _walks(
    graph: DirectedGraph, body: list[int], walk: tuple[int, ...], target: int | None
) -> Iterator[list[IdTriple]]:
    if not body:
        yield []
        return
    for end in graph.neighbours_of(body[0], walk[-1]).tolist():
        last = len(body) == 1
        if end in walk or (last and target is not None and end != target):
            continue
        if not last and end == target:
            continue
        for rest in _walks(graph, body[1:], (*walk, end), target):
            yield [_as_triple(graph, walk[-1], body[0], end), *rest]


def _as_triple(graph: DirectedGraph, start: int, relation: int, end: int) -> IdTriple:
    if relation < graph.n_relations:
        return start, relation, end
    return end, relation - graph.n_relations, start
