"""Exceptions that hybridkg raises; every one of them derives from :class:`HybridKGError`.

A message says what was found and where, what was expected, and what to do.
The facts of the message stay available as attributes.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

#: Characters of a foreign text that a message shows.
_SHOWN = 80


def shortened(text: str) -> str:
    """Cut a text that is too long for a message.

    >>> len(shortened("x" * 1000))
    80
    """
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


class HybridKGError(Exception):
    """Base of all errors that hybridkg raises on purpose."""


class DataError(HybridKGError, ValueError):
    """A file or table of triples, types or labels cannot be read as asked."""


class MalformedRowsError(DataError):
    """Rows of a delimited file do not have the expected columns.

    Attributes:
        path: the file as it was named.
        rows: (line number, reason) of every malformed row, 1-based.
    """

    def __init__(self, path: str, rows: Sequence[tuple[int, str]], expected: str) -> None:
        self.path = path
        self.rows = tuple(rows)
        shown = "; ".join(f"line {number}: {reason}" for number, reason in self.rows[:20])
        more = f"; and {len(self.rows) - 20} more" if len(self.rows) > 20 else ""
        super().__init__(
            f"{path}: {len(self.rows)} malformed row(s): {shown}{more}; expected {expected}; "
            "nothing was loaded. Mend or remove these lines"
        )


class SplitError(HybridKGError, ValueError):
    """Named splits do not fit together, or a wanted split cannot be made."""


class UnknownNameError(HybridKGError, LookupError):
    """A name stands for nothing that is registered or loaded.

    Attributes:
        name: the name that was asked for.
        known: the names that exist.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], *, where: str = "") -> None:
        self.name = name
        self.known = tuple(known)
        close = difflib.get_close_matches(name, self.known, n=1)
        hint = f"; did you mean {shortened(close[0])!r}?" if close else ";"
        listed = ", ".join(shortened(one) for one in self.known[:20])
        listed += ", ..." if len(self.known) > 20 else ""
        place = f"; {where}" if where else ""
        super().__init__(f"unknown {kind} {shortened(name)!r}{hint} known: {listed}{place}")


class OntologyError(HybridKGError, ValueError):
    """An ontology cannot be read, or does not meet the graph it is used with."""


@dataclass(frozen=True, slots=True)
class Blame:
    """Statements that stand in some minimal set that contradicts the axioms."""

    #: (head, relation, tail).
    triples: tuple[tuple[str, str, str], ...] = ()
    #: (entity, class).
    types: tuple[tuple[str, str], ...] = ()
    #: False where a search stopped at a limit, so that there may be more.
    complete: bool = True


@dataclass(frozen=True, slots=True)
class CulpritSets:
    """Minimal sets of statements that contradict each other, as sentences."""

    #: individual -> its sets.
    sets: Mapping[str, tuple[tuple[str, ...], ...]]
    #: False where a search stopped at a limit, so that there may be more.
    complete: bool


class InconsistentOntologyError(OntologyError):
    """Facts and axioms contradict each other, so everything follows from them.

    Attributes:
        culprits: minimal sets of statements, as readable sentences.
        n_clashing: number of individuals with a direct clash.
        clashing: their names.
    """

    def __init__(
        self,
        message: str,
        *,
        culprits: Sequence[Sequence[str]] = (),
        clashing: Sequence[str] = (),
        blame: Callable[[], Blame] | None = None,
        all_culprits: Callable[[int], CulpritSets] | None = None,
    ) -> None:
        self.culprits = tuple(tuple(one) for one in culprits)
        self.clashing = tuple(clashing)
        self.n_clashing = len(self.clashing)
        self._blame = blame
        self._all_culprits = all_culprits
        super().__init__(message)

    @cached_property
    def blamed(self) -> Blame:
        """Facts and types of all minimal sets; looked for when first asked for."""
        return self._blame() if self._blame else Blame()

    @property
    def triples(self) -> tuple[tuple[str, str, str], ...]:
        """Facts (head, relation, tail) to blame, over all minimal sets."""
        return self.blamed.triples

    @property
    def types(self) -> tuple[tuple[str, str], ...]:
        """Asserted (entity, class) to blame, over all minimal sets."""
        return self.blamed.types

    def all_culprits(self, limit: int = 5_000) -> CulpritSets:
        """Look for all minimal sets of each clashing individual.

        Args:
            limit: sets that are kept for one individual.
        """
        if self._all_culprits is None:
            return CulpritSets({}, complete=False)
        return self._all_culprits(limit)


class ClosureSizeError(OntologyError):
    """A closure, or a join on the way to it, would be larger than allowed."""

    def __init__(self, role: str, n_pairs: int, limit: int) -> None:
        #: the role, or the chain, that grows.
        self.role = role
        #: pairs that it relates, at least.
        self.n_pairs = n_pairs
        super().__init__(
            f"the closure of {role} relates at least {n_pairs:,} pairs, expected at most "
            f"{limit:,}; allow more with --max-pairs, in Python max_pairs=, or leave the axiom "
            "that makes it grow out"
        )


class UnsupportedAxiomError(OntologyError):
    """An axiom was asked to be used that the engine at hand does not cover."""


class ScoreError(HybridKGError, ValueError):
    """A scorer gave something that cannot be ranked: NaN, a wrong shape, a lost answer."""


class RankTableError(HybridKGError, ValueError):
    """Rank tables are broken, or follow protocols that do not belong in one table."""


class ConfigError(HybridKGError, ValueError):
    """A specification or a command-line value is not usable."""


class TrainingError(HybridKGError, RuntimeError):
    """A model could not be trained or its stored form could not be used."""


class MissingExtraError(HybridKGError, ImportError):
    """A feature needs an optional dependency that is not installed.

    Attributes:
        extra: name of the extra that brings it.
    """

    def __init__(self, feature: str, extra: str) -> None:
        self.extra = extra
        super().__init__(
            f"{feature}: the optional dependencies {extra!r} are not installed; "
            f"install them with: pip install 'hybridkg[{extra}]'"
        )
