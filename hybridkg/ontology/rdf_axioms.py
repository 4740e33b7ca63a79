"""Sort the statements of an RDF graph into axioms, facts, types, and the rest, each counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.document import Ontology, ReadingReport, names_in_axiom

if TYPE_CHECKING:
    from rdflib import Graph

Term: TypeAlias = Any

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"
BUILT_IN = (RDF, RDFS, OWL, XSD)

_DECLARATIONS = {
    *(OWL + n for n in ("Class", "ObjectProperty", "DatatypeProperty", "AnnotationProperty")),
    *(OWL + n for n in ("NamedIndividual", "Ontology", "Thing", "OntologyProperty")),
    *(RDFS + n for n in ("Class", "Datatype")),
    RDF + "Property",
}
_CHARACTERISTICS: dict[str, Callable[[str], ax.Axiom]] = {
    OWL + "SymmetricProperty": ax.Symmetric,
    OWL + "TransitiveProperty": ax.Transitive,
    OWL + "ReflexiveProperty": ax.Reflexive,
    OWL + "IrreflexiveProperty": ax.Irreflexive,
    OWL + "AsymmetricProperty": ax.Asymmetric,
    OWL + "FunctionalProperty": ax.Functional,
    OWL + "InverseFunctionalProperty": ax.InverseFunctional,
}
_STRUCTURES = {
    *(OWL + n for n in ("Restriction", "AllDisjointClasses", "AllDisjointProperties")),
    *(OWL + n for n in ("AllDifferent", "NegativePropertyAssertion", "DataRange")),
    RDF + "List",
}
_ANNOTATIONS = {
    *(RDFS + n for n in ("label", "comment", "seeAlso", "isDefinedBy")),
    *(OWL + n for n in ("versionInfo", "versionIRI", "priorVersion", "imports", "deprecated")),
    *(OWL + n for n in ("backwardCompatibleWith", "incompatibleWith")),
}
_INNER = {
    *(RDF + n for n in ("first", "rest")),
    *(OWL + n for n in ("onProperty", "someValuesFrom", "allValuesFrom", "hasValue", "hasSelf")),
    *(OWL + n for n in ("minCardinality", "maxCardinality", "cardinality", "onClass")),
    *(OWL + n for n in ("minQualifiedCardinality", "maxQualifiedCardinality")),
    *(OWL + n for n in ("qualifiedCardinality", "onDataRange", "onProperties", "onDatatype")),
    *(OWL + n for n in ("members", "distinctMembers", "withRestrictions")),
    *(OWL + n for n in ("sourceIndividual", "assertionProperty", "targetIndividual")),
    OWL + "targetValue",
}
_CLASS_CONSTRUCTORS = {OWL + n for n in ("intersectionOf", "unionOf", "complementOf", "oneOf")}
_OTHER_AXIOMS = {
    *(OWL + n for n in ("hasKey", "sameAs", "differentFrom", "disjointUnionOf")),
}


def ontology_from_graph(graph: Graph, *, source: str = "rdflib graph") -> Ontology:
    """Sort an rdflib graph's statements into axioms, facts, types and the rest.

    Individuals need no declaration. Blank nodes never become entities: facts
    that touch one are left out and counted.

    Args:
        graph: any rdflib graph; it is not changed.
        source: where it came from, for messages.
    """
    return _Sorter(graph, source).sort()


class _Sorter:
    """One pass over a graph; the counters and lists fill as statements are met."""

    def __init__(self, graph: Graph, source: str) -> None:
        from rdflib import BNode, Literal, URIRef

        self.graph, self.source = graph, source
        self.blank_kind, self.literal_kind, self.ref = BNode, Literal, URIRef
        self.counts: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.axioms: list[ax.Axiom] = []
        self.facts: list[tuple[str, str, str]] = []
        self.types: list[tuple[str, str]] = []
        self.names: dict[str, set[str]] = {"entity": set(), "class": set(), "relation": set()}
        self.imports: list[str] = []
        self.annotation_properties = self._typed("AnnotationProperty")
        self.data_properties = self._typed("DatatypeProperty")
        self.reified = {
            s for name in ("Axiom", "Annotation") for s in self._subjects(RDF + "type", OWL + name)
        }

    def is_blank(self, term: Term) -> bool:
        """Tell whether a term is a blank node."""
        return isinstance(term, self.blank_kind)

    def is_literal(self, term: Term) -> bool:
        """Tell whether a term is a literal."""
        return isinstance(term, self.literal_kind)

    def _subjects(self, predicate: str, value: str) -> set[Term]:
        return set(self.graph.subjects(self.ref(predicate), self.ref(value)))

    def _typed(self, name: str) -> set[str]:
        return {str(s) for s in self._subjects(RDF + "type", OWL + name)}

    def _one(self, node: Term, name: str) -> Term | None:
        return self.graph.value(node, self.ref(OWL + name))

    def sort(self) -> Ontology:
        """Sort every statement, in an order that does not depend on blank node names."""
        statements = sorted(
            self.graph, key=lambda s: tuple("" if self.is_blank(t) else str(t) for t in s)
        )
        for s, p, o in statements:
            self.counts[self._place(s, str(p), o)] += 1
        ordered = tuple(sorted(set(self.axioms), key=lambda a: (type(a).__name__, str(a))))
        for axiom in ordered:
            for kind, name in names_in_axiom(axiom):
                self.names[kind].add(name)
        for h, r, t in self.facts:
            self.names["entity"] |= {h, t}
            self.names["relation"].add(r)
        for entity, cls in self.types:
            self.names["entity"].add(entity)
            self.names["class"].add(cls)
        report = ReadingReport(
            statements=len(statements),
            skipped=dict(sorted(self.skipped.items())),
            imports=tuple(sorted(self.imports)),
            **{name: count for name, count in self.counts.items() if name != "skipped"},
        )
        return Ontology(
            axioms=ordered,
            facts=tuple(sorted(self.facts)),
            types=tuple(sorted(self.types)),
            individuals=tuple(sorted(self.names["entity"])),
            classes=tuple(sorted(self.names["class"])),
            relations=tuple(sorted(self.names["relation"])),
            report=report,
            source=self.source,
        )

    def _skip(self, reason: str) -> str:
        self.skipped[reason] += 1
        return "skipped"

    def _place(self, s: Term, p: str, o: Term) -> str:
        """Return the name of the counter a statement belongs to, and file what it says."""
        if s in self.reified:
            return "annotations"
        if p == RDF + "type":
            return self._place_type(s, o)
        if p == OWL + "imports":
            self.imports.append(str(o))
        if p in self.data_properties and not self.is_literal(o):
            return self._skip("value of a data property that is no literal")
        if p in _ANNOTATIONS or p in self.annotation_properties:
            return "annotations"
        if p in _INNER:
            return "axioms"
        if p in _CLASS_CONSTRUCTORS:
            if not self.is_blank(s):
                cls = ex.Named(str(s))
                self.axioms.append(ax.EquivalentClasses((cls, self._constructed(s))))
            return "axioms"
        axiom = self._axiom(s, p, o)
        if axiom is not None:
            self.axioms.append(axiom)
            return "axioms"
        return self._place_fact(s, p, o)

    def _place_fact(self, s: Term, p: str, o: Term) -> str:
        if p.startswith(BUILT_IN):
            return self._skip(f"built-in property {p}")
        if self.is_literal(o):
            return "literals"
        if self.is_blank(s) or self.is_blank(o):
            return self._skip("fact with an anonymous individual")
        if str(s).startswith(BUILT_IN) or str(o).startswith(BUILT_IN):
            return self._skip("fact about a built-in term")
        self.facts.append((str(s), p, str(o)))
        return "facts"

    def _place_type(self, s: Term, o: Term) -> str:
        name = str(o)
        if name in _CHARACTERISTICS:
            if str(s) in self.data_properties or self.is_blank(s):
                self.axioms.append(ax.OtherAxiom(name.removeprefix(OWL), f"{s} a {name}"))
            else:
                self.axioms.append(_CHARACTERISTICS[name](str(s)))
            return "axioms"
        if name in _STRUCTURES or (self.is_blank(s) and name in _DECLARATIONS):
            self._collective(s, name)
            return "axioms"
        if name in _DECLARATIONS:
            self._declare(str(s), name)
            return "declarations"
        if self.is_blank(s):
            return self._skip("type of an anonymous individual")
        if self.is_blank(o):
            self.axioms.append(ax.Assertion(str(s), self.expression(o)))
            return "axioms"
        if name.startswith(BUILT_IN):
            return self._skip(f"type that is a built-in class {name}")
        self.types.append((str(s), name))
        return "types"

    def _declare(self, name: str, kind: str) -> None:
        if name.startswith(BUILT_IN):
            return
        if kind in (OWL + "Class", RDFS + "Class"):
            self.names["class"].add(name)
        elif kind == OWL + "ObjectProperty":
            self.names["relation"].add(name)
        elif kind in (OWL + "NamedIndividual", OWL + "Thing"):
            self.names["entity"].add(name)

    def _collective(self, s: Term, name: str) -> None:
        """File the axiom that a blank node of an n-ary kind stands for."""
        kind = name.removeprefix(OWL)
        if kind == "AllDisjointClasses":
            members = self._list(self._one(s, "members"))
            self.axioms.append(ax.DisjointClasses(tuple(map(self.expression, members))))
        elif kind == "AllDisjointProperties":
            members = self._list(self._one(s, "members"))
            self.axioms.append(ax.DisjointProperties(tuple(sorted(map(str, members)))))
        elif kind == "AllDifferent":
            members = self._list(self._one(s, "members") or self._one(s, "distinctMembers"))
            text = "all different: " + ", ".join(sorted(map(str, members)))
            self.axioms.append(ax.OtherAxiom("differentFrom", text))
        elif kind == "NegativePropertyAssertion":
            parts = ("sourceIndividual", "assertionProperty", "targetIndividual")
            text = " ".join(str(self._one(s, part)) for part in parts)
            self.axioms.append(ax.OtherAxiom("negative assertion", f"not: {text}"))

    def _list(self, node: Term | None) -> list[Term]:
        return list(self.graph.items(node)) if node is not None else []

    def _axiom(self, s: Term, p: str, o: Term) -> ax.Axiom | None:
        """Return the axiom that one statement heads, or None where it heads none."""
        if p == RDFS + "subClassOf":
            return ax.SubClassOf(self.expression(s), self.expression(o))
        if p == OWL + "equivalentClass":
            return ax.EquivalentClasses((self.expression(s), self.expression(o)))
        if p == OWL + "disjointWith":
            return ax.DisjointClasses((self.expression(s), self.expression(o)))
        if p == OWL + "disjointUnionOf":
            parts = tuple(map(self.expression, self._list(o)))
            self.axioms.append(ax.DisjointClasses(parts))
            return ax.EquivalentClasses((self.expression(s), ex.Or(parts)))
        if p in (RDFS + "domain", RDFS + "range"):
            return self._domain_or_range(s, p, o)
        role_axiom = self._role_axiom(s, p, o)
        if role_axiom is not None:
            return role_axiom
        if p in _OTHER_AXIOMS:
            kind = p.removeprefix(OWL)
            listed = self._list(o) if self.is_blank(o) else [o]
            return ax.OtherAxiom(kind, f"{s} {kind} {', '.join(map(str, listed))}")
        return None

    def _domain_or_range(self, s: Term, p: str, o: Term) -> ax.Axiom:
        is_data = str(s) in self.data_properties or str(o).startswith(XSD)
        kind = p.removeprefix(RDFS)
        if is_data or self.is_blank(s) or str(o) == RDFS + "Literal":
            return ax.OtherAxiom(f"data {kind}", f"{s} {kind} {o}")
        make = ax.Domain if kind == "domain" else ax.Range
        return make(str(s), self.expression(o))

    def _role_axiom(self, s: Term, p: str, o: Term) -> ax.Axiom | None:
        if p == OWL + "propertyChainAxiom":
            members = self._list(o)
            if any(map(self.is_blank, (s, *members))):
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
        if self.is_blank(s) or self.is_blank(o) or str(s) in self.data_properties:
            return ax.OtherAxiom(kind, f"{s if not self.is_blank(s) else '_'} {kind} {o}")
        if p in kinds:
            return kinds[p](str(s), str(o))
        if kind == "equivalentProperty":
            return ax.EquivalentProperties((str(s), str(o)))
        return ax.DisjointProperties((str(s), str(o)))

    def expression(self, node: Term) -> ex.ClassExpression:
        """Build the class expression that a node stands for."""
        if not self.is_blank(node):
            name = str(node)
            if name in (OWL + "Thing", RDFS + "Resource"):
                return ex.Top()
            return ex.Bottom() if name == OWL + "Nothing" else ex.Named(name)
        if self._one(node, "onProperty") is not None:
            return self._restriction(node)
        return self._constructed(node)

    def _constructed(self, node: Term) -> ex.ClassExpression:
        for name, make in (("intersectionOf", ex.And), ("unionOf", ex.Or)):
            members = self._one(node, name)
            if members is not None:
                return make(tuple(map(self.expression, self._list(members))))
        operand = self._one(node, "complementOf")
        if operand is not None:
            return ex.Not(self.expression(operand))
        members = self._list(self._one(node, "oneOf"))
        if len(members) == 1 and not self.is_literal(members[0]):
            return ex.Nominal(str(members[0]))
        listed = ", ".join(sorted(map(str, members)))
        return ex.OtherExpression("oneOf", "{" + listed + "}")

    def _restriction(self, node: Term) -> ex.ClassExpression:
        role = self._one(node, "onProperty")
        filler, value = self._one(node, "someValuesFrom"), self._one(node, "hasValue")
        plain = not self.is_blank(role) and str(role) not in self.data_properties
        if plain and filler is not None and not str(filler).startswith(XSD):
            return ex.Some(str(role), self.expression(filler))
        if plain and value is not None and not self.is_literal(value):
            return ex.Some(str(role), ex.Nominal(str(value)))
        shown = str(role) if not self.is_blank(role) else "inverse property"
        for _, p, o in sorted(self.graph.triples((node, None, None))):
            kind = str(p).removeprefix(OWL)
            if str(p) in _INNER and kind != "onProperty":
                return ex.OtherExpression(kind, f"({shown} {kind} {self._text(o)})")
        return ex.OtherExpression("restriction", f"(restriction of {shown})")

    def _text(self, node: Term) -> str:
        return str(self.expression(node)) if self.is_blank(node) else str(node)
