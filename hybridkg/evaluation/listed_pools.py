"""Tables that bring everything: queries, their own candidates, scores, and which are answers."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from hybridkg._io import digest_bytes
from hybridkg.errors import DataError
from hybridkg.evaluation.candidates import LISTED, Protocol
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.evaluation.ranks import Ranks, rank_targets
from hybridkg.evaluation.rounding import RoundingTies, lost_by_rounding
from hybridkg.scoring.factored import as_float32
from hybridkg.scoring.score_columns import layout_of, read_header
from hybridkg.scoring.score_files import score_name
from hybridkg.scoring.score_stream import line_of_row, stream_table
from hybridkg.types import BoolArray, DoubleArray, FloatArray, IntArray, LongArray

_ANSWER = {"1": True, "true": True, "0": False, "false": False}


def evaluate_pools(path: str | Path, *, name: str | None = None) -> RankTable:
    """Rank each answer of a query among the candidates that the file lists for it.

    Other answers of the same query are filtered out.

    Args:
        path: tab-separated with columns query, candidate, score, is_answer (1 or 0).
        name: of the scorer; by default that of the file without its suffixes.

    Returns:
        A table of one instance: head is the query's name, relation "query", tail the answer. The
        candidates of its protocol are "listed".

    Raises:
        DataError: a column is missing, a candidate stands twice in a query, a value is neither 1
            nor 0, a score is no number, or no query has an answer; file and line are named.
        ScoreError: a score is beyond float32.
    """
    pools = _read(path)
    table, unanswered = _rank(pools)
    title = name or score_name(path)
    layout = layout_of(path, read_header(path))
    notes = list(layout.notes)
    if unanswered:
        notes.append(f"{len(unanswered):,} queries have no answer, as {unanswered[0]!r}; left out")
    rounded = _rounding_note(pools, np.flatnonzero(pools.is_answer))
    if rounded is not None:
        notes.append(rounded)
    columns = {
        "optimistic": table.ranks.optimistic,
        "pessimistic": table.ranks.pessimistic,
        "candidates": table.ranks.candidates,
        "scored": table.ranks.scored,
    }
    n = len(table.queries)
    return RankTable(
        heads=[pools.query_names[q] for q in table.queries],
        relations=["query"] * n,
        tails=[pools.candidate_names[c] for c in table.answers],
        targets=["tail"] * n,
        instances=(title,),
        columns={column: values[None, :] for column, values in columns.items()},
        protocol=_protocol(pools),
        about={title: {"source": Path(path).name, "format": layout.words, "notes": notes}},
    )


@dataclass(frozen=True, slots=True)
class _Pools:
    """Rows of the file, grouped by query in the order of the file."""

    path: Path
    query_names: list[str]
    candidate_names: list[str]
    #: (n,) numbers of query and candidate.
    queries: IntArray
    candidates: IntArray
    scores: FloatArray
    #: (n,) scores as they stand in the file.
    wide: DoubleArray
    is_answer: BoolArray


@dataclass(slots=True)
class _Names:
    """Numbers names in the order of their first row."""

    numbers: dict[str, int] = field(default_factory=dict)

    def __call__(self, names: object, rows: LongArray) -> IntArray:
        get = self.numbers.setdefault
        found = [get(one, len(self.numbers)) for one in names]  # type: ignore[attr-defined]
        return np.array(found, dtype=np.int32)


def _read(path: str | Path) -> _Pools:
    layout = layout_of(path, read_header(path))
    if layout.kind != "pools":
        raise DataError(
            f"{path}:1: columns {', '.join(layout.header)}; expected query, candidate, score, "
            "is_answer; other tables need the data set that was scored"
        )
    queries, candidates = _Names(), _Names()
    parts: tuple[array[int], array[int], array[float], array[int]]
    parts = array("i"), array("i"), array("d"), array("b")
    for part in stream_table(path, layout):
        answers = _answers(path, part.labels["is_answer"].distinct)
        bad = answers[part.labels["is_answer"].codes] < 0
        if bad.any():
            row = int(np.argmax(bad))
            text = part.labels["is_answer"].distinct[part.labels["is_answer"].codes[row]]
            raise DataError(
                f"{path}:{line_of_row(path, part.first + row)}: is_answer is {text!r}; expected 1 "
                "or 0; mend it"
            )
        parts[0].frombytes(part.labels["query"].spread(queries, part.first).tobytes())
        parts[1].frombytes(part.labels["candidate"].spread(candidates, part.first).tobytes())
        parts[2].frombytes(part.values.tobytes())
        parts[3].frombytes(answers[part.labels["is_answer"].codes].tobytes())
    query, candidate = (np.frombuffer(one, dtype=np.int32) for one in parts[:2])
    order = np.lexsort((candidate, query))
    names = list(queries.numbers), list(candidates.numbers)
    again = (query[order][1:] == query[order][:-1]) & (
        candidate[order][1:] == candidate[order][:-1]
    )
    if again.any():
        rows = order[int(np.argmax(again)) :][:2]
        lines = sorted(line_of_row(path, int(row)) for row in rows)
        raise DataError(
            f"{path}: candidate {names[1][candidate[rows[0]]]!r} of query "
            f"{names[0][query[rows[0]]]!r} stands in lines {lines[0]} and {lines[1]}; expected "
            "each candidate of a query once; remove one"
        )
    wide = np.frombuffer(parts[2])
    scores = as_float32(wide, f"{path}: a score")
    is_answer = np.frombuffer(parts[3], dtype=np.int8).astype(np.bool_)
    by_query = np.argsort(query, kind="stable")
    return _Pools(Path(path), *names, query[by_query], candidate[by_query], scores[by_query],
                  wide[by_query], is_answer[by_query])  # fmt: skip


def _answers(path: str | Path, texts: list[str]) -> IntArray:
    return np.array([_ANSWER.get(text.lower(), -1) for text in texts], dtype=np.int8)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Answers with their ranks, in the order of the queries."""

    queries: list[int]
    answers: list[int]
    ranks: Ranks


def _rounding_note(pools: _Pools, rows: LongArray) -> str | None:
    """Say how many of the answers in some rows tie through rounding alone."""
    if not lost_by_rounding(pools.wide, pools.scores):
        return None
    rounding = RoundingTies()
    for row in rows.tolist():
        own = slice(*np.searchsorted(pools.queries, pools.queries[row] + np.arange(2)).tolist())
        rounding.count(
            pools.scores[own] == pools.scores[row],
            pools.wide[own] == pools.wide[row],
            ~pools.is_answer[own],
        )
    return rounding.note()


def _rank(pools: _Pools) -> tuple[_Ranked, list[str]]:
    """Rank all answers; also name the queries that have none."""
    n = len(pools.query_names)
    bounds = np.searchsorted(pools.queries, np.arange(n + 1))
    rows, found, unanswered = list[int](), list[Ranks](), list[str]()
    for query in range(n):
        part = slice(int(bounds[query]), int(bounds[query + 1]))
        places = np.flatnonzero(pools.is_answer[part]).astype(np.int32)
        if len(places) == 0:
            unanswered.append(pools.query_names[query])
            continue
        shape = (len(places), part.stop - part.start)
        scores = np.broadcast_to(pools.scores[part], shape)
        found.append(rank_targets(scores, places, np.broadcast_to(pools.is_answer[part], shape)))
        rows += (part.start + places).tolist()
    if not rows:
        raise DataError(
            f"{pools.path}: no row has is_answer 1; expected at least one query with an answer; "
            "mark the true answers"
        )
    ranks = Ranks(
        np.concatenate([one.optimistic for one in found]),
        np.concatenate([one.pessimistic for one in found]),
        np.concatenate([one.candidates for one in found]),
        np.concatenate([one.scored for one in found]),
    )
    return _Ranked(pools.queries[rows].tolist(), pools.candidates[rows].tolist(), ranks), unanswered


def _protocol(pools: _Pools) -> Protocol:
    """Describe the pools; two files with the same ones and other scores have equal digests."""
    rows = sorted(
        f"{pools.query_names[q]}\t{pools.candidate_names[c]}\t{int(a)}"
        for q, c, a in zip(
            pools.queries.tolist(),
            pools.candidates.tolist(),
            pools.is_answer.tolist(),
            strict=True,
        )
    )
    digest = digest_bytes("\n".join(rows).encode())
    asked = digest_bytes("\n".join(row for row in rows if row.endswith("\t1")).encode())
    sizes = np.bincount(pools.queries)
    return Protocol(
        dataset=f"{pools.path.name} ({digest[:12]})",
        split="listed",
        filter="other answers of the query",
        filter_digest=digest,
        candidates=LISTED,
        n_candidates=int(sizes[0]) if (sizes == sizes[0]).all() else 0,
        unseen="keep",
        n_unseen=0,
        targets="tail",
        queries_digest=asked,
    )
