"""What axioms about roles say of one role: walks over exactly the axioms that a proof cites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

from hybridkg.ontology.normal_form import NormalForm

#: A role that a walk has come to, and whether it relates the two ends turned round.
Place: TypeAlias = tuple[int, bool]


class RoleWalks:
    """Walks from a role to what follows from it, by the axioms a step cites and no others.

    A walk comes to no place twice, so it cannot take in an axiom that leads nowhere.
    """

    def __init__(self, normal: NormalForm) -> None:
        """Look the pieces up by their axioms.

        Args:
            normal: the axioms.
        """
        self._normal = normal
        #: axiom -> (role, role that follows, whether turned round); made when first needed.
        self._moves: dict[int, list[tuple[int, int, bool]]] | None = None

    def _of_axiom(self, axiom: int) -> list[tuple[int, int, bool]]:
        if self._moves is None:
            self._moves = defaultdict(list)
            for turned, pieces in ((False, self._normal.sr), (True, self._normal.inv)):
                for first, second, number in pieces:
                    self._moves[number].append((first, second, turned))
        return self._moves.get(axiom, [])

    def give_range(self, role: int, cls: int, axioms: tuple[int, ...]) -> bool:
        """Tell whether tails of a role belong to a class, by a walk along some axioms in order.

        Args:
            role: the role.
            cls: the class.
            axioms: those of the walk, then the range or domain axiom.
        """
        if not axioms:
            return False
        ends = {(r, False) for r, c, number in self._normal.rng if (c, number) == (cls, axioms[-1])}
        ends |= {(r, True) for r, c, number in self._normal.dom if (c, number) == (cls, axioms[-1])}
        return any(place in ends for place in self._along(role, axioms[:-1]))

    def _along(self, role: int, axioms: tuple[int, ...]) -> Iterator[Place]:
        """Yield the places to which axioms lead, each taken once, in their order."""
        waiting: list[tuple[Place, ...]] = [((role, False),)]
        while waiting:
            walk = waiting.pop()
            if len(walk) > len(axioms):
                yield walk[-1]
                continue
            for there in self._next(walk[-1], axioms[len(walk) - 1]):
                if there not in walk:
                    waiting.append((*walk, there))

    def _next(self, place: Place, axiom: int) -> Iterator[Place]:
        for first, second, turned in self._of_axiom(axiom):
            if first == place[0]:
                yield second, place[1] ^ turned

    def exclude_themselves(self, role: int, axioms: tuple[int, ...]) -> bool:
        """Tell whether two roles that follow from one exclude each other, by exactly some axioms.

        Args:
            role: the role.
            axioms: those of both walks, each once, then the one that excludes.
        """
        if not axioms or len(set(axioms)) < len(axioms):
            return False
        *cited, last = axioms
        walks = self._sets(role, cited)
        wanted = frozenset(cited)
        return any(
            one | other == wanted
            for first, second in self._excluded(last)
            for one in walks.get(first, ())
            for other in walks.get(second, ())
        )

    def _excluded(self, axiom: int) -> Iterable[tuple[Place, Place]]:
        for first, second, number in self._normal.djr:
            if number == axiom:
                for turned in (False, True):
                    yield (first, turned), (second, turned)
        for role, number in self._normal.asym:
            if number == axiom:
                yield (role, False), (role, True)

    def _sets(self, role: int, cited: Collection[int]) -> dict[Place, set[frozenset[int]]]:
        """Return for each place the sets of cited axioms by which walks lead there."""
        found: dict[Place, set[frozenset[int]]] = defaultdict(set)
        start: tuple[Place, ...] = ((role, False),)
        waiting = [(start, frozenset[int]())]
        while waiting:
            walk, used = waiting.pop()
            found[walk[-1]].add(used)
            for axiom in cited:
                for there in self._next(walk[-1], axiom):
                    if there not in walk:
                        waiting.append(((*walk, there), used | {axiom}))
        return found
