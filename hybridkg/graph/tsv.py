"""Tab-separated text, byte for byte: no quoting, no escapes, no words for missing values."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from hybridkg._io import write_text
from hybridkg.errors import DataError, MalformedRowsError, shortened

#: First bytes of a packed file -> how to open it.
_PACKED: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"BZh": bz2.open,
}
#: First bytes of what is not UTF-8 text and not one of the above.
_FOREIGN = {
    b"PK\x03\x04": "a zip archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
    b"PAR1": "a Parquet file",
    b"%PDF": "a PDF document",
}
_DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error)
_COLUMN_NAMES = {1: ("entity",), 2: ("entity", "class"), 3: ("head", "relation", "tail")}


@dataclass(frozen=True, slots=True)
class TsvTable:
    """The rows of one file, and what was passed over while reading them."""

    #: the file as it was named.
    path: str
    #: fields of each row, in source order, repeats kept.
    rows: list[tuple[str, ...]]
    #: line numbers, 1-based, of empty lines between rows; empty lines at the end do not count.
    blank_lines: tuple[int, ...]


def read_tsv(path: str | Path, columns: int = 3) -> list[tuple[str, ...]]:
    r"""Read the rows of a tab-separated file without changing a byte of any label.

    Empty lines are passed over; :func:`read_table` counts those between rows.

    Args:
        path: UTF-8 text with or without byte order mark, LF or CRLF line ends, plain or packed
            with gzip, xz or bzip2; what it is packed with is read from its bytes.
        columns: number of fields that every row must have.

    Returns:
        One tuple of ``columns`` labels a row, in source order.

    Raises:
        MalformedRowsError: some rows have another number of fields, an empty field, or a
            character that cannot be part of a label; every one of them is listed.
        DataError: the file is missing, is no UTF-8 text, or its archive is cut short.
    """
    return read_table(path, columns).rows


def read_table(path: str | Path, columns: int = 3, names: Sequence[str] | None = None) -> TsvTable:
    """Read a tab-separated file as :func:`read_tsv` does, and count the blank lines.

    Args:
        path: as for :func:`read_tsv`.
        columns: number of fields that every row must have.
        names: what the columns are called in messages.

    Raises:
        MalformedRowsError: as for :func:`read_tsv`.
        DataError: as for :func:`read_tsv`.
    """
    usual = _COLUMN_NAMES.get(columns) or [f"column {n}" for n in range(1, columns + 1)]
    called = tuple(names or usual)
    rows: list[tuple[str, ...]] = []
    bad: list[tuple[int, str]] = []
    blank: list[int] = []
    number = last_row = 0
    # One string object a label, however often it stands in the file.
    keep = dict[str, str]().setdefault
    for block in _blocks(path):
        suspect = any(mark in block for mark in "\r\0\ufeff")
        for line in block.removesuffix("\n").split("\n"):
            number += 1
            fields = line.split("\t")
            if len(fields) == columns and all(fields) and not (suspect and _has_trap(line)):
                rows.append(tuple([keep(field, field) for field in fields]))
                last_row = number
            elif not line:
                blank.append(number)
            else:
                bad.append((number, _complaint(line, columns, called)))
    if bad:
        expected = f"{columns} tab-separated, non-empty columns ({', '.join(called)})"
        raise MalformedRowsError(str(path), bad, expected)
    return TsvTable(str(path), rows, tuple(number for number in blank if number < last_row))


def read_named_columns(path: str | Path) -> tuple[list[str], list[tuple[int, tuple[str, ...]]]]:
    """Read a tab-separated table whose first line names the columns.

    Returns:
        The column names, and (line number, fields) of every row.

    Raises:
        DataError: the file is empty, or a name stands twice.
        MalformedRowsError: a row has another number of fields than the header.
    """
    first = first_line(path)
    header = first.split("\t")
    if not first or len(set(header)) != len(header):
        raise DataError(
            f"{path}:1: {shortened(first)!r}; expected distinct column names, tab-separated"
        )
    table = read_table(path, len(header), header)
    lines = range(1, len(table.rows) + len(table.blank_lines) + 1)
    blank = set(table.blank_lines)
    numbered = zip((n for n in lines if n not in blank), table.rows, strict=True)
    return header, list(numbered)[1:]


def write_tsv(path: str | Path, rows: Iterable[Sequence[str]]) -> None:
    """Write rows as UTF-8 with LF line ends, atomically.

    Raises:
        DataError: a field cannot be read back as it is; it is named.
    """
    write_text(path, render_tsv(rows))


def render_tsv(rows: Iterable[Sequence[str]]) -> str:
    """Join rows to the text that :func:`write_tsv` writes.

    Raises:
        DataError: a field is empty, or holds a tab, a line end, NUL or a lone surrogate, or
            starts with a byte order mark.
    """
    lines = []
    for row in rows:
        line = "\t".join(row)
        if not all(row) or line.count("\t") != len(row) - 1 or "\n" in line or _has_trap(line):
            raise DataError(_unwritable(row))
        lines.append(line)
    text = "\n".join(lines) + "\n" if lines else ""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"{text[max(0, error.start - 20) : error.end]!r} holds a lone surrogate, which UTF-8 "
            "cannot spell; expected Unicode text; mend the label"
        ) from error
    return text


@contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, unpacked where its first bytes name gzip, xz or bzip2.

    Raises:
        DataError: the file cannot be opened or its archive is damaged.
    """
    try:
        with Path(path).open("rb") as plain:
            start = plain.read(6)
            plain.seek(0)
            opener = next((o for magic, o in _PACKED.items() if start.startswith(magic)), None)
            with plain if opener is None else opener(plain) as stream:
                yield stream
    except UnicodeError:
        raise
    except IsADirectoryError as error:
        raise DataError(f"{path} is a folder; expected a file") from error
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file; check the path") from error
    except _DAMAGE as error:
        raise DataError(
            f"{path}: cannot be read ({error}); expected a whole plain, gzip, xz or bzip2 file; "
            "fetch or pack it again"
        ) from error


def refuse_foreign(path: str | Path, start: bytes) -> None:
    """Refuse a file whose first bytes, unpacked, are those of something else than UTF-8 text.

    Raises:
        DataError: naming what it is.
    """
    for magic, what in _FOREIGN.items():
        if start.startswith(magic):
            raise DataError(f"{path}: this is {what}; expected UTF-8 text; convert it first")
    if start.lstrip()[:15].lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        raise DataError(
            f"{path}: this is a web page, or XML; expected a tab-separated table; fetch the file "
            "itself, not the page that shows it"
        )


def first_line(path: str | Path) -> str:
    """Return the first line of a table without its end, decoded as well as it can be.

    Raises:
        DataError: the file cannot be opened, is something else than text, or ends its lines with
            carriage returns alone.
    """
    with open_bytes(path) as stream:
        line = stream.readline()
    refuse_foreign(path, line)
    text = line.decode("utf-8-sig", errors="replace").removesuffix("\n").removesuffix("\r")
    if "\r" in text:
        raise DataError(
            f"{path}: lines that end with a carriage return alone; expected LF or CRLF; convert "
            "the line ends"
        )
    return text


def _blocks(path: str | Path) -> Iterator[str]:
    """Yield the text in blocks that end where a line ends, CRLF turned into LF."""
    with open_bytes(path) as stream:
        buffered = io.BufferedReader(cast("io.RawIOBase", stream), 1 << 16)
        refuse_foreign(path, buffered.peek(16)[:16])
        text = io.TextIOWrapper(buffered, encoding="utf-8-sig", newline="\n")
        try:
            # The rest of a line is read by the call for lines, so that no line is torn.
            while block := text.read(1 << 18) + text.readline():
                if "\r" in block:
                    block = block.replace("\r\n", "\n").removesuffix("\r")
                yield block
        except UnicodeDecodeError as error:
            raise DataError(_undecodable(path)) from error


def _undecodable(path: str | Path) -> str:
    """Name the first line that is not UTF-8; only called when there is one."""
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, 1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                found = line[error.start : error.end]
                return (
                    f"{path}:{number}: bytes {found!r} are not UTF-8; expected UTF-8 text; "
                    "convert the file, for example with iconv"
                )
    return f"{path}: not UTF-8 text; convert the file, for example with iconv"


def _has_trap(line: str) -> bool:
    """Tell whether a line holds a character that no label may have in that place."""
    return (
        "\r" in line
        or "\0" in line
        or ("\ufeff" in line and any(field[:1] == "\ufeff" for field in line.split("\t")))
    )


def _complaint(line: str, columns: int, names: Sequence[str]) -> str:
    """Say what is wrong with a malformed line."""
    shown = repr(shortened(line))
    fields = line.split("\t")
    if len(fields) != columns:
        return f"{len(fields)} column{'s' * (len(fields) != 1)}, the line is {shown}"
    empty = [name for name, field in zip(names, fields, strict=True) if not field]
    if empty:
        return f"empty {' and '.join(empty)}, the line is {shown}"
    if "\0" in line:
        return f"a NUL character, the line is {shown}"
    if "\r" in line:
        return f"a carriage return inside the line, the line is {shown}"
    return f"a byte order mark (U+FEFF) before a label, the line is {shown}"


def _unwritable(row: Sequence[str]) -> str:
    for field in row:
        if not field:
            return f"an empty label in the row {tuple(row)!r}; expected at least one character"
        if any(mark in field for mark in "\t\n\r\0") or field[0] == "\ufeff":
            return (
                f"the label {field!r} holds a tab, line end, NUL or leading byte order mark, "
                "which a tab-separated file cannot keep; rename it"
            )
    return f"the row {tuple(row)!r} cannot be written as one line"
