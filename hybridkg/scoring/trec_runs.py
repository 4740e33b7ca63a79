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
from hybridkg.scoring.score_entries import Chunk, gather
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
    labels = LabelIds(path, kg)
    numbers = queries.numbers()
    chunks: list[Chunk] = []
    lines = array("q")
    query_of, names, scores = array("q"), list[str](), array("d")

    def close_part() -> None:
        where = np.array(lines[len(lines) - len(names) :], dtype=np.int64)
        entities = labels.entities(names, where)
        keys = np.array(query_of, dtype=np.int64) * kg.n_entities + entities
        chunks.append(Chunk(keys, np.array(scores)))
        del query_of[:], names[:], scores[:]

    with open_bytes(path) as stream:
        for line, raw in enumerate(stream, 1):
            fields = _fields(path, line, raw)
            if not fields:
                continue
            query, _, candidate, _, score, _ = fields
            if query not in numbers:
                raise queries.unknown(query, f"{path}:{line}")
            query_of.append(numbers[query])
            names.append(candidate)
            scores.append(number(score, "score", lambda at=line: f"{path}:{at}"))  # type: ignore[misc]
            lines.append(line)
            if len(names) == _PART:
                close_part()
    close_part()
    labels.refuse_unknown()

    def repeated(query: int, entity: int, first: int, second: int) -> DataError:
        places = (int(lines[first]), int(lines[second]))
        return repeated_in_named(path, queries.names[query], kg.entities[entity], *places)

    lists = gather(chunks, kg.n_entities, repeated)
    return named_scores(path, kg, name, queries, lists, Source(Path(path), "TREC run"))


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
