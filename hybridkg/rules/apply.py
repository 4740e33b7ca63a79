"""Apply rules to queries through an index, so that the cost follows the matches.

A query (a, q, ?) with directed relation q meets a rule in four ways: a closed
rule is walked from a; a unary rule whose X is a proposes its head constant; a
unary rule whose head constant is a proposes all entities its body holds for;
a zero rule proposes its head constant. A loop rule proposes the given entity
itself, in both directions; no other rule does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.graph.queries import Queries
from hybridkg.rules.index import DirectedGraph
from hybridkg.rules.rule_set import ABSENT, CLOSED, CONSTANT, LOOP_CONSTANT, ZERO, RuleSet
from hybridkg.rules.weights import RuleWeights
from hybridkg.types import AnyArray, DoubleArray, IntArray, LongArray

#: "maxplus" compares all confidences of a candidate, best first; "max" the best one only;
#: "noisyor" adds up -log(1 - confidence), "noisyor_top5" that of the five best rules.
Aggregation: TypeAlias = Literal["maxplus", "max", "noisyor", "noisyor_top5"]
AGGREGATIONS: tuple[Aggregation, ...] = ("maxplus", "max", "noisyor", "noisyor_top5")
#: 1 - confidence is at least this in a noisy-or.
MOST = 1e-12
#: Rules that count for one candidate under "noisyor_top5".
TOP = 5


class RuleIndex(NamedTuple):
    """Rules by what a query knows, best confidence first in every slice.

    A rank is the place of a confidence among the distinct ones, 0 is best;
    rules of equal confidence share a rank, so real ties stay ties.
    """

    #: (2R + 1,) directed query relation -> slice of the two arrays below.
    path_offsets: IntArray
    #: (m, width) directed relations from the given entity to the candidate.
    paths: IntArray
    path_rank: IntArray
    #: (groups + 1,) group that the given entity is in -> slice, by (query relation, rank).
    given_offsets: IntArray
    given_relation: IntArray
    #: head constants; ABSENT stands for the given entity, which a loop rule proposes.
    given_candidate: IntArray
    given_rank: IntArray
    #: (F + 1,) head feature (inverse query relation, given entity) -> slice, by rank.
    asked_offsets: IntArray
    asked_group: IntArray
    asked_rank: IntArray
    #: (2R + 1,) directed query relation -> slice of the zero rules, by rank.
    zero_offsets: IntArray
    zero_candidate: IntArray
    zero_rank: IntArray
    #: (distinct confidences,) -log(1 - confidence) by rank.
    rank_weight: DoubleArray


def index_rules(
    rules: RuleSet, graph: DirectedGraph, weights: RuleWeights | None = None
) -> RuleIndex:
    """Index a rule set for both targets.

    A unary rule whose body holds for no entity, or (for a given constant) whose
    head constant no entity has, matches nothing from that side.
    """
    worst_first, inverse = np.unique(-rules.confidence(weights), return_inverse=True)
    rank = _int32(inverse)
    n_directed = 2 * graph.n_relations
    paths, relation, path_rank = _closed_index(rules, rank, graph)
    order = np.lexsort((path_rank, relation))
    unary = np.flatnonzero((rules.kind != CLOSED) & (rules.kind != ZERO))
    group = body_groups(rules, graph, unary)
    unary, group = unary[group >= 0], group[group >= 0]
    head, constant, unary_rank = rules.head[unary], rules.head_constant[unary], rank[unary]
    feature = graph.find_features(head, np.maximum(constant, 0))
    feature[constant == ABSENT] = -1
    loops = np.flatnonzero(constant == ABSENT)
    if len(loops):
        # What asks for a head and what asks for a tail meets the same h(X,X).
        head = np.concatenate([head, head[loops] + graph.n_relations])
        group, constant, unary_rank, feature = (
            np.concatenate([one, one[loops]]) for one in (group, constant, unary_rank, feature)
        )
    given = np.lexsort((unary_rank, head, group))
    asked = np.flatnonzero(feature >= 0)
    asked = asked[np.lexsort((unary_rank[asked], feature[asked]))]
    zero = np.flatnonzero(rules.kind == ZERO)
    zero = zero[np.lexsort((rank[zero], rules.head[zero]))]
    return RuleIndex(
        path_offsets=_bounds(relation, n_directed),
        paths=_int32(paths[order]),
        path_rank=path_rank[order],
        given_offsets=_bounds(group, graph.n_groups),
        given_relation=head[given],
        given_candidate=constant[given],
        given_rank=unary_rank[given],
        asked_offsets=_bounds(feature[asked], graph.n_features),
        asked_group=_int32(group[asked]),
        asked_rank=unary_rank[asked],
        zero_offsets=_bounds(rules.head[zero], n_directed),
        zero_candidate=rules.head_constant[zero],
        zero_rank=rank[zero],
        # A confidence of 1 outweighs everything, but stays finite so that two of them differ
        # from one.
        rank_weight=-np.log1p(np.maximum(worst_first, MOST - 1)),
    )


@dataclass(frozen=True, slots=True)
class Reached:
    """Candidates that rules reach, with scores that compare within a query."""

    #: (n + 1,) query -> slice of the arrays below.
    offsets: LongArray
    #: candidates, distinct within a query.
    entities: IntArray
    #: larger is better; under "maxplus" and "max" 1 for the worst class of a query and one
    #: more for each better one, else the sum of -log(1 - confidence).
    scores: AnyArray


def apply_rules(
    index: RuleIndex,
    graph: DirectedGraph,
    queries: Queries,
    *,
    aggregation: Aggregation = "maxplus",
    plain: bool = False,
) -> Reached:
    """Order the candidates of each query by the rules that propose them.

    Under "maxplus" candidates compare by their confidences, best first, one by
    one; where one list ends, the longer one wins. Nothing is cut off: neither
    candidates nor confidences.

    Args:
        index: the rules.
        graph: the training triples the bodies are matched with.
        queries: a block with one target.
        aggregation: how the rules of a candidate become its score.
        plain: take the Python path instead of the compiled one.

    Returns:
        Reached candidates; the same query gives the same order in every block.

    Raises:
        ConfigError: there is no such aggregation.

    Source: Ott, Meilicke, Samwald, "SAFRAN: An interpretable, rule-based link prediction
        method outperforming embedding models", on max-plus aggregation.
    """
    check_aggregation(aggregation)
    shift = graph.n_relations if queries.target == "head" else 0
    relations = np.ascontiguousarray(queries.relations + shift, dtype=np.int32)
    anchors = np.ascontiguousarray(queries.anchors, dtype=np.int32)
    asked = graph.find_features(
        (relations + graph.n_relations) % max(2 * graph.n_relations, 1), anchors
    )
    if plain:
        from hybridkg.rules.apply_reference import score_candidates as score_plainly

        return Reached(*score_plainly(index, graph, anchors, relations, asked, aggregation))
    from hybridkg.rules.apply_kernels import GraphColumns, order_candidates

    columns = GraphColumns(*(getattr(graph, name) for name in GraphColumns._fields))
    if aggregation in ("noisyor", "noisyor_top5"):
        from hybridkg.rules.noisy_or_kernels import sum_candidates

        n_best = TOP if aggregation == "noisyor_top5" else np.iinfo(np.int64).max
        return Reached(*sum_candidates(anchors, relations, asked, n_best, columns, index))
    maxplus = aggregation == "maxplus"
    return Reached(*order_candidates(anchors, relations, asked, maxplus, columns, index))


def check_aggregation(aggregation: str) -> None:
    """Refuse an aggregation that does not exist.

    Raises:
        ConfigError: the name is not in AGGREGATIONS.
    """
    if aggregation not in AGGREGATIONS:
        raise ConfigError(
            f"rule aggregation {aggregation!r}; expected one of {', '.join(AGGREGATIONS)}"
        )


def body_groups(rules: RuleSet, graph: DirectedGraph, rows: LongArray) -> LongArray:
    """Return the (n,) group of each unary body, -1 where it holds for no entity."""
    relation, constant = rules.body[rows, 0], rules.body_constant[rows]
    features = graph.find_features(relation, np.maximum(constant, 0))
    is_constant = np.isin(rules.kind[rows], (CONSTANT, LOOP_CONSTANT))
    return np.where(is_constant, features, graph.n_features + relation).astype(np.int64)


def _closed_index(
    rules: RuleSet, rank: IntArray, graph: DirectedGraph
) -> tuple[IntArray, IntArray, IntArray]:
    """List every closed rule twice: from X to Y for tails, from Y to X for heads."""
    closed = np.flatnonzero(rules.kind == CLOSED)
    body, length = rules.body[closed], rules.lengths()[closed]
    n_relations = graph.n_relations
    backwards = np.full_like(body, ABSENT)
    rows = np.arange(len(closed))
    for step in range(body.shape[1]):
        inside = rows[length > step]
        turned = body[inside, length[inside] - 1 - step]
        backwards[inside, step] = np.where(
            turned < n_relations, turned + n_relations, turned - n_relations
        )
    head = rules.head[closed]
    return (
        np.concatenate([body, backwards]),
        np.concatenate([head, head + n_relations]).astype(np.int32),
        np.concatenate([rank[closed], rank[closed]]),
    )


def _bounds(keys: AnyArray, n_keys: int) -> IntArray:
    counts = np.bincount(keys, minlength=n_keys)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)


def _int32(array: AnyArray) -> IntArray:
    return np.ascontiguousarray(array, dtype=np.int32)
