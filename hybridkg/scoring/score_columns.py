"""Which columns a table of scores has, and what they make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hybridkg.errors import DataError, shortened
from hybridkg.graph.tsv import first_line

#: Names of the column of scores, the first wins.
SCORE_COLUMNS = ("score", "confidence")
_TRIPLE = ("head", "relation", "tail")

TableKind = Literal["candidates", "triples", "queries", "pools"]
_WORDS: dict[TableKind, str] = {
    "candidates": "table of candidates",
    "triples": "table of scored triples",
    "queries": "table of candidates by query name",
    "pools": "table of queries with their own candidates",
}


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Columns of a table that are read, by what they are."""

    kind: TableKind
    #: all columns in their order.
    header: tuple[str, ...]
    #: columns of labels that are read.
    labels: tuple[str, ...]
    #: column of numbers: "score", "confidence" or "rank".
    value: str

    @property
    def words(self) -> str:
        """The format in words."""
        if self.value == "rank":
            return f"ranking list ({', '.join((*self.labels, self.value))})"
        return f"{_WORDS[self.kind]} ({', '.join((*self.labels, self.value))})"

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what is not read."""
        ignored = [one for one in self.header if one not in (*self.labels, self.value)]
        return (f"columns that are not used: {', '.join(ignored)}",) if ignored else ()


def read_header(path: str | Path) -> tuple[str, ...]:
    """Return the column names in the first line of a table.

    Raises:
        DataError: a name is empty or stands twice.
    """
    first = first_line(path)
    header = tuple(first.split("\t"))
    if not all(header) or len(set(header)) != len(header):
        raise DataError(
            f"{path}:1: {shortened(first)!r}; expected distinct column names, tab-separated"
        )
    return header


def layout_of(
    path: str | Path, header: Sequence[str], *, named_queries: bool = False
) -> TableLayout:
    """Tell what a table is by its columns.

    Args:
        path: the file, for messages.
        header: its column names.
        named_queries: True where a map gives the names in a column ``query`` a meaning.

    Raises:
        DataError: columns are missing; they are named.
    """
    columns = tuple(header)
    value = next((one for one in (*SCORE_COLUMNS, "rank") if one in columns), None)
    by_name = "query" in columns and (named_queries or not set(_TRIPLE) & set(columns))
    missing = [one for one in (() if by_name else _TRIPLE) if one not in columns]
    if value is None:
        missing.append("score (or confidence, or rank)")
    if "candidate" not in columns and (by_name or value == "rank"):
        missing.append("candidate")
    if missing or value is None:
        raise DataError(
            f"{path}:1: columns {shortened(', '.join(columns))}; missing: {', '.join(missing)}. "
            "Expected head, relation, tail ('?' where asked), candidate and score (or confidence, "
            "or rank); or head, relation, tail, score; or query, candidate, score with a map of "
            "the queries; name the columns so"
        )
    if not by_name:
        if "candidate" not in columns:
            return TableLayout("triples", columns, _TRIPLE, value)
        return TableLayout("candidates", columns, (*_TRIPLE, "candidate"), value)
    pools = "is_answer" in columns and not named_queries
    if pools:
        return TableLayout("pools", columns, ("query", "candidate", "is_answer"), value)
    return TableLayout("queries", columns, ("query", "candidate"), value)
