"""AMIE's table: ``?a  p  ?b   => ?a  q  ?b`` and its statistics in named columns.

AMIE separates the terms of a rule by two spaces, so that single ones may stand
in names. Names that this cannot carry are written as JSON strings in double
quotes. AMIE lets distinct variables take one entity unless told otherwise, and
omits the inequalities that it does use from its rules, so the counts of its
files are not ours. Log lines before and after the table are counted and passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from hybridkg.rules.names import split_outside_quotes
from hybridkg.rules.parse import Atom, ParsedRule, check_counts, classify, shown

#: Columns that are read, by AMIE's names; the order in a file does not matter.
RULE, SUPPORT, BODY = "Rule", "Positive Examples", "Body size"
PCA_BODY, COVERAGE, STANDARD = "PCA Body size", "Head Coverage", "Std Confidence"
#: Columns that are written.
HEADER = (
    RULE, COVERAGE, STANDARD, "PCA Confidence", SUPPORT, BODY, PCA_BODY, "Functional variable",
)  # fmt: skip

_QUOTED = r'"(?:[^"\\]|\\.)*"(?= |$)'
_SPACED = re.compile(rf"{_QUOTED}|[^ ](?:[^ ]| (?! ))*")
_SINGLE = re.compile(rf"{_QUOTED}|[^ ]+")
_VARIABLE = re.compile(r"\?\w+")
#: What AMIE's table would cut a name at, drop, or take for something else.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029"]|  |=>|^\s|\s$|^[?#<]|^$')


class Columns(NamedTuple):
    """Where the columns of one table stand; None where it has no such column."""

    names: tuple[str, ...]

    def value(self, cells: list[str], name: str) -> str | None:
        """Return the cell of a column, None where table or line has none."""
        place = self.names.index(name) if name in self.names else len(cells)
        return cells[place].strip() if place < len(cells) else None


def is_amie_header(line: str) -> bool:
    """Tell whether a line names AMIE's columns."""
    cells = [cell.strip() for cell in line.split("\t")]
    return RULE in cells and len(cells) > 1 and "=>" not in line


def is_amie_rule(line: str) -> bool:
    """Tell whether a line looks like a rule of AMIE, with or without columns."""
    return bool(re.search(r"(^|\s)=>\s+\S+ +\S", line)) and " <= " not in line and "?" in line


def amie_rules(
    lines: Iterable[tuple[int, str]], outside: dict[str, int]
) -> Iterator[tuple[int, ParsedRule | ValueError]]:
    """Yield each rule of a table with its line number, or what is wrong with the line.

    Args:
        lines: numbered, without line ends.
        outside: is added to: lines outside the table.
    """
    columns = Columns((RULE,))
    for number, line in lines:
        if is_amie_header(line):
            columns = Columns(tuple(cell.strip() for cell in line.split("\t")))
            continue
        if "=>" not in line:
            reason = "lines outside AMIE's table"
            outside[reason] = outside.get(reason, 0) + 1
            continue
        try:
            yield number, _rule(split_outside_quotes(line, "\t"), columns)
        except ValueError as error:
            yield number, error


def quote_amie(name: str) -> str:
    """Return a name as it stands in AMIE's table.

    >>> quote_amie("New York"), quote_amie("?x")
    ('New York', '"?x"')
    """
    return json.dumps(name, ensure_ascii=False) if _UNSAFE.search(name) else name


def amie_text(head: tuple[str, str, str], body: list[tuple[str, str, str]]) -> str:
    """Return a rule as AMIE prints it; atoms are (relation, first, second), as written."""
    atoms = "  ".join(f"{first}  {relation}  {second}" for relation, first, second in body)
    relation, first, second = head
    return f"{atoms}   => {first}  {relation}  {second}"


def _rule(cells: list[str], columns: Columns) -> ParsedRule:
    if len(columns.names) > 1 and len(cells) != len(columns.names):
        raise ValueError(f"{len(cells)} columns, expected {len(columns.names)} as in the header")
    text = columns.value(cells, RULE) or ""
    sides = split_outside_quotes(f" {text}", " => ")
    if len(sides) != 2:
        raise ValueError(f"{len(sides) - 1} times ' => ', expected once between body and head")
    body, head = (_atoms(side.strip()) for side in sides)
    if len(head) != 1:
        raise ValueError(f"{len(head)} atoms in the head, expected one")
    support = _number(columns.value(cells, SUPPORT), SUPPORT)
    predictions = _number(columns.value(cells, BODY), BODY)
    standard = columns.value(cells, STANDARD)
    if predictions is None and support and standard:
        predictions = round(support / _share(standard, STANDARD))
    check_counts(predictions, support)
    coverage = columns.value(cells, COVERAGE)
    head_size = round(support / _share(coverage, COVERAGE)) if support and coverage else None
    pca_body = _number(columns.value(cells, PCA_BODY), PCA_BODY)
    found = classify(head[0], tuple(body), predictions, support)
    return found._replace(pca_body=pca_body, head_size=head_size, semantics="homomorphism")


def _atoms(side: str) -> list[Atom]:
    tokens = _SPACED.findall(side)
    if len(tokens) % 3 or (tokens and not any(map(_VARIABLE.fullmatch, tokens))):
        tokens = _SINGLE.findall(side)
    if len(tokens) % 3:
        raise ValueError(
            f"{len(tokens)} terms in {shown(side)}, expected subject, relation and object of each "
            "atom, separated by two spaces"
        )
    return [
        Atom(_name(tokens[at + 1]), (_term(tokens[at]), _term(tokens[at + 2])))
        for at in range(0, len(tokens), 3)
    ]


def _term(token: str) -> tuple[bool, str]:
    return (True, token) if _VARIABLE.fullmatch(token) else (False, _name(token))


def _name(token: str) -> str:
    if re.fullmatch(_QUOTED, token):
        return str(json.loads(token))
    return token


def _number(cell: str | None, column: str) -> int | None:
    """Return a count; AMIE writes -1 where it did not count, and 12.0 for 12."""
    if not cell:
        return None
    try:
        value = float(cell.replace(",", "."))
    except ValueError:
        value = float("nan")
    if value == -1:
        return None
    if not (value >= 0 and value == int(value) and value < 2**31):
        raise ValueError(f"{column} {shown(cell)}, expected a whole number below 2**31")
    return int(value)


def _share(cell: str, column: str) -> float:
    try:
        value = float(cell.replace(",", "."))
    except ValueError:
        value = float("nan")
    if not 0 < value <= 1:
        raise ValueError(f"{column} {shown(cell)}, expected a number over 0 and up to 1")
    return value
