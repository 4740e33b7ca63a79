"""The one evaluator: blocks of distinct queries, scored once each, ranked by counting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hybridkg.errors import ConfigError, ScoreError
from hybridkg.evaluation.candidates import CandidateName, Task, UnseenName, make_task
from hybridkg.evaluation.observers import Observer
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.evaluation.ranks import SMALL, Block, count_block, first_nan
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.graph.triples import AnswerIndex
from hybridkg.scoring.base import (
    FactorScorer,
    Scorer,
    SparseScorer,
    SparseScores,
    check_sparse,
    scorer_name,
)
from hybridkg.scoring.factored import FactorProduct, as_float32, block_height, real_array
from hybridkg.types import (
    TARGETS,
    AnyArray,
    FilterName,
    FloatArray,
    LongArray,
    Target,
)


def evaluate(
    scorer: Scorer,
    kg: KnowledgeGraph,
    *,
    split: str = "test",
    filter_name: FilterName = "all",
    candidates: CandidateName = "all",
    unseen: UnseenName = "keep",
    targets: tuple[Target, ...] = TARGETS,
    observers: Sequence[Observer] = (),
    batch_size: int | None = None,
    name: str | None = None,
    about: dict[str, Any] | None = None,
    progress: bool = False,
) -> RankTable:
    """Rank the true answers of a split under a stated protocol.

    Args:
        scorer: any object with ``score(queries) -> (n, entities)``; ``factor`` and
            ``score_sparse`` are used where it has them.
        kg: the graph; scores refer to its entity ids.
        split: split whose triples are asked.
        filter_name: splits whose triples are known answers: "all", "train+valid", "train", "none".
        candidates: pool, "all" entities or those with a training triple ("train").
        unseen: "keep" or "drop" test triples with entities or relations unseen in training.
        targets: "tail", "head" or both.
        observers: count further per-query figures in the same pass.
        batch_size: distinct queries a block; by default as many as fill 16 MiB of scores, which
            scorers with factors always take.
        name: instance name in the table; by default the scorer's.
        about: facts about the instance (model, seed, ...) to keep with the table.
        progress: show a progress bar on standard error.

    Returns:
        A table with one instance and two rows per triple, tail first.

    Raises:
        ScoreError: a score is NaN, a true answer scores +inf, or the shape is wrong; the
            message names scorer, query and entity.
        SplitError, ConfigError: the protocol cannot be followed on this graph.
    """
    task = make_task(
        kg,
        split=split,
        filter_name=filter_name,
        candidates=candidates,
        unseen=unseen,
        targets=targets,
    )
    title = name or scorer_name(scorer)
    if batch_size is None:
        batch_size = block_height(kg.n_entities)
    if batch_size < 1:
        raise ConfigError(f"batch size {batch_size}; expected 1 or more")
    n = len(task.queries)
    columns: dict[str, AnyArray] = {
        "optimistic": np.empty(n, dtype=np.int32),
        "pessimistic": np.empty(n, dtype=np.int32),
        "candidates": np.empty(n, dtype=np.int32),
        "scored": np.empty(n, dtype=np.bool_),
    }
    for observer in observers:
        columns |= {c: np.empty(n, dtype=dtype) for c, dtype in observer.columns.items()}
    for queries, block, rows in _blocks(scorer, kg, task, title, batch_size, progress):
        _refuse_bad_truth(block, queries, kg, title)
        ranks = count_block(block)
        columns["optimistic"][rows] = ranks.optimistic
        columns["pessimistic"][rows] = ranks.pessimistic
        columns["candidates"][rows] = ranks.candidates
        columns["scored"][rows] = ranks.scored
        for observer in observers:
            for column, values in observer.observe(queries, block).items():
                columns[column][rows] = values
    return RankTable.from_columns(title, kg, task, columns, about or {})


def _blocks(
    scorer: Scorer, kg: KnowledgeGraph, task: Task, title: str, batch_size: int, progress: bool
) -> Iterator[tuple[Queries, Block, LongArray]]:
    """Yield scored blocks with the row numbers of their true answers in the task."""
    answers = task.queries.answers
    scores_of = _ScoreReader(scorer, kg, title, batch_size)
    batch_size = scores_of.batch_size
    compiled = len(task.queries) * kg.n_entities >= SMALL
    restricted = not bool(task.pool.all())
    with _progress_bar(len(task.queries), title, progress) as bar:
        for target in TARGETS:
            queries, rows, offsets = task.queries.distinct(target)
            index = AnswerIndex.build(task.known, kg.n_relations, target)
            start, stop = index.locate(queries.anchors, queries.relations)
            for first in range(0, len(queries), batch_size):
                part = slice(first, min(first + batch_size, len(queries)))
                asked = queries.rows(part)
                low, high = int(offsets[part.start]), int(offsets[part.stop])
                block = Block(
                    scores=scores_of(asked),
                    offsets=offsets[part.start : part.stop + 1] - low,
                    answers=answers[rows[low:high]],
                    known_start=start[part],
                    known_stop=stop[part],
                    known=index.answers,
                    pool=task.pool,
                    restricted=restricted,
                    compiled=compiled,
                )
                yield asked, block, rows[low:high]
                bar.update(high - low)


class _ScoreReader:
    """Reads blocks of scores through the cheapest way a scorer offers, into one buffer."""

    def __init__(self, scorer: Scorer, kg: KnowledgeGraph, title: str, batch_size: int) -> None:
        self._scorer = scorer
        self._kg = kg
        self._title = title
        self._product = FactorProduct(kg.n_entities, title)
        # One height for all products: see there.
        factored = isinstance(scorer, FactorScorer)
        self.batch_size = self._product.height if factored else batch_size
        self._buffer: FloatArray | None = None
        if isinstance(scorer, type) or not callable(getattr(scorer, "score", None)):
            raise ConfigError(
                f"scorer {title!r} is a {type(scorer).__name__} without a method score(queries); "
                "expected one that returns (queries, entities) scores"
            )

    def __call__(self, queries: Queries) -> FloatArray:
        if isinstance(self._scorer, FactorScorer):
            out = self._room(self._product.height)
            self._product(self._scorer.factor(queries), len(queries), out)
            scores = out[: len(queries)]
        elif isinstance(self._scorer, SparseScorer):
            scores = self._scatter(self._scorer.score_sparse(queries), len(queries))
        else:
            scores = self._dense(queries)
        bad = first_nan(scores)
        if bad is not None:
            raise ScoreError(
                f"scorer {self._title!r} gives NaN to {self._kg.entities[bad[1]]!r} as answer "
                f"of {query_words(self._kg, queries, bad[0])}; expected a number, or -inf for "
                "'not scored'. A model that diverged gives NaN: train it again with a lower rate"
            )
        return scores

    def _room(self, n: int) -> FloatArray:
        if self._buffer is None or len(self._buffer) < n:
            self._buffer = np.empty((n, self._kg.n_entities), dtype=np.float32)
        return self._buffer[:n]

    def _scatter(self, found: SparseScores, n: int) -> FloatArray:
        check_sparse(found, n, self._kg.n_entities, self._title)
        out = self._room(n)
        out.fill(-np.inf)
        rows = np.repeat(np.arange(n), np.diff(found.offsets))
        what = f"scorer {self._title!r}: a sparse score"
        out[rows, found.entities] = as_float32(real_array(found.scores, what), what)
        return out

    def _dense(self, queries: Queries) -> FloatArray:
        what = f"scorer {self._title!r}: what it returned"
        scores = real_array(self._scorer.score(queries), what)
        if scores.shape != (len(queries), self._kg.n_entities):
            raise self._wrong_shape(scores.shape, len(queries))
        return np.ascontiguousarray(as_float32(scores, what))

    def _wrong_shape(self, shape: tuple[int, ...], n: int) -> ScoreError:
        return ScoreError(
            f"scorer {self._title!r} returned shape {tuple(shape)} for {n} queries; expected "
            f"({n}, {self._kg.n_entities}): one row a query, one column an entity of "
            f"{self._kg.name}"
        )


def _refuse_bad_truth(block: Block, queries: Queries, kg: KnowledgeGraph, title: str) -> None:
    """Refuse +inf as score of a true answer; NaN is refused before, -inf is "not scored"."""
    group = np.repeat(np.arange(len(block.scores)), np.diff(block.offsets))
    infinite = np.isposinf(block.scores[group, block.answers])
    if infinite.any():
        row = int(np.argmax(infinite))
        raise ScoreError(
            f"scorer {title!r} gives +inf to the true answer "
            f"{kg.entities[int(block.answers[row])]!r} of "
            f"{query_words(kg, queries, int(group[row]))}; expected a finite score, or -inf for "
            "'not scored'"
        )


def query_words(kg: KnowledgeGraph, queries: Queries, row: int) -> str:
    """Spell a query with its labels, as in ``(bob, advises, ?)``."""
    anchor = kg.entities[int(queries.anchors[row])]
    relation = kg.relations[int(queries.relations[row])]
    if queries.target == "tail":
        return f"({anchor}, {relation}, ?)"
    return f"(?, {relation}, {anchor})"


class _NoBar:
    """Stands in for a progress bar that nobody wants to see."""

    def __enter__(self) -> _NoBar:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def update(self, n: int) -> None:
        """Count silently."""


def _progress_bar(total: int, title: str, shown: bool) -> Any:
    if not shown:
        return _NoBar()
    from tqdm import tqdm

    return tqdm(total=total, desc=f"ranking {title}", unit="query", leave=False)
