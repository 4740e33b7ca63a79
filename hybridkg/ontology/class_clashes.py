"""Which types of an entity contradict what a slot asks for, by class axioms."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hybridkg.ontology.normal_form import BOTTOM, NormalForm
from hybridkg.ontology.saturation import Saturation, member_table
from hybridkg.types import BoolArray, FloatArray


class ClassClashes:
    """Tells which type rows contradict a demand, by class axioms."""

    def __init__(self, normal: NormalForm, saturation: Saturation) -> None:
        """Prepare the tables of what excludes what.

        Args:
            normal: the axioms.
            saturation: what follows, for the stand-ins of the classes.
        """
        nodes, members = saturation.nodes, saturation.members
        start, stop = nodes.n_individuals, nodes.first_witness
        #: the classes that the tables are about, in the order of their axes.
        self.classes = nodes.stand_ins
        self._place = {cls: place for place, cls in enumerate(self.classes)}
        table = member_table(members, self.classes, stop, start=start)
        #: (classes, classes) True where the row's class is below the column's.
        self.above: BoolArray = table.T
        #: (classes,) True where a class can have no member.
        self.empty: BoolArray = members.row(BOTTOM)[start:stop].copy()
        self.empty[self._place[BOTTOM]] = True
        self.conj = [
            tuple(self._place[cls] for cls in piece[:3])
            for piece in normal.conj
            if piece[2] != BOTTOM and self._has(piece[:3])
        ]
        self.against = self._conflicts(normal)
        #: False where no demand can contradict any types.
        self.possible = bool(self.against.any()) or int(self.empty.sum()) > 1
        self.possible |= any(c == BOTTOM for piece in (normal.dom, normal.rng) for _, c, _ in piece)

    def _has(self, classes: Iterable[int]) -> bool:
        return all(cls in self._place for cls in classes)

    def _conflicts(self, normal: NormalForm) -> FloatArray:
        """Return (classes, classes) 1 where two classes exclude each other."""
        against = np.zeros((len(self.classes), len(self.classes)), dtype=np.float32)
        for classes, _ in normal.dsj:
            kept = [self._place[cls] for cls in classes if cls in self._place]
            members = np.array(sorted(set(kept)), dtype=np.int64)
            block = against[np.ix_(members, members)]
            against[np.ix_(members, members)] = np.maximum(block, 1 - np.eye(len(members)))
            for place in members.tolist():
                if kept.count(place) > 1:
                    against[place, place] = 1
        for first, second, result, _ in normal.conj:
            if result == BOTTOM and self._has((first, second)):
                one, other = self._place[first], self._place[second]
                against[one, other] = against[other, one] = 1
        return against

    def with_demand(self, rows: BoolArray, classes: tuple[int, ...]) -> BoolArray:
        """Return (signatures,) True where a type row and the demanded classes contradict."""
        demanded = self.above[[self._place[cls] for cls in classes]].any(axis=0)
        if self.empty[demanded].any():
            return np.ones(len(rows), dtype=np.bool_)
        if self.conj:
            return self._by_closing(rows | demanded)
        hostile = self.against @ demanded.astype(np.float32) > 0
        if (hostile & demanded).any():
            return np.ones(len(rows), dtype=np.bool_)
        return np.asarray(rows[:, hostile].any(axis=1))

    def _by_closing(self, merged: BoolArray) -> BoolArray:
        """Close type rows under intersections first: two types may give a third."""
        grown = True
        while grown:
            grown = False
            for first, second, result in self.conj:
                new = merged[:, first] & merged[:, second] & ~merged[:, result]
                if new.any():
                    merged[new] |= self.above[result]
                    grown = True
        inside = merged.astype(np.float32)
        clashes: BoolArray = np.asarray(((inside @ self.against) * inside).sum(axis=1) > 0)
        return clashes | np.asarray(merged[:, self.empty].any(axis=1))
