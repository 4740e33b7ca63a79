"""Class expressions as frozen values, each with a readable text form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Named:
    """A named class; the name is an IRI, or a label once the ontology is joined to a graph."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Top:
    """owl:Thing, the class of everything."""

    def __str__(self) -> str:
        return "Thing"


@dataclass(frozen=True, slots=True)
class Bottom:
    """owl:Nothing, the empty class."""

    def __str__(self) -> str:
        return "Nothing"


@dataclass(frozen=True, slots=True)
class And:
    """Everything that belongs to all operands."""

    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        return "(" + " and ".join(map(str, self.operands)) + ")"


@dataclass(frozen=True, slots=True)
class Or:
    """Everything that belongs to some operand."""

    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        return "(" + " or ".join(map(str, self.operands)) + ")"


@dataclass(frozen=True, slots=True)
class Not:
    """Everything that does not belong to the operand."""

    operand: ClassExpression

    def __str__(self) -> str:
        return f"not {self.operand}"


@dataclass(frozen=True, slots=True)
class Some:
    """Everything related by ``role`` to something in ``filler``."""

    role: str
    filler: ClassExpression

    def __str__(self) -> str:
        return f"({self.role} some {self.filler})"


@dataclass(frozen=True, slots=True)
class Nominal:
    """The class with one individual in it."""

    individual: str

    def __str__(self) -> str:
        return f"{{{self.individual}}}"


@dataclass(frozen=True, slots=True)
class HasSelf:
    """Everything that ``role`` relates to itself."""

    role: str

    def __str__(self) -> str:
        return f"({self.role} Self)"


@dataclass(frozen=True, slots=True)
class OtherExpression:
    """An expression that is read but that no engine here reasons with."""

    #: the constructor in OWL's own words, e.g. "allValuesFrom".
    kind: str
    text: str
    #: True where the text says all of it, so that equal texts mean equal expressions.
    is_whole: bool = False

    def __str__(self) -> str:
        return self.text


ClassExpression: TypeAlias = (
    Named | Top | Bottom | And | Or | Not | Some | Nominal | HasSelf | OtherExpression
)
