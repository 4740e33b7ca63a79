"""Why a statement does not follow: the axioms that would give it, and what each lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hybridkg.ontology.closure import Closure
from hybridkg.ontology.document import names_in_axiom
from hybridkg.ontology.normal_form import BOTTOM, TOP
from hybridkg.ontology.proof_steps import Fact, Link, Member

#: Names that a sentence shows; the rest is counted.
N_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Way:
    """An axiom that concludes the statement's relation or class."""

    axiom: str
    #: premises that hold, and those that are missing, one level deep.
    met: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhyNot:
    """What is known around a statement that does not follow."""

    #: what is known of its ends, as sentences.
    known: tuple[str, ...]
    ways: tuple[Way, ...]
    #: axioms that were not used and name the relation or class, and the number of all of them.
    unused: tuple[str, ...]
    n_unused: int


def why_not(closure: Closure, fact: Link | Member) -> WhyNot:
    """Say what is missing for a statement that does not follow."""
    names = closure.wording
    normal = closure.base.normal
    if isinstance(fact, Link):
        about = ("relation", normal.roles[fact.role])
        known = [*_known_of(closure, fact.source), *_known_of(closure, fact.target)]
        ends = closure.derivations.targets(fact.role, fact.source)
        starts = closure.derivations.sources(fact.role, fact.target)
        role = normal.roles[fact.role]
        known.append(f"{names.node(fact.source)} {role}: {_listed(closure, ends)}")
        known.append(f"{role} of {names.node(fact.target)}: {_listed(closure, starts)}")
        ways = tuple(_ways_to_link(closure, fact))
    else:
        about = ("class", normal.classes[fact.cls])
        known = _known_of(closure, fact.node)
        ways = tuple(_ways_to_membership(closure, fact))
    unused = [str(one) for one in closure.unused if about in set(names_in_axiom(one.axiom))]
    return WhyNot(tuple(dict.fromkeys(known)), ways, tuple(unused), len(closure.unused))


def _known_of(closure: Closure, node: int) -> list[str]:
    normal, name = closure.base.normal, closure.wording.node(node)
    classes = [
        normal.classes[cls]
        for cls in closure.members.classes_of(node)
        if BOTTOM < cls < normal.n_named
    ]
    facts = closure.base.facts
    n_facts = int(((facts[:, 0] == node) | (facts[:, 2] == node)).sum())
    shown = ", ".join(classes[:N_SHOWN]) + (", ..." if len(classes) > N_SHOWN else "")
    return [f"{name}: {shown or 'no class known'}; in {n_facts:,} facts"]


def _listed(closure: Closure, nodes: list[int]) -> str:
    if not nodes:
        return "nothing"
    more = f" and {len(nodes) - N_SHOWN:,} more" if len(nodes) > N_SHOWN else ""
    return ", ".join(closure.wording.node(n) for n in nodes[:N_SHOWN]) + more


def _way(closure: Closure, axiom: int, wanted: list[Fact | tuple[bool, str]]) -> Way:
    """Sort premises into those that hold and those that do not."""
    met: list[str] = []
    missing: list[str] = []
    for one in wanted:
        if isinstance(one, tuple):
            holds, said = one
        else:
            holds, said = closure.derivations.holds(one), closure.wording.fact(one)
        (met if holds else missing).append(said)
    return Way(str(closure.base.normal.axioms[axiom]), tuple(met), tuple(missing))


def _ways_to_link(closure: Closure, fact: Link) -> Iterator[Way]:
    steps, words, normal = closure.derivations, closure.wording, closure.base.normal
    role, source, target = fact.role, fact.source, fact.target
    for sub, _, axiom in steps.by_role["sr"].get(role, ()):
        yield _way(closure, axiom, [Link(sub, source, target)])
    for other, _, axiom in steps.by_role["inv"].get(role, ()):
        yield _way(closure, axiom, [Link(other, target, source)])
    for first, second, _, axiom in steps.by_role["chain"].get(role, ()):
        reached, before = steps.targets(first, source), steps.sources(second, target)
        one = f"{words.node(source)} {normal.roles[first]} something"
        if reached:
            one = f"{words.node(source)} {normal.roles[first]} {_listed(closure, reached)}"
        two = f"something {normal.roles[second]} {words.node(target)}"
        if before:
            two = f"{_listed(closure, before)} {normal.roles[second]} {words.node(target)}"
        wanted: list[Fact | tuple[bool, str]] = [(bool(reached), one), (bool(before), two)]
        if reached and before:
            wanted.append((False, "something that is in both places"))
        yield _way(closure, axiom, wanted)
    own = steps.self_class_of.get(role)
    if own is not None and source == target:
        yield from _ways_to_membership(closure, Member(source, own))


def _ways_to_membership(closure: Closure, fact: Member) -> Iterator[Way]:
    steps, normal = closure.derivations, closure.base.normal
    node, cls, name = fact.node, fact.cls, closure.wording.node(fact.node)
    for sub, _, axiom in steps.by_class["sc"].get(cls, ()):
        if sub != TOP:
            yield _way(closure, axiom, [Member(node, sub)])
    for first, second, _, axiom in steps.by_class["conj"].get(cls, ()):
        yield _way(closure, axiom, [Member(node, first), Member(node, second)])
    for role, _, axiom in steps.by_class["dom"].get(cls, ()):
        yield _way(closure, axiom, [(False, f"{name} {normal.roles[role]} something")])
    for role, _, axiom in steps.by_class["rng"].get(cls, ()):
        yield _way(closure, axiom, [(False, f"something {normal.roles[role]} {name}")])
    for role, filler, _, axiom in steps.by_class["exl"].get(cls, ()):
        reached = steps.targets(role, node)
        if reached:
            link = f"{name} {normal.roles[role]} {_listed(closure, reached)}"
            member = f"one of these type {normal.classes[filler]}"
        else:
            link = f"{name} {normal.roles[role]} something"
            member = f"which is of type {normal.classes[filler]}"
        yield _way(closure, axiom, [(bool(reached), link), (False, member)])
