"""Decide for all RDF statements at once where each belongs; only heads of axioms need a look."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from hybridkg.ontology.owl_terms import (
    ANNOTATED,
    ANNOTATIONS,
    AXIOM_HEADS,
    CLASS_CONSTRUCTORS,
    DECLARATIONS,
    INNER,
    OWL,
    RDF,
    RDFS,
    STRUCTURES,
    SWRL,
)
from hybridkg.ontology.rdf_axioms import CHARACTERISTICS
from hybridkg.ontology.rdf_nodes import (
    BLANK_KIND,
    IRI_KIND,
    LITERAL_KIND,
    QUOTED_KIND,
    Nodes,
    ids_marked,
)
from hybridkg.types import BoolArray, ByteArray


class Place(IntEnum):
    """Where a statement belongs, or that one has to look."""

    UNDECIDED = 0
    FACT = 1
    TYPE = 2
    DECLARATION = 3
    #: part of an axiom that another statement heads.
    INNER = 4
    LITERAL = 5
    ANNOTATION = 6
    #: heads an axiom by its predicate, by its type, as a named class's constructor, or as the
    #: type of an individual by an expression.
    HEAD = 7
    HEAD_TYPE = 8
    CONSTRUCTOR = 9
    COMPLEX_TYPE = 10
    #: set aside for the reasons of SKIPPED.
    REIFIED = 11
    TYPE_LITERAL = 12
    TYPE_ANONYMOUS = 13
    TYPE_BUILT_IN = 14
    TYPE_OF_BUILT_IN = 15
    DATA_VALUE = 16
    BUILT_IN_PROPERTY = 17
    ANONYMOUS = 18
    ABOUT_BUILT_IN = 19


#: Why statements are set aside.
SKIPPED = {
    Place.REIFIED: "reified statement",
    Place.TYPE_LITERAL: "type that is a literal",
    Place.TYPE_ANONYMOUS: "type of an anonymous individual",
    Place.TYPE_BUILT_IN: "type that is a built-in class",
    Place.TYPE_OF_BUILT_IN: "type of a built-in term",
    Place.DATA_VALUE: "value of a data property that is no literal",
    Place.BUILT_IN_PROPERTY: "built-in property",
    Place.ANONYMOUS: "fact with an anonymous individual",
    Place.ABOUT_BUILT_IN: "fact about a built-in term",
}
_CLASSES = (OWL + "Class", RDFS + "Class")
_PROPERTIES = tuple(
    OWL + name for name in ("ObjectProperty", "DatatypeProperty", "AnnotationProperty")
)
_COLLECTIVE = {
    *(OWL + n for n in ("AllDisjointClasses", "AllDisjointProperties", "AllDifferent")),
    OWL + "NegativePropertyAssertion",
    SWRL + "Imp",
}
_INDIVIDUALS = (OWL + "NamedIndividual", OWL + "Thing")


def place_statements(nodes: Nodes) -> ByteArray:
    """Return the (n,) :class:`Place` of each distinct statement."""
    return _Placing(nodes).place()


class _Placing:
    """The masks over statements; what is decided first stays."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.s, self.p, self.o = nodes.subjects, nodes.predicates, nodes.objects
        self.kind_s, self.kind_o = nodes.kinds[self.s], nodes.kinds[self.o]
        self.found = np.zeros(len(self.s), dtype=np.uint8)

    def put(self, where: BoolArray, place: Place) -> None:
        self.found[where & (self.found == Place.UNDECIDED)] = place

    def place(self) -> ByteArray:
        nodes = self.nodes
        annotated = nodes.typed(*ANNOTATED)
        if annotated:
            self.put(self._subject_in(annotated), Place.ANNOTATION)
        self._place_reified()
        self._place_types()
        if nodes.data_properties:
            values = ids_marked(len(nodes.terms), nodes.data_properties)[self.p]
            self.put(values & (self.kind_o != LITERAL_KIND), Place.DATA_VALUE)
        self._place_annotations()
        self._place_axioms()
        self.put(nodes.built_in[self.p], Place.BUILT_IN_PROPERTY)
        self._place_schema_remarks()
        self.put(self.kind_o == LITERAL_KIND, Place.LITERAL)
        blank = (self.kind_s == BLANK_KIND) | (self.kind_o == BLANK_KIND)
        self.put(blank, Place.ANONYMOUS)
        self.put(nodes.built_in[self.s] | nodes.built_in[self.o], Place.ABOUT_BUILT_IN)
        self.put(np.True_, Place.FACT)  # type: ignore[arg-type]
        return self.found

    def _subject_in(self, ids: set[int]) -> BoolArray:
        found: BoolArray = ids_marked(len(self.nodes.terms), ids)[self.s]
        return found

    def _place_reified(self) -> None:
        quoted = (self.kind_s == QUOTED_KIND) | (self.kind_o == QUOTED_KIND)
        nodes = self.nodes.typed(RDF + "Statement")
        reifies = self.nodes.known.get(RDF + "reifies")
        if reifies is not None:
            nodes |= set(self.s[self.p == reifies].tolist())
        if nodes:
            quoted |= self._subject_in(nodes)
        parts = self.nodes.marks(RDF + name for name in ("subject", "predicate", "object"))
        self.put(quoted | parts[self.p], Place.REIFIED)

    def _place_types(self) -> None:
        marks = self.nodes.marks
        is_type = self.p == self.nodes.known.get(RDF + "type", -1)
        if not is_type.any():
            return
        self.put(is_type & (self.kind_o == LITERAL_KIND), Place.TYPE_LITERAL)
        blank = self.kind_s == BLANK_KIND
        declared = is_type & marks(DECLARATIONS)[self.o]
        self.put(is_type & marks({*CHARACTERISTICS, *_COLLECTIVE})[self.o], Place.HEAD_TYPE)
        parts = is_type & marks(STRUCTURES)[self.o]
        self.put(parts | (declared & blank), Place.INNER)
        self.put(declared, Place.DECLARATION)
        self.put(is_type & blank, Place.TYPE_ANONYMOUS)
        self.put(is_type & (self.kind_o == BLANK_KIND), Place.COMPLEX_TYPE)
        self.put(is_type & self.nodes.built_in[self.o], Place.TYPE_BUILT_IN)
        self.put(is_type & self.nodes.built_in[self.s], Place.TYPE_OF_BUILT_IN)
        self.put(is_type, Place.TYPE)

    def _place_annotations(self) -> None:
        nodes = self.nodes
        remarks = nodes.marks(ANNOTATIONS)
        remarks[list(nodes.annotation_properties)] = True
        self.put(remarks[self.p], Place.ANNOTATION)
        headers = nodes.typed(OWL + "Ontology")
        if headers:
            self.put(self._subject_in(headers) & ~nodes.built_in[self.p], Place.ANNOTATION)

    def _place_axioms(self) -> None:
        nodes = self.nodes
        self.put(nodes.marks(INNER)[self.p], Place.INNER)
        constructed = nodes.marks(CLASS_CONSTRUCTORS)[self.p]
        self.put(constructed & (self.kind_s == IRI_KIND), Place.CONSTRUCTOR)
        self.put(constructed, Place.INNER)
        # Blank nodes with an inverse are property expressions.
        inverse = self.p == nodes.known.get(OWL + "inverseOf", -1)
        self.put(inverse & (self.kind_s == BLANK_KIND), Place.INNER)
        heads = nodes.marks(AXIOM_HEADS)[self.p]
        if nodes.annotation_properties:
            # Their hierarchy, domains and ranges say nothing about what holds.
            self.put(heads & self._subject_in(nodes.annotation_properties), Place.ANNOTATION)
        self.put(heads, Place.HEAD)

    def _place_schema_remarks(self) -> None:
        """Take what is said of classes and properties by undeclared properties for remarks."""
        nodes = self.nodes
        schema = nodes.typed(*_CLASSES, *_PROPERTIES)
        if not schema:
            return
        used = set(self.s[self.found == Place.TYPE].tolist())
        schema -= used | nodes.typed(*_INDIVIDUALS)
        relations = ids_marked(
            len(nodes.terms), nodes.typed(OWL + "ObjectProperty", OWL + "DatatypeProperty")
        )
        self.put(self._subject_in(schema) & ~relations[self.p], Place.ANNOTATION)
