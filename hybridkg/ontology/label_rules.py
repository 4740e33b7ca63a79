"""The stated rules by which a label meets an IRI, never by guess.

In order: equality, angle brackets dropped; the folder's own schema table, spelled
like its triples; namespaces given by the caller; a map of labels and IRIs. Two
names never meet because their last parts look alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hybridkg.errors import ConfigError, OntologyError
from hybridkg.ontology.axioms import Axiom
from hybridkg.ontology.document import Ontology, rename_axiom

KINDS = ("entity", "class", "relation")

Spelling: TypeAlias = Callable[[str], str]


def strip_brackets(label: str) -> str:
    """Return a label without the angle brackets around it, if it has both."""
    return label[1:-1] if label.startswith("<") and label.endswith(">") else label


def namespaces_by_kind(namespaces: Sequence[str]) -> dict[str, str]:
    """Return the namespace of each kind of name that has one.

    One that is given for a kind counts more than one that is given for all kinds.

    Args:
        namespaces: each an IRI for all kinds, or ``entity=IRI``, ``class=IRI``, ``relation=IRI``.

    Raises:
        ConfigError: a namespace is empty or of an unknown kind, or one kind has two.
    """
    given: dict[str, str] = {}
    for text in namespaces:
        kind, found, iri = text.partition("=")
        if not found or "/" in kind or ":" in kind:
            kind, iri = "", text
        if not iri or (kind and kind not in KINDS):
            ways = ", ".join(f"{one}=IRI" for one in KINDS)
            raise ConfigError(f"namespace {text!r}; expected an IRI for all names, or {ways}")
        if given.setdefault(kind, iri) != iri:
            raise ConfigError(
                f"namespaces {given[kind]!r} and {iri!r} for {kind or 'all'} names; expected one; "
                "give each kind its own, as entity=IRI, or a map of labels and IRIs"
            )
    plain = dict.fromkeys(KINDS, given[""]) if "" in given else {}
    return {**plain, **{kind: iri for kind, iri in given.items() if kind}}


@dataclass(frozen=True, slots=True)
class LabelRule:
    """One way from a label to an IRI."""

    text: str
    to_iri: Spelling
    #: from an IRI without a label to a new label, None where the rule cannot tell.
    to_label: Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class _Form:
    """A way to write a label inside an IRI, and back."""

    text: str
    inside: Spelling
    #: the label that is written so, where it can be told.
    outside: Callable[[str], str | None]


_PLAIN = _Form("label", strip_brackets, lambda rest: rest)


def label_rules(
    ontology: Ontology,
    namespaces: Sequence[str],
    iri_map: Mapping[str, str],
    schema_table: Ontology | None,
) -> dict[str, list[LabelRule]]:
    """List the rules of each kind of name, in the order in which they are tried.

    Args:
        ontology: as read, spelled in IRIs.
        namespaces: each an IRI for all kinds, or ``entity=IRI``, ``class=IRI``, ``relation=IRI``.
        iri_map: label -> IRI.
        schema_table: the table beside the graph's triples.

    Raises:
        ConfigError: as for :func:`namespaces_by_kind`.
        OntologyError: the table does not fit the ontology.
    """
    rules = {kind: [LabelRule("equality", strip_brackets, lambda iri: None)] for kind in KINDS}
    if schema_table is not None:
        for kind, rule in _infer_rules(ontology, schema_table).items():
            rules[kind].append(rule)
    for kind, iri in namespaces_by_kind(namespaces).items():
        rules[kind].append(_namespace_rule(iri, _PLAIN))
    if iri_map:
        backward = {iri: label for label, iri in iri_map.items()}
        mapped = LabelRule("IRI map", lambda label: iri_map.get(label, ""), backward.get)
        for kind in KINDS:
            rules[kind].append(mapped)
    return rules


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


def _namespace_rule(namespace: str, form: _Form) -> LabelRule:
    def to_label(iri: str) -> str | None:
        rest = iri.removeprefix(namespace)
        return form.outside(rest) if rest and rest != iri else None

    return LabelRule(
        f"{namespace} + {form.text}",
        lambda label: namespace + form.inside(label),
        to_label,
    )


def _infer_rules(ontology: Ontology, table: Ontology) -> dict[str, LabelRule]:
    """Find the IRI rule of classes and relations under which the table is in the ontology.

    Raises:
        OntologyError: no rule, or several that differ, bring every axiom of the table.
    """
    choices: list[dict[str, LabelRule]] = [{}]
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


def _candidate_rules(labels: tuple[str, ...], names: set[str]) -> list[LabelRule]:
    """Return the rules under which every label of the table is a name of the ontology."""
    found: dict[tuple[str, ...], LabelRule] = {}
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


def _spelled(table: Ontology, rules: Mapping[str, LabelRule]) -> list[Axiom]:
    def spell(kind: str) -> Spelling:
        return rules[kind].to_iri if kind in rules else strip_brackets

    cls, relation = spell("class"), spell("relation")
    return [rename_axiom(axiom, strip_brackets, cls, relation) for axiom in table.axioms]
