"""Cut axioms about roles into pieces of the normal form; prefixes of long chains get names."""

from __future__ import annotations

from hybridkg.ontology import axioms as ax
from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.pieces import NotCovered, PieceBuilder

#: It relates everything to everything: as the larger side of an axiom it says nothing.
TOP_ROLE = "http://www.w3.org/2002/07/owl#topObjectProperty"


def add_role_axiom(builder: PieceBuilder, axiom: Axiom, number: int) -> None:
    """Add the pieces of an axiom about roles alone.

    Raises:
        NotCovered: it has no normal form.
    """
    ids = builder.role_ids
    if isinstance(axiom, ax.SubPropertyOf):
        if axiom.sup != TOP_ROLE and axiom.sub != axiom.sup:
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
        raise NotCovered(f"{type(axiom).__name__} is not covered")


def _role(ids: dict[str, int], name: str) -> int:
    if name == TOP_ROLE:
        raise NotCovered("an axiom about topObjectProperty is not covered")
    return ids[name]


def _add_chain(builder: PieceBuilder, axiom: ax.PropertyChain, number: int) -> None:
    """Split a chain into links of two; a new role names every prefix."""
    if axiom.sup == TOP_ROLE:
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
