"""Sort the statements of an RDF graph into axioms, facts, types, and the rest, each counted."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.document import Ontology, ReadingReport, names_in_axiom
from hybridkg.ontology.owl_terms import (
    ANNOTATIONS,
    BUILT_IN,
    CLASS_CONSTRUCTORS,
    DECLARATIONS,
    INNER,
    OWL,
    RDF,
    RDFS,
    STRUCTURES,
)
from hybridkg.ontology.rdf_axioms import (
    CHARACTERISTICS,
    axioms_of,
    characteristic_axiom,
    collective_axiom,
)
from hybridkg.ontology.rdf_expressions import ExpressionReader, NoList, Term

if TYPE_CHECKING:
    from rdflib import Graph


def ontology_from_graph(graph: Graph, *, source: str = "rdflib graph") -> Ontology:
    """Sort an rdflib graph's statements into axioms, facts, types and the rest.

    Individuals need no declaration. Blank nodes never become entities: facts
    that touch one are left out and counted.

    Args:
        graph: any rdflib graph; it is not changed.
        source: where it came from, for messages.

    Raises:
        OntologyError: a list or a class expression leads back to itself.
    """
    return _Sorter(graph, source).sort()


class _Sorter:
    """One pass over a graph; the counters and lists fill as statements are met."""

    def __init__(self, graph: Graph, source: str) -> None:
        self.graph, self.source = graph, source
        self.reader = ExpressionReader(graph, source)
        self.counts: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.axioms: list[ax.Axiom] = []
        self.facts: list[tuple[str, str, str]] = []
        self.types: list[tuple[str, str]] = []
        self.names: dict[str, set[str]] = {"entity": set(), "class": set(), "relation": set()}
        self.imports: list[str] = []
        self.annotation_properties = self.reader.typed("AnnotationProperty")
        self.reified = {
            s
            for name in ("Axiom", "Annotation")
            for s in self.reader.subjects(RDF + "type", OWL + name)
        }

    def sort(self) -> Ontology:
        """Sort every statement, in an order that does not depend on blank node names."""
        statements = sorted(
            self.graph, key=lambda s: tuple("" if self.reader.is_blank(t) else str(t) for t in s)
        )
        for s, p, o in statements:
            try:
                place = self._place(s, str(p), o)
            except NoList as reason:
                name = str(o) if str(p) == RDF + "type" else str(p)
                place = self._skip(f"{name.rsplit('#', 1)[-1]} with {reason}")
            self.counts[place] += 1
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
        if p in self.reader.data_properties and not self.reader.is_literal(o):
            return self._skip("value of a data property that is no literal")
        if p in ANNOTATIONS or p in self.annotation_properties:
            return "annotations"
        if p in INNER:
            return "axioms"
        if p in CLASS_CONSTRUCTORS:
            if not self.reader.is_blank(s):
                cls = ex.Named(str(s))
                self.axioms.append(ax.EquivalentClasses((cls, self.reader.constructed(s))))
            return "axioms"
        axioms = axioms_of(self.reader, s, p, o)
        if axioms:
            self.axioms.extend(axioms)
            return "axioms"
        return self._place_fact(s, p, o)

    def _place_fact(self, s: Term, p: str, o: Term) -> str:
        if p.startswith(BUILT_IN):
            return self._skip(f"built-in property {p}")
        if self.reader.is_literal(o):
            return "literals"
        if self.reader.is_blank(s) or self.reader.is_blank(o):
            return self._skip("fact with an anonymous individual")
        if str(s).startswith(BUILT_IN) or str(o).startswith(BUILT_IN):
            return self._skip("fact about a built-in term")
        self.facts.append((str(s), p, str(o)))
        return "facts"

    def _place_type(self, s: Term, o: Term) -> str:
        name = str(o)
        if name in CHARACTERISTICS:
            self.axioms.append(characteristic_axiom(self.reader, s, name))
            return "axioms"
        if name in STRUCTURES or (self.reader.is_blank(s) and name in DECLARATIONS):
            axiom = collective_axiom(self.reader, s, name)
            if axiom is not None:
                self.axioms.append(axiom)
            return "axioms"
        if name in DECLARATIONS:
            self._declare(str(s), name)
            return "declarations"
        if self.reader.is_blank(s):
            return self._skip("type of an anonymous individual")
        if self.reader.is_blank(o):
            self.axioms.append(ax.Assertion(str(s), self.reader.expression(o)))
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
