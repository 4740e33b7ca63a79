"""Read what HermiT's command line prints, and complete what it leaves to the reader.

It prints direct superclasses only, and a fact only at the lowest property that has it; Owlready2
takes both as they stand, and so loses facts of properties above.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

from hybridkg.graph.knowledge_graph import LabelTriple
from hybridkg.ontology.owl_terms import OWL

THING, NOTHING = OWL + "Thing", OWL + "Nothing"
_TOP_ROLE = OWL + "topObjectProperty"

_LINE = re.compile(r"^([A-Za-z]+)\( (.*) \)\s*$", re.MULTILINE)
_VALUES = re.compile(
    r"^<([^>]+)> \(known instances:\s*(.*?)\s*\|\s*possible instances:\s*(.*?)\s*\)\s*$",
    re.MULTILINE,
)
_PAIR = re.compile(r"\(<([^>]+)>, <([^>]+)>\)")
_TERM = re.compile(r"(ObjectInverseOf\( )?(?:<([^>]+)>|owl:(\w+))")

_Key = TypeVar("_Key", bound=Hashable)
#: A property, and True where it is turned round.
_Way = tuple[str, bool]


def class_hierarchy(output: str, classes: Iterable[str]) -> tuple[dict[str, set[str]], set[str]]:
    """Return all superclasses of each satisfiable class, and the unsatisfiable ones.

    Args:
        output: what HermiT prints for the actions -c or -c -I.
        classes: named classes; what lies right below Thing is not printed.

    Returns:
        Class -> itself and its superclasses but Thing; Thing -> what is as large. Then the
        classes that can have no member.
    """
    direct: dict[str, set[str]] = defaultdict(set)
    unsatisfiable: set[str] = set()
    for kind, terms in _lines(output):
        names = [name for name, _ in terms]
        if kind == "SubClassOf":
            direct[names[0]].add(names[1])
        elif kind == "EquivalentClasses" and NOTHING in names:
            unsatisfiable |= {*names} - {NOTHING}
        elif kind == "EquivalentClasses":
            for one in names:
                direct[one] |= {*names}
    wanted = {*direct, *classes, THING} - unsatisfiable - {NOTHING}
    return {cls: _reach(direct, {cls, THING}) - {THING} for cls in wanted}, unsatisfiable


def individual_types(
    output: str, above: Mapping[str, set[str]], individuals: Iterable[str]
) -> set[tuple[str, str]]:
    """Return every named class but Thing of each individual.

    Args:
        output: what HermiT prints for the actions -c -I.
        above: as :func:`class_hierarchy` returns.
        individuals: named individuals.
    """
    found = {(individual, cls) for individual in individuals for cls in above[THING]}
    for kind, terms in _lines(output):
        if kind == "Type":
            (individual, _), (cls, _) = terms
            found |= {(individual, sup) for sup in above.get(cls, {cls}) - {THING}}
    return found


def property_values(
    output: str, individuals: Iterable[str]
) -> tuple[set[LabelTriple], set[LabelTriple]]:
    """Return the facts that HermiT knows, and further ones that it has not decided.

    Args:
        output: what HermiT prints for the actions -O -Y.
        individuals: named individuals.
    """
    wider = _property_hierarchy(output)
    known: set[LabelTriple] = set()
    open_ones: set[LabelTriple] = set()
    for role, sure, maybe in _VALUES.findall(output):
        ways = {way for way in _reach(wider, {(role, False)}) if way[0] != _TOP_ROLE}
        for found, text in ((known, sure), (open_ones, maybe)):
            for head, tail in _PAIR.findall(text):
                found |= {(tail, r, head) if turned else (head, r, tail) for r, turned in ways}
    everywhere = {role for role, _ in _reach(wider, {(_TOP_ROLE, False)})} - {_TOP_ROLE}
    if everywhere:
        names = list(individuals)
        known |= {(h, role, t) for role in everywhere for h in names for t in names}
    return known, open_ones - known


def _property_hierarchy(output: str) -> dict[_Way, set[_Way]]:
    wider: dict[_Way, set[_Way]] = defaultdict(set)
    for kind, terms in _lines(output):
        if kind == "SubObjectPropertyOf":
            pairs = [(terms[0], terms[1])]
        elif kind == "EquivalentObjectProperties":
            pairs = [(one, other) for one in terms for other in terms]
        else:
            continue
        for (sub, sub_turned), (sup, sup_turned) in pairs:
            wider[sub, sub_turned].add((sup, sup_turned))
            wider[sub, not sub_turned].add((sup, not sup_turned))
    return wider


def _lines(output: str) -> Iterator[tuple[str, list[_Way]]]:
    """Yield the kind of each line, and its terms."""
    for kind, text in _LINE.findall(output):
        terms = [(full or OWL + short, bool(turned)) for turned, full, short in _TERM.findall(text)]
        yield kind, terms


def _reach(direct: Mapping[_Key, set[_Key]], start: set[_Key]) -> set[_Key]:
    """Return the start and all that it leads to."""
    reached, stack = set(start), list(start)
    while stack:
        new = direct.get(stack.pop(), set()) - reached
        reached |= new
        stack += new
    return reached
