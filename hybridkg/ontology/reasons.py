"""Why a candidate gets its verdict: the axioms broken, and the property they came from."""

from __future__ import annotations

from dataclasses import dataclass

from hybridkg.ontology.closure import Closure
from hybridkg.ontology.demands import Demand
from hybridkg.ontology.minimal import minimal_clash
from hybridkg.ontology.normal_form import BOTTOM, TOP
from hybridkg.ontology.proof_steps import Fact, Link, Member
from hybridkg.ontology.schema import IMPOSSIBLE, OK, Masks
from hybridkg.types import VERDICTS, Target, Verdict


@dataclass(frozen=True, slots=True)
class Reason:
    """One demand that a candidate does not meet, or one contradiction it leads to."""

    verdict: Verdict
    #: the end that breaks it.
    side: Target
    entity: str
    #: the class that is asked for; empty where no single class is.
    required: str
    #: the property whose own axiom asks for it.
    origin: str
    #: "domain" or "range" of the origin; empty where neither is to blame.
    constraint: str
    #: axioms and facts that together break, as sentences; minimal for a contradiction.
    statements: tuple[str, ...]

    def __str__(self) -> str:
        what = f"{self.side} {self.entity} is {self.verdict}"
        if self.required:
            what += f": must be {self.required} ({self.constraint} of {self.origin})"
        return f"{what}: {'; '.join(self.statements)}" if self.statements else what


def reasons(
    masks: Masks, target: Target, relation: int, entity: int, anchor: int | None = None
) -> tuple[Reason, ...]:
    """Explain the verdict on a filler, one reason for each demand it does not meet.

    Only the demands that bring the worst verdict are listed; none for ``ok``.

    Args:
        masks: as built.
        target: the end that the entity fills.
        relation: the graph's relation id.
        entity: the graph's entity id.
        anchor: the entity at the other end, as for :meth:`Masks.codes`; where it is named, a
            verdict that only the pair brings is explained too.
    """
    code = int(masks.table[masks.slots[target][relation], masks.signature[entity]])
    closure = masks.closure
    role = int(closure.base.role_of[relation])
    if anchor is not None and code < int(masks.codes(target, relation, anchor)[entity]):
        head, tail = (anchor, entity) if target == "tail" else (entity, anchor)
        return (_pair_contradiction(closure, Link(role, head, tail), target, entity),)
    asked = [d for d in masks.demands[role] if d.side == target and d.cls != TOP]
    if code == OK:
        return ()
    if code == IMPOSSIBLE:
        return _contradictions(closure, asked, target, entity)
    known = closure.known_members if masks.types == "asserted" else closure.members
    named = [
        d for d in asked if d.cls < closure.base.normal.n_named and not known.has(d.cls, entity)
    ]
    return tuple(_missing(closure, d, target, entity, VERDICTS[code]) for d in named)


def triple_reasons(masks: Masks, head: str, relation: str, tail: str) -> tuple[Reason, ...]:
    """Explain the verdict on both ends of a labelled triple, the worse end only.

    Raises:
        UnknownNameError: the graph has no such entity or relation.
    """
    h, r, t = masks.closure.kg.ids([(head, relation, tail)])[0].tolist()
    found = (*reasons(masks, "head", r, h), *reasons(masks, "tail", r, t))
    worst = max((VERDICTS.index(one.verdict) for one in found), default=OK)
    if int(masks.triple_codes(masks.closure.kg.ids([(head, relation, tail)]))[0]) > worst:
        link = masks.closure.link(head, relation, tail)
        return (_pair_contradiction(masks.closure, link, "tail", t),)
    return tuple(one for one in found if VERDICTS.index(one.verdict) == worst)


def exact_verdict(masks: Masks, head: str, relation: str, tail: str) -> Verdict:
    """Judge a labelled triple with every rule of the engine, chains through it included.

    Slower than the table, for single candidates and short lists.

    Raises:
        UnknownNameError: the graph has no such entity or relation.
    """
    verdict = masks.triple_verdict(head, relation, tail)
    link = masks.closure.link(head, relation, tail)
    if verdict != "impossible" and not masks.closure.derivations.holds(link):
        clash = masks.closure.what_if.assume([link]).clash
        return verdict if clash is None else "impossible"
    return verdict


def _missing(
    closure: Closure, demand: Demand, target: Target, entity: int, verdict: Verdict
) -> Reason:
    normal, name = closure.base.normal, closure.kg.entities[entity]
    known = [
        normal.classes[cls]
        for cls in closure.known_members.classes_of(entity)
        if BOTTOM < cls < normal.n_named
    ]
    seen = f"known: {', '.join(known)}" if known else "no type is known"
    axioms = tuple(str(normal.axioms[number]) for number in demand.axioms)
    sentence = f"{name} is not known to be {normal.classes[demand.cls]} ({seen})"
    return _reason(closure, demand, target, entity, verdict, (*axioms, sentence))


def _reason(
    closure: Closure,
    demand: Demand,
    target: Target,
    entity: int,
    verdict: Verdict,
    statements: tuple[str, ...],
) -> Reason:
    normal = closure.base.normal
    return Reason(
        verdict,
        target,
        closure.kg.entities[entity],
        normal.classes[demand.cls],
        normal.roles[demand.origin],
        "domain" if demand.is_domain else "range",
        statements,
    )


def _contradictions(
    closure: Closure, asked: list[Demand], target: Target, entity: int
) -> tuple[Reason, ...]:
    normal, found = closure.base.normal, []
    verdict = VERDICTS[IMPOSSIBLE]
    for demand in asked:
        statements = _clash_statements(closure, [demand], entity)
        if statements:
            found.append(_reason(closure, demand, target, entity, verdict, statements))
    if not found:
        # No single demand contradicts, but all of them together do.
        statements = _clash_statements(closure, asked, entity)
        required = " and ".join(normal.classes[d.cls] for d in asked)
        origins = " and ".join(dict.fromkeys(normal.roles[d.origin] for d in asked))
        name = closure.kg.entities[entity]
        found.append(Reason(verdict, target, name, required, origins, "demand", statements))
    return tuple(found)


def _clash_statements(closure: Closure, asked: list[Demand], entity: int) -> tuple[str, ...]:
    """Return a minimal set of statements that contradict demands on an entity."""
    assumed: list[Fact] = [Member(entity, demand.cls) for demand in asked]
    consequences = closure.what_if.assume(assumed)
    if consequences.clash is None:
        return ()
    proof = closure.what_if.clash_proof(consequences)
    leaves = minimal_clash(closure.base.normal, proof.leaves)
    axioms: dict[str, None] = {}
    for demand in asked:
        if Member(entity, demand.cls) in leaves:
            axioms.update(dict.fromkeys(str(closure.base.normal.axioms[n]) for n in demand.axioms))
    rest = frozenset(leaf for leaf in leaves if leaf not in assumed)
    axioms.update(dict.fromkeys(closure.wording.leaves(rest)))
    return tuple(axioms)


def _pair_contradiction(closure: Closure, link: Link, target: Target, entity: int) -> Reason:
    consequences = closure.what_if.assume([link])
    assert consequences.clash is not None, "a pair that the masks exclude contradicts"
    proof = closure.what_if.clash_proof(consequences)
    leaves = minimal_clash(closure.base.normal, proof.leaves)
    name, relation = closure.kg.entities[entity], closure.relations[link.role]
    statements = closure.wording.leaves(frozenset(leaf for leaf in leaves if leaf != link))
    return Reason(VERDICTS[IMPOSSIBLE], target, name, "", relation, "", statements)
