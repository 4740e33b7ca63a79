"""What a file of axioms holds once read, and how its names are listed or replaced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace

from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.label_rows import LabelRows, Places, RowT
from hybridkg.graph.read import graph_of
from hybridkg.graph.statements import Statements
from hybridkg.ontology.axioms import (
    Assertion,
    Axiom,
    DifferentIndividuals,
    DisjointClasses,
    NegativeFact,
    OtherAxiom,
    SameIndividuals,
)
from hybridkg.ontology.expressions import (
    And,
    ClassExpression,
    HasSelf,
    Named,
    Nominal,
    Not,
    Or,
    OtherExpression,
    Some,
)

#: Axiom kind -> its fields that name individuals; every other text names a relation.
_INDIVIDUALS: dict[type, tuple[str, ...]] = {
    Assertion: ("individual",),
    NegativeFact: ("head", "tail"),
    SameIndividuals: ("operands",),
    DifferentIndividuals: ("operands",),
}


@dataclass(frozen=True, slots=True)
class ReadingReport:
    """Where each statement of the input went; the counts add up to ``statements``."""

    #: RDF statements, or rows of a table.
    statements: int = 0
    #: relations between two named individuals.
    facts: int = 0
    #: named individuals in named classes.
    types: int = 0
    #: statements that declare a name or head the document.
    declarations: int = 0
    #: statements that make up axioms, their inner structure included.
    axioms: int = 0
    #: values that are no entity, under a property that is no annotation.
    literals: int = 0
    #: labels, comments and the like; annotations of axioms.
    annotations: int = 0
    #: reason -> number of statements left out.
    skipped: Mapping[str, int] = field(default_factory=dict)
    #: IRIs of owl:imports; read from local files where there are some, never fetched.
    imports: tuple[str, ...] = ()
    #: those of them that were read -> the file; their statements are counted above.
    imported: Mapping[str, str] = field(default_factory=dict)
    #: names of the named graphs; all graphs are united.
    graphs: tuple[str, ...] = ()
    #: reason -> the first statement left out for it, with its place.
    examples: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def not_imported(self) -> tuple[str, ...]:
        """IRIs of owl:imports for which no local file was found."""
        return tuple(iri for iri in self.imports if iri not in self.imported)


@dataclass(frozen=True, slots=True)
class UnusedAxiom:
    """An axiom that an engine leaves out, wholly or in part."""

    axiom: Axiom
    #: why, as the end of a sentence.
    reason: str

    def __str__(self) -> str:
        return f"{self.axiom} ({self.reason})"


@dataclass(frozen=True, slots=True)
class Ontology:
    """Axioms, and the facts and types that stand beside them."""

    axioms: tuple[Axiom, ...] = ()
    #: (head, relation, tail) and (individual, class), sorted; read from files they are kept as
    #: integers.
    facts: Sequence[LabelTriple] = ()
    types: Sequence[tuple[str, str]] = ()
    #: individuals that are declared or stand in a fact or type.
    individuals: tuple[str, ...] = ()
    #: named classes that are declared or used.
    classes: tuple[str, ...] = ()
    #: object properties that are declared or used.
    relations: tuple[str, ...] = ()
    report: ReadingReport = field(default_factory=ReadingReport)
    #: the file, or what the axioms were made from.
    source: str = ""
    #: where each axiom was read; None for axioms that were made in Python.
    axiom_places: Places | None = field(default=None, compare=False)
    #: statements as they were read, where some axiom is kept as text only; names as there.
    originals: tuple[Statements, ...] = field(default=(), compare=False, repr=False)
    #: number of each axiom, filled when a place is first asked for.
    _numbers: dict[Axiom, int] = field(init=False, default_factory=dict, compare=False, repr=False)

    @property
    def kinds(self) -> dict[str, int]:
        """Number of axioms by kind, the names sorted."""
        return dict(sorted(Counter(type(axiom).__name__ for axiom in self.axioms).items()))

    @property
    def is_whole(self) -> bool:
        """False where some axiom is kept as a text that need not say all of it."""
        return not any(map(_is_text, self.axioms))

    @property
    def disjoint_pairs(self) -> int:
        """Number of pairs of classes that axioms declare disjoint, repeats included."""
        sizes = [len(a.operands) for a in self.axioms if isinstance(a, DisjointClasses)]
        return sum(n * (n - 1) // 2 for n in sizes)

    def source_of_fact(self, h: str, r: str, t: str) -> str | None:
        """Return the file, and the line where it is known, of a fact; None where unknown."""
        return self.facts.source_of((h, r, t)) if isinstance(self.facts, LabelRows) else None

    def source_of_type(self, e: str, c: str) -> str | None:
        """Return the file, and the line where it is known, of a type; None where unknown."""
        return self.types.source_of((e, c)) if isinstance(self.types, LabelRows) else None

    def source_of_axiom(self, axiom: Axiom) -> str | None:
        """Return the file, and the line where it is known, of an axiom; None where unknown."""
        if self.axiom_places is None:
            return None
        if not self._numbers:
            for number, one in enumerate(self.axioms):
                self._numbers.setdefault(one, number)
        found = self._numbers.get(axiom)
        return None if found is None else self.axiom_places.text(found)

    def renamed(
        self,
        entity: Callable[[str], str],
        cls: Callable[[str], str],
        relation: Callable[[str], str],
    ) -> Ontology:
        """Return the same ontology with every name replaced, kind by kind."""
        return replace(
            self,
            axioms=tuple(rename_axiom(a, entity, cls, relation) for a in self.axioms),
            facts=_rows(self.facts, 3).renamed(entity, relation, entity),
            types=_rows(self.types, 2).renamed(entity, cls),
            individuals=tuple(sorted(map(entity, self.individuals))),
            classes=tuple(sorted(map(cls, self.classes))),
            relations=tuple(sorted(map(relation, self.relations))),
        )

    def to_graph(self, *, name: str = "ontology", namespace: str = "") -> KnowledgeGraph:
        """Return the facts and types as a knowledge graph, all facts in "train".

        Relations that have axioms and no fact can be asked for too.

        Args:
            name: short name of the graph.
            namespace: left off the front of every name that starts with it.
        """
        short = self.without_namespace(namespace) if namespace else self
        return graph_of(
            {"train": short.facts},
            name=name,
            types=short.types,
            entities=short.individuals,
            relations=short.relations,
            sources={"train": self.source, "types": self.source},
        )[0]

    def without_namespace(self, namespace: str) -> Ontology:
        """Return the same ontology with a namespace left off the names that start with it."""

        def shorten(text: str) -> str:
            return text.removeprefix(namespace)

        return self.renamed(shorten, shorten, shorten)


def _is_text(part: object) -> bool:
    """Tell whether an axiom or expression has a part that is kept as text."""
    if isinstance(part, OtherAxiom | OtherExpression):
        return True
    if isinstance(part, tuple):
        return any(map(_is_text, part))
    return is_dataclass(part) and any(_is_text(getattr(part, one.name)) for one in fields(part))


def _rows(rows: Sequence[RowT], columns: int) -> LabelRows[RowT]:
    return rows if isinstance(rows, LabelRows) else LabelRows.of(rows, columns)


def rename_expression(
    expression: ClassExpression,
    entity: Callable[[str], str],
    cls: Callable[[str], str],
    relation: Callable[[str], str],
) -> ClassExpression:
    """Replace every name in a class expression."""
    if isinstance(expression, Named):
        return Named(cls(expression.name))
    if isinstance(expression, And | Or):
        operands = tuple(rename_expression(o, entity, cls, relation) for o in expression.operands)
        return type(expression)(operands)
    if isinstance(expression, Not):
        return Not(rename_expression(expression.operand, entity, cls, relation))
    if isinstance(expression, Some):
        filler = rename_expression(expression.filler, entity, cls, relation)
        return Some(relation(expression.role), filler)
    if isinstance(expression, Nominal):
        return Nominal(entity(expression.individual))
    if isinstance(expression, HasSelf):
        return HasSelf(relation(expression.role))
    return expression


def rename_axiom(
    axiom: Axiom,
    entity: Callable[[str], str],
    cls: Callable[[str], str],
    relation: Callable[[str], str],
) -> Axiom:
    """Replace every name in an axiom; text-only axioms stay as they are."""
    if isinstance(axiom, OtherAxiom):
        return axiom
    individuals = _INDIVIDUALS.get(type(axiom), ())
    changed: dict[str, object] = {}
    for one in fields(axiom):
        value = getattr(axiom, one.name)
        rename = entity if one.name in individuals else relation
        if isinstance(value, str):
            changed[one.name] = rename(value)
        elif isinstance(value, tuple):
            changed[one.name] = tuple(
                rename(v) if isinstance(v, str) else rename_expression(v, entity, cls, relation)
                for v in value
            )
        else:
            changed[one.name] = rename_expression(value, entity, cls, relation)
    return replace(axiom, **changed)  # type: ignore[arg-type]


def names_in_expression(expression: ClassExpression) -> Iterator[tuple[str, str]]:
    """Yield (kind, name) for each name in an expression; kind as in a vocabulary."""
    if isinstance(expression, Named):
        yield "class", expression.name
    elif isinstance(expression, And | Or):
        for operand in expression.operands:
            yield from names_in_expression(operand)
    elif isinstance(expression, Not):
        yield from names_in_expression(expression.operand)
    elif isinstance(expression, Some):
        yield "relation", expression.role
        yield from names_in_expression(expression.filler)
    elif isinstance(expression, HasSelf):
        yield "relation", expression.role
    elif isinstance(expression, Nominal):
        yield "entity", expression.individual


def names_in_axiom(axiom: Axiom) -> Iterator[tuple[str, str]]:
    """Yield (kind, name) for each name in an axiom."""
    if isinstance(axiom, OtherAxiom):
        return
    individuals = _INDIVIDUALS.get(type(axiom), ())
    for one in fields(axiom):
        value = getattr(axiom, one.name)
        for part in value if isinstance(value, tuple) else (value,):
            if not isinstance(part, str):
                yield from names_in_expression(part)
            else:
                yield "entity" if one.name in individuals else "relation", part
