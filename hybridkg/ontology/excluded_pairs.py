"""Candidates that axioms about pairs exclude: irreflexive, asymmetric, disjoint, negated, keys."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hybridkg.ontology.closure import Closure
from hybridkg.ontology.normal_form import NormalForm
from hybridkg.types import BoolArray


def depends_on_pairs(normal: NormalForm) -> bool:
    """Tell whether some axiom excludes pairs whatever the types of their ends."""
    kinds = (normal.irr, normal.asym, normal.djr, normal.neg, normal.fun, normal.ifn)
    return any(kinds)


def excluded_pairs(closure: Closure, ways: Iterable[tuple[int, bool]], anchor: int) -> BoolArray:
    """Return the (entities,) that cannot stand at the other end of a triple.

    Args:
        closure: what is known.
        ways: (role, whether it leads from the candidate to the anchor) of every role that
            follows from the triple's relation, itself included.
        anchor: the entity at the given end.
    """
    excluded = _Excluded(closure, frozenset(ways), anchor)
    for role, into_anchor in excluded.ways:
        excluded.by_direction(role, into_anchor)
        excluded.by_disjointness(role, into_anchor)
        excluded.by_negation(role, into_anchor)
        excluded.by_key(role, into_anchor)
    return excluded.entities


class _Excluded:
    """Collects the entities that one query excludes."""

    def __init__(self, closure: Closure, ways: frozenset[tuple[int, bool]], anchor: int) -> None:
        self.closure, self.ways, self.anchor = closure, ways, anchor
        self.normal = closure.base.normal
        self.entities: BoolArray = np.zeros(closure.kg.n_entities, dtype=np.bool_)

    def _related(self, role: int, from_anchor: bool) -> list[int]:
        return [one for one in self._values(role, from_anchor) if one < len(self.entities)]

    def _values(self, role: int, from_anchor: bool) -> list[int]:
        """Return the individuals at the other end, those included that only axioms name."""
        steps = self.closure.derivations
        ends = steps.targets(role, self.anchor) if from_anchor else steps.sources(role, self.anchor)
        return [end for end in ends if steps.is_individual(end)]

    def by_direction(self, role: int, into_anchor: bool) -> None:
        """Exclude what irreflexive and asymmetric properties exclude."""
        asymmetric = any(piece[0] == role for piece in self.normal.asym)
        if asymmetric or any(piece[0] == role for piece in self.normal.irr):
            self.entities[self.anchor] = True
        if asymmetric:
            if (role, not into_anchor) in self.ways:
                self.entities[:] = True
            self.entities[self._related(role, from_anchor=into_anchor)] = True

    def by_disjointness(self, role: int, into_anchor: bool) -> None:
        """Exclude what disjoint properties relate already."""
        for first, second, _ in self.normal.djr:
            for one, other in ((first, second), (second, first)):
                if one == role:
                    if (other, into_anchor) in self.ways:
                        self.entities[:] = True
                    if (other, not into_anchor) in self.ways:
                        self.entities[self.anchor] = True
                    self.entities[self._related(other, from_anchor=not into_anchor)] = True

    def by_negation(self, role: int, into_anchor: bool) -> None:
        """Exclude what a negative fact denies."""
        for denied, head, tail, _ in self.normal.neg:
            given, other = (tail, head) if into_anchor else (head, tail)
            if denied == role and given == self.anchor and other < len(self.entities):
                self.entities[other] = True

    def by_key(self, role: int, into_anchor: bool) -> None:
        """Exclude a second value of a functional property, under unique names."""
        for pieces, from_source in ((self.normal.fun, True), (self.normal.ifn, False)):
            if not any(piece[0] == role for piece in pieces):
                continue
            # A key that looks from the anchor allows the value that it has; one that looks
            # from the candidate allows candidates without another value.
            if from_source != into_anchor:
                values = self._values(role, from_anchor=from_source)
                kept = [one for one in values if one < len(self.entities)]
                if values:
                    allowed = self.entities[kept].copy()
                    self.entities[:] = True
                    self.entities[kept] = allowed if len(values) == 1 else True
                continue
            pairs = self.closure.saturation.named_pairs(role)
            ours, theirs = (0, 1) if from_source else (1, 0)
            other = pairs[pairs[:, theirs] != self.anchor, ours]
            self.entities[other[other < len(self.entities)]] = True
