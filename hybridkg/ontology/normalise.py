"""Bring axioms into the small normal form that every engine here works on.

Each piece of the normal form is a tuple whose last member is the number of the
axiom it came from, so that proofs can fold pieces back into asserted axioms.
Complex expressions get auxiliary class names, whose text is the expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from hybridkg.errors import ConfigError
from hybridkg.ontology import axioms as ax
from hybridkg.ontology.axioms import Axiom, ClassExpression
from hybridkg.ontology.document import UnusedAxiom, names_in_axiom

#: "el+" also uses inverse, symmetric, irreflexive, asymmetric and disjoint properties.
Profile: TypeAlias = Literal["el+", "el"]
PROFILES: tuple[Profile, ...] = ("el+", "el")

#: Class ids that every normal form has.
TOP, BOTTOM = 0, 1

#: The kinds of pieces, as fields of :class:`NormalForm`.
PIECES: tuple[str, ...] = (
    *("sc", "conj", "exr", "exl", "dom", "rng", "sr", "chain", "inv"),
    *("dsj", "irr", "djr", "asym"),
)

_BEYOND_EL = (
    ax.InverseOf,
    ax.Symmetric,
    ax.Irreflexive,
    ax.Asymmetric,
    ax.DisjointProperties,
)
_KEYS = (ax.Functional, ax.InverseFunctional)
_TOP_ROLE = "http://www.w3.org/2002/07/owl#topObjectProperty"


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


@dataclass(slots=True)
class _Builder:
    """The growing pieces, and the names given to complex expressions."""

    class_ids: dict[str, int]
    role_ids: dict[str, int]
    classes: list[str]
    roles: list[str]
    profile: Profile
    #: (expression, whether it stands on the left) -> its auxiliary class.
    auxiliaries: dict[tuple[ClassExpression, bool], int] = field(default_factory=dict)
    pieces: dict[str, dict[tuple[object, ...], None]] = field(default_factory=dict)
    unused: list[UnusedAxiom] = field(default_factory=list)

    def add(self, kind: str, *piece: object) -> None:
        self.pieces.setdefault(kind, {})[piece] = None

    def auxiliary(self, expression: ClassExpression, left: bool) -> tuple[int, bool]:
        """Return the class that names an expression on one side, and whether it is new."""
        key = (expression, left)
        if key in self.auxiliaries:
            return self.auxiliaries[key], False
        self.auxiliaries[key] = len(self.classes)
        self.classes.append(str(expression))
        return self.auxiliaries[key], True

    def atom(self, expression: ClassExpression) -> int | None:
        if isinstance(expression, ax.Named):
            return self.class_ids[expression.name]
        if isinstance(expression, ax.Top):
            return TOP
        return BOTTOM if isinstance(expression, ax.Bottom) else None

    def left(self, expression: ClassExpression, number: int) -> int:
        """Return a class that has at least the members of a left-hand expression."""
        atom = self.atom(expression)
        if atom is not None:
            return atom
        # Each axiom defines its own pieces, so that a proof cites the axiom it needs.
        name, _ = self.auxiliary(expression, True)
        self.fill_left(expression, name, number)
        return name

    def fill_left(self, expression: ClassExpression, target: int, number: int) -> None:
        """Add pieces that put every member of an expression into ``target``."""
        atom = self.atom(expression)
        if atom is not None:
            if atom != target and target != TOP and atom != BOTTOM:
                self.add("sc", atom, target, number)
        elif isinstance(expression, ax.Or):
            for operand in expression.operands:
                self.fill_left(operand, target, number)
        elif isinstance(expression, ax.Some):
            filler = self.left(expression.filler, number)
            role = self.role_ids[expression.role]
            if filler == TOP:
                self.add("dom", role, target, number)
            else:
                self.add("exl", role, filler, target, number)
        elif isinstance(expression, ax.And):
            self.fill_conjunction(expression, target, number)
        else:
            raise _NotCovered(_why(expression, "on the left"))

    def fill_conjunction(self, expression: ax.And, target: int, number: int) -> None:
        parts = [p for o in expression.operands if (p := self.left(o, number)) != TOP]
        if not parts:
            self.add("sc", TOP, target, number)
            return
        so_far, text = parts[0], self.classes[parts[0]]
        for place, part in enumerate(parts[1:], start=2):
            text = f"{text} and {self.classes[part]}"
            if place == len(parts):
                result = target
            else:
                prefix = ax.OtherExpression("prefix", f"({text})")
                result, _ = self.auxiliary(prefix, True)
            self.add("conj", so_far, part, result, number)
            so_far = result
        if len(parts) == 1 and so_far != target:
            self.add("sc", so_far, target, number)

    def right(self, expression: ClassExpression, source: int, number: int) -> None:
        """Add pieces that put every member of ``source`` into an expression."""
        atom = self.atom(expression)
        if atom is not None:
            if atom not in (source, TOP):
                self.add("sc", source, atom, number)
        elif isinstance(expression, ax.And):
            for operand in expression.operands:
                self.right(operand, source, number)
        elif isinstance(expression, ax.Some):
            filler = self.right_atom(expression.filler, number)
            self.add("exr", source, self.role_ids[expression.role], filler, number)
        elif isinstance(expression, ax.Not):
            operand_class = self.left(expression.operand, number)
            self.add("dsj", (source, operand_class), number)
        else:
            raise _NotCovered(_why(expression, "on the right"))

    def right_atom(self, expression: ClassExpression, number: int) -> int:
        """Return a class whose members all belong to a right-hand expression."""
        atom = self.atom(expression)
        if atom is not None:
            return atom
        name, _ = self.auxiliary(expression, False)
        self.right(expression, name, number)
        return name


class _NotCovered(Exception):  # noqa: N818 - a signal inside this module, never raised out of it
    """An expression has a part that the normal form cannot say; the text is the reason."""


def _why(expression: ClassExpression, side: str) -> str:
    if isinstance(expression, ax.OtherExpression):
        return f"{expression.kind} is not covered"
    names = {ax.Or: "a union", ax.Not: "a complement", ax.Nominal: "a nominal"}
    return f"{names.get(type(expression), type(expression).__name__)} {side} is not covered"


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
    named, role_names = set(classes), set(roles)
    for axiom in listed:
        for kind, name in names_in_axiom(axiom):
            if kind == "class":
                named.add(name)
            elif kind == "relation" and name != _TOP_ROLE:
                role_names.add(name)
    texts = ["Thing", "Nothing", *sorted(named)]
    ordered_roles = tuple(sorted(role_names))
    class_ids = {name: number for number, name in enumerate(texts) if number > BOTTOM}
    builder = _Builder(
        class_ids,
        {name: number for number, name in enumerate(ordered_roles)},
        list(texts),
        list(ordered_roles),
        profile,
    )
    for number, axiom in enumerate(listed):
        try:
            _add_axiom(builder, axiom, number)
        except _NotCovered as reason:
            builder.unused.append(UnusedAxiom(axiom, str(reason)))
    _note_inverses_of_existentials(builder, listed)
    return NormalForm(
        axioms=listed,
        classes=tuple(builder.classes),
        n_named=len(texts),
        roles=tuple(builder.roles),
        n_named_roles=len(ordered_roles),
        unused=tuple(builder.unused),
        class_ids=class_ids,
        role_ids=builder.role_ids,
        **{kind: tuple(builder.pieces.get(kind, ())) for kind in PIECES},  # type: ignore[arg-type]
    )


def _add_axiom(builder: _Builder, axiom: Axiom, number: int) -> None:
    """Add one axiom's pieces.

    Raises:
        _NotCovered: some part has no normal form; pieces of other parts stay.
    """
    if builder.profile == "el" and isinstance(axiom, _BEYOND_EL):
        raise _NotCovered("outside the profile el")
    if isinstance(axiom, _KEYS):
        raise _NotCovered("a key; it clashes under unique names only")
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
        raise _NotCovered(f"{axiom.kind} is not covered")
    elif isinstance(axiom, ax.Assertion):
        raise _NotCovered("an assertion with a class expression is not covered")
    else:
        _add_role_axiom(builder, axiom, number)


def _add_inclusion(
    builder: _Builder, sub: ClassExpression, sup: ClassExpression, number: int
) -> None:
    if isinstance(sub, ax.Or):
        for operand in sub.operands:
            _add_inclusion(builder, operand, sup, number)
        return
    target = builder.atom(sup)
    if target is not None:
        builder.fill_left(sub, target, number)
    else:
        builder.right(sup, builder.left(sub, number), number)


def _add_equivalence(builder: _Builder, operands: Sequence[ClassExpression], number: int) -> None:
    reasons: list[str] = []
    cycle = [*operands[1:], operands[0]]
    for sub, sup in zip(operands, cycle, strict=True):
        try:
            _add_inclusion(builder, sub, sup, number)
        except _NotCovered as reason:
            reasons.append(str(reason))
    if reasons:
        raise _NotCovered("; ".join(dict.fromkeys(reasons)) + "; the rest of it is used")


def _add_demand(builder: _Builder, kind: str, role: str, cls: ClassExpression, number: int) -> None:
    if isinstance(cls, ax.And):
        for operand in cls.operands:
            _add_demand(builder, kind, role, operand, number)
        return
    target = builder.right_atom(cls, number)
    if target != TOP:
        builder.add(kind, builder.role_ids[role], target, number)


def _add_role_axiom(builder: _Builder, axiom: Axiom, number: int) -> None:
    ids = builder.role_ids
    if isinstance(axiom, ax.SubPropertyOf):
        if axiom.sup != _TOP_ROLE and axiom.sub != axiom.sup:
            builder.add("sr", _role(ids, axiom.sub), ids[axiom.sup], number)
    elif isinstance(axiom, ax.EquivalentProperties):
        for name, other in zip(axiom.operands, axiom.operands[1:], strict=False):
            builder.add("sr", _role(ids, name), _role(ids, other), number)
            builder.add("sr", _role(ids, other), _role(ids, name), number)
    elif isinstance(axiom, ax.PropertyChain):
        _add_chain(builder, axiom, number)
    elif isinstance(axiom, ax.Transitive):
        role = _role(ids, axiom.role)
        builder.add("chain", role, role, role, number)
    elif isinstance(axiom, ax.InverseOf):
        builder.add("inv", _role(ids, axiom.first), _role(ids, axiom.second), number)
        builder.add("inv", _role(ids, axiom.second), _role(ids, axiom.first), number)
    elif isinstance(axiom, ax.Symmetric):
        role = _role(ids, axiom.role)
        builder.add("inv", role, role, number)
    elif isinstance(axiom, ax.Irreflexive):
        builder.add("irr", _role(ids, axiom.role), number)
    elif isinstance(axiom, ax.Asymmetric):
        builder.add("asym", _role(ids, axiom.role), number)
    elif isinstance(axiom, ax.DisjointProperties):
        members = [_role(ids, name) for name in axiom.operands]
        for place, first in enumerate(members):
            for second in members[place + 1 :]:
                builder.add("djr", first, second, number)
    else:
        raise _NotCovered(f"{type(axiom).__name__} is not covered")


def _role(ids: dict[str, int], name: str) -> int:
    if name == _TOP_ROLE:
        raise _NotCovered("an axiom about topObjectProperty is not covered")
    return ids[name]


def _add_chain(builder: _Builder, axiom: ax.PropertyChain, number: int) -> None:
    """Split a chain into links of two; a new role names every prefix."""
    if axiom.sup == _TOP_ROLE:
        return
    ids = [_role(builder.role_ids, name) for name in axiom.chain]
    target = builder.role_ids[axiom.sup]
    if len(ids) == 1:
        builder.add("sr", ids[0], target, number)
        return
    so_far, text = ids[0], axiom.chain[0]
    for place, link in enumerate(ids[1:], start=1):
        text = f"{text} o {axiom.chain[place]}"
        result = target
        if place < len(ids) - 1:
            result = len(builder.roles)
            builder.roles.append(f"({text})")
        builder.add("chain", so_far, link, result, number)
        so_far = result


def _note_inverses_of_existentials(builder: _Builder, axioms: tuple[Axiom, ...]) -> None:
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
