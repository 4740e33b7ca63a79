"""Class expressions and axioms as frozen values, each with a readable text form."""

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
class OtherExpression:
    """An expression that is read but that no engine here reasons with."""

    #: the constructor in OWL's own words, e.g. "allValuesFrom".
    kind: str
    text: str

    def __str__(self) -> str:
        return self.text


ClassExpression: TypeAlias = (
    Named | Top | Bottom | And | Or | Not | Some | Nominal | OtherExpression
)


@dataclass(frozen=True, slots=True)
class SubClassOf:
    """Every member of ``sub`` is a member of ``sup``."""

    sub: ClassExpression
    sup: ClassExpression

    def __str__(self) -> str:
        return f"{self.sub} subClassOf {self.sup}"


@dataclass(frozen=True, slots=True)
class EquivalentClasses:
    """All operands have the same members."""

    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        return " equivalentTo ".join(map(str, self.operands))


@dataclass(frozen=True, slots=True)
class DisjointClasses:
    """No two operands share a member; an operand listed twice is empty."""

    operands: tuple[ClassExpression, ...]

    def __str__(self) -> str:
        if len(self.operands) == 2:
            return f"{self.operands[0]} disjointWith {self.operands[1]}"
        return "pairwise disjoint: " + ", ".join(map(str, self.operands))


@dataclass(frozen=True, slots=True)
class SubPropertyOf:
    """Everything related by ``sub`` is related by ``sup``."""

    sub: str
    sup: str

    def __str__(self) -> str:
        return f"{self.sub} subPropertyOf {self.sup}"


@dataclass(frozen=True, slots=True)
class EquivalentProperties:
    """All operands relate the same pairs."""

    operands: tuple[str, ...]

    def __str__(self) -> str:
        return " equivalentProperty ".join(self.operands)


@dataclass(frozen=True, slots=True)
class PropertyChain:
    """A path along ``chain`` is a pair of ``sup``."""

    chain: tuple[str, ...]
    sup: str

    def __str__(self) -> str:
        return f"{' o '.join(self.chain)} subPropertyOf {self.sup}"


@dataclass(frozen=True, slots=True)
class Domain:
    """Heads of ``role`` belong to ``cls``."""

    role: str
    cls: ClassExpression

    def __str__(self) -> str:
        return f"{self.role} domain {self.cls}"


@dataclass(frozen=True, slots=True)
class Range:
    """Tails of ``role`` belong to ``cls``."""

    role: str
    cls: ClassExpression

    def __str__(self) -> str:
        return f"{self.role} range {self.cls}"


@dataclass(frozen=True, slots=True)
class InverseOf:
    """``first`` relates x to y exactly where ``second`` relates y to x."""

    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.first} inverseOf {self.second}"


@dataclass(frozen=True, slots=True)
class Symmetric:
    """``role`` relates y to x where it relates x to y."""

    role: str

    def __str__(self) -> str:
        return f"{self.role} is symmetric"


@dataclass(frozen=True, slots=True)
class Transitive:
    """``role`` relates x to z where it relates x to y and y to z."""

    role: str

    def __str__(self) -> str:
        return f"{self.role} is transitive"


@dataclass(frozen=True, slots=True)
class Reflexive:
    """``role`` relates everything to itself."""

    role: str

    def __str__(self) -> str:
        return f"{self.role} is reflexive"


@dataclass(frozen=True, slots=True)
class Irreflexive:
    """``role`` relates nothing to itself."""

    role: str

    def __str__(self) -> str:
        return f"{self.role} is irreflexive"


@dataclass(frozen=True, slots=True)
class Asymmetric:
    """``role`` never relates x to y and y to x."""

    role: str

    def __str__(self) -> str:
        return f"{self.role} is asymmetric"


@dataclass(frozen=True, slots=True)
class Functional:
    """``role`` relates everything to at most one thing."""

    role: str

    def __str__(self) -> str:
        return f"{self.role} is functional"


@dataclass(frozen=True, slots=True)
class InverseFunctional:
    """At most one thing is related by ``role`` to anything."""

    role: str

    def __str__(self) -> str:
        return f"{self.role} is inverse functional"


@dataclass(frozen=True, slots=True)
class DisjointProperties:
    """No two operands relate the same pair."""

    operands: tuple[str, ...]

    def __str__(self) -> str:
        return "pairwise disjoint properties: " + ", ".join(self.operands)


@dataclass(frozen=True, slots=True)
class Assertion:
    """An individual belongs to a class that is not just a name."""

    individual: str
    cls: ClassExpression

    def __str__(self) -> str:
        return f"{self.individual} type {self.cls}"


@dataclass(frozen=True, slots=True)
class OtherAxiom:
    """An axiom that is read and listed, but that no engine here reasons with."""

    #: its kind in OWL's own words, e.g. "hasKey".
    kind: str
    text: str

    def __str__(self) -> str:
        return self.text


Axiom: TypeAlias = (
    SubClassOf
    | EquivalentClasses
    | DisjointClasses
    | SubPropertyOf
    | EquivalentProperties
    | PropertyChain
    | Domain
    | Range
    | InverseOf
    | Symmetric
    | Transitive
    | Reflexive
    | Irreflexive
    | Asymmetric
    | Functional
    | InverseFunctional
    | DisjointProperties
    | Assertion
    | OtherAxiom
)
