"""From the bytes of a rule file to its rules by name, in any of the formats."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from hybridkg.errors import DataError
from hybridkg.graph.tsv import open_bytes
from hybridkg.rules.amie_files import amie_rules, is_amie_header, is_amie_rule
from hybridkg.rules.json_files import json_rules
from hybridkg.rules.parse import Atom, ParsedRule, parse_rule
from hybridkg.rules.write import FileFormat

#: Lines that are looked at before a file counts as AnyBURL's.
_LOOKED_AT = 200
_EXPECTED = {
    "amie": "AMIE's '?a  relation  ?b   => ?a  relation  ?b' and the columns of its header",
    "json": "one JSON object a line with the keys that `rules mine --format json` writes",
}


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield numbered lines that are neither blank nor comments."""
    try:
        with open_bytes(path) as stream:
            text = io.TextIOWrapper(
                cast("io.BufferedReader", stream), encoding="utf-8-sig", newline="\n"
            )
            for number, line in enumerate(text, start=1):
                content = line.rstrip("\r\n")
                if content.strip() and not content.startswith("#"):
                    yield number, content
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: is not UTF-8 text; {error}") from error


def format_of(path: Path) -> FileFormat:
    """Tell the format by the first lines that belong to one."""
    for seen, (_, line) in enumerate(_lines(path)):
        if line.lstrip().startswith("{") and line.rstrip().endswith("}"):
            return "json"
        if is_amie_header(line) or is_amie_rule(line):
            return "amie"
        if " <= " in f"{line} " or seen == _LOOKED_AT:
            return "anyburl"
    return "anyburl"


def parsed_rules(
    path: Path, file_format: FileFormat, outside: dict[str, int]
) -> Iterator[tuple[int, ParsedRule]]:
    """Yield each rule of a file with its line number.

    Args:
        path: the file.
        file_format: of the file.
        outside: is added to: lines that are no rules, by reason.

    Raises:
        DataError: a line is malformed; the message names file and line.
    """
    lines = _lines(path)
    if file_format == "anyburl":
        atoms: dict[str, Atom] = {}
        for number, line in lines:
            yield number, _parsed(line, f"{path}:{number}", atoms)
        return
    found = amie_rules(lines, outside) if file_format == "amie" else json_rules(lines)
    for number, parsed in found:
        if isinstance(parsed, ValueError):
            expected = _EXPECTED[file_format]
            raise DataError(f"{path}:{number}: {parsed}; expected {expected}") from parsed
        yield number, parsed


def _parsed(line: str, where: str, atoms: dict[str, Atom]) -> ParsedRule:
    try:
        return parse_rule(line, atoms)
    except ValueError as error:
        raise DataError(
            f"{where}: {error}; the line is {line[:200]!r}, expected 'predictions TAB support "
            "TAB confidence TAB head(X,Y) <= body(X,A), body(A,Y)' or the rule alone"
        ) from error
