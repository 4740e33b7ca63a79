"""Axioms as frozen values, each with a readable text form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from hybridkg.ontology.expressions import ClassExpression


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
class Characteristic:
    """What the pairs of one role are like."""

    role: str
    #: the adjective of the text form.
    adjective: ClassVar[str]

    def __str__(self) -> str:
        return f"{self.role} is {self.adjective}"


@dataclass(frozen=True, slots=True)
class Symmetric(Characteristic):
    """``role`` relates y to x where it relates x to y."""

    adjective = "symmetric"


@dataclass(frozen=True, slots=True)
class Transitive(Characteristic):
    """``role`` relates x to z where it relates x to y and y to z."""

    adjective = "transitive"


@dataclass(frozen=True, slots=True)
class Reflexive(Characteristic):
    """``role`` relates everything to itself."""

    adjective = "reflexive"


@dataclass(frozen=True, slots=True)
class Irreflexive(Characteristic):
    """``role`` relates nothing to itself."""

    adjective = "irreflexive"


@dataclass(frozen=True, slots=True)
class Asymmetric(Characteristic):
    """``role`` never relates x to y and y to x."""

    adjective = "asymmetric"


@dataclass(frozen=True, slots=True)
class Functional(Characteristic):
    """``role`` relates everything to at most one thing."""

    adjective = "functional"


@dataclass(frozen=True, slots=True)
class InverseFunctional(Characteristic):
    """At most one thing is related by ``role`` to anything."""

    adjective = "inverse functional"


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
class NegativeFact:
    """``relation`` does not relate ``head`` to ``tail``."""

    head: str
    relation: str
    tail: str

    def __str__(self) -> str:
        return f"not: {self.head} {self.relation} {self.tail}"


@dataclass(frozen=True, slots=True)
class SameIndividuals:
    """All operands name one individual."""

    operands: tuple[str, ...]

    def __str__(self) -> str:
        return " sameAs ".join(self.operands)


@dataclass(frozen=True, slots=True)
class DifferentIndividuals:
    """No two operands name one individual."""

    operands: tuple[str, ...]

    def __str__(self) -> str:
        if len(self.operands) == 2:
            return f"{self.operands[0]} differentFrom {self.operands[1]}"
        return "all different: " + ", ".join(self.operands)


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
    | NegativeFact
    | SameIndividuals
    | DifferentIndividuals
    | OtherAxiom
)
