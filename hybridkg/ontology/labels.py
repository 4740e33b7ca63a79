"""Let the IRIs of an ontology meet the labels of a graph, and say how far they met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hybridkg.errors import MalformedRowsError, OntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.label_rules import (
    LabelRule,
    Spelling,
    label_rules,
    namespaces_by_kind,
    strip_brackets,
)
from hybridkg.ontology.load import read_bytes


@dataclass(frozen=True, slots=True)
class Match:
    """How far the names of one kind met."""

    #: names of the graph that the ontology has too.
    matched: int
    in_graph: int
    in_ontology: int
    #: the rules that made a name meet, the most used first.
    rules: tuple[str, ...]

    @property
    def share(self) -> float:
        """Share of the graph's names that the ontology has too; 0 for a graph without any."""
        return self.matched / self.in_graph if self.in_graph else 0.0


@dataclass(frozen=True, slots=True)
class Joined:
    """An ontology spelled in the labels of a graph."""

    ontology: Ontology
    #: kind -> how far its names met.
    matches: Mapping[str, Match]
    #: kind -> name in the ontology's file -> label, for every name of that kind.
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def read_iri_map(path: str | Path) -> dict[str, str]:
    """Read a table of label and IRI, tab-separated.

    Raises:
        DataError: the file cannot be read, a row has not two columns, or a label stands twice.
    """
    found: dict[str, str] = {}
    bad: list[tuple[int, str]] = []
    for number, line in enumerate(read_bytes(path).decode("utf-8-sig").split("\n"), start=1):
        cells = line.rstrip("\r").split("\t")
        if cells == [""]:
            continue
        if len(cells) != 2:
            bad.append((number, f"{len(cells)} columns"))
        elif found.get(cells[0], cells[1]) != cells[1]:
            bad.append((number, f"label {cells[0]!r} stands for another IRI above"))
        else:
            found[cells[0]] = strip_brackets(cells[1])
    if bad:
        raise MalformedRowsError(str(path), bad, "two columns: label, IRI; each label once")
    return found


def join_ontology(
    ontology: Ontology,
    kg: KnowledgeGraph,
    *,
    namespaces: Sequence[str] = (),
    iri_map: Mapping[str, str] | None = None,
    schema_table: Ontology | None = None,
) -> Joined:
    """Spell an ontology in the labels of a graph.

    Args:
        ontology: as read, spelled in IRIs.
        kg: the graph whose labels are wanted.
        namespaces: each an IRI for all kinds, or ``entity=IRI``, ``class=IRI``, ``relation=IRI``.
        iri_map: label -> IRI.
        schema_table: the table beside the graph's triples; its axioms must stand in the
            ontology too, which shows how the labels are spelled as IRIs.

    Raises:
        ConfigError: a namespace is empty or of an unknown kind, or one kind has two.
        OntologyError: no relation or no class met, two labels mean one IRI, or the table
            does not fit the ontology.
    """
    rules = label_rules(ontology, namespaces, iri_map or {}, schema_table)
    spellings: dict[str, dict[str, str]] = {}
    matches: dict[str, Match] = {}
    for kind, labels, names in _vocabularies(ontology, kg):
        spellings[kind], matches[kind] = _meet(kind, labels, names, rules[kind])
        if schema_table is not None:
            _add_table_spellings(spellings[kind], kind, schema_table, names, rules[kind])
    _refuse_no_match(ontology, kg, matches)

    def spell(kind: str) -> Spelling:
        return lambda iri: spellings[kind].get(iri, iri)

    renamed = ontology.renamed(spell("entity"), spell("class"), spell("relation"))
    spelled = {
        kind: {name: spellings[kind].get(name, name) for name in names}
        for kind, _, names in _vocabularies(ontology, kg)
    }
    return Joined(renamed, matches, spelled)


def refuse_idle_namespaces(
    ontology: Ontology, kg: KnowledgeGraph, namespaces: Sequence[str]
) -> None:
    """Refuse a namespace that brings no name of the graph into an ontology.

    Names may meet by another rule, so that a wrong namespace would go unnoticed.

    Raises:
        ConfigError: as for :func:`~hybridkg.ontology.label_rules.namespaces_by_kind`.
        OntologyError: no name meets through a namespace, though both sides have such names.
    """
    asked: dict[str, bool] = {}
    prefixes = namespaces_by_kind(namespaces)
    for kind, labels, names in _vocabularies(ontology, kg):
        if kind in prefixes and labels and names:
            wanted, iri = {strip_brackets(name) for name in names}, prefixes[kind]
            met = any(iri + strip_brackets(label) in wanted for label in labels)
            asked[iri] = asked.get(iri, False) or met
    for iri, met in asked.items():
        if not met:
            raise OntologyError(
                f"the namespace {iri!r} brings no name of the graph {kg.name} into "
                f"{ontology.source}; expected the IRI in front of its labels; mend it or leave it "
                "out"
            )


def match_words(kind: str, match: Mapping[str, Any]) -> str:
    """Say how far the names of one kind met, from the fields of a :class:`Match`."""
    if not match["in_ontology"]:
        what = {"entity": "individual"}.get(kind, kind)
        return f"{kind} none (the ontology names no {what})"
    return f"{kind} {match['matched']:,} of {match['in_graph']:,}"


def _vocabularies(
    ontology: Ontology, kg: KnowledgeGraph
) -> Iterable[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    yield "entity", kg.entities.labels, ontology.individuals
    yield "class", kg.classes.labels, ontology.classes
    yield "relation", kg.relations.labels, ontology.relations


def _meet(
    kind: str, labels: tuple[str, ...], names: tuple[str, ...], rules: list[LabelRule]
) -> tuple[dict[str, str], Match]:
    """Return IRI -> label for one kind, and how far its names met."""
    wanted, found = set(names), dict[str, str]()
    used: dict[str, int] = {}
    bare = {strip_brackets(name): name for name in names}
    for label in labels:
        for rule in rules:
            iri = rule.to_iri(label)
            iri = iri if iri in wanted else bare.get(iri, "")
            if not iri:
                continue
            if iri in found:
                raise OntologyError(
                    f"{kind} labels {found[iri]!r} and {label!r} both mean {iri!r}; "
                    "give each label one IRI in an IRI map"
                )
            found[iri] = label
            used[rule.text] = used.get(rule.text, 0) + 1
            break
    match = Match(
        len(found), len(labels), len(names), tuple(sorted(used, key=lambda text: -used[text]))
    )
    taken = set(labels)
    for iri in sorted(wanted - set(found)):
        for rule in rules:
            label_of_iri = rule.to_label(iri)
            if label_of_iri is not None and label_of_iri not in taken:
                found[iri] = label_of_iri
                taken.add(label_of_iri)
                break
    return found, match


def _add_table_spellings(
    found: dict[str, str],
    kind: str,
    table: Ontology,
    names: tuple[str, ...],
    rules: list[LabelRule],
) -> None:
    """Spell the names that stand in the table only, a class without members say, as it does."""
    wanted = set(names)
    labels = {"entity": table.individuals, "class": table.classes, "relation": table.relations}
    for label in labels[kind]:
        for rule in rules:
            iri = rule.to_iri(label)
            if iri in wanted:
                found.setdefault(iri, label)


def _refuse_no_match(ontology: Ontology, kg: KnowledgeGraph, matches: Mapping[str, Match]) -> None:
    for kind, labels, names in _vocabularies(ontology, kg):
        if kind != "entity" and labels and names and not matches[kind].matched:
            ours, theirs = (", ".join(map(repr, side[:3])) for side in (labels, names))
            raise OntologyError(
                f"no {kind} of the graph is in {ontology.source}: the graph has {ours}, the "
                f"ontology {theirs}; name the namespace of the labels, or give a map of labels "
                "and IRIs"
            )
