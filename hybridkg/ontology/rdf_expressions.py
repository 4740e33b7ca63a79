"""Build the class expressions that the nodes of RDF statements stand for."""

from __future__ import annotations

from hybridkg.errors import OntologyError
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.owl_terms import OWL, RDFS, XSD
from hybridkg.ontology.rdf_nodes import Nodes

#: Blank nodes inside each other that one class expression may have; hand-written ones have few,
#: and thousands would exhaust the stack.
MAX_DEPTH = 100
_MINIMUM = ("minCardinality", "minQualifiedCardinality")
_MAXIMUM = ("maxCardinality", "maxQualifiedCardinality")


class ExpressionReader:
    """Builds expressions from nodes; the statements are not changed."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        #: blank nodes whose expressions are being built, the outermost first.
        self._open: list[int] = []
        self._by_name: dict[int, ex.ClassExpression] = {}

    def expression(self, node: int) -> ex.ClassExpression:
        """Build the class expression that a node stands for.

        Raises:
            NoList: a list of its parts is none.
            OntologyError: the expression is a part of itself, or is nested too deeply.
        """
        if not self.nodes.is_blank(node):
            found = self._by_name.get(node)
            if found is None:
                found = self._by_name[node] = self._named(node)
            return found
        if node in self._open:
            raise OntologyError(self.nodes.circle("a class expression", node))
        if len(self._open) == MAX_DEPTH:
            raise OntologyError(
                f"{self.nodes.source}: a class expression {self.nodes.place(node)} is nested more "
                f"than {MAX_DEPTH} deep; give names to its parts"
            )
        self._open.append(node)
        try:
            if self.nodes.one(node, "onProperty") is not None:
                return self._restriction(node)
            return self.constructed(node)
        finally:
            self._open.pop()

    def expressions(self, nodes: list[int]) -> tuple[ex.ClassExpression, ...]:
        """Build the class expressions of several nodes."""
        return tuple(map(self.expression, nodes))

    def _named(self, node: int) -> ex.ClassExpression:
        if self.nodes.is_literal(node):
            return ex.OtherExpression("literal", repr(self.nodes.text(node)))
        name = self.nodes.text(node)
        if name in (OWL + "Thing", RDFS + "Resource"):
            return ex.Top()
        return ex.Bottom() if name == OWL + "Nothing" else ex.Named(name)

    def constructed(self, node: int) -> ex.ClassExpression:
        """Build the expression of a node that OWL's constructors describe, named or not."""
        nodes = self.nodes
        for name, make in (("intersectionOf", ex.And), ("unionOf", ex.Or)):
            members = nodes.one(node, name)
            if members is not None:
                return make(self.expressions(nodes.listed(members)))
        operand = nodes.one(node, "complementOf")
        if operand is not None:
            return ex.Not(self.expression(operand))
        single = nodes.one(node, "oneOf")
        if single is None:
            base = nodes.one(node, "onDatatype")
            if base is not None:
                return ex.OtherExpression(
                    "datatype restriction", f"({nodes.text(base)} restricted)"
                )
            # A node without a description is some class, of which nothing is known.
            return ex.OtherExpression("class", "(an anonymous class without a description)")
        members_of = nodes.listed(single)
        if members_of and all(map(nodes.is_iri, members_of)):
            nominals = tuple(ex.Nominal(nodes.text(one)) for one in members_of)
            return nominals[0] if len(nominals) == 1 else ex.Or(nominals)
        listed = ", ".join(sorted(map(nodes.text, members_of)))
        return ex.OtherExpression("oneOf", "{" + listed + "}")

    def role_text(self, node: int | None) -> str:
        """Return a property's IRI, or how a property expression reads."""
        if node is None:
            return "nothing"
        if not self.nodes.is_blank(node):
            return self.nodes.text(node)
        turned = self.nodes.one(node, "inverseOf")
        return "inverse property" if turned is None else f"inverse of {self.nodes.text(turned)}"

    def is_object_property(self, node: int | None) -> bool:
        """Tell whether a node is a named property that is no data property."""
        return (
            node is not None and self.nodes.is_iri(node) and node not in self.nodes.data_properties
        )

    def _restriction(self, node: int) -> ex.ClassExpression:
        nodes = self.nodes
        role_node = nodes.one(node, "onProperty")
        if self.is_object_property(role_node) and nodes.one(node, "onDataRange") is None:
            assert role_node is not None
            found = self._known_restriction(node, nodes.text(role_node))
            if found is not None:
                return found
        shown = self.role_text(role_node)
        value = nodes.one(node, "hasValue")
        named = role_node is not None and nodes.is_iri(role_node)
        if named and value is not None and nodes.is_literal(value):
            # The term with its datatype or language: equal texts alone may be different values.
            text = f"({shown} hasValue {nodes.terms[value]})"
            return ex.OtherExpression("hasValue", text, is_whole=True)
        for kind in nodes.inner_names(node):
            if kind not in ("onProperty", "onClass", "onDataRange"):
                parts = [nodes.one(node, part) for part in (kind, "onClass", "onDataRange")]
                text = " ".join(self._text(part) for part in parts if part is not None)
                return ex.OtherExpression(kind, f"({shown} {kind} {text})")
        return ex.OtherExpression("restriction", f"(restriction of {shown})")

    def _known_restriction(self, node: int, role: str) -> ex.ClassExpression | None:
        """Build a restriction that the engines' expressions cover, None for any other."""
        nodes = self.nodes
        filler = nodes.one(node, "someValuesFrom")
        if filler is not None:
            return None if self._is_data(filler) else ex.Some(role, self.expression(filler))
        value = nodes.one(node, "hasValue")
        if value is not None:
            return ex.Some(role, ex.Nominal(nodes.text(value))) if nodes.is_iri(value) else None
        loop = nodes.one(node, "hasSelf")
        if loop is not None:
            return ex.HasSelf(role) if nodes.text(loop) in ("true", "1") else None
        for name in (*_MINIMUM, *_MAXIMUM):
            bound = nodes.one(node, name)
            number = "" if bound is None else nodes.text(bound).strip()
            if number == ("1" if name in _MINIMUM else "0"):
                of = nodes.one(node, "onClass")
                some = ex.Some(role, ex.Top() if of is None else self.expression(of))
                return some if name in _MINIMUM else ex.Not(some)
        return None

    def _is_data(self, filler: int) -> bool:
        return (
            self.nodes.text(filler).startswith((XSD, RDFS + "Literal"))
            or filler in self.nodes.datatypes
        )

    def _text(self, node: int) -> str:
        return str(self.expression(node)) if self.nodes.is_blank(node) else self.nodes.text(node)
