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
    *("dsj", "irr", "djr", "asym", "neg", "same", "dif", "fun", "ifn"),
)


@dataclass(frozen=True, slots=True)
class NormalForm:
    """Axiom pieces over class and role ids; the last member of a piece is its axiom."""

    axioms: tuple[Axiom, ...]
    #: class id -> text; 0 is Thing, 1 is Nothing, then names sorted, then auxiliaries.
    classes: tuple[str, ...]
    #: number of classes that are no auxiliary.
    n_named: int
    #: role id -> text; names sorted, then the prefixes of long chains, then equality.
    roles: tuple[str, ...]
    #: number of roles that have a name of their own.
    n_named_roles: int
    #: individual id -> name.
    individuals: tuple[str, ...]
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
    #: R(x, y) gives S(y, x), between individuals.
    inv: tuple[tuple[int, int, int], ...]
    #: no two of the listed classes share a member; a repeated one is empty.
    dsj: tuple[tuple[tuple[int, ...], int], ...]
    #: R relates no individual to itself.
    irr: tuple[tuple[int, int], ...]
    #: R(x, y) and S(x, y) exclude each other, between individuals.
    djr: tuple[tuple[int, int, int], ...]
    #: R(x, y) and R(y, x) exclude each other, between individuals.
    asym: tuple[tuple[int, int], ...]
    #: R does not relate individual a to individual b: (R, a, b).
    neg: tuple[tuple[int, int, int, int], ...]
    #: individuals a and b are one.
    same: tuple[tuple[int, int, int], ...]
    #: no two of the listed individuals are one; a repeated one contradicts itself.
    dif: tuple[tuple[tuple[int, ...], int], ...]
    #: R relates an individual to at most one; only under unique names.
    fun: tuple[tuple[int, int], ...]
    #: R relates at most one individual to another; only under unique names.
    ifn: tuple[tuple[int, int], ...]
    #: class {a} and individual a, for every nominal.
    nominals: tuple[tuple[int, int], ...]
    #: class "R Self" and role R; where R is used so, or follows from one that is.
    selves: tuple[tuple[int, int], ...]
    #: the role that relates an individual to what it is one with; None where nothing can be one.
    same_role: int | None
    #: True where two names never mean one individual.
    unique_names: bool
    unused: tuple[UnusedAxiom, ...]
    class_ids: dict[str, int]
    role_ids: dict[str, int]

    @property
    def n_classes(self) -> int:
        """Number of class ids, auxiliaries included."""
        return len(self.classes)

    @property
    def n_individuals(self) -> int:
        """Number of individual ids."""
        return len(self.individuals)
