"""RDF statements as columns of integers over one list of distinct terms."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridkg.graph.long_terms import within_memory
from hybridkg.types import IntArray

if TYPE_CHECKING:
    from pyoxigraph import Quad

#: First characters of the terms that are no IRI.
BLANK, LITERAL, QUOTED = "_:", '"', "<<"
_STRING = "http://www.w3.org/2001/XMLSchema#string"


@dataclass(frozen=True, slots=True)
class Origin:
    """The document and the named graph that a statement stands in."""

    file: str
    #: IRI or blank node of the named graph, None for the default graph.
    graph: str | None = None

    def __str__(self) -> str:
        return self.file if self.graph is None else f"{self.file} (graph {self.graph})"


@dataclass(frozen=True, slots=True, eq=False)
class Statements:
    """Statements in the order of their files, repeats included.

    An IRI is spelled bare, a blank node starts with ``_:``, a literal with a quotation mark
    (its text is not escaped; language or datatype follow the last quotation mark), and a quoted
    statement with ``<<``.
    """

    #: distinct terms; their positions are the ids in the columns.
    terms: list[str]
    #: (n,) term ids.
    subjects: IntArray
    predicates: IntArray
    objects: IntArray
    #: (n,) positions in ``origins``.
    sources: IntArray
    origins: tuple[Origin, ...]
    #: (n,) line numbers from 1; 0 where the line is not known.
    lines: IntArray
    #: prefixes that the documents declare -> namespace.
    prefixes: Mapping[str, str]

    def __len__(self) -> int:
        return len(self.subjects)

    @property
    def graphs(self) -> tuple[str, ...]:
        """Names of the named graphs, sorted."""
        return tuple(sorted({one.graph for one in self.origins if one.graph is not None}))


def literal_text(term: str) -> str:
    """Return the text of a literal, without quotation marks, language and datatype."""
    return term[1 : term.rindex('"')]


def literal_language(term: str) -> str:
    """Return the language tag of a literal, empty where it has none."""
    rest = term[term.rindex('"') + 1 :]
    return rest[1:] if rest.startswith("@") else ""


def literal_term(text: str, language: str | None, datatype: str | None) -> str:
    """Spell a literal as a term."""
    if language:
        return f'"{text}"@{language}'
    return f'"{text}"' if datatype in (None, _STRING) else f'"{text}"^^{datatype}'


class StatementBuilder:
    """Collects statements of one or more documents; equal terms get one id.

    Blank nodes of different documents never meet, whatever they are called there.
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._origins: dict[Origin, int] = {}
        self._blocks: list[tuple[IntArray, ...]] = []
        self._documents = 0
        self._blank = BLANK
        #: prefixes that the documents declare -> namespace; the first one counts.
        self.prefixes: dict[str, str] = {}

    def open_document(self) -> None:
        """Begin the next document."""
        # The first one keeps its names, so that messages show what stands in the file.
        self._blank = BLANK if self._documents == 0 else f"{BLANK}{self._documents}/"
        self._documents += 1

    def intern(self, terms: Iterable[str]) -> IntArray:
        """Return the ids of terms, new ones in order of appearance, as (n,) int32."""
        ids = self._ids
        return np.fromiter((ids.setdefault(term, len(ids)) for term in terms), dtype=np.int32)

    def origin(self, file: str, graph: str | None = None) -> int:
        """Return the position of a document and graph among the origins."""
        return self._origins.setdefault(Origin(file, graph), len(self._origins))

    def blank(self, label: str) -> str:
        """Spell a blank node of the document at hand."""
        return self._blank + label

    def add(
        self,
        subjects: IntArray,
        predicates: IntArray,
        objects: IntArray,
        sources: IntArray | int,
        lines: IntArray | None = None,
    ) -> None:
        """Add statements by their (n,) columns of ids.

        Args:
            subjects: term ids, as predicates and objects.
            predicates: term ids.
            objects: term ids.
            sources: positions among the origins, or one for all.
            lines: line numbers, where known.
        """
        n = len(subjects)
        # Zeros take no memory until they are written to.
        lines = np.zeros(n, dtype=np.int32) if lines is None else lines
        if isinstance(sources, int):
            value = sources
            sources = np.zeros(n, dtype=np.int32)
            if value:
                sources[:] = value
        self._blocks.append((subjects, predicates, objects, sources, lines))

    def add_quads(self, quads: Iterable[Quad], file: str) -> int:
        """Add what a parser of pyoxigraph yields, and return how many statements there were."""
        spell = _Spelling(self._blank)
        ids = self._ids
        named = spell.named
        subjects, predicates, objects, sources = (list[int]() for _ in range(4))
        graphs: dict[Any, int] = {}
        for quad in within_memory(quads, file):
            s, p, o, g = quad
            text = s.value if type(s) is named else spell(s)
            subjects.append(ids.setdefault(text, len(ids)))
            text = p.value
            predicates.append(ids.setdefault(text, len(ids)))
            text = o.value if type(o) is named else spell(o)
            objects.append(ids.setdefault(text, len(ids)))
            source = graphs.get(g)
            if source is None:
                source = graphs[g] = self.origin(file, spell.graph(g))
            sources.append(source)
        columns = [np.array(one, dtype=np.int32) for one in (subjects, predicates, objects)]
        self.add(columns[0], columns[1], columns[2], np.array(sources, dtype=np.int32))
        return len(subjects)

    def add_statements(self, found: Statements) -> None:
        """Add statements that were read apart, as a part of the document at hand."""
        prefix = self._blank
        ids = self.intern(
            prefix + term.removeprefix(BLANK) if term.startswith(BLANK) else term
            for term in found.terms
        )
        self.declare(found.prefixes)
        places = [self.origin(one.file, one.graph) for one in found.origins]
        sources = np.array(places, dtype=np.int32)[found.sources]
        columns = [ids[one] for one in (found.subjects, found.predicates, found.objects)]
        self.add(columns[0], columns[1], columns[2], sources, found.lines)

    def objects_since(self, mark: int, predicate: str) -> list[str]:
        """Return the distinct values of a property among the statements since a mark, sorted."""
        wanted = self._ids.get(predicate)
        if wanted is None:
            return []
        blocks = self._blocks[mark:]
        found = {int(o) for block in blocks for o in np.unique(block[2][block[1] == wanted])}
        terms = list(self._ids)
        return sorted(terms[one] for one in found)

    def terms(self) -> Iterable[str]:
        """Return the terms met so far."""
        return self._ids.keys()

    def declare(self, prefixes: Mapping[str, str]) -> None:
        """Note prefixes of the document at hand."""
        for prefix, namespace in prefixes.items():
            self.prefixes.setdefault(prefix, namespace)

    def mark(self) -> int:
        """Return a mark for :meth:`go_back`."""
        return len(self._blocks)

    def go_back(self, mark: int) -> None:
        """Forget the statements that were added since a mark; their terms stay."""
        del self._blocks[mark:]

    def number_lines(self, lines: IntArray) -> None:
        """Give line numbers to the statements that were added last."""
        *columns, _ = self._blocks[-1]
        self._blocks[-1] = (*columns, lines)

    def build(self) -> Statements:
        """Return all statements."""
        empty = np.zeros(0, dtype=np.int32)
        joined = []
        for column in range(5):
            parts = [block[column] for block in self._blocks]
            joined.append(parts[0] if len(parts) == 1 else np.concatenate([empty, *parts]))
        return Statements(
            terms=list(self._ids),
            subjects=joined[0],
            predicates=joined[1],
            objects=joined[2],
            sources=joined[3],
            origins=tuple(self._origins),
            lines=joined[4],
            prefixes=self.prefixes,
        )


class _Spelling:
    """Spells the terms of pyoxigraph that are no plain IRI."""

    def __init__(self, blank: str) -> None:
        import pyoxigraph

        self.named, self._literal = pyoxigraph.NamedNode, pyoxigraph.Literal
        self._blank_kind, self._default = pyoxigraph.BlankNode, pyoxigraph.DefaultGraph
        self._prefix = blank

    def __call__(self, term: Any) -> str:
        if isinstance(term, self._literal):
            return literal_term(term.value, term.language, term.datatype.value)
        if isinstance(term, self._blank_kind):
            return self._prefix + term.value
        if isinstance(term, self.named):
            return str(term.value)
        return QUOTED + str(term)

    def graph(self, term: Any) -> str | None:
        return None if isinstance(term, self._default) else self(term)


def statements_of_graph(graph: Any, *, source: str = "rdflib graph") -> Statements:
    """Return the statements of an rdflib graph, or of all graphs of a dataset; it is not changed.

    Args:
        graph: an rdflib ``Graph``, or a ``Dataset`` or ``ConjunctiveGraph``, whose graphs are
            united.
        source: where it came from, for messages.
    """
    from rdflib import BNode, Graph, Literal

    def spell(term: Any) -> str:
        if isinstance(term, Literal):
            datatype = None if term.datatype is None else str(term.datatype)
            return literal_term(str(term), term.language, datatype)
        if isinstance(term, BNode):
            return f"{BLANK}{term}"
        return QUOTED + term.n3() if isinstance(term, Graph) else str(term)

    builder = StatementBuilder()
    builder.open_document()
    builder.declare({prefix: str(namespace) for prefix, namespace in graph.namespaces()})
    terms, sources = list[str](), list[int]()
    with warnings.catch_warnings():
        # Datasets of rdflib use what rdflib deprecates.
        warnings.simplefilter("ignore", DeprecationWarning)
        for s, p, o, place in _quads(graph):
            terms += (spell(s), spell(p), spell(o))
            sources.append(builder.origin(source, place))
    ids = builder.intern(terms).reshape(-1, 3)
    columns = [np.ascontiguousarray(ids[:, column]) for column in range(3)]
    builder.add(columns[0], columns[1], columns[2], np.array(sources, dtype=np.int32))
    return builder.build()


def _quads(graph: Any) -> Iterable[tuple[Any, Any, Any, str | None]]:
    """Yield the statements of rdflib with the name of their graph."""
    if not hasattr(graph, "quads"):
        yield from ((s, p, o, None) for s, p, o in graph)
        return
    default = getattr(graph, "default_graph", None)
    default = default if default is not None else graph.default_context
    for s, p, o, g in graph.quads((None, None, None, None)):
        name = getattr(g, "identifier", g)
        is_default = name is None or name == default.identifier
        yield s, p, o, None if is_default else str(name)
