"""Rows of labels that are kept as integers, each with the place it was read at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast, overload

import numpy as np

from hybridkg.graph.statements import Origin
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.types import BoolArray, IntArray, LongArray

#: Rows that are spelled out together.
_BLOCK = 1 << 14
RowT = TypeVar("RowT", bound=tuple[str, ...])


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where each of n things was read."""

    origins: tuple[Origin, ...]
    #: (n,) positions in ``origins``.
    sources: IntArray
    #: (n,) line numbers from 1; 0 where the line is not known.
    lines: IntArray

    def text(self, number: int) -> str:
        """Return the place of one thing as ``file:line (graph name)``."""
        origin, line = self.origins[int(self.sources[number])], int(self.lines[number])
        graph = f" (graph {origin.graph})" if origin.graph is not None else ""
        return f"{origin.file}{f':{line}' if line else ''}{graph}"

    def take(self, chosen: LongArray | IntArray | BoolArray) -> Places:
        """Return the places of a choice of the things."""
        return Places(self.origins, self.sources[chosen], self.lines[chosen])

    @staticmethod
    def joined(parts: Sequence[Places]) -> Places:
        """Put the places of several lists one behind the other."""
        origins: dict[Origin, int] = {}
        sources = [np.zeros(0, dtype=np.int32)]
        for part in parts:
            ids = [origins.setdefault(one, len(origins)) for one in part.origins]
            sources.append(np.array(ids, dtype=np.int32)[part.sources])
        lines = [np.zeros(0, dtype=np.int32), *(part.lines for part in parts)]
        return Places(tuple(origins), np.concatenate(sources), np.concatenate(lines))


class LabelRows(Sequence[RowT], Generic[RowT]):
    """A sequence of label tuples, equal to a tuple of the same rows.

    >>> rows = LabelRows.of([("ann", "knows", "bob"), ("bob", "knows", "ann")], 3)
    >>> len(rows), rows[1]
    (2, ('bob', 'knows', 'ann'))
    """

    def __init__(
        self, labels: Sequence[Sequence[str]], rows: IntArray, places: Places | None = None
    ) -> None:
        """Keep the columns as they are.

        Args:
            labels: for each column its distinct labels; columns may share a list.
            rows: (n, columns) positions in these lists.
            places: where each row was read.
        """
        self.labels = tuple(labels)
        self.rows = rows
        self.places = places
        self._ids: dict[int, dict[str, int]] = {}

    @classmethod
    def of(
        cls, rows: Iterable[RowT], columns: int, places: Places | None = None
    ) -> LabelRows[RowT]:
        """Take rows of labels; columns 0 and 2 share their labels."""
        parts = list(zip(*rows, strict=True)) or [()] * columns
        labels: list[Sequence[str]] = []
        ids = []
        first = parts[0] + parts[2] if columns > 2 else parts[0]
        for column, part in enumerate(parts):
            if column == 2:
                labels.append(labels[0])
            else:
                labels.append(list(dict.fromkeys(first if column == 0 else part)))
            number = {label: n for n, label in enumerate(labels[-1])}
            ids.append(np.fromiter((number[one] for one in part), dtype=np.int32))
        return cls(labels, np.ascontiguousarray(np.column_stack(ids)), places)

    @classmethod
    def joined(cls, parts: Sequence[Sequence[RowT]], columns: int) -> LabelRows[RowT]:
        """Put rows one behind the other; their places are kept where all have some."""
        whole = [one if isinstance(one, LabelRows) else cls.of(one, columns) for one in parts]
        if len(whole) == 1:
            return whole[0]
        numbers: list[dict[str, int]] = [{} for _ in range(columns)]
        if columns > 2:
            numbers[2] = numbers[0]
        blocks = [np.zeros((0, columns), dtype=np.int32)]
        for one in whole:
            block = np.empty_like(one.rows)
            for column, number in enumerate(numbers):
                names = one.labels[column]
                ids = np.fromiter((number.setdefault(n, len(number)) for n in names), np.int32)
                block[:, column] = ids[one.rows[:, column]] if len(ids) else 0
            blocks.append(block)
        known = [one.places for one in whole if one.places is not None or len(one) == 0]
        places = None
        if len(known) == len(whole):
            places = Places.joined([one for one in known if one is not None])
        return cls([list(number) for number in numbers], np.concatenate(blocks), places)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, number: int) -> RowT: ...
    @overload
    def __getitem__(self, number: slice) -> LabelRows[RowT]: ...
    def __getitem__(self, number: int | slice) -> RowT | LabelRows[RowT]:
        if isinstance(number, slice):
            chosen = np.arange(len(self), dtype=np.int64)[number]
            places = None if self.places is None else self.places.take(chosen)
            return LabelRows(self.labels, self.rows[chosen], places)
        ids = self.rows[number].tolist()
        return cast("RowT", tuple(names[n] for names, n in zip(self.labels, ids, strict=True)))

    def __iter__(self) -> Iterator[RowT]:
        getters = [names.__getitem__ for names in self.labels]
        for start in range(0, len(self), _BLOCK):
            columns = self.rows[start : start + _BLOCK].T.tolist()
            spelled = (map(get, ids) for get, ids in zip(getters, columns, strict=True))
            yield from cast("Iterator[RowT]", zip(*spelled, strict=True))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelRows | tuple | list):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        shown = ", ".join(repr(row) for row in self[:3])
        return f"({shown}{', ...' if len(self) > 3 else ''}) [{len(self)} rows]"

    def __contains__(self, row: object) -> bool:
        return isinstance(row, tuple) and len(self.positions(cast("RowT", row))) > 0

    def used_labels(self, column: int) -> list[str]:
        """Return the labels that stand in a column, once each."""
        names = self.labels[column]
        return [names[n] for n in self._used(column).tolist()]

    def _used(self, column: int) -> LongArray:
        used = np.zeros(len(self.labels[column]), dtype=np.bool_)
        used[self.rows[:, column]] = True
        return np.flatnonzero(used).astype(np.int64)

    def ids(self, vocabularies: Sequence[Vocabulary]) -> IntArray:
        """Translate to (n, columns) ids of vocabularies, which hold every label in use."""
        rows = np.empty_like(self.rows)
        for column, (names, vocabulary) in enumerate(zip(self.labels, vocabularies, strict=True)):
            # A label without a row may be unknown to the vocabulary.
            used = self._used(column)
            ids = np.zeros(len(names), dtype=np.int32)
            ids[used] = vocabulary.ids_of([names[one] for one in used.tolist()])
            rows[:, column] = ids[self.rows[:, column]]
        return rows

    def renamed(self, *spell: Callable[[str], str]) -> LabelRows[RowT]:
        """Return the same rows with every label replaced, by one function a column."""
        rows = self.rows.copy()
        labels: list[Sequence[str]] = []
        done: dict[tuple[int, int], tuple[list[str], IntArray]] = {}
        for column, (names, change) in enumerate(zip(self.labels, spell, strict=True)):
            key = (id(names), id(change))
            if key not in done:
                number: dict[str, int] = {}
                ids = [number.setdefault(one, len(number)) for one in map(change, names)]
                done[key] = list(number), np.array(ids, dtype=np.int32)
            changed, ids_of = done[key]
            labels.append(changed)
            if len(ids_of):
                rows[:, column] = ids_of[rows[:, column]]
        return LabelRows(labels, rows, self.places)

    def positions(self, row: RowT) -> LongArray:
        """Return the (k,) positions at which a row of labels stands."""
        if len(row) != len(self.labels):
            return np.zeros(0, dtype=np.int64)
        found = np.ones(len(self), dtype=np.bool_)
        for column, label in enumerate(row):
            number = self._id_of(column, label)
            if number is None:
                return np.zeros(0, dtype=np.int64)
            found &= self.rows[:, column] == number
        return np.flatnonzero(found).astype(np.int64)

    def source_of(self, row: RowT) -> str | None:
        """Return the first place of a row, None where it does not stand here or has no place."""
        if self.places is None:
            return None
        found = self.positions(row)
        return self.places.text(int(found[0])) if len(found) else None

    def _id_of(self, column: int, label: str) -> int | None:
        names = self.labels[column]
        if id(names) not in self._ids:
            self._ids[id(names)] = {one: number for number, one in enumerate(names)}
        return self._ids[id(names)].get(label)
