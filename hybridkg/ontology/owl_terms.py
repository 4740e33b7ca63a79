"""The terms of RDF, RDFS and OWL, by the part they play in a statement."""

from __future__ import annotations

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
XSD = "http://www.w3.org/2001/XMLSchema#"
SWRL = "http://www.w3.org/2003/11/swrl#"
#: What no name of an ontology starts with.
BUILT_IN = (RDF, RDFS, OWL, XSD, SWRL)

#: Types that declare a name or head the document.
DECLARATIONS = {
    *(OWL + n for n in ("Class", "ObjectProperty", "DatatypeProperty", "AnnotationProperty")),
    *(OWL + n for n in ("NamedIndividual", "Ontology", "Thing", "OntologyProperty")),
    *(RDFS + n for n in ("Class", "Datatype")),
    RDF + "Property",
}
#: Types of the blank nodes that stand for an axiom or a part of one.
STRUCTURES = {
    *(OWL + n for n in ("Restriction", "AllDisjointClasses", "AllDisjointProperties")),
    *(OWL + n for n in ("AllDifferent", "NegativePropertyAssertion", "DataRange")),
    *(SWRL + n for n in ("Variable", "AtomList", "ClassAtom", "IndividualPropertyAtom")),
    *(SWRL + n for n in ("DatavaluedPropertyAtom", "DataRangeAtom", "BuiltinAtom", "Builtin")),
    *(SWRL + n for n in ("SameIndividualAtom", "DifferentIndividualsAtom", "BuiltInAtom")),
    *(SWRL + n for n in ("ObjectPropertyAtom", "DataPropertyAtom")),
    RDF + "List",
}
#: Properties that say nothing about what holds.
ANNOTATIONS = {
    *(RDFS + n for n in ("label", "comment", "seeAlso", "isDefinedBy")),
    *(OWL + n for n in ("versionInfo", "versionIRI", "priorVersion", "imports", "deprecated")),
    *(OWL + n for n in ("backwardCompatibleWith", "incompatibleWith")),
}
#: Properties inside an axiom or a class expression.
INNER = {
    *(RDF + n for n in ("first", "rest")),
    *(OWL + n for n in ("onProperty", "someValuesFrom", "allValuesFrom", "hasValue", "hasSelf")),
    *(OWL + n for n in ("minCardinality", "maxCardinality", "cardinality", "onClass")),
    *(OWL + n for n in ("minQualifiedCardinality", "maxQualifiedCardinality")),
    *(OWL + n for n in ("qualifiedCardinality", "onDataRange", "onProperties", "onDatatype")),
    *(OWL + n for n in ("members", "distinctMembers", "withRestrictions")),
    *(OWL + n for n in ("sourceIndividual", "assertionProperty", "targetIndividual")),
    *(OWL + n for n in ("targetValue", "datatypeComplementOf")),
    *(XSD + n for n in ("minInclusive", "maxInclusive", "minExclusive", "maxExclusive")),
    *(XSD + n for n in ("length", "minLength", "maxLength", "pattern", "totalDigits")),
    XSD + "fractionDigits",
    RDF + "langRange",
    *(SWRL + n for n in ("body", "head", "argument1", "argument2", "arguments", "builtin")),
    *(SWRL + n for n in ("classPredicate", "propertyPredicate", "dataRange")),
}
#: Properties that head an axiom.
AXIOM_HEADS = {
    *(RDFS + n for n in ("subClassOf", "domain", "range", "subPropertyOf")),
    *(OWL + n for n in ("equivalentClass", "disjointWith", "disjointUnionOf", "hasKey")),
    *(OWL + n for n in ("equivalentProperty", "propertyDisjointWith", "propertyChainAxiom")),
    *(OWL + n for n in ("inverseOf", "sameAs", "differentFrom")),
}
#: Types of the nodes that carry what is said of an axiom.
ANNOTATED = {OWL + n for n in ("Axiom", "Annotation")}
#: Properties that make a class out of others.
CLASS_CONSTRUCTORS = {OWL + n for n in ("intersectionOf", "unionOf", "complementOf", "oneOf")}
