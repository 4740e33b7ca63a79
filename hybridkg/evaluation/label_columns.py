"""Large tab-separated tables of labels as columns of numbers, with the rules of graph.tsv."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hybridkg.errors import DataError, UnknownNameError
from hybridkg.graph.row_keys import row_keys
from hybridkg.graph.tsv import first_line, open_bytes, read_table
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.types import IntArray

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, eq=False)
class LabelColumns:
    """The columns of one file, each as distinct labels and numbers into them."""

    #: the file as it was named.
    path: str
    #: column names, in the order of the file.
    names: tuple[str, ...]
    #: column -> its distinct labels.
    labels: dict[str, list[str]] = field(repr=False)
    #: column -> (rows,) number of each row's label.
    numbers: dict[str, IntArray] = field(repr=False)
    #: 1 where the first line names the columns.
    n_header: int

    def __len__(self) -> int:
        return len(self.numbers[self.names[0]])

    def place(self, row: int) -> str:
        """Return file and line of a row."""
        blank = set(read_table(self.path, len(self.names), self.names).blank_lines)
        left, line = row + 1 + self.n_header, 0
        while left:
            line += 1
            left -= line not in blank
        return f"{self.path}:{line}"

    def ids(self, column: str, vocabulary: Vocabulary) -> IntArray:
        """Translate a column to ids.

        Raises:
            UnknownNameError: a label is not contained; the first line with one is named.
        """
        found = [vocabulary.get(label) for label in self.labels[column]]
        unknown = np.array([number is None for number in found], dtype=np.bool_)
        if unknown.any():
            row = int(np.argmax(unknown[self.numbers[column]]))
            more = int(unknown.sum()) - 1
            label = self.labels[column][int(self.numbers[column][row])]
            header = row == 0 and label in (column, "entity") and not self.n_header
            raise UnknownNameError(
                vocabulary.kind,
                label,
                vocabulary,
                where=f"{column} in {self.place(row)}"
                + (f", and {more} more unknown labels" if more else "")
                + ("; a list of entities has no header line" if header else "")
                + "; mend it, or name the data set that the candidates are of",
            )
        ids: IntArray = np.array(found, dtype=np.int32)[self.numbers[column]]
        return ids

    def choice(self, column: str, words: Sequence[str]) -> IntArray:
        """Translate a column to positions in a closed set of words.

        Raises:
            DataError: a row has another word; its line is named.
        """
        places = {word: number for number, word in enumerate(words)}
        found = np.array([places.get(word, -1) for word in self.labels[column]], dtype=np.int32)
        ids: IntArray = found[self.numbers[column]]
        if (ids < 0).any():
            row = int(np.argmax(ids < 0))
            word = self.labels[column][int(self.numbers[column][row])]
            raise DataError(
                f"{self.place(row)}: {column} is {word!r}, expected {' or '.join(words)}; mend it"
            )
        return ids

    def refuse_repeats(self, columns: Sequence[IntArray]) -> None:
        """Refuse a row that stands twice.

        Args:
            columns: (rows,) each, what makes a row.

        Raises:
            DataError: both lines of the first repetition are named.
        """
        keys = row_keys(columns)
        if keys is None:
            _, keys = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
            keys = keys.reshape(-1)
        ordered = np.sort(keys)
        if not (ordered[1:] == ordered[:-1]).any():
            return
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        again = int(np.flatnonzero(first[group.reshape(-1)] != np.arange(len(keys)))[0])
        earlier = int(first[group.reshape(-1)[again]])
        raise DataError(
            f"{self.place(again)}: the same row as {self.place(earlier)}; expected each "
            "candidate once; remove one of them"
        )


def read_columns(path: str | Path, forms: Sequence[Sequence[str]]) -> LabelColumns:
    """Read a table of one of several forms, told apart by its first line.

    Labels are taken byte for byte, as :func:`hybridkg.graph.tsv.read_tsv` takes them.

    Args:
        path: UTF-8 text, plain or packed with gzip, xz or bzip2.
        forms: column names of each form, in any order in the file; a form with one column has
            no header line.

    Raises:
        MalformedRowsError: some rows have another number of fields, or an empty one.
        DataError: the file cannot be read, holds no row, or is of no such form.
    """
    first_line(path)  # refuses what is no table at all
    with open_bytes(path) as stream:
        content = stream.read().removeprefix(_MARK)
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n")
    start = content[: content.find(b"\n") if b"\n" in content else len(content)]
    header = tuple(start.decode("utf-8", errors="replace").split("\t"))
    named = any(len(form) > 1 and sorted(form) == sorted(header) for form in forms)
    if not named and len(header) > 1:
        _refuse_header(path, header, forms)
    names = header if named else next(tuple(form) for form in forms if len(form) == 1)
    columns = _quick(content, names) if named else None
    if columns is None:
        rows = read_table(path, len(names), names).rows[int(named) :]
        columns = {
            name: _numbered(part)
            for name, part in zip(names, zip(*rows, strict=True) if rows else (), strict=False)
        }
    if not columns or not len(columns[names[0]][1]):
        found = "a header line and no candidate" if named else "the file is empty"
        raise DataError(f"{path}: {found}; expected one candidate a line; write it again")
    return LabelColumns(
        str(path),
        names,
        {name: labels for name, (labels, _) in columns.items()},
        {name: numbers for name, (_, numbers) in columns.items()},
        int(named),
    )


def _refuse_header(
    path: str | Path, header: tuple[str, ...], forms: Sequence[Sequence[str]]
) -> None:
    # What is no text at all is named by the reader of rows.
    read_table(path, len(header), header)
    expected = [
        "one entity a line" if len(form) == 1 else f"the columns {', '.join(form)}"
        for form in forms
    ]
    raise DataError(
        f"{path}:1: {header!r}; expected {', or a line that names '.join(expected)}; mend the "
        "first line"
    )


def _quick(content: bytes, names: tuple[str, ...]) -> dict[str, tuple[list[str], IntArray]] | None:
    """Read well-formed rows with pyarrow; None where the careful reader has to look."""
    # pyarrow ends a line at a lone carriage return, and minds neither NUL nor byte order marks.
    if b"\r" in content or b"\0" in content or _MARK in content:
        return None
    import pyarrow as pa
    from pyarrow import csv

    kind = pa.dictionary(pa.int32(), pa.string())
    try:
        table = csv.read_csv(
            pa.py_buffer(content),
            read_options=csv.ReadOptions(use_threads=False, block_size=1 << 24),
            parse_options=csv.ParseOptions(delimiter="\t", quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, kind), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    columns = {name: _from_arrow(table.column(name)) for name in names}
    return None if any("" in labels for labels, _ in columns.values()) else columns


def _from_arrow(column: Any) -> tuple[list[str], IntArray]:
    whole = column.unify_dictionaries().combine_chunks()
    if not hasattr(whole, "dictionary"):
        whole = whole.chunk(0)
    return whole.dictionary.to_pylist(), whole.indices.to_numpy(zero_copy_only=False)


def _numbered(labels: Sequence[str]) -> tuple[list[str], IntArray]:
    number: dict[str, int] = {}
    ids = [number.setdefault(label, len(number)) for label in labels]
    return list(number), np.array(ids, dtype=np.int32)
