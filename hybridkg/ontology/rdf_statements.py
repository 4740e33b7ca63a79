"""Sort RDF statements into axioms, facts, types, and the rest, each counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hybridkg.graph.knowledge_graph import LabelTriple
from hybridkg.graph.label_rows import LabelRows, Places
from hybridkg.graph.row_keys import order_of_rows
from hybridkg.graph.statements import BLANK, Statements, statements_of_graph
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.document import Ontology, ReadingReport, names_in_axiom
from hybridkg.ontology.owl_terms import BUILT_IN, OWL, RDFS
from hybridkg.ontology.rdf_axioms import (
    CHARACTERISTICS,
    axioms_of,
    characteristic_axiom,
    collective_axiom,
)
from hybridkg.ontology.rdf_expressions import ExpressionReader
from hybridkg.ontology.rdf_nodes import Declared, Nodes, NoList, rows_at
from hybridkg.ontology.rdf_places import SKIPPED, Place, place_statements
from hybridkg.types import BoolArray, ByteArray, IntArray

if TYPE_CHECKING:
    from rdflib import Graph

_COUNTERS = {
    Place.FACT: "facts",
    Place.TYPE: "types",
    Place.DECLARATION: "declarations",
    Place.INNER: "axioms",
    Place.LITERAL: "literals",
    Place.ANNOTATION: "annotations",
}
_HEADS = (Place.HEAD, Place.HEAD_TYPE, Place.CONSTRUCTOR, Place.COMPLEX_TYPE)


def ontology_from_graph(graph: Graph, *, source: str = "rdflib graph") -> Ontology:
    """Sort an rdflib graph's statements into axioms, facts, types and the rest.

    Individuals need no declaration. Blank nodes never become entities: facts
    that touch one are left out and counted.

    Args:
        graph: an rdflib graph, or a dataset, whose graphs are united; it is not changed.
        source: where it came from, for messages.

    Raises:
        OntologyError: a list or a class expression leads back to itself.
    """
    return ontology_from_statements(statements_of_graph(graph, source=source), source=source)


def ontology_from_statements(
    found: Statements, *, source: str, declared: Declared | None = None
) -> Ontology:
    """Sort statements into axioms, facts, types and the rest.

    Args:
        found: statements of a document with its imports.
        source: where they came from, for messages.
        declared: properties that other documents declare, by their kind.

    Raises:
        OntologyError: a list or a class expression leads back to itself.
    """
    ontology = _Sorter(found, source, declared or {}).sort()
    return ontology if ontology.is_whole else replace(ontology, originals=(found,))


class _Sorter:
    """Bulk statements are placed by columns, the heads of axioms one by one."""

    def __init__(self, found: Statements, source: str, declared: Declared) -> None:
        self.found, self.source = found, source
        self.nodes = Nodes(found, source, declared)
        self.reader = ExpressionReader(self.nodes)
        self.counts: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        #: axiom -> the row that heads it first.
        self.axioms: dict[ax.Axiom, int] = {}

    def sort(self) -> Ontology:
        """Sort every statement; the result does not depend on the names of blank nodes."""
        places = place_statements(self.nodes)
        for place, counter in _COUNTERS.items():
            self.counts[counter] += int(np.count_nonzero(places == place))
        for place, reason in SKIPPED.items():
            self._skip_rows(np.flatnonzero(places == place).astype(np.int32), place, reason)
        for row in np.flatnonzero(np.isin(places, _HEADS)).tolist():
            self._take_head(row, Place(int(places[row])))
        repeated = len(self.found) - len(self.nodes.positions)
        if repeated:
            self.skipped["repeated statement"] += repeated
        return self._ontology(places)

    def _skip_rows(self, rows: IntArray, place: Place, reason: str) -> None:
        if not len(rows):
            return
        column = {
            Place.TYPE_BUILT_IN: self.nodes.objects,
            Place.BUILT_IN_PROPERTY: self.nodes.predicates,
        }.get(place)
        if column is None:
            self._skip(reason, int(rows[0]), len(rows))
            return
        ids, first, counts = np.unique(column[rows], return_index=True, return_counts=True)
        for number, at, count in zip(ids.tolist(), first.tolist(), counts.tolist(), strict=True):
            self._skip(f"{reason} {self.nodes.text(number)}", int(rows[at]), count)

    def _skip(self, reason: str, row: int, count: int = 1) -> None:
        self.skipped[reason] += count
        if reason not in self.examples:
            nodes = self.nodes
            parts = (nodes.subjects[row], nodes.predicates[row], nodes.objects[row])
            shown = " ".join(_shown(self.nodes.terms[int(one)]) for one in parts)
            self.examples[reason] = f"{shown} ({self._places(np.array([row])).text(0)})"

    def _take_head(self, row: int, place: Place) -> None:
        """File the axioms that a statement heads."""
        nodes, reader = self.nodes, self.reader
        s, o = int(nodes.subjects[row]), int(nodes.objects[row])
        p = nodes.text(int(nodes.predicates[row]))
        axioms: tuple[ax.Axiom | None, ...]
        try:
            if place is Place.HEAD:
                axioms = axioms_of(reader, s, p, o)
            elif place is Place.CONSTRUCTOR:
                cls = ex.Named(nodes.text(s))
                axioms = (ax.EquivalentClasses((cls, reader.constructed(s))),)
            elif place is Place.COMPLEX_TYPE:
                axioms = (ax.Assertion(nodes.text(s), reader.expression(o)),)
            elif nodes.text(o) in CHARACTERISTICS:
                axioms = (characteristic_axiom(reader, s, nodes.text(o)),)
            else:
                axioms = (collective_axiom(reader, s, nodes.text(o)),)
        except NoList as reason:
            name = nodes.text(o) if place is Place.HEAD_TYPE else p
            self._skip(f"{name.rsplit('#', 1)[-1]} with {reason}", row)
            return
        self.counts["axioms"] += 1
        for axiom in axioms:
            if axiom is not None:
                self.axioms.setdefault(axiom, row)

    def _ontology(self, places: ByteArray) -> Ontology:
        nodes = self.nodes
        facts = np.flatnonzero(places == Place.FACT).astype(np.int32)
        types = np.flatnonzero(places == Place.TYPE).astype(np.int32)
        declared = self._declared(places)
        entities, relations, classes = (self._empty() for _ in range(3))
        entities[nodes.subjects[facts]] = entities[nodes.objects[facts]] = True
        entities[nodes.subjects[types]] = True
        relations[nodes.predicates[facts]] = True
        classes[nodes.objects[types]] = True
        entity_labels, entity_ids = self._labels(entities)
        relation_labels, relation_ids = self._labels(relations)
        class_labels, class_ids = self._labels(classes)
        ordered = sorted(self.axioms, key=lambda a: (type(a).__name__, str(a)))
        for axiom in ordered:
            for kind, name in names_in_axiom(axiom):
                declared[kind].add(name)
        fact_rows = rows_at((nodes.subjects, nodes.predicates, nodes.objects), facts)
        type_rows = rows_at((nodes.subjects, nodes.objects), types)
        rows_of_axioms = np.array([self.axioms[axiom] for axiom in ordered], dtype=np.int32)
        fact_ids = (entity_ids, relation_ids, entity_ids)
        return Ontology(
            axioms=tuple(ordered),
            facts=LabelRows[LabelTriple](
                (entity_labels, relation_labels, entity_labels),
                *self._sorted(fact_rows, fact_ids, facts),
            ),
            types=LabelRows[tuple[str, str]](
                (entity_labels, class_labels),
                *self._sorted(type_rows, (entity_ids, class_ids), types),
            ),
            individuals=_sorted_names(entity_labels, declared["entity"]),
            classes=_sorted_names(class_labels, declared["class"]),
            relations=_sorted_names(relation_labels, declared["relation"]),
            report=self._report(),
            source=self.source,
            axiom_places=self._places(rows_of_axioms),
        )

    def _report(self) -> ReadingReport:
        nodes = self.nodes
        imports = nodes.objects[nodes.predicates == nodes.known.get(OWL + "imports", -1)]
        return ReadingReport(
            statements=len(self.found),
            skipped=dict(sorted(self.skipped.items())),
            examples=dict(sorted(self.examples.items())),
            imports=tuple(sorted({nodes.text(one) for one in imports.tolist()})),
            graphs=self.found.graphs,
            facts=self.counts["facts"],
            types=self.counts["types"],
            declarations=self.counts["declarations"],
            axioms=self.counts["axioms"],
            literals=self.counts["literals"],
            annotations=self.counts["annotations"],
        )

    def _empty(self) -> BoolArray:
        return np.zeros(len(self.nodes.terms), dtype=np.bool_)

    def _declared(self, places: ByteArray) -> dict[str, set[str]]:
        """Return the names that are declared, by kind."""
        nodes = self.nodes
        rows = places == Place.DECLARATION
        subjects, objects = nodes.subjects[rows], nodes.objects[rows]
        names = {
            "class": (OWL + "Class", RDFS + "Class"),
            "relation": (OWL + "ObjectProperty",),
            "entity": (OWL + "NamedIndividual", OWL + "Thing"),
        }
        return {
            kind: {
                name
                for one in subjects[nodes.marks(wanted)[objects]].tolist()
                if not (name := nodes.terms[one]).startswith(BUILT_IN)
            }
            for kind, wanted in names.items()
        }

    def _labels(self, used: BoolArray) -> tuple[list[str], IntArray]:
        """Return the labels of the marked terms, sorted, and (terms,) their positions."""
        ids = np.flatnonzero(used)
        texts = [self.nodes.terms[one] for one in ids.tolist()]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        positions = np.zeros(len(used), dtype=np.int32)
        positions[ids[order]] = np.arange(len(ids), dtype=np.int32)
        return [texts[one] for one in order], positions

    def _sorted(
        self, rows: IntArray, ids: tuple[IntArray, ...], statements: IntArray
    ) -> tuple[IntArray, Places]:
        """Translate (n, columns) terms to labels, sort them, and return them with their places."""
        spelled = np.column_stack([of[rows[:, column]] for column, of in enumerate(ids)])
        order = order_of_rows([spelled[:, column] for column in range(len(ids))])
        return np.ascontiguousarray(spelled[order]), self._places(statements[order])

    def _places(self, rows: IntArray) -> Places:
        positions = self.nodes.positions[rows]
        return Places(
            self.found.origins, self.found.sources[positions], self.found.lines[positions]
        )


def _sorted_names(used: list[str], others: set[str]) -> tuple[str, ...]:
    # The long list is sorted already, which costs nothing to sort again.
    return tuple(sorted([*used, *others.difference(used)])) if others else tuple(used)


def _shown(term: str) -> str:
    if term.startswith(BLANK):
        # Names of blank nodes may differ each time a file is read.
        return "_"
    return term if len(term) <= 80 else term[:77] + "..."
