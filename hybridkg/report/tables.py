"""Tables as text, Markdown and LaTeX: takes rows, computes nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from hybridkg._io import escape_controls

Cell = str | int | float | None

#: Characters that LaTeX reads as commands, or prints as others.
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "−": "$-$",
    **{char: f"\\{char}" for char in "&%$#_{}"},
}
_NUMBERS = re.compile(r"(?=.*\d)[-\d.,±\[\] ]+")
#: Characters that would end a cell, or mark up a part of it.
_MARKDOWN = re.compile(r"([\\`*<|])")


def text_table(header: Sequence[str], rows: Sequence[Sequence[Cell]], *, digits: int = 4) -> str:
    """Align rows under a header; numbers to the right, text to the left.

    Args:
        header: column titles.
        rows: one cell a column; None and NaN print as a dash, a float with the given digits.
        digits: digits after the point.

    >>> print(text_table(["name", "mrr"], [["a", 0.5], ["long", None]], digits=2))
    name   mrr
    ----  ----
    a     0.50
    long     -
    """
    cells = [[_spell(cell, digits) for cell in row] for row in rows]
    numeric = _numeric(header, rows)
    widths = [
        max([len(title), *(len(row[column]) for row in cells)])
        for column, title in enumerate(header)
    ]

    def line(parts: Sequence[str]) -> str:
        return "  ".join(
            part.rjust(width) if right else part.ljust(width)
            for part, width, right in zip(parts, widths, numeric, strict=True)
        ).rstrip()

    return "\n".join([line(header), line(["-" * width for width in widths]), *map(line, cells)])


def markdown_table(
    header: Sequence[str], rows: Sequence[Sequence[Cell]], *, digits: int = 4
) -> str:
    r"""Lay rows out as a Markdown table; nothing in a cell can end it.

    Args:
        header: column titles.
        rows: as for :func:`text_table`.
        digits: digits after the point.

    >>> print(markdown_table(["name", "mrr"], [["a|b", 0.5]], digits=2))
    | name | mrr |
    | :--- | ---: |
    | a\|b | 0.50 |
    """
    marks = ["---:" if right else ":---" for right in _numeric(header, rows)]
    lines = [[markdown_text(title) for title in header], marks]
    lines += [[markdown_text(_spell(cell, digits)) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex_table(
    header: Sequence[str], rows: Sequence[Sequence[Cell]], *, caption: str, digits: int = 4
) -> str:
    """Lay rows out as a LaTeX table for the package booktabs.

    Args:
        header: column titles.
        rows: as for :func:`text_table`.
        caption: plain text.
        digits: digits after the point.
    """
    columns = "".join("r" if right else "l" for right in _numeric(header, rows))
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(caption)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _latex_line(header),
        r"\midrule",
        *(_latex_line([_spell(cell, digits) for cell in row]) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def markdown_text(text: str) -> str:
    """Escape what Markdown would read as the end of a cell or as markup."""
    return _MARKDOWN.sub(r"\\\1", escape_controls(text)).strip()


def latex_text(text: str) -> str:
    """Escape what LaTeX would read as a command; in a cell of numbers a minus is one."""
    if _NUMBERS.fullmatch(text):
        text = text.replace("-", "−")
    return "".join(_LATEX.get(char, char) for char in escape_controls(text)).strip()


def _latex_line(cells: Sequence[str]) -> str:
    parts = [latex_text(cell) for cell in cells]
    # After a line end a bracket would be read as its optional argument.
    parts[0] = f"{{{parts[0]}}}" if parts[0].startswith(("[", "*")) else parts[0]
    return " & ".join(parts) + r" \\"


def _numeric(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[bool]:
    return [all(not isinstance(row[column], str) for row in rows) for column in range(len(header))]


def spell_number(value: float | None, digits: int = 4) -> str:
    """Spell a number with the given digits after the point; None and NaN as a dash."""
    if value is None or math.isnan(value):
        return "-"
    text = f"{value:.{digits}f}"
    # A rest of rounding below zero prints without its sign.
    return text.removeprefix("-") if float(text) == 0 else text


def _spell(cell: Cell, digits: int) -> str:
    if isinstance(cell, (bool, str)):
        return str(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    return spell_number(cell, digits)
