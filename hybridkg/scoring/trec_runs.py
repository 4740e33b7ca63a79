"""Runs in the format of the TREC tools: one candidate a line, white space between the fields."""

from __future__ import annotations

from array import array
from pathlib import Path

import numpy as np

from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.tsv import open_bytes
from hybridkg.scoring.external import ASKED, ListedScores, Source
from hybridkg.scoring.query_maps import NamedQueries
from hybridkg.scoring.score_entries import Chunk, Lists, gather
from hybridkg.scoring.score_labels import LabelIds
from hybridkg.scoring.score_stream import number
from hybridkg.scoring.score_tables import named_scores, repeated_in_named

_FIELDS = "query, Q0, candidate, rank, score, tag"
#: Lines that are translated at once.
_PART = 200_000


def read_trec_run(
    path: str | Path, kg: KnowledgeGraph, *, name: str, queries: NamedQueries | None
) -> ListedScores:
    """Read a run; its scores count and its ranks do not.

    Args:
        path: UTF-8 text, plain or packed, with six fields a line: query, Q0, candidate, rank,
            score, tag. Labels with white space cannot stand in such a file.
        kg: its labels.
        name: of the scorer.
        queries: what the names of the queries mean.

    Raises:
        ConfigError: there is no map of the queries.
        DataError: a line does not fit, a query or label is unknown, or a candidate stands twice
            under a query's name; file and line are named.
    """
    if queries is None:
        raise ConfigError(
            f"{path} is a TREC run, which names queries without saying what they ask; expected a "
            "table with query, head, relation, tail ('?' where asked); name it with --queries FILE"
        )
    reader = _Reader(path, kg, queries)
    with open_bytes(path) as stream:
        for line, raw in enumerate(stream, 1):
            fields = _fields(path, line, raw)
            if fields:
                reader.add(line, query=fields[0], candidate=fields[2], score=fields[4])
    return named_scores(path, kg, name, queries, reader.lists(), Source(Path(path), "TREC run"))


class _Reader:
    """Gathers the lines of one run, a part at a time."""

    def __init__(self, path: str | Path, kg: KnowledgeGraph, queries: NamedQueries) -> None:
        self.path = path
        self.kg = kg
        self.queries = queries
        self._numbers = queries.numbers()
        self._labels = LabelIds(path, kg)
        self._lines = array("q")
        self._chunks: list[Chunk] = []
        self._query_of, self._names, self._scores = array("q"), list[str](), array("d")

    def add(self, line: int, *, query: str, candidate: str, score: str) -> None:
        """Take one line."""
        if query not in self._numbers:
            raise self.queries.unknown(query, f"{self.path}:{line}")
        self._query_of.append(self._numbers[query])
        self._names.append(candidate)
        self._scores.append(number(score, "score", lambda: f"{self.path}:{line}"))
        self._lines.append(line)
        if len(self._names) == _PART:
            self._close_part()

    def _close_part(self) -> None:
        where = np.array(self._lines[len(self._lines) - len(self._names) :], dtype=np.int64)
        entities = self._labels.entities(self._names, where)
        keys = np.array(self._query_of, dtype=np.int64) * self.kg.n_entities + entities
        self._chunks.append(Chunk(keys, np.array(self._scores)))
        del self._query_of[:], self._names[:], self._scores[:]

    def lists(self) -> Lists:
        """Return the candidates by number of the query."""
        self._close_part()
        self._labels.refuse_unknown()
        return gather(self._chunks, self.kg.n_entities, self._repeated)

    def _repeated(self, query: int, entity: int, first: int, second: int) -> DataError:
        places = (self._lines[first], self._lines[second])
        return repeated_in_named(
            self.path, self.queries.names[query], self.kg.entities[entity], *places
        )


def _fields(path: str | Path, line: int, raw: bytes) -> list[str]:
    """Split a line; none where it is blank."""
    try:
        fields = raw.decode("utf-8-sig" if line == 1 else "utf-8").split()
    except UnicodeDecodeError as error:
        raise DataError(f"{path}:{line}: not UTF-8 text; convert the file") from error
    if fields and (len(fields) != 6 or fields[2] == ASKED):
        raise DataError(
            f"{path}:{line}: {len(fields)} fields, the line is {' '.join(fields)[:80]!r}; expected "
            f"6, separated by white space: {_FIELDS}; labels with blanks need a table"
        )
    return fields
