"""Scores that other tools computed, as a scorer over the ids of a graph."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.graph.sorted_keys import find_sorted, offsets_of
from hybridkg.scoring.base import SparseScores
from hybridkg.types import AnyArray, BoolArray, DoubleArray, IntArray, LongArray, Target

#: Stands in a query for the end that is asked for.
ASKED = "?"


@dataclass(frozen=True, slots=True)
class QueryCode:
    """One number a query, rising with target (tail first), relation and anchor."""

    n_entities: int
    n_relations: int

    @classmethod
    def of_graph(cls, kg: KnowledgeGraph) -> QueryCode:
        """Return the code over a graph's ids.

        Raises:
            DataError: the graph is so large that a query and a candidate do not fit in one
                number, or an entity is called ``?``.
        """
        if 2 * kg.n_relations * kg.n_entities**2 >= 2**63:
            raise DataError(
                f"{kg.name} has {kg.n_entities:,} entities and {kg.n_relations:,} relations; "
                "score files are read for graphs with 2 * relations * entities^2 below 2^63"
            )
        if ASKED in kg.entities:
            raise DataError(
                f"an entity of {kg.name} is called {ASKED!r}, which marks the asked end in score "
                "files; expected another label; rename it"
            )
        return cls(kg.n_entities, kg.n_relations)

    def encode(self, asks_tail: BoolArray, anchors: IntArray, relations: IntArray) -> LongArray:
        """Return the (n,) numbers of queries given by (n,) arrays."""
        keys: LongArray = (~asks_tail).astype(np.int64)
        keys *= self.n_relations
        keys += relations
        keys *= self.n_entities
        keys += anchors
        return keys

    def of_queries(self, queries: Queries) -> LongArray:
        """Return the (n,) numbers of a block of queries."""
        asks_tail = np.full(len(queries), queries.target == "tail")
        return self.encode(asks_tail, queries.anchors, queries.relations)

    def decode(self, keys: LongArray) -> tuple[BoolArray, IntArray, IntArray]:
        """Return what is asked (True for the tail), anchors and relations, (n,) each."""
        rest, anchors = np.divmod(keys, self.n_entities)
        heads, relations = np.divmod(rest, self.n_relations)
        return heads == 0, anchors.astype(np.int32), relations.astype(np.int32)


def spell_query(kg: KnowledgeGraph, code: QueryCode, key: int) -> str:
    """Spell a coded query with its labels, as in ``(bob, advises, ?)``."""
    asks_tail, anchors, relations = code.decode(np.array([key], dtype=np.int64))
    anchor, relation = kg.entities[int(anchors[0])], kg.relations[int(relations[0])]
    return f"({anchor}, {relation}, ?)" if asks_tail[0] else f"(?, {relation}, {anchor})"


@dataclass(frozen=True, slots=True)
class StatedTriples:
    """Test triples that a file names beside its queries; they must be those that are asked."""

    #: (n, 3) ids.
    triples: IntArray
    #: (n,) line of each, 1-based.
    lines: LongArray


@dataclass(frozen=True, slots=True)
class Source:
    """Where scores come from, and what was recognised there."""

    #: file or folder as it was named.
    path: Path
    #: format in words.
    format: str
    #: what was passed over, one sentence each.
    notes: tuple[str, ...] = ()
    #: False where the file holds triples, of which each answers two queries whether asked or not.
    states_queries: bool = True
    #: the test triples that the file names, or None.
    stated: StatedTriples | None = None
    #: labels of columns that are no entity of the graph, sorted.
    unknown_labels: tuple[str, ...] = ()


class ExternalScorer(ABC):
    """Scores of a foreign tool, joined by label; a query that the file lacks scores nothing."""

    def __init__(self, name: str, kg: KnowledgeGraph, source: Source, keys: LongArray) -> None:
        """Keep what all formats share.

        Args:
            name: stands in tables.
            kg: scores refer to its entity ids.
            source: where the scores come from.
            keys: coded queries that the source answers, distinct and rising.
        """
        self.name = name
        self.kg = kg
        self.source = source
        self.code = QueryCode.of_graph(kg)
        self.keys = keys

    @abstractmethod
    def score(self, queries: Queries) -> AnyArray:
        """Score every entity as answer of every query.

        Args:
            queries: a block of n queries with one target.

        Returns:
            (n, entities) float32, or float64 where the file has more digits; -inf marks
            "not scored".
        """

    @abstractmethod
    def given(self, queries: Queries) -> BoolArray:
        """Tell which candidates the source lists, also those that it gives -inf.

        Returns:
            (n, entities), False throughout for a query that the source lacks.
        """

    @abstractmethod
    def n_given(self, queries: Queries) -> LongArray:
        """Return how many candidates the source lists for each of n queries."""

    def has(self, queries: Queries) -> BoolArray:
        """Tell for each of n queries whether the source answers it."""
        return self.locate(queries) >= 0

    def locate(self, queries: Queries) -> LongArray:
        """Return the (n,) places of queries in ``keys``, -1 for those it lacks."""
        return find_sorted(self.keys, self.code.of_queries(queries))

    def n_queries(self, target: Target) -> int:
        """Return the number of queries of one target that the source answers."""
        return int((self.code.decode(self.keys)[0] == (target == "tail")).sum())


class ListedScores(ExternalScorer):
    """Scores of listed candidates, a list a query."""

    def __init__(
        self,
        name: str,
        kg: KnowledgeGraph,
        source: Source,
        keys: LongArray,
        offsets: LongArray,
        entities: IntArray,
        scores: DoubleArray,
    ) -> None:
        """Keep the lists.

        Args:
            name: stands in tables.
            kg: scores refer to its entity ids.
            source: where the scores come from.
            keys: (k,) coded queries, distinct and rising.
            offsets: (k + 1,) offsets of each query's list.
            entities: (n,) entity ids, rising within a list.
            scores: (n,) their scores.
        """
        super().__init__(name, kg, source, keys)
        self.offsets = offsets
        self.entities = entities
        self.scores = scores

    def score(self, queries: Queries) -> AnyArray:
        """Score as :meth:`ExternalScorer.score` says."""
        found = self.score_sparse(queries)
        scores = np.full((len(queries), self.kg.n_entities), -np.inf)
        scores[_rows(found.offsets), found.entities] = found.scores
        return scores

    def score_sparse(self, queries: Queries) -> SparseScores:
        """Return the listed candidates of a block, scores as float64."""
        place = self.locate(queries)
        first = np.where(place >= 0, self.offsets[place], 0)
        sizes = np.where(place >= 0, self.offsets[place + 1], 0) - first
        offsets = offsets_of(sizes)
        entries = np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], sizes)
        # The evaluator narrows, and sees what that does to close scores.
        return SparseScores(offsets, self.entities[entries], self.scores[entries])

    def n_given(self, queries: Queries) -> LongArray:
        """Return how many candidates are listed for each of n queries."""
        place = self.locate(queries)
        return np.where(place >= 0, np.diff(self.offsets, append=0)[place], 0)

    def given(self, queries: Queries) -> BoolArray:
        """Tell which candidates are listed."""
        found = self.score_sparse(queries)
        given = np.zeros((len(queries), self.kg.n_entities), dtype=np.bool_)
        given[_rows(found.offsets), found.entities] = True
        return given


def _rows(offsets: LongArray) -> LongArray:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
