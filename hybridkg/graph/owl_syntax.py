"""OWL functional syntax and OWL/XML as RDF statements, so that one sorter serves all syntaxes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

import numpy as np

from hybridkg.errors import OntologyError
from hybridkg.graph.doctype import unfinished_line
from hybridkg.graph.owl_expressions import OWL, RDF, ExpressionWriter
from hybridkg.graph.rdf import read_bytes, xml_bytes
from hybridkg.graph.statements import StatementBuilder
from hybridkg.graph.syntaxes import Syntax

_PREFIX = re.compile(r"(Prefix\s*\(\s*[^\s=(]*\s*=\s*)<([^<>:]*)>")
_FORMATS: dict[str, Literal["ofn", "owx"]] = {"OWL functional syntax": "ofn", "OWL/XML": "owx"}
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"


def add_owl_document(builder: StatementBuilder, path: str | Path, syntax: Syntax) -> None:
    """Add an ontology in a syntax of OWL's own to a builder, as the statements of its RDF form.

    Source: OWL 2 Web Ontology Language, Mapping to RDF Graphs, section 2.

    Args:
        builder: takes the statements as one more document.
        path: the file.
        syntax: "OWL functional syntax" or "OWL/XML".

    Raises:
        DataError: the file cannot be read or unpacked.
        OntologyError: the text is not of this syntax.
    """
    import pyhornedowl

    content = xml_bytes(path) if syntax == "OWL/XML" else read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _refusal(path, syntax, line, f"no UTF-8 text ({error.reason})") from error
    if syntax == "OWL/XML":
        broken = unfinished_line(content)
        if broken is not None:
            raise _refusal(path, syntax, *broken)
        # The reader takes an element without content for the end of the file.
        text = re.sub(r"<(Ontology\b[^>]*)/>\s*$", r"<\1></Ontology>", text)
    base = Path(path).resolve().as_uri()
    # Relative IRIs of prefixes are read from the file's own place, as in other syntaxes.
    text = _PREFIX.sub(lambda found: f"{found[1]}<{urljoin(base, found[2])}>", text)
    try:
        ontology = pyhornedowl.open_ontology_from_string(text, _FORMATS[syntax])
    except (ValueError, OSError) as error:
        raise _refusal(path, syntax, *_complaint(str(error), content)) from error
    builder.open_document()
    # The order of components is not defined; sorted, the same file gives the same statements.
    try:
        components = sorted(
            ontology.get_components(), key=lambda c: (type(c.component).__name__, str(c.component))
        )
    except RecursionError as error:
        raise _too_deep(path, syntax) from error
    writer = _AxiomWriter(builder, ontology)
    try:
        for annotated in components:
            writer.add(annotated.component, annotated.ann)
    except RecursionError as error:
        raise _too_deep(path, syntax) from error
    writer.declare_data_and_annotation_properties()
    ids = builder.intern(writer.terms).reshape(-1, 3)
    columns = [np.ascontiguousarray(ids[:, column]) for column in range(3)]
    builder.add(columns[0], columns[1], columns[2], builder.origin(str(path)))


def _complaint(message: str, content: bytes) -> tuple[int | None, str]:
    """Return the line, where it is known, and what is wrong."""
    placed = re.search(r"line_col: Pos\(\((\d+), (\d+)\)\)", message)
    span = re.search(r"Byte(?:Span|Position)\((\d+)(?:\.\.(\d+))?", message)
    kind = re.search(r'ValidityError\("([^"]*)"', message)
    line = int(placed[1]) if placed else None
    if line is None and span:
        line = content.count(b"\n", 0, int(span[1])) + 1
    if kind and span and span[2]:
        shown = content[int(span[1]) : int(span[2])].decode("utf-8", errors="replace")
        return line, f"{kind[1].lower()} in {shown!r}"
    if kind:
        return line, kind[1].lower()
    if line is not None:
        lines = content.split(b"\n")
        shown = lines[min(line, len(lines)) - 1].decode("utf-8", errors="replace").strip()
        at = f" at column {placed[2]}" if placed else ""
        return line, f"the text breaks off or is malformed{at} in {shown[:80]!r}"
    return None, message.removeprefix("Failed to open ontology: ")[:200]


def _too_deep(path: str | Path, syntax: str) -> OntologyError:
    reason = "its expressions are nested too deeply; give names to their parts"
    return _refusal(path, syntax, None, reason)


def _refusal(path: str | Path, syntax: str, line: int | None, reason: str) -> OntologyError:
    place = f"{path}:{line}" if line else str(path)
    return OntologyError(
        f"{place}: expected {syntax}; {' '.join(reason.split())}; nothing was loaded. "
        "Mend the file, or convert it to Turtle or RDF/XML, for example with ROBOT or Protégé"
    )


#: Kind of axiom -> property of its one statement, and the fields of subject and object.
_PAIRS = {
    "SubClassOf": (_RDFS + "subClassOf", "sub", "sup"),
    "ObjectPropertyDomain": (_RDFS + "domain", "ope", "ce"),
    "ObjectPropertyRange": (_RDFS + "range", "ope", "ce"),
    "DataPropertyDomain": (_RDFS + "domain", "dp", "ce"),
    "DataPropertyRange": (_RDFS + "range", "dp", "dr"),
    "AnnotationPropertyDomain": (_RDFS + "domain", "ap", "iri"),
    "AnnotationPropertyRange": (_RDFS + "range", "ap", "iri"),
    "SubDataPropertyOf": (_RDFS + "subPropertyOf", "sub", "sup"),
    "SubAnnotationPropertyOf": (_RDFS + "subPropertyOf", "sub", "sup"),
    "InverseObjectProperties": (OWL + "inverseOf", "first", "second"),
    "DatatypeDefinition": (OWL + "equivalentClass", "kind", "range"),
    "ClassAssertion": (RDF + "type", "i", "ce"),
}
#: Kind of axiom or declaration -> type of its one name.
_TYPES = {
    "DeclareClass": OWL + "Class",
    "DeclareObjectProperty": OWL + "ObjectProperty",
    "DeclareDataProperty": OWL + "DatatypeProperty",
    "DeclareAnnotationProperty": OWL + "AnnotationProperty",
    "DeclareNamedIndividual": OWL + "NamedIndividual",
    "DeclareDatatype": _RDFS + "Datatype",
    "FunctionalDataProperty": OWL + "FunctionalProperty",
    **{
        f"{kind}ObjectProperty": f"{OWL}{kind}Property"
        for kind in (
            *("Functional", "InverseFunctional", "Reflexive", "Irreflexive"),
            *("Symmetric", "Asymmetric", "Transitive"),
        )
    },
}
#: Kind of axiom over a list -> property between two neighbours; type of a node for more than two.
_LISTS = {
    "EquivalentClasses": (OWL + "equivalentClass", None),
    "EquivalentObjectProperties": (OWL + "equivalentProperty", None),
    "EquivalentDataProperties": (OWL + "equivalentProperty", None),
    "SameIndividual": (OWL + "sameAs", None),
    "DisjointClasses": (OWL + "disjointWith", OWL + "AllDisjointClasses"),
    "DisjointObjectProperties": (OWL + "propertyDisjointWith", OWL + "AllDisjointProperties"),
    "DisjointDataProperties": (OWL + "propertyDisjointWith", OWL + "AllDisjointProperties"),
    "DifferentIndividuals": (OWL + "differentFrom", OWL + "AllDifferent"),
}


class _AxiomWriter(ExpressionWriter):
    """Spells axioms as statements; ``terms`` holds three terms a statement."""

    def __init__(self, builder: StatementBuilder, ontology: Any) -> None:
        super().__init__(builder)
        iri = ontology.get_iri()
        self.header = str(iri) if iri else builder.blank("ontology")
        self.has_header = bool(iri)
        self._others: dict[str, Callable[[Any], str | None]] = {
            "OntologyID": self._ontology_id,
            "Import": self._import,
            "OntologyAnnotation": self._ontology_annotation,
            "SubObjectPropertyOf": self._sub_property,
            "DisjointUnion": self._disjoint_union,
            "HasKey": self._has_key,
            "ObjectPropertyAssertion": self._fact,
            "DataPropertyAssertion": self._value,
            "NegativeObjectPropertyAssertion": self._negative,
            "NegativeDataPropertyAssertion": self._negative,
            "AnnotationAssertion": self._annotation,
            "Rule": self._rule,
        }

    def add(self, component: Any, annotations: Sequence[Any]) -> None:
        """Add one axiom with what is said of it."""
        kind = type(component).__name__
        start = len(self.terms)
        node: str | None = None
        if kind in _PAIRS:
            predicate, first, second = _PAIRS[kind]
            self.write(
                self.node(getattr(component, first)),
                predicate,
                self.node(getattr(component, second)),
            )
        elif kind in _TYPES:
            self.write(self.node(component.first), RDF + "type", _TYPES[kind])
        elif kind in _LISTS:
            node = self._listed(component.first, *_LISTS[kind])
        elif kind in self._others:
            node = self._others[kind](component)
        elif kind != "DocIRI":
            raise OntologyError(f"{kind} is a kind of axiom that is not known here; report it")
        self._annotate(annotations, node, start)

    def _annotate(self, annotations: Sequence[Any], node: str | None, start: int) -> None:
        """Say the annotations of an axiom of its node, or of its last statement."""
        if not annotations:
            return
        if node is None and len(self.terms) > start:
            s, p, o = self.terms[-3:]
            node = self.blank()
            self.write(node, RDF + "type", OWL + "Axiom")
            for part, term in (("Source", s), ("Property", p), ("Target", o)):
                self.write(node, f"{OWL}annotated{part}", term)
        for one in sorted(annotations, key=str):
            self.remark(node or self.header, one)

    def remark(self, subject: str, annotation: Any) -> None:
        """Add an annotation of a subject."""
        name = str(annotation.ap.first)
        self.annotation_properties.add(name)
        self.write(subject, name, self.value(annotation.av))

    def _listed(self, parts: Sequence[Any], predicate: str, kind: str | None) -> str | None:
        nodes = [self.node(part) for part in parts]
        if kind is not None and len(nodes) != 2:
            node = self.blank()
            self.write(node, RDF + "type", kind)
            self.write(node, OWL + "members", self.list_of(nodes))
            return node
        for first, second in pairwise(nodes):
            self.write(first, predicate, second)
        return None

    def _ontology_id(self, component: Any) -> None:
        if self.has_header or component.viri:
            self.write(self.header, RDF + "type", OWL + "Ontology")
        if component.viri:
            self.write(self.header, OWL + "versionIRI", str(component.viri))

    def _import(self, component: Any) -> None:
        self.write(self.header, OWL + "imports", str(component.first))

    def _ontology_annotation(self, component: Any) -> None:
        self.remark(self.header, component.first)

    def _sub_property(self, component: Any) -> None:
        sup = self.node(component.sup)
        if isinstance(component.sub, list):
            chain = self.list_of([self.node(part) for part in component.sub])
            self.write(sup, OWL + "propertyChainAxiom", chain)
        else:
            self.write(self.node(component.sub), _RDFS + "subPropertyOf", sup)

    def _disjoint_union(self, component: Any) -> None:
        parts = self.list_of([self.node(part) for part in component.second])
        self.write(self.node(component.first), OWL + "disjointUnionOf", parts)

    def _has_key(self, component: Any) -> None:
        parts = self.list_of([self.node(part) for part in component.vpe])
        self.write(self.node(component.ce), OWL + "hasKey", parts)

    def _fact(self, component: Any) -> None:
        ends = self.node(component.source), self.node(component.target)
        if type(component.ope).__name__ == "InverseObjectProperty":
            self.write(ends[1], str(component.ope.first.first), ends[0])
        else:
            self.write(ends[0], self.node(component.ope), ends[1])

    def _value(self, component: Any) -> None:
        self.write(
            self.node(component.source), self.node(component.dp), self.value(component.target)
        )

    def _negative(self, component: Any) -> str:
        is_data = hasattr(component, "dp")
        node = self.blank()
        self.write(node, RDF + "type", OWL + "NegativePropertyAssertion")
        self.write(node, OWL + "sourceIndividual", self.node(component.source))
        role = component.dp if is_data else component.ope
        self.write(node, OWL + "assertionProperty", self.node(role))
        end = self.value(component.target) if is_data else self.node(component.target)
        self.write(node, OWL + ("targetValue" if is_data else "targetIndividual"), end)
        return node

    def _annotation(self, component: Any) -> None:
        self.remark(self.node(component.subject), component.ann)
