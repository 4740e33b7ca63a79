"""Axioms that the table of verdicts leaves out of account for a candidate."""

from __future__ import annotations

from collections.abc import Sequence

from hybridkg.ontology.demands import Demand, ImpliedRole
from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.knowledge_base import KnowledgeBase
from hybridkg.ontology.normal_form import NormalForm
from hybridkg.types import Target

#: Kind of piece -> where its classes stand.
_CLASS_COLUMNS = {
    **{"sc": (0, 1), "conj": (0, 1, 2), "exr": (0, 2)},
    **{"exl": (1, 2), "dom": (1,), "rng": (1,)},
}


def axioms_not_followed(
    base: KnowledgeBase,
    demands: Sequence[Sequence[Demand]],
    implied: Sequence[Sequence[ImpliedRole]],
) -> tuple[UnusedAxiom, ...]:
    """List the axioms that a candidate could set off, but that the table does not follow.

    Args:
        base: the axioms, and the roles of the graph's relations.
        demands: role -> what its ends must belong to.
        implied: role -> roles that follow from it.

    """
    normal = base.normal
    fired = _roles_of_candidates(base, implied)
    pairwise = {p[0] for kind in (normal.irr, normal.asym) for p in kind}
    pairwise |= {p[0] for kind in (normal.neg, normal.fun, normal.ifn) for p in kind}
    pairwise |= {role for piece in normal.djr for role in piece[:2]}
    on_left = {role for role, _, _, _ in normal.exl}

    def asked(role: int, side: Target) -> set[int]:
        return {d.cls for d in demands[role] if d.side == side}

    # A candidate may give a link, or put the end of one that is there already into the class.
    numbers = {axiom for _, _, _, axiom in normal.exl}
    numbers |= _axioms_of_identity(normal)
    for first, second, third, axiom in normal.chain:
        # A path asks no more of its ends than its links where, as in a transitive
        # relation, the links ask for the same.
        asks_more = not (
            asked(third, "head") <= asked(first, "head")
            and asked(third, "tail") <= asked(second, "tail")
        )
        bites = asks_more or bool({way.role for way in implied[third]} & (pairwise | on_left))
        if bites and fired & {first, second}:
            numbers.add(axiom)
    why = "not followed from a candidate in the table of verdicts"
    return tuple(UnusedAxiom(normal.axioms[number], why) for number in sorted(numbers))


def _axioms_of_identity(normal: NormalForm) -> set[int]:
    """Return the axioms on equality and loops, which a candidate could set off."""
    numbers = {axiom for _, _, axiom in normal.same}
    nominals = {cls for cls, _ in (*normal.nominals, *normal.selves)}
    for kind, columns in _CLASS_COLUMNS.items():
        for piece in getattr(normal, kind):
            if nominals & {piece[column] for column in columns}:
                numbers.add(piece[-1])
    return numbers


def _roles_of_candidates(base: KnowledgeBase, implied: Sequence[Sequence[ImpliedRole]]) -> set[int]:
    """Return every role that could hold because a triple of the graph's relations does."""
    normal = base.normal
    # Witnesses and loops of what an end of the candidate belongs to give links too.
    given = {role for _, role, _, _ in normal.exr} | {role for _, role in normal.selves}
    started = {*base.role_of.tolist(), *given}
    fired = {way.role for role in started for way in implied[role]}
    grown = True
    while grown:
        reached = {
            way.role
            for first, second, third, _ in base.normal.chain
            if fired & {first, second}
            for way in implied[third]
        }
        grown = not reached <= fired
        fired |= reached
    return fired
