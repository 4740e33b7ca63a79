"""How far an evaluation has come, and how long it will take."""

from __future__ import annotations

import time
from typing import Any


class _NoBar:
    """Stands in for a progress bar that nobody wants to see."""

    def __enter__(self) -> _NoBar:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def update(self, n: int) -> None:
        """Count silently."""


def progress_bar(total: int, title: str, shown: bool) -> Any:
    """Return a bar on standard error, or what stands in for it where none is shown."""
    if not shown:
        return _NoBar()
    from tqdm import tqdm

    return tqdm(total=total, desc=f"ranking {title}", unit="query", leave=False)


class Watch:
    """Expects the duration of a run; the first block does not count, because it also compiles."""

    def __init__(self, n_queries: int) -> None:
        """Watch a run of so many distinct queries."""
        self._n_queries = n_queries
        self._done = 0
        self._since: float | None = None
        self._said = False

    def expected(self, n_queries: int) -> float:
        """Return the seconds of the whole run, once, when a second's work shows it; else 0.

        Args:
            n_queries: distinct queries of the block that was just done.
        """
        now = time.perf_counter()
        if self._since is None:
            self._since = now
            return 0.0
        self._done += n_queries
        if self._said or now - self._since < 1.0:
            return 0.0
        self._said = True
        return (now - self._since) * self._n_queries / self._done


def duration_words(seconds: float) -> str:
    """Spell a duration, coarse enough to be true.

    >>> duration_words(4.2), duration_words(200), duration_words(9_000)
    ('4 s', '3 min', '2.5 h')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
