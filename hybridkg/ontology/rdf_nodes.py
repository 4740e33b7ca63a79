"""Look the nodes of RDF statements up: texts, kinds, declared types, values, lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import TypeAlias

import numpy as np

from hybridkg.errors import OntologyError
from hybridkg.graph.row_keys import first_of_each
from hybridkg.graph.statements import BLANK, LITERAL, QUOTED, Statements
from hybridkg.ontology.owl_terms import (
    BUILT_IN,
    CLASS_CONSTRUCTORS,
    INNER,
    OWL,
    RDF,
)
from hybridkg.types import BoolArray, ByteArray, IntArray

IRI_KIND, BLANK_KIND, LITERAL_KIND, QUOTED_KIND = range(4)
#: Kinds by first character; no IRI starts with one of these.
_KINDS = {ord(LITERAL): LITERAL_KIND, ord(BLANK[0]): BLANK_KIND, ord(QUOTED[0]): QUOTED_KIND}
_W3 = "http://www.w3.org/"


#: Type of a property -> names that have it.
Declared: TypeAlias = Mapping[str, Collection[str]]
_PROPERTY_TYPES = tuple(
    OWL + name for name in ("ObjectProperty", "DatatypeProperty", "AnnotationProperty")
)


def declared_properties(documents: Iterable[Statements]) -> Declared:
    """Return the properties that some documents declare, by their kind."""
    declared: dict[str, set[str]] = {name: set() for name in _PROPERTY_TYPES}
    for found in documents:
        numbers = {name: n for n, name in enumerate(found.terms) if name.startswith(_W3)}
        types = found.predicates == numbers.get(RDF + "type", -1)
        for name, properties in declared.items():
            rows = types & (found.objects == numbers.get(name, -1))
            properties.update(found.terms[one] for one in found.subjects[rows].tolist())
    return declared


class NoList(Exception):  # noqa: N818 - a signal to the sorter, never raised out of it
    """A statement asks for one value or a list where something else stands; the text says what."""


class Nodes:
    """The distinct statements of a document, and what its nodes are; a node is a term id."""

    def __init__(self, found: Statements, source: str, declared: Declared | None = None) -> None:
        """Index the values inside axioms and class expressions.

        Args:
            found: statements of one document with its imports.
            source: where they came from, for messages.
            declared: properties that other documents declare, by their kind.
        """
        self._declared = declared or {}
        self.source, self.terms = source, found.terms
        #: (n,) positions of the distinct statements in ``found``.
        self.positions = first_of_each((found.subjects, found.predicates, found.objects))
        columns: tuple[IntArray, ...] = (found.subjects, found.predicates, found.objects)
        if len(self.positions) < len(found):
            columns = tuple(one[self.positions] for one in columns)
        self.subjects, self.predicates, self.objects = columns
        #: (terms,) kind of each term.
        self.kinds = _kinds_of(self.terms)
        #: name -> node, of the terms that start as built-in ones do.
        self.known = {
            term: number for number, term in enumerate(self.terms) if term.startswith(_W3)
        }
        self._type = self.known.get(RDF + "type", -1)
        self._first, self._rest = (self.known.get(RDF + n, -1) for n in ("first", "rest"))
        self._nil = self.known.get(RDF + "nil", -1)
        self._values = self._index({*INNER, *CLASS_CONSTRUCTORS, OWL + "inverseOf"})

    @cached_property
    def built_in(self) -> BoolArray:
        """(terms,) True for terms of RDF, RDFS, OWL and XSD."""
        return self.marks(name for name in self.known if name.startswith(BUILT_IN))

    def marks(self, names: Iterable[str]) -> BoolArray:
        """(terms,) True for built-in names."""
        found = np.zeros(len(self.terms), dtype=np.bool_)
        found[[self.known[name] for name in names if name in self.known]] = True
        return found

    def typed(self, *names: str) -> set[int]:
        """Return the subjects that have one of some built-in types.

        Properties in use count too where another document says so.
        """
        wanted = self.marks(names)
        rows = (self.predicates == self._type) & wanted[self.objects]
        found: set[int] = set(self.subjects[rows].tolist())
        elsewhere = {one for name in names for one in self._declared.get(name, ())}
        if elsewhere:
            found.update(one for one in self._in_use if self.terms[one] in elsewhere)
        return found

    @cached_property
    def _in_use(self) -> list[int]:
        used: list[int] = np.unique(self.predicates).tolist()
        return used

    @cached_property
    def data_properties(self) -> set[int]:
        """Data properties that are no object properties too."""
        return self.typed(OWL + "DatatypeProperty") - self.typed(OWL + "ObjectProperty")

    @cached_property
    def annotation_properties(self) -> set[int]:
        """Annotation properties that relate no individuals too."""
        return self.typed(OWL + "AnnotationProperty") - self.typed(
            OWL + "ObjectProperty", OWL + "DatatypeProperty"
        )

    @cached_property
    def datatypes(self) -> set[int]:
        """Datatypes that are declared."""
        return self.typed("http://www.w3.org/2000/01/rdf-schema#Datatype")

    def text(self, node: int) -> str:
        """Return the IRI of a node, the text of a literal, ``_`` for a blank node."""
        term = self.terms[node]
        kind = self.kinds[node]
        if kind == LITERAL_KIND:
            return term[1 : term.rindex('"')]
        return "_" if kind == BLANK_KIND else term

    def is_blank(self, node: int) -> bool:
        """Tell whether a node is a blank node."""
        return bool(self.kinds[node] == BLANK_KIND)

    def is_iri(self, node: int) -> bool:
        """Tell whether a node is an IRI."""
        return bool(self.kinds[node] == IRI_KIND)

    def is_literal(self, node: int) -> bool:
        """Tell whether a node is a literal."""
        return bool(self.kinds[node] == LITERAL_KIND)

    def one(self, node: int, name: str) -> int | None:
        """Return the value of one of OWL's properties inside an axiom, None where it has none.

        Raises:
            NoList: there are several, of which none can be chosen.
        """
        values = self.values(node, self.known.get(OWL + name, -1))
        if len(values) > 1:
            raise NoList(f"{len(values)} values of {name}")
        return values[0] if values else None

    def values(self, node: int, predicate: int) -> list[int]:
        """Return the values of a property that stands inside axioms."""
        return self._values.get(node, {}).get(predicate, [])

    def named(self, node: int, name: str) -> list[int]:
        """Return the values of a property inside axioms, by its whole name."""
        return self.values(node, self.known.get(name, -1))

    def inner_names(self, node: int) -> list[str]:
        """Return OWL's names of the properties that a node has inside an axiom, sorted."""
        names = (self.terms[predicate] for predicate in self._values.get(node, {}))
        return sorted(name.removeprefix(OWL) for name in names)

    def listed(self, node: int | None) -> list[int]:
        """Return the members of an RDF list.

        Raises:
            NoList: the node heads no list, or the list has no end.
            OntologyError: the list leads back to itself.
        """
        members: list[int] = []
        passed: set[int] = set()
        while node is None or node != self._nil:
            if node in passed:
                raise OntologyError(self.circle("a list", node or 0))
            heads = [] if node is None else self.values(node, self._first)
            tails = [] if node is None else self.values(node, self._rest)
            if node is None or len(heads) != 1 or len(tails) != 1:
                raise NoList("a list that breaks off" if members else "something that is no list")
            passed.add(node)
            members += heads
            node = tails[0]
        return members

    def circle(self, what: str, node: int) -> str:
        """Say that something leads back to itself."""
        return (
            f"{self.source}: {what} {self.place(node)} leads back to itself; expected one that "
            "ends; mend or remove it"
        )

    def place(self, node: int) -> str:
        """Say where a node is: by its name, or by the nearest named one that leads to it."""
        waiting, passed = [node], {node}
        for one in waiting:
            if not self.is_blank(one):
                name = self.text(one)
                return f"at {name!r}" if one == node else f"below {name!r}"
            found = set(self.subjects[self.objects == one].tolist()) - passed
            passed |= found
            waiting += sorted(found, key=lambda n: (self.is_blank(n), self.terms[n]))
        return "of blank nodes only"

    def _index(self, names: set[str]) -> dict[int, dict[int, list[int]]]:
        rows = np.flatnonzero(self.marks(names)[self.predicates])
        columns = (self.subjects[rows], self.predicates[rows], self.objects[rows])
        values: dict[int, dict[int, list[int]]] = {}
        for s, p, o in zip(*(column.tolist() for column in columns), strict=True):
            values.setdefault(s, {}).setdefault(p, []).append(o)
        return values


def _kinds_of(terms: list[str]) -> ByteArray:
    firsts = np.fromiter((ord(term[0]) if term else 0 for term in terms), dtype=np.int32)
    kinds = np.zeros(len(terms), dtype=np.uint8)
    for code, kind in _KINDS.items():
        kinds[firsts == code] = kind
    return kinds


def ids_marked(n: int, ids: Iterable[int]) -> BoolArray:
    """(n,) True at the given ids."""
    found = np.zeros(n, dtype=np.bool_)
    found[np.fromiter(ids, dtype=np.int64)] = True
    return found


def rows_at(columns: tuple[IntArray, ...], rows: IntArray) -> IntArray:
    """(len(rows), len(columns)) the chosen rows of some columns."""
    return np.column_stack([column[rows] for column in columns])
