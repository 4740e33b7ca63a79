"""Tables of scores, columns by name: candidates of queries, scored triples, ranked lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.external import ASKED, ListedScores, QueryCode, Source, spell_query
from hybridkg.scoring.query_maps import NamedQueries
from hybridkg.scoring.score_columns import TableLayout, layout_of, read_header
from hybridkg.scoring.score_entries import Chunk, Lists, gather, join_lists
from hybridkg.scoring.score_labels import ASKED_ID, LabelIds
from hybridkg.scoring.score_stream import TablePart, line_of_row, stream_table
from hybridkg.types import IntArray, LongArray


def read_score_table(
    path: str | Path, kg: KnowledgeGraph, *, name: str, queries: NamedQueries | None = None
) -> ListedScores:
    """Read a table of scores, or of ranks.

    Args:
        path: tab-separated with a header line, columns in any order.
        kg: its labels.
        name: of the scorer.
        queries: what the names in a column ``query`` mean.

    Raises:
        DataError: a column is missing, a label is unknown, a candidate stands twice in a query,
            or a score is no number; file and line are named.
        ConfigError: the table names queries, and there is no map of them.
    """
    layout = layout_of(path, read_header(path), named_queries=queries is not None)
    if layout.kind in ("queries", "pools"):
        if queries is None:
            raise ConfigError(
                f"{path} names its queries in a column 'query'; expected a table that says what "
                "they ask (query, head, relation, tail with '?'); name it with --queries FILE"
                + (", or leave the data set out" if layout.kind == "pools" else "")
            )
        return _read_named(path, kg, name, layout, queries)
    labels = LabelIds(path, kg, lambda row: line_of_row(path, row))
    found = _read_triples(path, layout, labels) if layout.kind == "triples" else None
    lists = found or _read_candidates(path, layout, labels)
    source = Source(Path(path), layout.words, layout.notes, states_queries=layout.kind != "triples")
    return ListedScores(
        name, kg, source, lists.numbers, lists.offsets, lists.entities, lists.scores
    )


def _read_candidates(path: str | Path, layout: TableLayout, labels: LabelIds) -> Lists:
    chunks = []
    for part in stream_table(path, layout):
        keys = labels.queries(*_triples(part, labels), part.rows)
        entities = _candidates(part, labels)
        chunks.append(Chunk(keys * labels.code.n_entities + entities, part.values))
    labels.refuse_unknown()
    return gather(chunks, labels.code.n_entities, _repeated(path, labels.kg, labels.code))


def _read_triples(path: str | Path, layout: TableLayout, labels: LabelIds) -> Lists:
    """Let each scored triple answer both of its queries."""
    code = labels.code
    chunks: list[list[Chunk]] = [[], []]
    for part in stream_table(path, layout):
        heads, relations, tails = _triples(part, labels)
        asked = np.flatnonzero((heads == ASKED_ID) | (tails == ASKED_ID))
        if len(asked):
            raise DataError(
                f"{labels.place(part.first + int(asked[0]))}: the row asks a query, but there is "
                "no column 'candidate'; expected one beside '?', or whole triples throughout; "
                "add the column"
            )
        for place, (anchors, answers) in enumerate(((heads, tails), (tails, heads))):
            keys = code.encode(np.full(len(heads), place == 0), anchors, relations)
            chunks[place].append(Chunk(keys * code.n_entities + answers, part.values))
    labels.refuse_unknown()
    chunks[0] += chunks.pop()
    # A triple that stands twice is met among the tails first, where entries are numbered as rows.
    return gather(chunks[0], code.n_entities, _repeated(path, labels.kg, code))


def _triples(part: TablePart, labels: LabelIds) -> tuple[IntArray, IntArray, IntArray]:
    return (
        part.labels["head"].spread(labels.entities, part.first),
        part.labels["relation"].spread(labels.relations, part.first),
        part.labels["tail"].spread(labels.entities, part.first),
    )


def _candidates(part: TablePart, labels: LabelIds) -> IntArray:
    entities: IntArray = part.labels["candidate"].spread(labels.entities, part.first)
    asked = np.flatnonzero(entities == ASKED_ID)
    if len(asked):
        raise DataError(
            f"{labels.place(part.first + int(asked[0]))}: the candidate is {ASKED!r}; expected "
            "the label of an entity"
        )
    return entities


def _repeated(
    path: str | Path, kg: KnowledgeGraph, code: QueryCode
) -> Callable[[int, int, int, int], DataError]:
    """Make the error for a candidate that stands twice in a query."""

    def complain(key: int, entity: int, first: int, second: int) -> DataError:
        lines = [line_of_row(path, row) for row in (first, second)]
        return DataError(
            f"{path}: candidate {kg.entities[entity]!r} of {spell_query(kg, code, key)} stands in "
            f"lines {lines[0]} and {lines[1]}; expected each candidate of a query once; remove one"
        )

    return complain


@dataclass(slots=True)
class _QueryNumbers:
    """Numbers the query names of a table that a map knows."""

    path: str | Path
    queries: NamedQueries
    #: name -> its number in the map.
    numbers: dict[str, int]

    def __call__(self, names: object, rows: LongArray) -> IntArray:
        found = []
        for name, row in zip(names, rows.tolist(), strict=True):  # type: ignore[call-overload]
            if name not in self.numbers:
                raise self.queries.unknown(name, f"{self.path}:{line_of_row(self.path, row)}")
            found.append(self.numbers[name])
        return np.array(found, dtype=np.int32)


def _read_named(
    path: str | Path, kg: KnowledgeGraph, name: str, layout: TableLayout, queries: NamedQueries
) -> ListedScores:
    labels = LabelIds(path, kg, lambda row: line_of_row(path, row))
    numbers = _QueryNumbers(path, queries, queries.numbers())
    chunks = []
    for part in stream_table(path, layout):
        query = part.labels["query"].spread(numbers, part.first).astype(np.int64)
        entities = _candidates(part, labels)
        chunks.append(Chunk(query * kg.n_entities + entities, part.values))
    labels.refuse_unknown()

    def repeated(query: int, entity: int, first: int, second: int) -> DataError:
        lines = (line_of_row(path, first), line_of_row(path, second))
        return repeated_in_named(path, queries.names[query], kg.entities[entity], *lines)

    return named_scores(path, kg, name, queries, gather(chunks, kg.n_entities, repeated),
                        Source(Path(path), layout.words, layout.notes))  # fmt: skip


def repeated_in_named(
    path: str | Path, query: str, candidate: str, first: int, second: int
) -> DataError:
    """Make the error for a candidate that stands twice under a query's name."""
    return DataError(
        f"{path}: candidate {candidate!r} of query {query!r} stands in lines {first} and "
        f"{second}; expected each candidate of a query once; remove one"
    )


def named_scores(
    path: str | Path,
    kg: KnowledgeGraph,
    name: str,
    queries: NamedQueries,
    lists: Lists,
    source: Source,
) -> ListedScores:
    """Turn lists by number in a map of queries into a scorer.

    Raises:
        DataError: two names of one query give a candidate different scores.
    """
    keys = queries.keys[lists.numbers]
    lines = queries.lines[lists.numbers]
    code = QueryCode.of_graph(kg)
    where = f"{path}, queries in {queries.path}"
    joined = join_lists(lists, keys, lines, path=where, kg=kg, code=code)
    return ListedScores(
        name, kg, source, joined.numbers, joined.offsets, joined.entities, joined.scores
    )
