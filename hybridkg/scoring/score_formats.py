"""Which format a score file has, told by its first bytes and never by its suffix."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from hybridkg.errors import DataError
from hybridkg.graph.tsv import open_bytes, refuse_foreign
from hybridkg.scoring.score_columns import SCORE_COLUMNS

FormatName = Literal["numpy", "safetensors", "table", "anyburl", "trec"]

NUMPY_START = b"\x93NUMPY"
_HEAD = 1 << 16
_KNOWN = (
    "a table with a header line (head, relation, tail, candidate, score; or rank for score), "
    "an AnyBURL ranking, a TREC run, or a .npy or safetensors matrix"
)


def recognise(path: str | Path) -> FormatName:
    """Tell the format of a score file.

    Raises:
        DataError: the file is missing, empty, a web page, or of no format that is known.
    """
    with open_bytes(path) as stream:
        start = stream.read(_HEAD)
    if not start.strip():
        raise DataError(f"{path} is empty; expected {_KNOWN}; write the scores again")
    binary = _binary_format(start)
    if binary is not None:
        with Path(path).open("rb") as plain:
            packed = plain.read(8) != start[:8]
        if packed:
            raise DataError(
                f"{path}: a packed matrix; expected a plain file, which is read in parts; unpack it"
            )
        return binary
    refuse_foreign(path, start)
    if b"\0" in start:
        raise DataError(f"{path}: binary data; expected {_KNOWN}; export the scores as one")
    text = start.decode("utf-8-sig", errors="replace").lstrip("\r\n")
    return _text_format(path, [line for line in text.splitlines()[:20] if line.strip()])


def _binary_format(start: bytes) -> FormatName | None:
    if start.startswith(NUMPY_START):
        return "numpy"
    # A header length as eight bytes, of which no text has the upper ones, then a JSON object.
    if start[8:9] == b"{" and start[4:8] == b"\0\0\0\0":
        return "safetensors"
    return None


def _text_format(path: str | Path, lines: list[str]) -> FormatName:
    if any(line.startswith(("Heads:", "Tails:")) for line in lines[:3]):
        return "anyburl"
    if set(lines[0].split("\t")) & {*SCORE_COLUMNS, "rank", "candidate"}:
        return "table"
    if _is_trec(lines[0]):
        return "trec"
    raise DataError(
        f"{path}: the first line is {lines[0][:80]!r}; expected {_KNOWN}. A table needs a header "
        "line with tab-separated column names; put one before its rows"
    )


def _is_trec(line: str) -> bool:
    fields = line.split()
    if len(fields) != 6:
        return False
    try:
        int(fields[3])
        float(fields[4])
    except ValueError:
        return False
    return True
