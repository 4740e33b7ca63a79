"""The axioms that statements and nodes of RDF stand for."""

from __future__ import annotations

from collections.abc import Callable

from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.owl_terms import OWL, RDFS, SWRL, XSD
from hybridkg.ontology.rdf_expressions import ExpressionReader

#: Type of a property -> the axiom that it states.
CHARACTERISTICS: dict[str, Callable[[str], ax.Axiom]] = {
    OWL + "SymmetricProperty": ax.Symmetric,
    OWL + "TransitiveProperty": ax.Transitive,
    OWL + "ReflexiveProperty": ax.Reflexive,
    OWL + "IrreflexiveProperty": ax.Irreflexive,
    OWL + "AsymmetricProperty": ax.Asymmetric,
    OWL + "FunctionalProperty": ax.Functional,
    OWL + "InverseFunctionalProperty": ax.InverseFunctional,
}


def characteristic_axiom(reader: ExpressionReader, s: int, name: str) -> ax.Axiom:
    """Return the axiom that a property's type states."""
    if reader.is_object_property(s):
        return CHARACTERISTICS[name](reader.nodes.text(s))
    return ax.OtherAxiom(name.removeprefix(OWL), f"{reader.role_text(s)} a {name}")


def collective_axiom(reader: ExpressionReader, s: int, name: str) -> ax.Axiom | None:
    """Return the axiom that a node of an n-ary kind stands for, None for a part of an axiom."""
    nodes, kind = reader.nodes, name.removeprefix(OWL)
    if kind == "AllDisjointClasses":
        return ax.DisjointClasses(reader.expressions(nodes.listed(nodes.one(s, "members"))))
    if kind == "AllDisjointProperties":
        members = nodes.listed(nodes.one(s, "members"))
        names = tuple(sorted(map(reader.role_text, members)))
        if all(map(reader.is_object_property, members)):
            return ax.DisjointProperties(names)
        return ax.OtherAxiom("disjoint properties", f"pairwise disjoint: {', '.join(names)}")
    if kind == "AllDifferent":
        first, second = nodes.one(s, "members"), nodes.one(s, "distinctMembers")
        members = nodes.listed(second if first is None else first)
        names = tuple(map(nodes.text, members))
        if members and all(map(nodes.is_iri, members)):
            return ax.DifferentIndividuals(names)
        return ax.OtherAxiom("differentFrom", "all different: " + ", ".join(sorted(names)))
    if name == SWRL + "Imp":
        return _rule(reader, s)
    return _negative(reader, s) if kind == "NegativePropertyAssertion" else None


def _rule(reader: ExpressionReader, s: int) -> ax.Axiom:
    """Name a SWRL rule by what its atoms speak of; the variables are left out."""
    nodes = reader.nodes
    sides = []
    for part in ("body", "head"):
        atoms = [one for list_ in nodes.named(s, SWRL + part) for one in nodes.listed(list_)]
        predicates = [
            value
            for atom in atoms
            for name in ("classPredicate", "propertyPredicate", "builtin")
            for value in nodes.named(atom, SWRL + name)
        ]
        sides.append(", ".join(str(reader.expression(one)) for one in predicates) or "true")
    return ax.OtherAxiom("SWRL rule", f"SWRL rule {sides[0]} -> {sides[1]}")


def _negative(reader: ExpressionReader, s: int) -> ax.Axiom:
    nodes = reader.nodes
    head, role = nodes.one(s, "sourceIndividual"), nodes.one(s, "assertionProperty")
    tail, value = nodes.one(s, "targetIndividual"), nodes.one(s, "targetValue")
    if role is not None and nodes.is_blank(role):
        head, role, tail = tail, nodes.one(role, "inverseOf"), head
    if head is not None and tail is not None and role is not None:
        named = nodes.is_iri(head) and nodes.is_iri(tail)
        if named and reader.is_object_property(role):
            return ax.NegativeFact(nodes.text(head), nodes.text(role), nodes.text(tail))
    end = value if tail is None else tail
    parts = ["nothing" if one is None else nodes.text(one) for one in (head, role, end)]
    return ax.OtherAxiom("negative assertion", f"not: {' '.join(parts)}")


def axioms_of(reader: ExpressionReader, s: int, p: str, o: int) -> tuple[ax.Axiom, ...]:
    """Return the axioms that one statement heads."""
    nodes = reader.nodes
    if p == OWL + "disjointUnionOf":
        parts = reader.expressions(nodes.listed(o))
        union = ax.EquivalentClasses((reader.expression(s), ex.Or(parts)))
        return ax.DisjointClasses(parts), union
    if p == OWL + "hasKey":
        listed = ", ".join(map(reader.role_text, nodes.listed(o)))
        return (ax.OtherAxiom("hasKey", f"{reader.expression(s)} hasKey {listed}"),)
    if p in (OWL + "sameAs", OWL + "differentFrom"):
        kind = p.removeprefix(OWL)
        pair = (nodes.text(s), nodes.text(o))
        if not (nodes.is_iri(s) and nodes.is_iri(o)):
            return (ax.OtherAxiom(kind, f"{pair[0]} {kind} {pair[1]}"),)
        make = ax.SameIndividuals if kind == "sameAs" else ax.DifferentIndividuals
        return (make(pair),)
    return (_class_axiom(reader, s, p, o) or _role_axiom(reader, s, p, o),)


def _class_axiom(reader: ExpressionReader, s: int, p: str, o: int) -> ax.Axiom | None:
    if p == RDFS + "subClassOf":
        return ax.SubClassOf(reader.expression(s), reader.expression(o))
    if p == OWL + "equivalentClass":
        if s in reader.nodes.datatypes and not reader.nodes.is_blank(s):
            return ax.OtherAxiom("datatype definition", f"{reader.nodes.text(s)} is a data range")
        return ax.EquivalentClasses((reader.expression(s), reader.expression(o)))
    if p == OWL + "disjointWith":
        return ax.DisjointClasses((reader.expression(s), reader.expression(o)))
    if p in (RDFS + "domain", RDFS + "range"):
        return _domain_or_range(reader, s, p, o)
    return None


def _domain_or_range(reader: ExpressionReader, s: int, p: str, o: int) -> ax.Axiom:
    nodes, kind = reader.nodes, p.removeprefix(RDFS)
    value = nodes.text(o)
    data_range = value.startswith(XSD) or value == RDFS + "Literal" or o in nodes.datatypes
    if data_range or not reader.is_object_property(s):
        shown = str(reader.expression(o)) if nodes.is_blank(o) and not data_range else value
        return ax.OtherAxiom(f"data {kind}", f"{reader.role_text(s)} {kind} {shown}")
    make = ax.Domain if kind == "domain" else ax.Range
    return make(nodes.text(s), reader.expression(o))


def _role_axiom(reader: ExpressionReader, s: int, p: str, o: int) -> ax.Axiom:
    nodes, kind = reader.nodes, p.rsplit("#", 1)[-1]
    if kind == "propertyChainAxiom":
        members = nodes.listed(o)
        if not all(map(reader.is_object_property, (s, *members))):
            chain = " o ".join(map(reader.role_text, members))
            return ax.OtherAxiom(kind, f"{chain} subPropertyOf {reader.role_text(s)}")
        return ax.PropertyChain(tuple(map(nodes.text, members)), nodes.text(s))
    if not (reader.is_object_property(s) and reader.is_object_property(o)):
        return ax.OtherAxiom(kind, f"{reader.role_text(s)} {kind} {reader.role_text(o)}")
    first, second = nodes.text(s), nodes.text(o)
    if kind == "subPropertyOf":
        return ax.SubPropertyOf(first, second)
    if kind == "inverseOf":
        return ax.InverseOf(first, second)
    make = ax.EquivalentProperties if kind == "equivalentProperty" else ax.DisjointProperties
    return make((first, second))
