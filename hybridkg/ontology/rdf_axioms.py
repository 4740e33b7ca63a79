"""The axioms that statements and nodes of an RDF graph stand for."""

from __future__ import annotations

from collections.abc import Callable

from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.owl_terms import OWL, RDFS, XSD
from hybridkg.ontology.rdf_expressions import ExpressionReader, Term

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
_OTHER_AXIOMS = {OWL + n for n in ("hasKey", "sameAs", "differentFrom")}


def characteristic_axiom(reader: ExpressionReader, s: Term, name: str) -> ax.Axiom:
    """Return the axiom that a property's type states."""
    if str(s) in reader.data_properties or reader.is_blank(s):
        return ax.OtherAxiom(name.removeprefix(OWL), f"{s} a {name}")
    return CHARACTERISTICS[name](str(s))


def collective_axiom(reader: ExpressionReader, s: Term, name: str) -> ax.Axiom | None:
    """Return the axiom that a node of an n-ary kind stands for, None for a part of an axiom."""
    kind = name.removeprefix(OWL)
    if kind == "AllDisjointClasses":
        members = reader.listed(reader.one(s, "members"))
        return ax.DisjointClasses(tuple(map(reader.expression, members)))
    if kind == "AllDisjointProperties":
        members = reader.listed(reader.one(s, "members"))
        return ax.DisjointProperties(tuple(sorted(map(str, members))))
    if kind == "AllDifferent":
        members = reader.listed(reader.one(s, "members") or reader.one(s, "distinctMembers"))
        text = "all different: " + ", ".join(sorted(map(str, members)))
        return ax.OtherAxiom("differentFrom", text)
    if kind == "NegativePropertyAssertion":
        parts = ("sourceIndividual", "assertionProperty", "targetIndividual")
        text = " ".join(str(reader.one(s, part)) for part in parts)
        return ax.OtherAxiom("negative assertion", f"not: {text}")
    return None


def axioms_of(reader: ExpressionReader, s: Term, p: str, o: Term) -> tuple[ax.Axiom, ...]:
    """Return the axioms that one statement heads; none for a statement that heads none."""
    if p == OWL + "disjointUnionOf":
        parts = tuple(map(reader.expression, reader.listed(o)))
        union = ax.EquivalentClasses((reader.expression(s), ex.Or(parts)))
        return ax.DisjointClasses(parts), union
    axiom = _class_axiom(reader, s, p, o) or _role_axiom(reader, s, p, o)
    if axiom is None and p in _OTHER_AXIOMS:
        kind = p.removeprefix(OWL)
        single = [] if reader.is_blank(o) else [o]
        listed = reader.listed(o) if kind == "hasKey" else single
        axiom = ax.OtherAxiom(kind, f"{s} {kind} {', '.join(map(str, listed))}")
    return () if axiom is None else (axiom,)


def _class_axiom(reader: ExpressionReader, s: Term, p: str, o: Term) -> ax.Axiom | None:
    if p == RDFS + "subClassOf":
        return ax.SubClassOf(reader.expression(s), reader.expression(o))
    if p == OWL + "equivalentClass":
        return ax.EquivalentClasses((reader.expression(s), reader.expression(o)))
    if p == OWL + "disjointWith":
        return ax.DisjointClasses((reader.expression(s), reader.expression(o)))
    if p in (RDFS + "domain", RDFS + "range"):
        return _domain_or_range(reader, s, p, o)
    return None


def _domain_or_range(reader: ExpressionReader, s: Term, p: str, o: Term) -> ax.Axiom:
    is_data = str(s) in reader.data_properties or str(o).startswith(XSD)
    kind = p.removeprefix(RDFS)
    if is_data or reader.is_blank(s) or str(o) == RDFS + "Literal":
        return ax.OtherAxiom(f"data {kind}", f"{s} {kind} {o}")
    make = ax.Domain if kind == "domain" else ax.Range
    return make(str(s), reader.expression(o))


def _role_axiom(reader: ExpressionReader, s: Term, p: str, o: Term) -> ax.Axiom | None:
    if p == OWL + "propertyChainAxiom":
        members = reader.listed(o)
        if any(map(reader.is_blank, (s, *members))):
            return ax.OtherAxiom("propertyChainAxiom", f"chain with an inverse below {s}")
        return ax.PropertyChain(tuple(map(str, members)), str(s))
    kinds: dict[str, Callable[[str, str], ax.Axiom]] = {
        RDFS + "subPropertyOf": ax.SubPropertyOf,
        OWL + "inverseOf": ax.InverseOf,
    }
    kind = p.rsplit("#", 1)[-1]
    pairs = {"equivalentProperty", "propertyDisjointWith"}
    if p not in kinds and kind not in pairs:
        return None
    if reader.is_blank(s) or reader.is_blank(o) or str(s) in reader.data_properties:
        return ax.OtherAxiom(kind, f"{s if not reader.is_blank(s) else '_'} {kind} {o}")
    if p in kinds:
        return kinds[p](str(s), str(o))
    if kind == "equivalentProperty":
        return ax.EquivalentProperties((str(s), str(o)))
    return ax.DisjointProperties((str(s), str(o)))
