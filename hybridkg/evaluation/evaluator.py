"""The one evaluator: blocks of distinct queries, scored once each, ranked by counting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridkg.errors import ConfigError, ScoreError
from hybridkg.evaluation.arrangement import Arranger, Asked
from hybridkg.evaluation.blocks import Block, KnownAnswers, Truths
from hybridkg.evaluation.candidates import Candidates, Task, UnseenName, make_task
from hybridkg.evaluation.cardinality import relation_cardinality
from hybridkg.evaluation.observers import Observer
from hybridkg.evaluation.plan import Plan, plan_run
from hybridkg.evaluation.progress import Watch, duration_words, progress_bar
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.evaluation.ranks import EQUALITIES, SMALL, Equality, Ranks, count_block
from hybridkg.evaluation.rounding import RoundingTies
from hybridkg.evaluation.score_reader import DenseBlock, ScoreReader, query_words, score_path
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.scoring.base import Scorer, scorer_name
from hybridkg.types import TARGETS, AnyArray, FilterName, LongArray, Target

if TYPE_CHECKING:
    from hybridkg.evaluation.inductive import TrainedOn

#: Takes one line about the progress of a run.
Note = Callable[[str], None]
#: A run that is expected to take longer says so when it is a second old, in seconds.
_LONG = 10.0


def evaluate(
    scorer: Scorer,
    kg: KnowledgeGraph,
    *,
    split: str = "test",
    filter_name: FilterName = "all",
    candidates: Candidates = "all",
    unseen: UnseenName = "keep",
    targets: tuple[Target, ...] = TARGETS,
    trained_on: TrainedOn | None = None,
    equality: Equality = "exact",
    observers: Sequence[Observer] = (),
    batch_size: int | None = None,
    memory: int | None = None,
    threads: int | None = None,
    name: str | None = None,
    about: dict[str, Any] | None = None,
    progress: bool = False,
    note: Note | None = None,
) -> RankTable:
    """Rank the true answers of a split under a stated protocol.

    Args:
        scorer: any object with ``score(queries) -> (n, entities)``; ``factor`` and
            ``score_sparse`` are used where it has them.
        kg: the graph; scores refer to its entity ids.
        split: split whose triples are asked.
        filter_name: splits whose triples are known answers: "all", "train+valid", "train", "none".
        candidates: "all" entities, those with a training triple ("train"), the path of a file
            of candidates, or sets; see :func:`hybridkg.evaluation.candidates.make_task`.
        unseen: "keep" or "drop" test triples with entities or relations unseen in training.
        targets: "tail", "head" or both.
        trained_on: the checked training graph of an inductive model, where it is another one.
        equality: when two scores tie: "exact", or "libkge" within LibKGE's default tolerance.
        observers: count further per-query figures in the same pass.
        batch_size: distinct queries a block; by default as many as fill 64 MiB of scores, which
            scorers with factors always take.
        memory: bytes that the run may take beside graph and scorer; None for no limit.
        threads: threads of the matrix products and of the counting; None leaves the products to
            the linear algebra library and counts on one. Another number may round products
            differently.
        name: instance name in the table; by default the scorer's.
        about: facts about the instance (model, seed, ...) to keep with the table.
        progress: show a progress bar on standard error.
        note: takes one line about memory before the run, and one about time where it is long.

    Returns:
        A table with one instance and two rows per triple, tail first.

    Raises:
        ScoreError: a score is NaN, a true answer scores +inf, or the shape is wrong; the
            message names scorer, query and entity.
        SplitError, ConfigError: the protocol cannot be followed on this graph, or observers do
            not return the columns that they announce.
        DataError: a file of candidates cannot be used.
    """
    if equality not in EQUALITIES:
        raise ConfigError(f"equality {equality!r}; expected one of {', '.join(EQUALITIES)}")
    if threads is not None and threads < 1:
        raise ConfigError(f"threads {threads}; expected 1 or more")
    title = name or scorer_name(scorer)
    path = score_path(scorer, title)
    task = make_task(
        kg,
        split=split,
        filter_name=filter_name,
        candidates=candidates,
        unseen=unseen,
        targets=targets,
        trained_on=trained_on,
    )
    task = replace(task, protocol=replace(task.protocol, equality=equality))
    columns = _empty_columns(len(task.queries), observers)
    columns["cardinality"] = relation_cardinality(kg)[task.queries.relations]
    distinct = [(target, *task.queries.distinct(target)) for target in TARGETS]
    plan = plan_run(
        path,
        n_queries=sum(len(queries) for _, queries, _, _ in distinct),
        n_rows=len(task.queries),
        n_entities=kg.n_entities,
        n_known=len(task.known),
        row_bytes=sum(values.itemsize for values in columns.values()),
        restricted=task.is_restricted,
        batch_size=batch_size,
        memory=memory,
    )
    if note is not None:
        note(f"{title}: {plan.sentence()}")
    run = _Run(scorer, kg, task, plan, title, distinct, progress=progress, note=note)
    rounding = RoundingTies()
    with ExitStack() as stack:
        pool = _limit_threads(stack, threads)
        for queries, block, rows in run.blocks():
            _refuse_bad_truth(block, queries, kg, title)
            ranks = count_block(block, equality, pool, threads or 1)
            if ranks is None:
                raise run.nan_error()
            _store(columns, rows, queries, block, ranks, observers)
            # Within a tolerance, what rounding moved ties with or without it.
            if equality == "exact":
                rounding.add(block)
            # Else it would stay in memory until the next one is there.
            del block
    facts = dict(about or {})
    if rounding.note() is not None:
        facts["notes"] = [*facts.get("notes", []), rounding.note()]
    return RankTable.from_columns(title, kg, task, columns, facts)


def _empty_columns(n: int, observers: Sequence[Observer]) -> dict[str, AnyArray]:
    columns: dict[str, AnyArray] = {
        "optimistic": np.empty(n, dtype=np.int32),
        "pessimistic": np.empty(n, dtype=np.int32),
        "candidates": np.empty(n, dtype=np.int32),
        "scored": np.empty(n, dtype=np.bool_),
    }
    for observer in observers:
        twice = sorted(columns.keys() & observer.columns.keys())
        if twice:
            raise ConfigError(
                f"observer {type(observer).__name__} counts {', '.join(twice)}, which stand in the "
                "table already; expected columns of its own; leave one of the observers out"
            )
        columns |= {c: np.empty(n, dtype=dtype) for c, dtype in observer.columns.items()}
    return columns


def _store(
    columns: dict[str, AnyArray],
    rows: LongArray,
    queries: Queries,
    block: Block,
    ranks: Ranks,
    observers: Sequence[Observer],
) -> None:
    columns["optimistic"][rows] = ranks.optimistic
    columns["pessimistic"][rows] = ranks.pessimistic
    columns["candidates"][rows] = ranks.candidates
    columns["scored"][rows] = ranks.scored
    for observer in observers:
        found = observer.observe(queries, block, ranks)
        if found.keys() != observer.columns.keys():
            raise ConfigError(
                f"observer {type(observer).__name__} returned columns {sorted(found)}; expected "
                f"{sorted(observer.columns)}, as it says of itself"
            )
        for column, values in found.items():
            columns[column][rows] = values


def _limit_threads(stack: ExitStack, threads: int | None) -> Executor | None:
    """Set the threads of matrix products, and return what counts with more than one."""
    if threads is None:
        return None
    from threadpoolctl import threadpool_limits

    stack.enter_context(threadpool_limits(limits=threads))
    return stack.enter_context(ThreadPoolExecutor(threads)) if threads > 1 else None


class _Run:
    """Cuts the queries of a task into scored blocks."""

    def __init__(
        self,
        scorer: Scorer,
        kg: KnowledgeGraph,
        task: Task,
        plan: Plan,
        title: str,
        distinct: Sequence[tuple[Target, Queries, LongArray, LongArray]],
        *,
        progress: bool,
        note: Note | None,
    ) -> None:
        self._kg = kg
        self._task = task
        self._plan = plan
        self._title = title
        self._distinct = distinct
        self._progress = progress
        self._note = note
        self._reader = ScoreReader(scorer, kg, title, plan.height, sparse_scores=plan.sparse_scores)
        self._scored: tuple[DenseBlock, Queries] | None = None

    def blocks(self) -> Iterator[tuple[Queries, Block, LongArray]]:
        """Yield blocks, the query of each of their rows, and the rows of the rank table."""
        answers = self._task.queries.answers
        compiled = len(self._task.queries) * self._kg.n_entities >= SMALL
        arrange = Arranger(self._task, self._kg.n_entities, compiled=compiled)
        watch = Watch(self._plan.n_queries)
        with progress_bar(len(self._task.queries), self._title, self._progress) as bar:
            for target, queries, rows, offsets in self._distinct:
                index = self._kg.answer_index(target, self._task.filter_name)
                start, stop = index.locate(queries.anchors, queries.relations)
                known = KnownAnswers(start, stop, index.answers)
                whole = Asked(queries, Truths(offsets, answers[rows]), known, rows)
                first = 0
                while first < len(queries):
                    last = min(first + self._reader.height, len(queries))
                    asked = whole.part(first, last)
                    scored = self._reader(asked.queries)
                    if isinstance(scored, DenseBlock):
                        self._scored = scored, asked.queries
                        if not arrange.sees_all:
                            self._reader.refuse_nan(scored.scores, asked.queries)
                    yield from arrange(scored, asked)
                    bar.update(len(asked.rows))
                    expected = watch.expected(last - first)
                    if self._note is not None and expected > _LONG:
                        self._note(f"{self._title}: about {duration_words(expected)} in all")
                    first = last
                    # Else the next scores would be made beside these.
                    self._scored = None
                    del scored

    def nan_error(self) -> ScoreError:
        """Return the error that names the NaN in the block at hand."""
        assert self._scored is not None
        try:
            self._reader.refuse_nan(self._scored[0].scores, self._scored[1])
        except ScoreError as error:
            return error
        raise AssertionError("a NaN was counted that is not there")


def _refuse_bad_truth(block: Block, queries: Queries, kg: KnowledgeGraph, title: str) -> None:
    """Refuse +inf as score of a true answer; NaN is refused elsewhere, -inf is "not scored"."""
    infinite = np.isposinf(block.truth)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise ScoreError(
            f"scorer {title!r} gives +inf to the true answer "
            f"{kg.entities[int(block.truths.answers[row])]!r} of "
            f"{query_words(kg, queries, int(block.truths.groups[row]))}; expected a finite "
            "score, or -inf for 'not scored'"
        )
