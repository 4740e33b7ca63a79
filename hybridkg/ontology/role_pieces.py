"""Cut axioms about roles into pieces of the normal form; prefixes of long chains get names."""

from __future__ import annotations

from hybridkg.ontology import axioms as ax
from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.normal_form import BOTTOM, TOP
from hybridkg.ontology.pieces import BOTTOM_ROLE, TOP_ROLE, NotCovered, PieceBuilder

_ONE_ROLE: dict[type, str] = {
    ax.Irreflexive: "irr",
    ax.Asymmetric: "asym",
    ax.Functional: "fun",
    ax.InverseFunctional: "ifn",
}


def add_role_axiom(builder: PieceBuilder, axiom: Axiom, number: int) -> None:
    """Add the pieces of an axiom about roles alone.

    Raises:
        NotCovered: it has no normal form.
    """
    role = builder.role
    if isinstance(axiom, ax.SubPropertyOf):
        if axiom.sup == BOTTOM_ROLE:
            builder.add("dom", role(axiom.sub), BOTTOM, number)
        elif axiom.sup != TOP_ROLE and axiom.sub != axiom.sup:
            builder.add("sr", role(axiom.sub), role(axiom.sup), number)
    elif isinstance(axiom, ax.EquivalentProperties):
        for name, other in zip(axiom.operands, axiom.operands[1:], strict=False):
            builder.add("sr", role(name), role(other), number)
            builder.add("sr", role(other), role(name), number)
    elif isinstance(axiom, ax.PropertyChain):
        _add_chain(builder, axiom, number)
    elif isinstance(axiom, ax.Transitive):
        builder.add("chain", role(axiom.role), role(axiom.role), role(axiom.role), number)
    elif isinstance(axiom, ax.Reflexive):
        builder.add("sc", TOP, builder.self_class(role(axiom.role)), number)
    elif isinstance(axiom, ax.InverseOf):
        builder.add("inv", role(axiom.first), role(axiom.second), number)
        builder.add("inv", role(axiom.second), role(axiom.first), number)
    elif isinstance(axiom, ax.Symmetric):
        builder.add("inv", role(axiom.role), role(axiom.role), number)
    elif isinstance(axiom, ax.DisjointProperties):
        members = [role(name) for name in axiom.operands]
        for place, first in enumerate(members):
            for second in members[place + 1 :]:
                builder.add("djr", first, second, number)
    elif type(axiom) in _ONE_ROLE:
        builder.add(_ONE_ROLE[type(axiom)], role(axiom.role), number)  # type: ignore[union-attr]
    else:
        raise NotCovered(f"{type(axiom).__name__} is not covered")


def _add_chain(builder: PieceBuilder, axiom: ax.PropertyChain, number: int) -> None:
    """Split a chain into links of two; a new role names every prefix."""
    if axiom.sup == TOP_ROLE:
        return
    if not axiom.chain:
        raise NotCovered("a chain without links is not covered")
    ids = [builder.role(name) for name in axiom.chain]
    target = builder.role(axiom.sup)
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


def add_self_pieces(builder: PieceBuilder) -> None:
    """Carry what a role relates to itself over to the roles that follow from it.

    A link from an anonymous node to itself need not be such a loop, so the rules for
    loops work on the classes "R Self", which get the pieces that links have already.
    """
    _add_implied_selves(builder)
    for role, cls in list(builder.selves.items()):
        for place, target, number in builder.of("rng"):
            if place == role:
                builder.add("sc", cls, target, number)
        for kind in ("irr", "asym"):
            for place, number in builder.of(kind):
                if place == role:
                    builder.add("sc", cls, BOTTOM, number)
        for first, second, number in builder.of("djr"):
            if first == role and second in builder.selves:
                builder.add("dsj", (cls, builder.selves[second]), number)


def _add_implied_selves(builder: PieceBuilder) -> None:
    grown = True
    while grown:
        before = (len(builder.selves), len(builder.of("sc")), len(builder.of("conj")))
        for kind in ("sr", "inv"):
            for first, second, number in builder.of(kind):
                if first in builder.selves and first != second:
                    builder.add("sc", builder.selves[first], builder.self_class(second), number)
        for first, second, third, number in builder.of("chain"):
            if first in builder.selves and second in builder.selves:
                one, two, result = builder.selves[first], builder.selves[second], third
                if first == second == third:
                    continue
                if one == two:
                    builder.add("sc", one, builder.self_class(result), number)
                else:
                    builder.add("conj", one, two, builder.self_class(result), number)
        grown = before != (len(builder.selves), len(builder.of("sc")), len(builder.of("conj")))
