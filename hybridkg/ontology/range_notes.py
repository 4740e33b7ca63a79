"""Axioms that are used between named individuals only, and so are listed as not fully used."""

from __future__ import annotations

from collections.abc import Iterator

from hybridkg.ontology.demands import role_demands
from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.normal_form import NormalForm

WHY = "used between named individuals only"


def note_what_names_only(normal: NormalForm) -> tuple[UnusedAxiom, ...]:
    """List the axioms that would have to act on anonymous witnesses too.

    One witness node stands for the witnesses of many individuals, so a link back from it
    would relate it to all of them: inverses act on names only. For the same reason a range
    is not applied at the end of a path of links, unless the last link asks for it too; OWL 2 EL
    demands the latter (Source: OWL 2 Profiles, section 2.2.6). Keys, and properties that exclude
    each other or their inverse, look at pairs of names.
    """
    reached = roles_of_witnesses(normal)
    numbers = {axiom for role, _, axiom in normal.inv if role in reached}
    numbers |= set(_unstated_ranges(normal, reached))
    numbers |= {axiom for role, axiom in (*normal.fun, *normal.ifn) if role in reached}
    if normal.same_role is not None:
        # What a witness is one with has a name, so that a pair of names may clash unseen.
        numbers |= {axiom for role, axiom in normal.asym if role in reached}
        numbers |= {a for first, second, a in normal.djr if reached & {first, second}}
    return tuple(UnusedAxiom(normal.axioms[number], WHY) for number in sorted(numbers))


def roles_of_witnesses(normal: NormalForm) -> set[int]:
    """Return the roles that can relate something to an anonymous witness."""
    reached = {piece[1] for piece in normal.exr}
    links = [(sub, sup) for sub, sup, _ in normal.sr]
    links += [(second, third) for _, second, third, _ in normal.chain]
    if normal.same_role is not None:
        # What a witness is one with has named links, and these become its own.
        links += [(first, third) for first, _, third, _ in normal.chain]
    grown = True
    while grown:
        new = {sup for sub, sup in links if sub in reached} - reached
        reached |= new
        grown = bool(new)
    return reached


def _unstated_ranges(normal: NormalForm, reached: set[int]) -> Iterator[int]:
    if not normal.chain or not normal.rng:
        return
    asked = [{d.cls for d in demands if d.side == "tail"} for demands in role_demands(normal)]
    for _, second, third, axiom in normal.chain:
        if second in reached and not asked[third] <= asked[second]:
            yield axiom
