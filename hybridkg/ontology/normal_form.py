"""The small normal form that every engine here works on.

Each piece is a tuple whose last member is the number of the axiom it came from,
so that proofs can fold pieces back into asserted axioms.
"""

from __future__ import annotations

from dataclasses import dataclass

from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.document import UnusedAxiom

#: Class ids that every normal form has.
TOP, BOTTOM = 0, 1

#: The kinds of pieces, as fields of :class:`NormalForm`.
PIECES: tuple[str, ...] = (
    *("sc", "conj", "exr", "exl", "dom", "rng", "sr", "chain", "inv"),
    *("dsj", "irr", "djr", "asym"),
)


@dataclass(frozen=True, slots=True)
class NormalForm:
    """Axiom pieces over class and role ids; the last member of a piece is its axiom."""

    axioms: tuple[Axiom, ...]
    #: class id -> text; 0 is Thing, 1 is Nothing, then names sorted, then auxiliaries.
    classes: tuple[str, ...]
    #: number of classes that are no auxiliary.
    n_named: int
    #: role id -> text; names sorted, then the prefixes of long chains.
    roles: tuple[str, ...]
    #: number of roles that are no prefix of a chain.
    n_named_roles: int
    #: A subClassOf B.
    sc: tuple[tuple[int, int, int], ...]
    #: A and B subClassOf C.
    conj: tuple[tuple[int, int, int, int], ...]
    #: A subClassOf R some E.
    exr: tuple[tuple[int, int, int, int], ...]
    #: R some A subClassOf B.
    exl: tuple[tuple[int, int, int, int], ...]
    #: heads of R belong to C.
    dom: tuple[tuple[int, int, int], ...]
    #: tails of R belong to C.
    rng: tuple[tuple[int, int, int], ...]
    #: R subPropertyOf S.
    sr: tuple[tuple[int, int, int], ...]
    #: R o S subPropertyOf T.
    chain: tuple[tuple[int, int, int, int], ...]
    #: R(x, y) gives S(y, x).
    inv: tuple[tuple[int, int, int], ...]
    #: no two of the listed classes share a member; a repeated one is empty.
    dsj: tuple[tuple[tuple[int, ...], int], ...]
    #: R relates nothing to itself.
    irr: tuple[tuple[int, int], ...]
    #: R(x, y) and S(x, y) exclude each other.
    djr: tuple[tuple[int, int, int], ...]
    #: R(x, y) and R(y, x) exclude each other.
    asym: tuple[tuple[int, int], ...]
    unused: tuple[UnusedAxiom, ...]
    class_ids: dict[str, int]
    role_ids: dict[str, int]

    @property
    def n_classes(self) -> int:
        """Number of class ids, auxiliaries included."""
        return len(self.classes)
