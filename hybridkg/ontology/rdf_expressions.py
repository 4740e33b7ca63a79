"""Build the class expressions that the nodes of an RDF graph stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from hybridkg.ontology import expressions as ex
from hybridkg.ontology.owl_terms import INNER, OWL, RDF, RDFS, XSD

if TYPE_CHECKING:
    from rdflib import Graph

#: A node or literal of rdflib.
Term: TypeAlias = Any


class ExpressionReader:
    """Looks nodes of a graph up; the graph is not changed."""

    def __init__(self, graph: Graph) -> None:
        """Note which properties take literals.

        Args:
            graph: any rdflib graph.
        """
        from rdflib import BNode, Literal, URIRef

        self.graph = graph
        self._blank_kind, self._literal_kind, self._ref = BNode, Literal, URIRef
        #: IRIs of the data properties.
        self.data_properties = self.typed("DatatypeProperty")

    def is_blank(self, term: Term) -> bool:
        """Tell whether a term is a blank node."""
        return isinstance(term, self._blank_kind)

    def is_literal(self, term: Term) -> bool:
        """Tell whether a term is a literal."""
        return isinstance(term, self._literal_kind)

    def subjects(self, predicate: str, value: str) -> set[Term]:
        """Return the subjects of a property and its value."""
        return set(self.graph.subjects(self._ref(predicate), self._ref(value)))

    def typed(self, name: str) -> set[str]:
        """Return the IRIs that have a type of OWL's own."""
        return {str(s) for s in self.subjects(RDF + "type", OWL + name)}

    def one(self, node: Term, name: str) -> Term | None:
        """Return the value of one of OWL's properties, None where it has none."""
        return self.graph.value(node, self._ref(OWL + name))

    def listed(self, node: Term | None) -> list[Term]:
        """Return the members of an RDF list; None is the empty one."""
        return list(self.graph.items(node)) if node is not None else []

    def expression(self, node: Term) -> ex.ClassExpression:
        """Build the class expression that a node stands for."""
        if not self.is_blank(node):
            name = str(node)
            if name in (OWL + "Thing", RDFS + "Resource"):
                return ex.Top()
            return ex.Bottom() if name == OWL + "Nothing" else ex.Named(name)
        if self.one(node, "onProperty") is not None:
            return self._restriction(node)
        return self.constructed(node)

    def constructed(self, node: Term) -> ex.ClassExpression:
        """Build the expression of a node that OWL's constructors describe, named or not."""
        for name, make in (("intersectionOf", ex.And), ("unionOf", ex.Or)):
            members = self.one(node, name)
            if members is not None:
                return make(tuple(map(self.expression, self.listed(members))))
        operand = self.one(node, "complementOf")
        if operand is not None:
            return ex.Not(self.expression(operand))
        members = self.listed(self.one(node, "oneOf"))
        if len(members) == 1 and not self.is_literal(members[0]):
            return ex.Nominal(str(members[0]))
        listed = ", ".join(sorted(map(str, members)))
        return ex.OtherExpression("oneOf", "{" + listed + "}")

    def _restriction(self, node: Term) -> ex.ClassExpression:
        role = self.one(node, "onProperty")
        filler, value = self.one(node, "someValuesFrom"), self.one(node, "hasValue")
        plain = not self.is_blank(role) and str(role) not in self.data_properties
        if plain and filler is not None and not str(filler).startswith(XSD):
            return ex.Some(str(role), self.expression(filler))
        if plain and value is not None and not self.is_literal(value):
            return ex.Some(str(role), ex.Nominal(str(value)))
        shown = str(role) if not self.is_blank(role) else "inverse property"
        for _, p, o in sorted(self.graph.triples((node, None, None))):
            kind = str(p).removeprefix(OWL)
            if str(p) in INNER and kind != "onProperty":
                return ex.OtherExpression(kind, f"({shown} {kind} {self._text(o)})")
        return ex.OtherExpression("restriction", f"(restriction of {shown})")

    def _text(self, node: Term) -> str:
        return str(self.expression(node)) if self.is_blank(node) else str(node)
