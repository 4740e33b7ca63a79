"""Spell the names, literals and expressions of py-horned-owl as RDF terms and statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridkg.graph.statements import StatementBuilder, literal_term

OWL = "http://www.w3.org/2002/07/owl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_SWRL = "http://www.w3.org/2003/11/swrl#"
#: Kind of expression over a list -> its property, and the type of its node.
_LISTS = {
    "ObjectIntersectionOf": ("intersectionOf", OWL + "Class"),
    "ObjectUnionOf": ("unionOf", OWL + "Class"),
    "ObjectOneOf": ("oneOf", OWL + "Class"),
    "DataIntersectionOf": ("intersectionOf", _RDFS + "Datatype"),
    "DataUnionOf": ("unionOf", _RDFS + "Datatype"),
    "DataOneOf": ("oneOf", _RDFS + "Datatype"),
}
#: Kind of restriction -> its property.
_RESTRICTIONS = {
    "ObjectSomeValuesFrom": "someValuesFrom",
    "ObjectAllValuesFrom": "allValuesFrom",
    "DataSomeValuesFrom": "someValuesFrom",
    "DataAllValuesFrom": "allValuesFrom",
}
_CARDINALITIES = {
    "MinCardinality": ("minCardinality", "minQualifiedCardinality"),
    "MaxCardinality": ("maxCardinality", "maxQualifiedCardinality"),
    "ExactCardinality": ("cardinality", "qualifiedCardinality"),
}
_NAMES = {
    *("Class", "NamedIndividual", "ObjectProperty", "DataProperty", "AnnotationProperty"),
    "Datatype",
}


class ExpressionWriter:
    """Spells expressions as statements; ``terms`` holds three terms a statement."""

    def __init__(self, builder: StatementBuilder) -> None:
        self._builder = builder
        self._blanks = 0
        self.terms: list[str] = []
        #: names that need a declaration to be told from object properties.
        self.data_properties: set[str] = set()
        self.annotation_properties: set[str] = set()

    def write(self, subject: str, predicate: str, value: str) -> None:
        """Add one statement."""
        self.terms += (subject, predicate, value)

    def blank(self) -> str:
        """Return a new blank node."""
        self._blanks += 1
        return self._builder.blank(f"n{self._blanks}")

    def list_of(self, nodes: Sequence[str]) -> str:
        """Add an RDF list and return its first node."""
        rest = RDF + "nil"
        for node in reversed(nodes):
            cell = self.blank()
            self.write(cell, RDF + "first", node)
            self.write(cell, RDF + "rest", rest)
            rest = cell
        return rest

    def declare_data_and_annotation_properties(self) -> None:
        """Add the declarations that RDF needs and that the other syntaxes can do without."""
        rows = set(zip(self.terms[0::3], self.terms[1::3], self.terms[2::3], strict=True))
        kinds = {"DatatypeProperty": self.data_properties}
        kinds["AnnotationProperty"] = self.annotation_properties
        for kind, names in kinds.items():
            for name in sorted(names):
                built_in = name.startswith((OWL, _RDFS))
                if not built_in and (name, RDF + "type", OWL + kind) not in rows:
                    self.write(name, RDF + "type", OWL + kind)

    def value(self, value: Any) -> str:
        """Spell a literal, or an IRI or anonymous individual that stands for a value."""
        if not hasattr(value, "literal"):
            return self.node(value)
        datatype = getattr(value, "datatype_iri", None)
        language = getattr(value, "lang", None)
        return literal_term(value.literal, language, None if datatype is None else str(datatype))

    def node(self, expression: Any) -> str:
        """Spell a name, or add the statements of an expression and return its node."""
        kind = type(expression).__name__
        if kind in _NAMES:
            if kind == "DataProperty":
                self.data_properties.add(str(expression.first))
            return str(expression.first)
        if kind == "IRI":
            return str(expression)
        if kind == "AnonymousIndividual":
            return self._builder.blank(f"i{str(expression.first).removeprefix('_:')}")
        node = self.blank()
        if kind == "InverseObjectProperty":
            self.write(node, OWL + "inverseOf", str(expression.first.first))
        elif kind in _LISTS:
            name, of = _LISTS[kind]
            spell: Callable[[Any], str] = self.value if kind == "DataOneOf" else self.node
            self.write(node, RDF + "type", of)
            self.write(node, OWL + name, self.list_of([spell(one) for one in expression.first]))
        elif kind in ("ObjectComplementOf", "DataComplementOf"):
            is_class = kind == "ObjectComplementOf"
            self.write(node, RDF + "type", OWL + "Class" if is_class else _RDFS + "Datatype")
            name = "complementOf" if is_class else "datatypeComplementOf"
            self.write(node, OWL + name, self.node(expression.first))
        elif kind == "DatatypeRestriction":
            self._restricted_datatype(node, expression)
        else:
            self._restriction(node, kind, expression)
        return node

    def _restriction(self, node: str, kind: str, expression: Any) -> None:
        is_data = kind.startswith("Data")
        role = expression.first if kind == "ObjectHasSelf" else None
        role = role or (expression.dp if is_data else expression.ope)
        self.write(node, RDF + "type", OWL + "Restriction")
        self.write(node, OWL + "onProperty", self.node(role))
        if kind in _RESTRICTIONS:
            filler = expression.dr if is_data else expression.bce
            self.write(node, OWL + _RESTRICTIONS[kind], self.node(filler))
        elif kind == "ObjectHasSelf":
            self.write(node, OWL + "hasSelf", literal_term("true", None, _XSD + "boolean"))
        elif kind == "ObjectHasValue":
            self.write(node, OWL + "hasValue", self.node(expression.i))
        elif kind == "DataHasValue":
            self.write(node, OWL + "hasValue", self.value(expression.l))
        else:
            plain, qualified = _CARDINALITIES[kind.removeprefix("Data").removeprefix("Object")]
            filler = self.node(expression.dr if is_data else expression.bce)
            whole = filler in (OWL + "Thing", _RDFS + "Literal")
            bound = literal_term(str(expression.n), None, _XSD + "nonNegativeInteger")
            self.write(node, OWL + (plain if whole else qualified), bound)
            if not whole:
                self.write(node, OWL + ("onDataRange" if is_data else "onClass"), filler)

    def _restricted_datatype(self, node: str, expression: Any) -> None:
        self.write(node, RDF + "type", _RDFS + "Datatype")
        self.write(node, OWL + "onDatatype", self.node(expression.first))
        facets = []
        for one in expression.second:
            facet = self.blank()
            name = str(one.f).rsplit(".", 1)[-1]
            self.write(facet, _XSD + name[:1].lower() + name[1:], self.value(one.l))
            facets.append(facet)
        self.write(node, OWL + "withRestrictions", self.list_of(facets))

    def _rule(self, component: Any) -> str:
        """Add a SWRL rule by the names in its atoms; its variables are left out."""
        node = self.blank()
        self.write(node, RDF + "type", _SWRL + "Imp")
        for part in ("body", "head"):
            atoms = []
            for atom in getattr(component, part):
                kind = type(atom).__name__
                one = self.blank()
                self.write(one, RDF + "type", _SWRL + kind)
                if kind in ("ClassAtom", "DataRangeAtom"):
                    self.write(one, _SWRL + "classPredicate", self.node(atom.pred))
                elif hasattr(atom, "pred"):
                    self.write(one, _SWRL + "propertyPredicate", self.node(atom.pred))
                atoms.append(one)
            self.write(node, _SWRL + part, self.list_of(atoms))
        return node
