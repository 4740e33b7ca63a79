"""The training graph as rules see it: directed relations, no loops, everything by offset.

Distinct variables of a rule stand for distinct entities, so a triple (x, r, x)
can never take part in one; loops are left out here, once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.triples import distinct_triples
from hybridkg.types import AnyArray, IntArray, LongArray


@dataclass(frozen=True, slots=True)
class DirectedGraph:
    """Distinct training triples in both directions.

    A *feature* is a pair (directed relation, entity) that some entity has:
    x has (d, c) where d(x, c). A *group* is what a unary body asks for: group
    f < n_features is feature f, group n_features + d is "some d-neighbour".
    """

    n_entities: int
    n_relations: int
    #: (2R * E + 1,) key d * E + e -> slice of ``neighbours``.
    offsets: IntArray
    #: (2T,) neighbours, ascending within a slice.
    neighbours: IntArray
    #: (E + 1,) entity -> slice of the edge arrays.
    entity_offsets: IntArray
    #: (2T,) far end of an edge, ascending within an entity.
    edge_entity: IntArray
    #: (2T,) directed relation of an edge, ascending within (entity, far end).
    edge_relation: IntArray
    #: (2T,) the feature that the edge gives to its entity.
    edge_feature: IntArray
    #: (F,) directed relation of a feature; features ascend by (relation, entity).
    feature_relation: IntArray
    #: (F,) entity of a feature.
    feature_entity: IntArray
    #: (F + 2R + 1,) group -> slice of ``members``.
    group_offsets: IntArray
    #: entities of each group, ascending.
    members: IntArray

    @classmethod
    def build(cls, kg: KnowledgeGraph) -> DirectedGraph:
        """Index the distinct training triples of a graph."""
        triples = distinct_triples(kg.train)
        triples = triples[triples[:, 0] != triples[:, 2]]
        n_entities, n_relations = kg.n_entities, kg.n_relations
        start = np.concatenate([triples[:, 0], triples[:, 2]])
        relation = np.concatenate([triples[:, 1], triples[:, 1] + n_relations])
        end = np.concatenate([triples[:, 2], triples[:, 0]])
        keys = relation.astype(np.int64) * n_entities + start
        by_key = np.lexsort((end, keys))
        offsets = _offsets(keys, 2 * n_relations * n_entities)
        by_entity = np.lexsort((relation, end, start))
        edge_entity, edge_relation = end[by_entity], relation[by_entity]
        features, edge_feature = np.unique(
            edge_relation.astype(np.int64) * n_entities + edge_entity, return_inverse=True
        )
        entity_offsets = _offsets(start, n_entities)
        group_offsets, members = _groups(
            edge_feature, edge_relation, start[by_entity], len(features), 2 * n_relations
        )
        return cls(
            n_entities,
            n_relations,
            offsets,
            _int32(end[by_key]),
            entity_offsets,
            _int32(edge_entity),
            _int32(edge_relation),
            _int32(edge_feature),
            _int32(features // max(n_entities, 1)),
            _int32(features % max(n_entities, 1)),
            group_offsets,
            members,
        )

    @property
    def n_features(self) -> int:
        """Number of distinct (directed relation, entity) pairs."""
        return len(self.feature_relation)

    @property
    def n_groups(self) -> int:
        """Number of unary bodies: features, then directed relations."""
        return len(self.group_offsets) - 1

    def inverse(self, relation: int) -> int:
        """Return the same relation read the other way."""
        return (
            relation + self.n_relations
            if relation < self.n_relations
            else (relation - self.n_relations)
        )

    def neighbours_of(self, relation: int, entity: int) -> IntArray:
        """Return the ascending entities y with relation(entity, y)."""
        key = relation * self.n_entities + entity
        return self.neighbours[self.offsets[key] : self.offsets[key + 1]]

    def members_of(self, group: int) -> IntArray:
        """Return the ascending entities that a unary body holds for."""
        return self.members[self.group_offsets[group] : self.group_offsets[group + 1]]

    def find_features(self, relations: AnyArray, entities: AnyArray) -> LongArray:
        """Return (n,) feature numbers of pairs, -1 where no entity has the pair."""
        known = self.feature_relation.astype(np.int64) * self.n_entities + self.feature_entity
        wanted = relations.astype(np.int64) * self.n_entities + entities
        if len(known) == 0:
            return np.full(len(wanted), -1, dtype=np.int64)
        place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return np.where(known[place] == wanted, place, -1).astype(np.int64)

    def squared_degrees(self) -> int:
        """Return the sum of squared degrees, which bounds the work of mining."""
        degrees = np.diff(self.entity_offsets).astype(np.int64)
        return int((degrees * degrees).sum())


def _offsets(keys: AnyArray, n_keys: int) -> IntArray:
    return _int32(np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=n_keys))]))


def _int32(array: AnyArray) -> IntArray:
    return np.ascontiguousarray(array, dtype=np.int32)


def _groups(
    edge_feature: AnyArray,
    edge_relation: AnyArray,
    start: AnyArray,
    n_features: int,
    n_directed: int,
) -> tuple[IntArray, IntArray]:
    """List the entities of each feature, and after them those of each directed relation."""
    by_feature = np.lexsort((start, edge_feature))
    pairs = np.unique(edge_relation.astype(np.int64) << 32 | start)
    counts = np.concatenate(
        [
            np.bincount(edge_feature, minlength=n_features),
            np.bincount(pairs >> 32, minlength=n_directed),
        ]
    )
    offsets = _int32(np.concatenate([[0], np.cumsum(counts)]))
    return offsets, _int32(np.concatenate([start[by_feature], pairs & 0xFFFFFFFF]))
