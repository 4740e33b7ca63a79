"""The best-ranked candidates of every query, kept while the scores are at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hybridkg._io import atomic_path
from hybridkg.errors import ConfigError
from hybridkg.evaluation.blocks import Block
from hybridkg.evaluation.observers import MAX_CUTOFF
from hybridkg.evaluation.ranks import Ranks
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.graph.tsv import render_tsv
from hybridkg.types import AnyArray, FloatArray, IntArray, LongArray, Target

#: Columns of a file of lists, which `audit --predictions` and `evaluate --scores` read.
LIST_COLUMNS = ("head", "relation", "tail", "rank", "candidate", "score")


@dataclass(frozen=True, slots=True)
class CandidateList:
    """The first candidates of one query."""

    target: Target
    anchor: int
    relation: int
    #: (n,) entity ids, best first; equal scores in the order of the labels.
    entities: IntArray
    #: (n,) their scores, above -inf.
    scores: FloatArray


@dataclass(slots=True)
class ListObserver:
    """Keeps the first k scored candidates of each query; adds no column.

    Known answers are left out, the true answers that are asked for stay in. Where each true
    answer has candidates of its own, those of one query are put together.
    """

    #: length of the lists; fewer where fewer candidates have a score.
    k: int
    _lists: dict[tuple[Target, int, int], CandidateList] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not 1 <= self.k <= MAX_CUTOFF:
            raise ConfigError(f"lists of {self.k} candidates; expected 1 to {MAX_CUTOFF:,}")

    @property
    def lists(self) -> list[CandidateList]:
        """One list a query, in the order of evaluation."""
        return list(self._lists.values())

    @property
    def columns(self) -> Mapping[str, str]:
        """No column."""
        return {}

    def observe(self, queries: Queries, block: Block, ranks: Ranks) -> Mapping[str, AnyArray]:
        """Keep the lists of a block."""
        best, places = best_places(block, self.k)
        offsets = block.truths.offsets
        for i in range(len(block)):
            listed = places[i][places[i] >= 0]
            entities, scores = block.row_entities(i)[listed], best[i][: len(listed)]
            part = slice(offsets[i], offsets[i + 1])
            truth, scored = block.truths.answers[part], block.truth[part] > -np.inf
            self._keep(
                (queries.target, int(queries.anchors[i]), int(queries.relations[i])),
                np.concatenate([entities, truth[scored]]),
                np.concatenate([scores, block.truth[part][scored]]),
            )
        return {}

    def _keep(self, query: tuple[Target, int, int], entities: IntArray, scores: FloatArray) -> None:
        former = self._lists.get(query)
        if former is not None:
            entities = np.concatenate([former.entities, entities])
            scores = np.concatenate([former.scores, scores])
        entities, first = np.unique(entities, return_index=True)
        order = np.lexsort((entities, -scores[first]))[: self.k]
        kept = entities[order].astype(np.int32), scores[first][order]
        self._lists[query] = CandidateList(*query, *kept)


def best_places(block: Block, k: int) -> tuple[FloatArray, LongArray]:
    """Return (b, k) scores and places of the best candidates that are no known answers.

    Of equal scores the first place counts; -inf and -1 stand where fewer have a score.
    """
    if block.compiled:
        from hybridkg.evaluation.top_kernels import list_best

        return list_best(block, k)
    best = np.full((len(block), k), -np.inf, dtype=np.float32)
    places = np.full((len(block), k), -1, dtype=np.int64)
    for i in range(len(block)):
        row = block.scores[block.start[i] : block.stop[i]]
        free = row > -np.inf
        free[block.known.entities[block.known.start[i] : block.known.stop[i]]] = False
        listed = np.flatnonzero(free)
        order = listed[np.argsort(-row[listed], kind="stable")][:k]
        places[i, : len(order)] = order
        best[i, : len(order)] = row[order]
    return best, places


def write_lists(path: str | Path, observer: ListObserver, kg: KnowledgeGraph) -> None:
    """Write lists as a table with a header, atomically.

    Args:
        path: head, relation, tail ("?" at the end that is asked for), rank, candidate, score.
        observer: has seen an evaluation.
        kg: gives the labels.
    """
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8") as stream:
        stream.write(render_tsv([LIST_COLUMNS]))
        for one in observer.lists:
            stream.write(render_tsv(_rows(one, kg)))


def _rows(one: CandidateList, kg: KnowledgeGraph) -> Iterator[tuple[str, ...]]:
    anchor, relation = kg.entities[one.anchor], kg.relations[one.relation]
    head, tail = (anchor, "?") if one.target == "tail" else ("?", anchor)
    pairs = zip(one.entities.tolist(), one.scores, strict=True)
    for rank, (entity, score) in enumerate(pairs, start=1):
        # The shortest text that reads back as the same float32.
        yield head, relation, tail, str(rank), kg.entities[entity], str(score)
