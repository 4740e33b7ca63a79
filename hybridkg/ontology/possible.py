"""Which classes can have a member at all, seen from the types and relations that are asserted."""

from __future__ import annotations

from collections.abc import Iterable

from hybridkg.ontology.demands import implied_roles
from hybridkg.ontology.normal_form import BOTTOM, TOP, NormalForm


def possible_classes(
    normal: NormalForm, classes: Iterable[int], roles: Iterable[int]
) -> tuple[int, ...]:
    """Return the classes that the axioms can reach from asserted ones, ascending.

    The closure runs over the axioms with every individual taken for one and the same, so it
    finds at least the classes that get a member; of a large ontology these are few.

    Args:
        normal: the axioms.
        classes: classes with an asserted member.
        roles: roles with an asserted link.
    """
    inside = {TOP, BOTTOM, *classes, *(cls for cls, _ in normal.nominals)}
    linked = set(roles)
    ways = [{way.role for way in found} for found in implied_roles(normal)]
    before = (-1, -1)
    while before != (len(inside), len(linked)):
        before = (len(inside), len(linked))
        linked |= {role for one in list(linked) for role in ways[one]}
        for a, b, _ in normal.sc:
            if a in inside:
                inside.add(b)
        for a, b, c, _ in normal.conj:
            if a in inside and b in inside:
                inside.add(c)
        for a, role, filler, _ in normal.exr:
            if a in inside:
                linked.add(role)
                inside.add(filler)
        for role, a, b, _ in normal.exl:
            if role in linked and a in inside:
                inside.add(b)
        for pieces in (normal.dom, normal.rng):
            inside |= {cls for role, cls, _ in pieces if role in linked}
        for first, second, third, _ in normal.chain:
            if first in linked and second in linked:
                linked.add(third)
        for cls, role in normal.selves:
            if role in linked:
                inside.add(cls)
            if cls in inside:
                linked.add(role)
    return tuple(sorted(inside))
