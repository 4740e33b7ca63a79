"""Labels of score files met with those of a graph; all that do not meet are told together."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from hybridkg.errors import DataError, shortened
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.scoring.external import ASKED, QueryCode
from hybridkg.types import IntArray, LongArray

#: Ids of a label that the graph does not have, and of the asked end.
UNKNOWN, ASKED_ID = -1, -2


class LabelIds:
    """Translates labels, and keeps those that the graph does not have until the end.

    One unknown label is a slip, many are another spelling: a message can tell which only after
    the last line.
    """

    def __init__(
        self, path: str | Path, kg: KnowledgeGraph, line_of: Callable[[int], int] = lambda row: row
    ) -> None:
        """Translate the labels of one file.

        Args:
            path: the file, for messages.
            kg: its labels.
            line_of: turns a row, as the methods get it, into a line.
        """
        self.path = path
        self.kg = kg
        self.code = QueryCode.of_graph(kg)
        self._line_of = line_of
        self._unknown: dict[tuple[str, str], int] = {}

    def entities(self, labels: Sequence[str], rows: LongArray) -> IntArray:
        """Return (n,) entity ids of labels; ``rows`` says where each was met."""
        return self._ids(self.kg.entities, labels, rows)

    def relations(self, labels: Sequence[str], rows: LongArray) -> IntArray:
        """Return (n,) relation ids of labels."""
        return self._ids(self.kg.relations, labels, rows)

    def _ids(self, known: Vocabulary, labels: Sequence[str], rows: LongArray) -> IntArray:
        get = known.get
        found = [UNKNOWN if (i := get(label)) is None else i for label in labels]
        ids = np.array(found, dtype=np.int32)
        for place in np.flatnonzero(ids == UNKNOWN).tolist():
            if labels[place] == ASKED and known is self.kg.entities:
                ids[place] = ASKED_ID
            else:
                self._unknown.setdefault((known.kind, labels[place]), int(rows[place]))
        return ids

    def queries(
        self, heads: IntArray, relations: IntArray, tails: IntArray, rows: LongArray
    ) -> LongArray:
        """Return the (n,) coded queries of translated rows, -1 where a label is unknown.

        Raises:
            DataError: a row asks for no end, or for both.
        """
        asks_tail, asks_head = tails == ASKED_ID, heads == ASKED_ID
        wrong = np.flatnonzero(asks_tail == asks_head)
        if len(wrong):
            at = int(wrong[0])
            both = "both ends" if asks_tail[at] else "no end"
            raise DataError(
                f"{self.place(int(rows[at]))}: the row asks for {both}; expected {ASKED!r} as "
                "head or as tail, and the label of an entity at the other end"
            )
        anchors = np.where(asks_tail, heads, tails)
        known = (anchors >= 0) & (relations >= 0)
        keys = self.code.encode(asks_tail, anchors, relations)
        return np.where(known, keys, -1)

    def place(self, row: int) -> str:
        """Name the file and the line of a row."""
        return f"{self.path}:{self._line_of(row)}"

    def refuse_unknown(self) -> None:
        """Refuse the file where a label was not of the graph.

        Raises:
            DataError: naming the first such label, its line, the nearest known one, and how many
                there are.
        """
        if self._unknown:
            self._refuse()

    def _refuse(self) -> NoReturn:
        (kind, label), row = min(self._unknown.items(), key=lambda item: item[1])
        known = self.kg.relations if kind == "relation" else self.kg.entities
        close = difflib.get_close_matches(label, known.labels, n=1)
        hint = f"; did you mean {shortened(close[0])!r}?" if close else ""
        n = len(self._unknown)
        others = [shortened(name) for _, name in self._unknown if name != label][:4]
        more = f" {n} labels of this file are unknown, among them {others};" if others else ""
        raise DataError(
            f"{self.place(row)}: unknown {kind} {shortened(label)!r}{hint};{more} expected the "
            f"labels of data set {self.kg.name!r}, as {shortened(known.labels[0])!r}; mend them, "
            "or name the data set that was scored"
        )
