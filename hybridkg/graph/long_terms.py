"""Terms that are longer than a parser's buffer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from hybridkg.errors import DataError


def within_memory(quads: Iterable[Any], file: str) -> Iterator[Any]:
    """Yield statements; name the file where one is longer than the parser's buffer."""
    try:
        yield from quads
    except MemoryError as error:
        raise DataError(
            f"{file}: a term is longer than the 16 MiB that are read at once; expected shorter "
            "literals; shorten it, or leave the statement out"
        ) from error
