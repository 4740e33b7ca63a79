"""Cut class expressions into pieces of the normal form.

Complex expressions get auxiliary class names, whose text is the expression. So do unions on
the right, complements on the left and values of data properties, which the normal form cannot
say: what is below one of them, and above the same one elsewhere, is still found.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hybridkg.ontology import expressions as ex
from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.expressions import ClassExpression
from hybridkg.ontology.normal_form import BOTTOM, TOP

#: It relates everything to everything: as the larger side of an axiom it says nothing.
TOP_ROLE = "http://www.w3.org/2002/07/owl#topObjectProperty"
#: It relates nothing to anything.
BOTTOM_ROLE = "http://www.w3.org/2002/07/owl#bottomObjectProperty"


class NotCovered(Exception):  # noqa: N818 - a signal to the normaliser, never raised out of it
    """An expression has a part that the normal form cannot say; the text is the reason."""


@dataclass(slots=True)
class PieceBuilder:
    """The growing pieces, and the names given to complex expressions."""

    class_ids: dict[str, int]
    role_ids: dict[str, int]
    individual_ids: dict[str, int]
    #: class id -> text; auxiliaries are appended.
    classes: list[str]
    #: role id -> text; prefixes of chains are appended.
    roles: list[str]
    #: (expression, whether it stands on the left) -> its auxiliary class.
    auxiliaries: dict[tuple[ClassExpression, bool], int] = field(default_factory=dict)
    #: class {a} -> individual a.
    nominals: dict[int, int] = field(default_factory=dict)
    #: role -> class "role Self".
    selves: dict[int, int] = field(default_factory=dict)
    #: kind -> its distinct pieces, in order.
    pieces: dict[str, dict[tuple[object, ...], None]] = field(default_factory=dict)
    unused: list[UnusedAxiom] = field(default_factory=list)
    #: what the axiom at hand says and the normal form does not.
    notes: dict[str, None] = field(default_factory=dict)
    #: union on the left -> the classes it is below, and by which axiom.
    left_unions: dict[ClassExpression, list[tuple[int, int]]] = field(default_factory=dict)
    #: complement on the right -> the classes below it, and by which axiom.
    right_complements: dict[ClassExpression, list[tuple[int, int]]] = field(default_factory=dict)

    def add(self, kind: str, *piece: object) -> None:
        """Add one piece, its axiom last; a repeated one changes nothing."""
        self.pieces.setdefault(kind, {})[piece] = None

    def of(self, kind: str) -> tuple[Any, ...]:
        """Return the pieces of one kind so far."""
        return tuple(self.pieces.get(kind, ()))

    def auxiliary(self, expression: ClassExpression, left: bool) -> tuple[int, bool]:
        """Return the class that names an expression on one side, and whether it is new."""
        key = (expression, left)
        if key in self.auxiliaries:
            return self.auxiliaries[key], False
        self.auxiliaries[key] = len(self.classes)
        self.classes.append(str(expression))
        return self.auxiliaries[key], True

    def atom(self, expression: ClassExpression) -> int | None:
        """Return the class of an expression that needs no auxiliary, else None."""
        if isinstance(expression, ex.Named):
            return self.class_ids[expression.name]
        if isinstance(expression, ex.Top):
            return TOP
        if isinstance(expression, ex.Nominal):
            return self.nominal(expression.individual)
        if isinstance(expression, ex.HasSelf):
            return self.self_class(self.role(expression.role))
        return BOTTOM if isinstance(expression, ex.Bottom) else None

    def role(self, name: str) -> int:
        """Return the id of a role.

        Raises:
            NotCovered: it is the role that relates everything.
        """
        if name == TOP_ROLE:
            raise NotCovered("an axiom about topObjectProperty is not covered")
        return self.role_ids[name]

    def nominal(self, individual: str) -> int:
        """Return the class with one individual in it."""
        cls, _ = self.auxiliary(ex.Nominal(individual), True)
        self.nominals[cls] = self.individual_ids[individual]
        return cls

    def self_class(self, role: int) -> int:
        """Return the class of what a role relates to itself."""
        if role not in self.selves:
            self.selves[role] = len(self.classes)
            self.classes.append(str(ex.HasSelf(self.roles[role])))
        return self.selves[role]

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
        elif isinstance(expression, ex.Or):
            self.left_unions.setdefault(expression, []).append((target, number))
            for operand in expression.operands:
                self.fill_left(operand, target, number)
        elif isinstance(expression, ex.Some):
            if expression.role == BOTTOM_ROLE:
                return
            filler = self.left(expression.filler, number)
            role = self.role(expression.role)
            if filler == TOP:
                self.add("dom", role, target, number)
            else:
                self.add("exl", role, filler, target, number)
        elif isinstance(expression, ex.And):
            self._fill_conjunction(expression, target, number)
        else:
            self.add("sc", self.by_name(expression, "on the left"), target, number)

    def _fill_conjunction(self, expression: ex.And, target: int, number: int) -> None:
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
                prefix = ex.OtherExpression("prefix", f"({text})")
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
        elif isinstance(expression, ex.And):
            for operand in expression.operands:
                self.right(operand, source, number)
        elif isinstance(expression, ex.Some):
            if expression.role == BOTTOM_ROLE:
                self.add("sc", source, BOTTOM, number)
                return
            filler = self.right_atom(expression.filler, number)
            self.add("exr", source, self.role(expression.role), filler, number)
        elif isinstance(expression, ex.Not):
            operand_class = self.left(expression.operand, number)
            self.add("dsj", (source, operand_class), number)
            self.right_complements.setdefault(expression, []).append((source, number))
        else:
            self.add("sc", source, self.by_name(expression, "on the right"), number)

    def by_name(self, expression: ClassExpression, side: str) -> int:
        """Return the class that stands for an expression which the normal form cannot say.

        Raises:
            NotCovered: the expression is known by a text only, which need not be all of it.
        """
        if isinstance(expression, ex.OtherExpression):
            if not expression.is_whole:
                raise NotCovered(f"{expression.kind} is not covered")
            kind = f"{expression.kind} of a literal"
        else:
            kind = "a union" if isinstance(expression, ex.Or) else "a complement"
        self.notes[f"{kind} {side} is taken as a name only"] = None
        return self.auxiliary(expression, True)[0]

    def add_names(self) -> None:
        """Connect unions and complements that are taken as names to their other uses."""
        for union, uses in self.left_unions.items():
            name = self.auxiliaries.get((union, True))
            for target, number in uses if name is not None else ():
                if target != name:
                    self.add("sc", name, target, number)
        for complement, uses in self.right_complements.items():
            name = self.auxiliaries.get((complement, True))
            for source, number in uses if name is not None else ():
                self.add("sc", source, name, number)

    def right_atom(self, expression: ClassExpression, number: int) -> int:
        """Return a class whose members all belong to a right-hand expression."""
        atom = self.atom(expression)
        if atom is not None:
            return atom
        name, _ = self.auxiliary(expression, False)
        self.right(expression, name, number)
        return name
