"""Bring axioms into the normal form, and list what has none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from hybridkg.errors import ConfigError
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.document import UnusedAxiom, names_in_axiom
from hybridkg.ontology.expressions import ClassExpression
from hybridkg.ontology.normal_form import BOTTOM, PIECES, TOP, NormalForm
from hybridkg.ontology.pieces import NotCovered, PieceBuilder
from hybridkg.ontology.role_pieces import TOP_ROLE, add_role_axiom

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


def normalise(
    axioms: Iterable[Axiom],
    *,
    classes: Iterable[str] = (),
    roles: Iterable[str] = (),
    profile: Profile = "el+",
) -> NormalForm:
    """Bring axioms into normal form.

    An axiom that is left out, wholly or in part, is listed with the reason.

    Args:
        axioms: any axioms.
        classes: further class names that need an id.
        roles: further role names that need an id.
        profile: "el+", or "el" to leave the axioms beyond EL out.

    Raises:
        ConfigError: a profile that does not exist.
    """
    if profile not in PROFILES:
        raise ConfigError(f"profile {profile!r}; expected one of {', '.join(PROFILES)}")
    listed = tuple(axioms)
    builder = _empty_builder(listed, classes, roles)
    n_named, n_named_roles = len(builder.classes), len(builder.roles)
    for number, axiom in enumerate(listed):
        try:
            _add_axiom(builder, axiom, number, profile)
        except NotCovered as reason:
            builder.unused.append(UnusedAxiom(axiom, str(reason)))
    _note_inverses_of_existentials(builder, listed)
    return NormalForm(
        axioms=listed,
        classes=tuple(builder.classes),
        n_named=n_named,
        roles=tuple(builder.roles),
        n_named_roles=n_named_roles,
        unused=tuple(builder.unused),
        class_ids=builder.class_ids,
        role_ids=builder.role_ids,
        **{kind: tuple(builder.pieces.get(kind, ())) for kind in PIECES},  # type: ignore[arg-type]
    )


def _empty_builder(
    axioms: tuple[Axiom, ...], classes: Iterable[str], roles: Iterable[str]
) -> PieceBuilder:
    """Number the names that are given or stand in an axiom, in sorted order."""
    named, role_names = set(classes), set(roles)
    for axiom in axioms:
        for kind, name in names_in_axiom(axiom):
            if kind == "class":
                named.add(name)
            elif kind == "relation" and name != TOP_ROLE:
                role_names.add(name)
    texts, ordered_roles = ["Thing", "Nothing", *sorted(named)], sorted(role_names)
    class_ids = {name: number for number, name in enumerate(texts) if number > BOTTOM}
    role_ids = {name: number for number, name in enumerate(ordered_roles)}
    return PieceBuilder(class_ids, role_ids, texts, ordered_roles)


def _add_axiom(builder: PieceBuilder, axiom: Axiom, number: int, profile: Profile) -> None:
    """Add one axiom's pieces.

    Raises:
        NotCovered: some part has no normal form; pieces of other parts stay.
    """
    if profile == "el" and isinstance(axiom, _BEYOND_EL):
        raise NotCovered("outside the profile el")
    if isinstance(axiom, _KEYS):
        raise NotCovered("a key; it clashes under unique names only")
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
        raise NotCovered("an assertion with a class expression is not covered")
    else:
        add_role_axiom(builder, axiom, number)


def _add_inclusion(
    builder: PieceBuilder, sub: ClassExpression, sup: ClassExpression, number: int
) -> None:
    if isinstance(sub, ex.Or):
        for operand in sub.operands:
            _add_inclusion(builder, operand, sup, number)
        return
    target = builder.atom(sup)
    if target is not None:
        builder.fill_left(sub, target, number)
    else:
        builder.right(sup, builder.left(sub, number), number)


def _add_equivalence(
    builder: PieceBuilder, operands: Sequence[ClassExpression], number: int
) -> None:
    reasons: list[str] = []
    cycle = [*operands[1:], operands[0]]
    for sub, sup in zip(operands, cycle, strict=True):
        try:
            _add_inclusion(builder, sub, sup, number)
        except NotCovered as reason:
            reasons.append(str(reason))
    if reasons:
        raise NotCovered("; ".join(dict.fromkeys(reasons)) + "; the rest of it is used")


def _add_demand(
    builder: PieceBuilder, kind: str, role: str, cls: ClassExpression, number: int
) -> None:
    if isinstance(cls, ex.And):
        for operand in cls.operands:
            _add_demand(builder, kind, role, operand, number)
        return
    target = builder.right_atom(cls, number)
    if target != TOP:
        builder.add(kind, builder.role_ids[role], target, number)


def _note_inverses_of_existentials(builder: PieceBuilder, axioms: tuple[Axiom, ...]) -> None:
    """List the inverse axioms that would have to act on anonymous witnesses too.

    One witness node stands for the witnesses of many individuals, so an edge
    back from it would relate it to all of them: inverses act on names only.
    """
    reached = {piece[1] for piece in builder.pieces.get("exr", ())}
    links = [(p[0], p[1]) for kind in ("sr", "inv") for p in builder.pieces.get(kind, ())]
    links += [(p[i], p[2]) for p in builder.pieces.get("chain", ()) for i in (0, 1)]
    grown = True
    while grown:
        new = {sup for sub, sup in links if sub in reached} - reached
        reached |= new
        grown = bool(new)
    numbers = {p[2] for p in builder.pieces.get("inv", ()) if p[0] in reached}
    for number in sorted(numbers):  # type: ignore[type-var]
        builder.unused.append(
            UnusedAxiom(axioms[number], "used between named individuals only")  # type: ignore[call-overload]
        )
