"""Whether a score file covers a protocol: queries and candidates that are asked and not there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.errors import DataError, ScoreError, shortened
from hybridkg.evaluation.candidate_sets import QueryLists, RelationSets
from hybridkg.evaluation.candidates import Task
from hybridkg.evaluation.score_reader import query_words
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.graph.sorted_keys import flat_ranges, offsets_of
from hybridkg.graph.triples import AnswerIndex, contains_triples
from hybridkg.scoring.external import ExternalScorer, spell_query
from hybridkg.scoring.factored import block_height
from hybridkg.types import TARGETS, BoolArray, LongArray, Target

_N_SHOWN = 5
#: How an incomplete file is allowed, on the command line and in Python.
_PARTIAL = "--partial (in Python partial=True)"


@dataclass(frozen=True, slots=True)
class Gaps:
    """What a protocol asks and a score file lacks, and the other way round."""

    #: distinct queries that are asked.
    n_queries: int
    #: asked queries that the file lacks, in the order of the split; all of them.
    missing: tuple[str, ...]
    #: queries of the file that are not asked.
    n_extra: int
    #: some of these.
    extra: tuple[str, ...]
    #: candidates without a score, over the asked queries that the file has.
    n_unscored: int
    #: queries that have such candidates.
    n_short: int
    #: some of them, each with its query.
    unscored: tuple[str, ...]


def find_gaps(scorer: ExternalScorer, kg: KnowledgeGraph, task: Task) -> Gaps:
    """Compare a score file with the queries and pools of an evaluation.

    A query needs a score for each member of the pool that is no known answer, and for its true
    answers; what the filter removes need not be there, and an explicit -inf is a score.
    """
    n_queries, missing, asked_keys = 0, list[tuple[int, str]](), []
    n_unscored, n_short, unscored = 0, 0, list[str]()
    for target in TARGETS:
        queries, rows, offsets = task.queries.distinct(target)
        n_queries += len(queries)
        asked_keys.append(scorer.code.of_queries(queries))
        has = scorer.has(queries)
        first = rows[offsets[:-1]]
        lacking = np.flatnonzero(~has).tolist()
        missing += [(int(first[i]), query_words(kg, queries, i)) for i in lacking]
        # A query with as many candidates as there are entities lacks none.
        few = np.flatnonzero(has & (scorer.n_given(queries) < kg.n_entities))
        needs = _Needs.of_target(task, kg, target, few)
        height = block_height(kg.n_entities)
        for start in range(0, len(few), height):
            asked, needed = needs.part(slice(start, start + height))
            lacks = needed & ~scorer.given(asked)
            per_query = lacks.sum(axis=1)
            n_unscored += int(per_query.sum())
            n_short += int((per_query > 0).sum())
            for i in np.flatnonzero(per_query)[: _N_SHOWN - len(unscored)].tolist():
                entity = kg.entities[int(np.argmax(lacks[i]))]
                unscored.append(f"{entity!r} of {query_words(kg, asked, i)}")
    extra = _not_asked(scorer, np.concatenate(asked_keys))
    return Gaps(
        n_queries,
        tuple(words for _, words in sorted(missing)),
        len(extra),
        tuple(spell_query(kg, scorer.code, int(key)) for key in extra[:_N_SHOWN]),
        n_unscored,
        n_short,
        tuple(unscored),
    )


@dataclass(frozen=True, slots=True)
class _Needs:
    """Which candidates compete in some queries of one target."""

    task: Task
    queries: Queries
    known: AnswerIndex
    #: row of the task of each true answer, grouped by query, and the offsets of the groups.
    rows: LongArray
    offsets: LongArray

    @classmethod
    def of_target(cls, task: Task, kg: KnowledgeGraph, target: Target, chosen: LongArray) -> _Needs:
        """Take the chosen ones of the distinct queries of a target."""
        queries, rows, offsets = task.queries.distinct(target)
        sizes = np.diff(offsets)
        mine = np.isin(np.repeat(np.arange(len(queries)), sizes), chosen)
        return cls(
            task,
            Queries(target, queries.anchors[chosen], queries.relations[chosen]),
            kg.answer_index(target, task.filter_name),
            rows[mine],
            offsets_of(sizes[chosen]),
        )

    def part(self, chosen: slice) -> tuple[Queries, BoolArray]:
        """Return n queries and (n, entities), True for what needs a score.

        That is the pool without the known answers, and the true answers themselves.
        """
        queries = self.queries.rows(chosen)
        every = np.arange(len(queries))
        offsets = self.offsets[chosen.start : chosen.start + len(queries) + 1]
        rows = self.rows[offsets[0] : offsets[-1]]
        owners = np.repeat(every, np.diff(offsets))
        needed = self._pools(queries, owners, rows)
        start, stop = self.known.locate(queries.anchors, queries.relations)
        known = self.known.answers[flat_ranges(start, stop)]
        needed[np.repeat(every, stop - start), known] = False
        needed[owners, self.task.queries.answers[rows]] = True
        return queries, needed

    def _pools(self, queries: Queries, owners: LongArray, rows: LongArray) -> BoolArray:
        """Return (n, entities), True for the candidates of each query before the filter."""
        sets = self.task.sets
        if isinstance(sets, QueryLists):
            needed = np.zeros((len(queries), len(self.task.pool)), dtype=np.bool_)
            start, stop = sets.offsets[rows], sets.offsets[rows + 1]
            needed[np.repeat(owners, stop - start), sets.entities[flat_ranges(start, stop)]] = True
            return needed
        if isinstance(sets, RelationSets):
            needed = np.zeros((len(queries), len(self.task.pool)), dtype=np.bool_)
            for i, relation in enumerate(queries.relations.tolist()):
                needed[i, sets.of(queries.target, relation)] = True
            return needed
        return np.tile(self.task.pool, (len(queries), 1))


def _not_asked(scorer: ExternalScorer, asked: LongArray) -> LongArray:
    """Return the coded queries of a file that nobody asks; triples ask nothing themselves."""
    if not scorer.source.states_queries:
        return np.zeros(0, dtype=np.int64)
    return scorer.keys[~np.isin(scorer.keys, asked)]


def refuse_other_triples(scorer: ExternalScorer, kg: KnowledgeGraph, split: str) -> None:
    """Refuse a file that names test triples of another split.

    Raises:
        DataError: naming the first such triple with its line.
    """
    stated = scorer.source.stated
    if stated is None:
        return
    other = np.flatnonzero(~contains_triples(kg.split(split), stated.triples))
    if len(other):
        at = int(other[0])
        triple = kg.label_triples(stated.triples[at : at + 1])[0]
        raise DataError(
            f"{scorer.source.path}:{stated.lines[at]}: triple {triple} is not in split {split!r} "
            f"of {kg.name} (triples of the file that are not: {len(other):,} of "
            f"{len(stated.lines):,}); expected the triples of that split; name the "
            "one that was ranked with --split"
        )


def refuse_no_answer(scorer: ExternalScorer, kg: KnowledgeGraph, gaps: Gaps, split: str) -> None:
    """Refuse a file that answers no query at all, which no partial run can want.

    Raises:
        ScoreError: naming queries of both sides.
    """
    if len(gaps.missing) == gaps.n_queries:
        extra = f"; it answers {gaps.n_extra:,} others, as {gaps.extra[0]}" if gaps.extra else ""
        raise ScoreError(
            f"{scorer.source.path} answers none of the {gaps.n_queries:,} queries of split "
            f"{split!r} of {kg.name}, as {gaps.missing[0]}{extra}; expected scores for this "
            "split; name the one that was scored with --split"
        )


def refuse_gaps(scorer: ExternalScorer, kg: KnowledgeGraph, gaps: Gaps, split: str) -> None:
    """Refuse a file that does not cover the protocol.

    Raises:
        ScoreError: queries are missing, or candidates of a filtered pool are.
    """
    path = scorer.source.path
    unknown = scorer.source.unknown_labels
    if unknown:
        raise ScoreError(
            f"{path}: columns of entities that {kg.name} does not have: {len(unknown):,}, as "
            f"{', '.join(repr(shortened(one)) for one in unknown[:_N_SHOWN])}. Expected the labels "
            f"of the data set; mend the map of the columns, or rank with {_PARTIAL}, which leaves "
            "them out"
        )
    if gaps.missing:
        others = (
            f"; in the file and not asked: {gaps.n_extra:,}, as "
            f"{', '.join(gaps.extra)}; another split, or labels that are spelled otherwise?"
            if gaps.extra
            else "."
        )
        raise ScoreError(
            f"{path}: queries that are not in the file: {len(gaps.missing):,} of "
            f"{gaps.n_queries:,}, as {_first(gaps.missing)}{others} "
            f"Expected all queries of split {split!r} of {kg.name}; add them, or rank with "
            f"{_PARTIAL}, which leaves all their candidates unscored"
        )
    if gaps.n_unscored:
        raise ScoreError(
            f"{path}: candidates without a score: {gaps.n_unscored:,}, in {gaps.n_short:,} of "
            f"{gaps.n_queries:,} queries, as {', '.join(gaps.unscored)}"
            f"{', ...' if gaps.n_short > len(gaps.unscored) else ''}. Expected every entity of the "
            f"pool that the filter leaves in; add them, or rank with {_PARTIAL}, which ties them "
            "below every scored one"
        )


def gap_notes(gaps: Gaps) -> list[str]:
    """Say in sentences what is missing, and what is there without being asked."""
    notes = []
    if gaps.missing:
        notes.append(
            f"queries that are not in the file: {len(gaps.missing):,} of {gaps.n_queries:,}; all "
            "their candidates are unscored"
        )
    if gaps.n_unscored:
        notes.append(
            f"candidates without a score in the file: {gaps.n_unscored:,}, in {gaps.n_short:,} of "
            f"{gaps.n_queries:,} queries; they tie below every scored one"
        )
    if gaps.n_extra:
        notes.append(
            f"queries of the file that are not asked: {gaps.n_extra:,}, as {gaps.extra[0]}; left "
            "out"
        )
    return notes


def _first(texts: tuple[str, ...]) -> str:
    return ", ".join(texts[:_N_SHOWN]) + (", ..." if len(texts) > _N_SHOWN else "")
