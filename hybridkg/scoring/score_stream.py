"""Long tables read a part at a time: labels as codes, numbers checked, lines counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hybridkg.errors import DataError
from hybridkg.graph.tsv import open_bytes, read_table
from hybridkg.scoring.score_columns import TableLayout
from hybridkg.types import DoubleArray, IntArray, LongArray

#: Bytes that are parsed at once.
_PART = 1 << 22


@dataclass(frozen=True, slots=True)
class Labels:
    """One column of a part: each distinct label once."""

    distinct: list[str]
    #: (n,) places in ``distinct``.
    codes: IntArray

    def spread(self, translate: Callable[[Sequence[str], LongArray], IntArray], first: int) -> Any:
        """Translate the distinct labels, and return the (n,) results of all rows.

        Args:
            translate: takes labels and the row where each was first met.
            first: number of the part's first row.
        """
        rows = np.full(len(self.distinct), len(self.codes), dtype=np.int64)
        np.minimum.at(rows, self.codes, np.arange(len(self.codes)))
        return translate(self.distinct, rows + first)[self.codes]


@dataclass(frozen=True, slots=True)
class TablePart:
    """Some consecutive rows."""

    #: number of the first row, 0-based; neither the header nor blank lines count.
    first: int
    #: column -> labels.
    labels: dict[str, Labels]
    #: (n,) finite numbers or -inf; a rank r is -r.
    values: DoubleArray

    @property
    def rows(self) -> LongArray:
        """(n,) numbers of the rows."""
        return np.arange(self.first, self.first + len(self.values))


def stream_table(path: str | Path, layout: TableLayout) -> Iterator[TablePart]:
    """Yield the rows of a table.

    Args:
        path: tab-separated UTF-8 with a header line, plain or packed; no quoting, no escapes,
            no words for missing values.
        layout: the columns to read.

    Raises:
        DataError: a row has another number of columns, or holds no number, NaN or +inf where a
            number belongs; the line is named.
    """
    import pyarrow as pa

    first = 0
    try:
        with open_bytes(path) as stream:
            for batch in _reader(stream, layout):
                columns = [batch.column(name) for name in layout.labels]
                labels = {
                    name: Labels(column.dictionary.to_pylist(), column.indices.to_numpy())
                    for name, column in zip(layout.labels, columns, strict=True)
                }
                values = _numbers(path, layout, batch.column(layout.value), first)
                yield TablePart(first, labels, values)
                first += len(values)
    except pa.ArrowInvalid as error:
        # The library does not count lines; the plain reader lists every malformed one.
        read_table(path, len(layout.header), layout.header)
        raise DataError(f"{path}: {error}; expected one row a line, tab-separated") from error
    if first == 0:
        raise DataError(f"{path}: a header and no row; expected one candidate a line")


def _reader(stream: Any, layout: TableLayout) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    types = dict.fromkeys(layout.labels, pa.dictionary(pa.int32(), pa.string()))
    return csv.open_csv(
        stream,
        read_options=csv.ReadOptions(
            column_names=list(layout.header), skip_rows=1, block_size=_PART
        ),
        parse_options=csv.ParseOptions(
            delimiter="\t", quote_char=False, double_quote=False, escape_char=False
        ),
        convert_options=csv.ConvertOptions(
            column_types={**types, layout.value: pa.string()},
            include_columns=[*layout.labels, layout.value],
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def _numbers(path: str | Path, layout: TableLayout, texts: Any, first: int) -> DoubleArray:
    import pyarrow as pa

    try:
        values = np.array(texts.cast(pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:
        spelled = enumerate(texts.to_pylist(), first)
        return np.array([_one(path, layout.value, text, row) for row, text in spelled])
    # One comparison finds NaN and +inf.
    bad = ~(values < np.inf)
    if layout.value == "rank":
        bad |= (values < 1) | (values != np.floor(values))
        values = -values
    if bad.any():
        row = int(np.argmax(bad))
        where = f"{path}:{line_of_row(path, first + row)}"
        raise refused_number(where, layout.value, str(texts[row]))
    return values


def _one(path: str | Path, column: str, text: str, row: int) -> float:
    value = number(text, column, lambda: f"{path}:{line_of_row(path, row)}")
    return -value if column == "rank" else value


def number(text: str, column: str, place: Callable[[], str]) -> float:
    """Return a score, or a rank, as it is spelled in a file.

    Args:
        text: as it stands there.
        column: what the number is called; a "rank" is a whole one from 1.
        place: names file and line; finding the line may take a look at the file.

    Raises:
        DataError: the text is no such number.
    """
    try:
        # Python alone reads 1_000 as a number.
        value = float("no number" if "_" in text else text)
    except ValueError:
        raise refused_number(place(), column, text) from None
    if not value < np.inf or (column == "rank" and (value < 1 or value != int(value))):
        raise refused_number(place(), column, text)
    return value


def refused_number(where: str, column: str, text: str) -> DataError:
    """Make the error for a text that is no score, or no rank."""
    expected = (
        "a whole number from 1"
        if column == "rank"
        else "a finite number, or -inf for a candidate without a score"
    )
    return DataError(f"{where}: {column} is {text!r}; expected {expected}; mend or leave it out")


def line_of_row(path: str | Path, row: int) -> int:
    """Return the line, 1-based, of a row of a table with a header; blank lines are no rows."""
    with open_bytes(path) as stream:
        stream.readline()
        for line, text in enumerate(stream, 2):
            if text.strip(b"\r\n"):
                if row == 0:
                    return line
                row -= 1
    raise AssertionError(f"{path} has fewer rows than were read")
