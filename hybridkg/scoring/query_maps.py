"""What the queries of a score file ask, and what its columns stand for: maps beside the scores."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hybridkg.errors import DataError, shortened
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.tsv import first_line, open_bytes, read_table
from hybridkg.scoring.score_labels import LabelIds
from hybridkg.types import IntArray, LongArray

_TRIPLE = ("head", "relation", "tail")


@dataclass(frozen=True, slots=True)
class NamedQueries:
    """Queries by their names, or by their places where they have none."""

    path: Path
    #: (n,) names, distinct; empty texts where the map has no column ``query``.
    names: tuple[str, ...]
    #: (n,) coded queries, possibly repeated.
    keys: LongArray
    #: (n,) line of each, 1-based.
    lines: LongArray

    def numbers(self) -> dict[str, int]:
        """Return the number of each name.

        Raises:
            DataError: the map has no names, or one stands twice.
        """
        if self.names and not self.names[0]:
            raise DataError(
                f"{self.path}: no column 'query'; expected query, head, relation, tail with a "
                "header line; add the names"
            )
        found: dict[str, int] = {}
        for number, name in enumerate(self.names):
            if found.setdefault(name, number) != number:
                raise DataError(
                    f"{self.path}: query {name!r} stands in lines {self.lines[found[name]]} and "
                    f"{self.lines[number]}; expected each name once; remove one"
                )
        return found

    def unknown(self, name: str, where: str) -> DataError:
        """Make the error for a name that the map does not have."""
        close = difflib.get_close_matches(name, self.names, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        return DataError(
            f"{where}: unknown query {name!r}{hint}; expected one of the {len(self.names):,} "
            f"names in {self.path}; add it there"
        )


def read_query_map(path: str | Path, kg: KnowledgeGraph) -> NamedQueries:
    """Read which queries names or rows stand for.

    Args:
        path: tab-separated head, relation, tail with ``?`` at the asked end; a header line may
            name the columns in another order, and further ones; ``query`` among them gives names.
        kg: its labels.

    Raises:
        DataError: a label is unknown, or a row asks for no end or for both; the line is named.
    """
    first = first_line(path).split("\t")
    named = set(_TRIPLE) <= set(first)
    if "query" in first and not named:
        missing = [column for column in _TRIPLE if column not in first]
        raise DataError(
            f"{path}:1: columns {', '.join(first)}; missing: {', '.join(missing)}. Expected query, "
            "head, relation, tail; name the columns so"
        )
    if not named and len(first) == len(_TRIPLE) + 1:
        raise DataError(
            f"{path}:1: {shortened(str(first))}; expected a header line query, head, relation, "
            "tail, because the rows name their queries; put it before them"
        )
    header = tuple(first) if named else _TRIPLE
    table = read_table(path, len(header), header)
    blank = set(table.blank_lines)
    every = range(1, len(table.rows) + len(blank) + 1)
    lines = np.array([n for n in every if n not in blank], dtype=np.int64)
    rows = table.rows[1:] if named else table.rows
    lines = lines[1:] if named else lines
    if not rows:
        raise DataError(f"{path} names no query; expected one a line; write the map again")
    labels = LabelIds(path, kg)
    heads, relations, tails = (
        translate([row[header.index(column)] for row in rows], lines)
        for column, translate in zip(
            _TRIPLE, (labels.entities, labels.relations, labels.entities), strict=True
        )
    )
    keys = labels.queries(heads, relations, tails, lines)
    labels.refuse_unknown()
    place = header.index("query") if "query" in header else None
    names = tuple("" if place is None else row[place] for row in rows)
    return NamedQueries(Path(path), names, keys, lines)


def read_entity_map(path: str | Path, n_columns: int) -> list[str]:
    """Read the names of a matrix's columns.

    Args:
        path: one label a line; or label and number, in either order, with or without a first
            line that counts the rest.
        n_columns: number of labels that the matrix needs.

    Returns:
        The labels by column.

    Raises:
        DataError: their number is another one, a label stands twice, or it cannot be told which
            column holds the numbers.
    """
    with open_bytes(path) as stream:
        lines = stream.read().decode("utf-8-sig", errors="replace").splitlines()
    counted = len(lines) == n_columns + 1 and lines[0].strip() == str(n_columns)
    tabs = 1 if len(lines) > counted and "\t" in lines[-1] else 0
    rows = lines[1:] if counted else lines
    if tabs:
        labels = _numbered(path, rows, 1 + counted)
    else:
        # The plain reader says which line is malformed.
        labels = [row[0] for row in read_table(path, 1, ("entity",)).rows][int(counted) :]
    if len(labels) != n_columns:
        raise DataError(
            f"{path} names {len(labels):,} columns; the matrix has {n_columns:,}; expected one "
            "label a column; name the map that belongs to it"
        )
    if len(set(labels)) != len(labels):
        seen: set[str] = set()
        twice = next(one for one in labels if one in seen or seen.add(one))  # type: ignore[func-returns-value]
        raise DataError(
            f"{path}: {twice!r} stands for two columns; expected each label once; mend the map"
        )
    return labels


def _numbered(path: str | Path, rows: list[str], first_line: int) -> list[str]:
    """Return labels by the numbers beside them."""
    pairs = [row.split("\t") for row in rows]
    for line, pair in enumerate(pairs, first_line):
        if len(pair) != 2 or not all(pair):
            raise DataError(
                f"{path}:{line}: {rows[line - first_line]!r}; expected a label and its number"
            )
    found = []
    for place in (0, 1):
        texts = [pair[place] for pair in pairs]
        if all(text.isdecimal() for text in texts) and sorted(map(int, texts)) == list(
            range(len(pairs))
        ):
            found.append(place)
    if len(found) != 1:
        both = "both columns hold" if found else "no column holds"
        raise DataError(
            f"{path}: {both} the numbers 0 to {len(pairs) - 1}; expected labels in one column and "
            "these numbers in the other; write one label a line instead"
        )
    labels = [""] * len(pairs)
    for pair in pairs:
        labels[int(pair[found[0]])] = pair[1 - found[0]]
    return labels


def column_places(labels: list[str], kg: KnowledgeGraph) -> IntArray:
    """Return the (columns,) entity ids of a matrix's columns, -1 for those the graph lacks."""
    found = [kg.entities.get(label) for label in labels]
    return np.array([-1 if one is None else one for one in found], dtype=np.int32)
