"""The training graph as rules see it: directed relations, everything by offset.

Distinct variables of a rule stand for distinct entities, so a triple (x, r, x) is no edge of
a path, and X is never the constant of a head. It does give x the feature (r, x), which a body
with a constant may ask for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.sorted_keys import find_sorted
from hybridkg.graph.triples import distinct_triples
from hybridkg.types import AnyArray, BoolArray, IntArray, LongArray


@dataclass(frozen=True, slots=True)
class DirectedGraph:
    """Distinct training triples in both directions; loops are features only.

    A *feature* is a pair (directed relation, entity) that some entity has:
    x has (d, c) where d(x, c). A *group* is what a unary body asks for: group
    f < n_features is feature f, group n_features + d is "some other d-neighbour".
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
    #: (E + 1,) entity -> slice of ``own_feature``.
    own_offsets: IntArray
    #: features of each entity, ascending; loops included.
    own_feature: IntArray
    #: (F,) directed relation of a feature; features ascend by (relation, entity).
    feature_relation: IntArray
    #: (F,) entity of a feature.
    feature_entity: IntArray
    #: (F + 2R + 1,) group -> slice of ``members``.
    group_offsets: IntArray
    #: entities of each group, ascending.
    members: IntArray
    #: (E + 1,) entity -> slice of ``own_relation``.
    relation_offsets: IntArray
    #: directed relations of each entity's edges, each once, ascending.
    own_relation: IntArray

    @classmethod
    def build(cls, kg: KnowledgeGraph) -> DirectedGraph:
        """Index the distinct training triples of a graph."""
        triples = distinct_triples(kg.train)
        n_entities, n_relations = kg.n_entities, kg.n_relations
        owner, relation, value = _both_ways(triples, n_relations)
        features, feature = np.unique(
            relation.astype(np.int64) * n_entities + value, return_inverse=True
        )
        by_owner = np.lexsort((feature, owner))
        own_offsets = _offsets(owner, n_entities)
        start, relation, end = _both_ways(triples[triples[:, 0] != triples[:, 2]], n_relations)
        group_offsets, members = _groups(
            feature, owner, relation, start, len(features), 2 * n_relations
        )
        having = members[group_offsets[len(features)] :]
        had = np.repeat(np.arange(2 * n_relations), np.diff(group_offsets[len(features) :]))
        keys = relation.astype(np.int64) * n_entities + start
        by_key = np.lexsort((end, keys))
        offsets = _offsets(keys, 2 * n_relations * n_entities)
        by_entity = np.lexsort((relation, end, start))
        return cls(
            n_entities,
            n_relations,
            offsets,
            _int32(end[by_key]),
            _offsets(start, n_entities),
            _int32(end[by_entity]),
            _int32(relation[by_entity]),
            own_offsets,
            _int32(feature[by_owner]),
            _int32(features // max(n_entities, 1)),
            _int32(features % max(n_entities, 1)),
            group_offsets,
            members,
            _offsets(having, n_entities),
            _int32(had[np.argsort(having, kind="stable")]),
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

    def own_values(self, relation: int, entity: int) -> list[int]:
        """Return the entities y with relation(entity, y), the entity itself included."""
        own = self.own_feature[self.own_offsets[entity] : self.own_offsets[entity + 1]]
        values: list[int] = self.feature_entity[
            own[self.feature_relation[own] == relation]
        ].tolist()
        return values

    def members_of(self, group: int) -> IntArray:
        """Return the ascending entities that a unary body holds for."""
        return self.members[self.group_offsets[group] : self.group_offsets[group + 1]]

    def find_features(self, relations: AnyArray, entities: AnyArray) -> LongArray:
        """Return (n,) feature numbers of pairs, -1 where no entity has the pair."""
        known = self.feature_relation.astype(np.int64) * self.n_entities + self.feature_entity
        wanted = relations.astype(np.int64) * self.n_entities + entities
        return find_sorted(known, wanted)

    def looped_features(self) -> BoolArray:
        """(F,) True where the entity of a feature has that feature itself."""
        own = np.repeat(np.arange(self.n_entities), np.diff(self.own_offsets))
        looped: BoolArray = np.zeros(self.n_features, dtype=np.bool_)
        looped[self.own_feature[self.feature_entity[self.own_feature] == own]] = True
        return looped

    def relation_sizes(self) -> IntArray:
        """(2R,) number of distinct training pairs of each directed relation, loops included."""
        pairs = np.zeros(2 * self.n_relations, dtype=np.int64)
        sizes = np.diff(self.group_offsets[: self.n_features + 1])
        np.add.at(pairs, self.feature_relation, sizes)
        return _int32(pairs)

    def looped(self, relation: int) -> IntArray:
        """Return the ascending entities x with relation(x, x)."""
        low, high = np.searchsorted(self.feature_relation, [relation, relation + 1])
        loops = np.flatnonzero(self.looped_features()[low:high]) + low
        return _int32(self.feature_entity[loops])

    def squared_degrees(self) -> int:
        """Return the sum of squared degrees, which bounds the work of mining."""
        degrees = np.diff(self.entity_offsets).astype(np.int64)
        return int((degrees * degrees).sum())


def _offsets(keys: AnyArray, n_keys: int) -> IntArray:
    return _int32(np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=n_keys))]))


def _int32(array: AnyArray) -> IntArray:
    return np.ascontiguousarray(array, dtype=np.int32)


def _both_ways(triples: IntArray, n_relations: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return start, directed relation and end of triples read from head to tail, and back."""
    h, r, t = triples.T
    return (
        np.concatenate([h, t]),
        np.concatenate([r, r + n_relations]),
        np.concatenate([t, h]),
    )


def _groups(
    feature: AnyArray,
    owner: AnyArray,
    relation: AnyArray,
    start: AnyArray,
    n_features: int,
    n_directed: int,
) -> tuple[IntArray, IntArray]:
    """List the entities of each feature, and after them those of each directed relation."""
    by_feature = np.lexsort((owner, feature))
    pairs = np.unique(relation.astype(np.int64) << 32 | start)
    counts = np.concatenate(
        [
            np.bincount(feature, minlength=n_features),
            np.bincount(pairs >> 32, minlength=n_directed),
        ]
    )
    offsets = _int32(np.concatenate([[0], np.cumsum(counts)]))
    return offsets, _int32(np.concatenate([owner[by_feature], pairs & 0xFFFFFFFF]))
