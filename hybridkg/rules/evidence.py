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
from hybridkg.rules.rule_set import ABSENT, CLOSED, CONSTANT, RULE_KINDS, ZERO, RuleSet, RuleWeights
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
        triple: head, relation, tail ids; known or not.
        max_rules: rules that are listed.
        max_groundings: groundings that are listed per rule.
        weights: how counts become confidences.
        graph: the index of ``kg``, if there is one already.

    Raises:
        ConfigError: a cap below 1, or rules over other vocabularies.
    """
    if max_rules < 1 or max_groundings < 1:
        raise ConfigError(
            f"max_rules={max_rules!r}, max_groundings={max_groundings!r}; expected at least 1"
        )
    rules.check_graph(kg)
    directed = graph or DirectedGraph.build(kg)
    if triple[0] == triple[2]:
        return []
    # The rules whose head fits the triple, the best first; bodies are only tried until enough fire.
    rows = np.flatnonzero(_fitting(rules, triple))
    confidence = rules.select(rows).confidence(weights)
    order = np.lexsort((rows, -confidence))
    fired = []
    for place in order.tolist():
        row = int(rows[place])
        found = list(islice(_groundings(rules, row, directed, triple), max_groundings))
        if found:
            fired.append((row, float(confidence[place]), found))
        if len(fired) == max_rules:
            break
    texts = rule_texts(rules.select(np.array([row for row, _, _ in fired], dtype=np.int64)), kg)
    return [
        RuleEvidence(
            row,
            text,
            RULE_KINDS[int(rules.kind[row])],
            int(rules.support[row]),
            int(rules.body_count[row]),
            value,
            tuple(tuple(kg.label_triples(np.array(one).reshape(-1, 3))) for one in found),
        )
        for (row, value, found), text in zip(fired, texts, strict=True)
    ]


def _fitting(rules: RuleSet, triple: IdTriple) -> BoolArray:
    """(n,) True where the head atom can be the triple."""
    head, relation, tail = triple
    closed = (rules.kind == CLOSED) & (rules.head == relation)
    forwards = (rules.head == relation) & (rules.head_constant == tail)
    backwards = (rules.head == relation + rules.n_relations) & (rules.head_constant == head)
    return np.asarray(closed | ((rules.kind != CLOSED) & (forwards | backwards)), dtype=np.bool_)


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
    elif kind == CONSTANT:
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
