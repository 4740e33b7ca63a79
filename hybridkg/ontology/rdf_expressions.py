"""Build the class expressions that the nodes of an RDF graph stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from hybridkg.errors import OntologyError
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.owl_terms import INNER, OWL, RDF, RDFS, XSD

if TYPE_CHECKING:
    from rdflib import Graph

#: Blank nodes inside each other that one class expression may have; hand-written ones have few,
#: and thousands would exhaust the stack.
MAX_DEPTH = 100
#: A node or literal of rdflib.
Term: TypeAlias = Any


class NoList(Exception):  # noqa: N818 - a signal to the sorter, never raised out of it
    """A statement asks for a list where something else stands; the text says what."""


class ExpressionReader:
    """Looks nodes of a graph up; the graph is not changed."""

    def __init__(self, graph: Graph, source: str) -> None:
        """Note which properties take literals.

        Args:
            graph: any rdflib graph.
            source: where it came from, for messages.
        """
        from rdflib import BNode, Literal, URIRef

        self.graph, self.source = graph, source
        #: blank nodes whose expressions are being built, the outermost first.
        self._open: list[Term] = []
        self._blank_kind, self._literal_kind, self._ref = BNode, Literal, URIRef
        self._list_terms = tuple(URIRef(RDF + name) for name in ("first", "rest", "nil"))
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
        """Return the members of an RDF list.

        Raises:
            NoList: the node heads no list, or the list has no end.
            OntologyError: the list leads back to itself.
        """
        first, rest, nil = self._list_terms
        members: list[Term] = []
        passed: set[Term] = set()
        while node != nil:
            if node in passed:
                raise OntologyError(self._circle("a list", node))
            passed.add(node)
            # A node of None would stand for any node.
            heads = [] if node is None else list(self.graph.objects(node, first))
            tails = [] if node is None else list(self.graph.objects(node, rest))
            if len(heads) != 1 or len(tails) != 1:
                raise NoList("a list that breaks off" if members else "something that is no list")
            members += heads
            node = tails[0]
        return members

    def expression(self, node: Term) -> ex.ClassExpression:
        """Build the class expression that a node stands for.

        Raises:
            NoList: a list of its parts is none.
            OntologyError: the expression is a part of itself, or is nested too deeply.
        """
        if not self.is_blank(node):
            return self._named(node)
        if node in self._open:
            raise OntologyError(self._circle("a class expression", node))
        if len(self._open) == MAX_DEPTH:
            raise OntologyError(
                f"{self.source}: a class expression {self._place(node)} is nested more than "
                f"{MAX_DEPTH} deep; give names to its parts"
            )
        self._open.append(node)
        try:
            if self.one(node, "onProperty") is not None:
                return self._restriction(node)
            return self.constructed(node)
        finally:
            self._open.pop()

    def _circle(self, what: str, node: Term) -> str:
        return (
            f"{self.source}: {what} {self._place(node)} leads back to itself; expected one that "
            "ends; mend or remove it"
        )

    def _place(self, node: Term) -> str:
        """Say where a node is: by its name, or by the nearest named one that leads to it."""
        waiting, passed = [node], {node}
        for one in waiting:
            if not self.is_blank(one):
                return f"at {str(one)!r}" if one == node else f"below {str(one)!r}"
            found = sorted(set(self.graph.subjects(None, one)) - passed, key=self._named_first)
            passed.update(found)
            waiting += found
        return "of blank nodes only"

    def _named_first(self, term: Term) -> tuple[bool, str]:
        return self.is_blank(term), str(term)

    def _named(self, node: Term) -> ex.ClassExpression:
        name = str(node)
        if name in (OWL + "Thing", RDFS + "Resource"):
            return ex.Top()
        return ex.Bottom() if name == OWL + "Nothing" else ex.Named(name)

    def constructed(self, node: Term) -> ex.ClassExpression:
        """Build the expression of a node that OWL's constructors describe, named or not."""
        for name, make in (("intersectionOf", ex.And), ("unionOf", ex.Or)):
            members = self.one(node, name)
            if members is not None:
                return make(tuple(map(self.expression, self.listed(members))))
        operand = self.one(node, "complementOf")
        if operand is not None:
            return ex.Not(self.expression(operand))
        single = self.one(node, "oneOf")
        members = [] if single is None else self.listed(single)
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
