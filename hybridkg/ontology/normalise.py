"""Bring axioms into the normal form, and list what has none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal, TypeAlias

from hybridkg.errors import ConfigError
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.document import UnusedAxiom, names_in_axiom
from hybridkg.ontology.expressions import ClassExpression
from hybridkg.ontology.normal_form import BOTTOM, PIECES, TOP, NormalForm
from hybridkg.ontology.pieces import TOP_ROLE, NotCovered, PieceBuilder
from hybridkg.ontology.range_notes import note_what_names_only
from hybridkg.ontology.role_pieces import add_role_axiom, add_self_pieces

#: "el+" also uses inverse, symmetric, irreflexive, asymmetric and disjoint properties.
Profile: TypeAlias = Literal["el+", "el"]
PROFILES: tuple[Profile, ...] = ("el+", "el")

_BEYOND_EL = (
    ax.InverseOf,
    ax.Symmetric,
    ax.Irreflexive,
    ax.Asymmetric,
    ax.DisjointProperties,
)
_KEYS = (ax.Functional, ax.InverseFunctional)
#: Text of the role that relates an individual to what it is one with.
SAME_AS = "sameAs"


def normalise(
    axioms: Iterable[Axiom],
    *,
    classes: Iterable[str] = (),
    roles: Iterable[str] = (),
    individuals: Iterable[str] = (),
    profile: Profile = "el+",
    unique_names: bool = False,
) -> NormalForm:
    """Bring axioms into normal form.

    An axiom that is left out, wholly or in part, is listed with the reason.

    Args:
        axioms: any axioms.
        classes: further class names that need an id.
        roles: further role names that need an id.
        individuals: names of the first individuals, in the order of their ids; others that
            stand in an axiom come after them, sorted.
        profile: "el+", or "el" to leave the axioms beyond EL out.
        unique_names: two names never mean one individual; what is functional can clash then.

    Raises:
        ConfigError: a profile that does not exist.
    """
    if profile not in PROFILES:
        raise ConfigError(f"profile {profile!r}; expected one of {', '.join(PROFILES)}")
    listed = tuple(axioms)
    names = _all_names(listed, individuals)
    builder = _empty_builder(listed, classes, roles, names)
    n_named, n_named_roles = len(builder.classes), len(builder.roles)
    for number, axiom in enumerate(listed):
        builder.notes.clear()
        try:
            _add_axiom(builder, axiom, number, profile, unique_names)
        except NotCovered as reason:
            builder.notes[str(reason)] = None
        if builder.notes:
            builder.unused.append(UnusedAxiom(axiom, "; ".join(builder.notes)))
    builder.add_names()
    add_self_pieces(builder)
    same_role = None
    if builder.of("same") or builder.nominals:
        same_role = len(builder.roles)
        builder.roles.append(SAME_AS)
    normal = NormalForm(
        axioms=listed,
        classes=tuple(builder.classes),
        n_named=n_named,
        roles=tuple(builder.roles),
        n_named_roles=n_named_roles,
        individuals=names,
        nominals=tuple(builder.nominals.items()),
        selves=tuple((cls, role) for role, cls in builder.selves.items()),
        same_role=same_role,
        unique_names=unique_names,
        unused=tuple(builder.unused),
        class_ids=builder.class_ids,
        role_ids=builder.role_ids,
        **{kind: builder.of(kind) for kind in PIECES},
    )
    return replace(normal, unused=(*normal.unused, *note_what_names_only(normal)))


def _all_names(axioms: tuple[Axiom, ...], individuals: Iterable[str]) -> tuple[str, ...]:
    given = tuple(individuals)
    named = {name for axiom in axioms for kind, name in names_in_axiom(axiom) if kind == "entity"}
    return (*given, *sorted(named - set(given))) if named else given


def _empty_builder(
    axioms: tuple[Axiom, ...],
    classes: Iterable[str],
    roles: Iterable[str],
    individuals: tuple[str, ...],
) -> PieceBuilder:
    """Number the names that are given or stand in an axiom, in sorted order."""
    named, role_names = set(classes), set(roles)
    for axiom in axioms:
        for kind, name in names_in_axiom(axiom):
            if kind == "class":
                named.add(name)
            elif kind == "relation" and name != TOP_ROLE:
                role_names.add(name)
    built_in = [f"owl:{one}" if one in named else one for one in ("Thing", "Nothing")]
    texts, ordered_roles = [*built_in, *sorted(named)], sorted(role_names)
    class_ids = {name: number for number, name in enumerate(texts) if number > BOTTOM}
    role_ids = {name: number for number, name in enumerate(ordered_roles)}
    individual_ids = {name: number for number, name in enumerate(individuals)}
    return PieceBuilder(class_ids, role_ids, individual_ids, texts, ordered_roles)


def _add_axiom(
    builder: PieceBuilder, axiom: Axiom, number: int, profile: Profile, unique_names: bool
) -> None:
    """Add one axiom's pieces.

    Raises:
        NotCovered: some part has no normal form; pieces of other parts stay.
    """
    if profile == "el" and isinstance(axiom, _BEYOND_EL):
        raise NotCovered("outside the profile el")
    if isinstance(axiom, _KEYS) and not unique_names:
        raise NotCovered("it can clash under unique names only, which are not assumed")
    if isinstance(axiom, ax.SubClassOf):
        _add_inclusion(builder, axiom.sub, axiom.sup, number)
    elif isinstance(axiom, ax.EquivalentClasses):
        _add_equivalence(builder, axiom.operands, number)
    elif isinstance(axiom, ax.DisjointClasses):
        builder.add("dsj", tuple(builder.left(o, number) for o in axiom.operands), number)
    elif isinstance(axiom, ax.Domain):
        _add_demand(builder, "dom", axiom.role, axiom.cls, number)
    elif isinstance(axiom, ax.Range):
        _add_demand(builder, "rng", axiom.role, axiom.cls, number)
    elif isinstance(axiom, ax.OtherAxiom):
        raise NotCovered(f"{axiom.kind} is not covered")
    elif isinstance(axiom, ax.Assertion):
        _add_inclusion(builder, ex.Nominal(axiom.individual), axiom.cls, number)
    elif isinstance(axiom, ax.NegativeFact):
        head, tail = (builder.individual_ids[name] for name in (axiom.head, axiom.tail))
        builder.add("neg", builder.role(axiom.relation), head, tail, number)
    elif isinstance(axiom, ax.SameIndividuals | ax.DifferentIndividuals):
        _add_identity(builder, axiom, number)
    else:
        add_role_axiom(builder, axiom, number)


def _add_identity(
    builder: PieceBuilder, axiom: ax.SameIndividuals | ax.DifferentIndividuals, number: int
) -> None:
    numbers = tuple(builder.individual_ids[name] for name in axiom.operands)
    if isinstance(axiom, ax.DifferentIndividuals):
        builder.add("dif", numbers, number)
        return
    for one, other in pairwise(numbers):
        if one != other:
            builder.add("same", one, other, number)


def _add_inclusion(
    builder: PieceBuilder, sub: ClassExpression, sup: ClassExpression, number: int
) -> None:
    target = builder.atom(sup)
    if target is not None:
        builder.fill_left(sub, target, number)
    elif isinstance(sub, ex.Or) and not isinstance(sup, ex.Or):
        for operand in sub.operands:
            _add_inclusion(builder, operand, sup, number)
    else:
        builder.right(sup, builder.left(sub, number), number)


def _add_equivalence(
    builder: PieceBuilder, operands: Sequence[ClassExpression], number: int
) -> None:
    cycle = [*operands[1:], operands[0]]
    for sub, sup in zip(operands, cycle, strict=True):
        try:
            _add_inclusion(builder, sub, sup, number)
        except NotCovered as reason:
            builder.notes[f"{reason}; the rest of it is used"] = None


def _add_demand(
    builder: PieceBuilder, kind: str, role: str, cls: ClassExpression, number: int
) -> None:
    if isinstance(cls, ex.And):
        for operand in cls.operands:
            _add_demand(builder, kind, role, operand, number)
        return
    target = builder.right_atom(cls, number)
    if target != TOP:
        builder.add(kind, builder.role(role), target, number)
