"""Let the IRIs of an ontology meet the labels of a graph, by stated rules and never by guess.

In order: equality, angle brackets dropped; the folder's own schema table, spelled
like its triples; namespaces given by the caller; a map of labels and IRIs. Two
names never meet because their last parts look alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from hybridkg.errors import ConfigError, MalformedRowsError, OntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.document import Ontology, rename_axiom
from hybridkg.ontology.load import read_bytes

KINDS = ("entity", "class", "relation")

Spelling: TypeAlias = Callable[[str], str]


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


@dataclass(frozen=True, slots=True)
class _Rule:
    """One way from a label to an IRI."""

    text: str
    to_iri: Spelling
    #: from an IRI without a label to a new label, None where the rule cannot tell.
    to_label: Callable[[str], str | None]


def strip_brackets(label: str) -> str:
    """Return a label without the angle brackets around it, if it has both."""
    return label[1:-1] if label.startswith("<") and label.endswith(">") else label


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
        ConfigError: a namespace of an unknown kind.
        OntologyError: no relation or no class met, two labels mean one IRI, or the table
            does not fit the ontology.
    """
    rules = _rules(ontology, namespaces, iri_map or {}, schema_table)
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
    return Joined(renamed, matches)


def _vocabularies(
    ontology: Ontology, kg: KnowledgeGraph
) -> Iterable[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    yield "entity", kg.entities.labels, ontology.individuals
    yield "class", kg.classes.labels, ontology.classes
    yield "relation", kg.relations.labels, ontology.relations


def _rules(
    ontology: Ontology,
    namespaces: Sequence[str],
    iri_map: Mapping[str, str],
    schema_table: Ontology | None,
) -> dict[str, list[_Rule]]:
    rules = {kind: [_Rule("equality", strip_brackets, lambda iri: None)] for kind in KINDS}
    if schema_table is not None:
        for kind, rule in _infer_rules(ontology, schema_table).items():
            rules[kind].append(rule)
    for text in namespaces:
        kind, found, iri = text.partition("=")
        if not found or "/" in kind or ":" in kind:
            kind, iri = "", text
        if kind and kind not in KINDS:
            raise ConfigError(f"namespace {text!r}; expected IRI or one of {KINDS} = IRI")
        for one in [kind] if kind else KINDS:
            rules[one].append(_namespace_rule(iri, _PLAIN))
    if iri_map:
        backward = {iri: label for label, iri in iri_map.items()}
        mapped = _Rule("IRI map", lambda label: iri_map.get(label, ""), backward.get)
        for kind in KINDS:
            rules[kind].append(mapped)
    return rules


def _meet(
    kind: str, labels: tuple[str, ...], names: tuple[str, ...], rules: list[_Rule]
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
    rules: list[_Rule],
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


@dataclass(frozen=True, slots=True)
class _Form:
    """A way to write a label inside an IRI, and back."""

    text: str
    inside: Spelling
    #: the label that is written so, where it can be told.
    outside: Callable[[str], str | None]


_PLAIN = _Form("label", strip_brackets, lambda rest: rest)


def _forms(labels: Sequence[str]) -> list[_Form]:
    """Return the ways that public data sets write their labels inside IRIs."""
    forms = [_PLAIN]
    if any("/" in label for label in labels):
        forms.append(
            _Form(
                "label, no leading slash, / written as a dot",
                lambda label: label.removeprefix("/").replace("/", "."),
                lambda rest: None,
            )
        )
    prefixes = {label.partition(":")[0] + ":" for label in labels if ":" in label}
    if len(prefixes) == 1 and all(":" in label for label in labels):
        prefix = prefixes.pop()
        forms.append(
            _Form(
                f"label without {prefix}",
                lambda label: label.removeprefix(prefix),
                lambda rest: prefix + rest,
            )
        )
    return forms


def _namespace_rule(namespace: str, form: _Form) -> _Rule:
    def to_label(iri: str) -> str | None:
        rest = iri.removeprefix(namespace)
        return form.outside(rest) if rest and rest != iri else None

    return _Rule(
        f"{namespace} + {form.text}",
        lambda label: namespace + form.inside(label),
        to_label,
    )


def _infer_rules(ontology: Ontology, table: Ontology) -> dict[str, _Rule]:
    """Find the IRI rule of classes and relations under which the table is in the ontology.

    Raises:
        OntologyError: no rule, or several that differ, bring every axiom of the table.
    """
    choices: list[dict[str, _Rule]] = [{}]
    for kind, labels, names in (
        ("class", table.classes, ontology.classes),
        ("relation", table.relations, ontology.relations),
    ):
        if labels:
            found = _candidate_rules(labels, set(names))
            choices = [{**choice, kind: rule} for choice in choices for rule in found]
    axioms = set(ontology.axioms)
    fitting = [c for c in choices if all(a in axioms for a in _spelled(table, c))]
    if len(fitting) != 1:
        raise OntologyError(
            f"{table.source} and {ontology.source}: {len(fitting)} rules write the labels of the "
            f"table as IRIs so that all its {len(table.axioms)} axioms are found again; expected "
            "one; give the namespaces or a map of labels and IRIs instead"
        )
    return fitting[0]


def _candidate_rules(labels: tuple[str, ...], names: set[str]) -> list[_Rule]:
    """Return the rules under which every label of the table is a name of the ontology."""
    found: dict[tuple[str, ...], _Rule] = {}
    for form in _forms(labels):
        first = form.inside(labels[0])
        for name in sorted(names):
            if name.endswith(first):
                rule = _namespace_rule(name[: len(name) - len(first)], form)
                spelled = tuple(map(rule.to_iri, labels))
                # Two rules that write every label the same are one rule in two words.
                if names.issuperset(spelled):
                    found.setdefault(spelled, rule)
    return list(found.values())


def _spelled(table: Ontology, rules: Mapping[str, _Rule]) -> list[Axiom]:
    def spell(kind: str) -> Spelling:
        return rules[kind].to_iri if kind in rules else strip_brackets

    cls, relation = spell("class"), spell("relation")
    return [rename_axiom(axiom, strip_brackets, cls, relation) for axiom in table.axioms]
