"""Text tables for a terminal: takes rows, computes nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

Cell = str | int | float | None


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
    numeric = [
        all(not isinstance(row[column], str) for row in rows) for column in range(len(header))
    ]
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


def _spell(cell: Cell, digits: int) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, (bool, str)):
        return str(cell)
    if isinstance(cell, int):
        return f"{cell:,}"
    if math.isnan(cell):
        return "-"
    text = f"{cell:.{digits}f}"
    # A rest of rounding below zero prints without its sign.
    return text.removeprefix("-") if float(text) == 0 else text
