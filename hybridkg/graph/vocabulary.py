"""Frozen two-way maps between labels and dense ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from hybridkg._io import digest_bytes
from hybridkg.errors import UnknownNameError
from hybridkg.types import IntArray


class Vocabulary:
    """Sorted labels and their ids 0..n-1; equal labels give equal vocabularies.

    Labels are compared by code point and kept as they are, so ids never depend
    on the order in which a file was read.

    >>> people = Vocabulary(["bob", "alice"])
    >>> people.id_of("bob"), people[0], len(people)
    (1, 'alice', 2)
    """

    def __init__(self, labels: Iterable[str], *, kind: str = "entity") -> None:
        """Keep each distinct label once.

        Args:
            labels: any order, repeats allowed.
            kind: what a label stands for; used in messages only.
        """
        # In contrast to a set this keeps the order, and what is sorted already sorts at once.
        self._labels = tuple(sorted(dict.fromkeys(labels)))
        self._kind = kind
        self._ids = {label: number for number, label in enumerate(self._labels)}

    @property
    def kind(self) -> str:
        """What a label stands for, for messages."""
        return self._kind

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels, in the order of their ids."""
        return self._labels

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the labels."""
        return digest_bytes(*(label.encode() for label in self._labels))

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self._labels):
            raise IndexError(f"{self._kind} id {number}, expected 0 to {len(self._labels) - 1}")
        return self._labels[number]

    def __contains__(self, label: object) -> bool:
        return label in self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._labels == other._labels

    def __hash__(self) -> int:
        return hash(self._labels)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} {self._kind} labels)"

    def get(self, label: str) -> int | None:
        """Return the id of a label, or None where it is not contained."""
        return self._ids.get(label)

    def id_of(self, label: str) -> int:
        """Return the id of a label.

        Raises:
            UnknownNameError: the label is not contained; the nearest one is named.
        """
        number = self._ids.get(label)
        if number is None:
            raise self._unknown(label)
        return number

    def ids_of(self, labels: Iterable[str]) -> IntArray:
        """Return the ids of labels as (n,) int32.

        Raises:
            UnknownNameError: a label is not contained.
        """
        try:
            return np.fromiter((self._ids[label] for label in labels), dtype=np.int32)
        except KeyError as error:
            raise self._unknown(str(error.args[0])) from error

    def _unknown(self, label: str) -> UnknownNameError:
        """Name the label, and the IRI that ends with it or the label that ends it."""
        last = re.split("[#/]", label)[-1]
        spelled = [one for one in self._labels if one.endswith((f"#{label}", f"/{label}"))]
        if not spelled and last != label and last in self._ids:
            spelled = [last]
        hint = ""
        if spelled:
            hint = f"{spelled[0]!r} is known (labels meet IRIs through --namespace IRI)"
        return UnknownNameError(self._kind, label, self._labels, where=hint)
