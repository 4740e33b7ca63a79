"""Judge held-out rows: asserted, entailed, inconsistent or undetermined, each with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hybridkg.errors import UnknownNameError
from hybridkg.graph.knowledge_graph import LabelTriple
from hybridkg.ontology.closure import CLOSURE_VERDICTS, Closure, ClosureVerdict
from hybridkg.ontology.leaks import LeakKind, leak_kind, short_proof
from hybridkg.ontology.names import Names
from hybridkg.ontology.premises import HeldOut
from hybridkg.ontology.proof_steps import Fact, Link
from hybridkg.ontology.proofs import Proof
from hybridkg.ontology.schema import IMPOSSIBLE, build_masks
from hybridkg.types import IntArray


@dataclass(frozen=True, slots=True)
class Judged:
    """One held-out row and what the closure says of it."""

    #: the split or file, and the row as it stands there.
    source: str
    triple: LabelTriple
    verdict: ClosureVerdict
    #: how an entailed link follows; None for any other row.
    kind: LeakKind | None
    #: names that the closure does not know, as in "entity 'x'"; such a row is undetermined.
    unknown: tuple[str, ...]
    #: over the closure's ids; None where a name is unknown.
    fact: Fact | None


def judge_held_out(
    closure: Closure, names: Names, held_out: Iterable[HeldOut]
) -> tuple[Judged, ...]:
    """Judge each row by itself.

    A row with an unknown entity is undetermined, since nothing is said of it.

    Raises:
        UnknownNameError: no row of one source has a relation that graph or ontology know.
    """
    judged: list[Judged] = []
    for part in held_out:
        facts: list[Fact | None] = []
        unknown: list[tuple[str, ...]] = []
        for row in part.rows:
            unknown.append(tuple(names.unknown_in(*row)))
            facts.append(None if unknown[-1] else names.fact(*row))
        _refuse_foreign_relations(part, names, facts)
        verdicts = _verdicts(closure, facts)
        for row, fact, verdict, without in zip(part.rows, facts, verdicts, unknown, strict=True):
            kind = None
            if verdict == "entailed" and isinstance(fact, Link) and closure.derivations.holds(fact):
                proof = short_proof(closure.derivations, fact)
                kind = leak_kind(proof.steps[-1], closure.base.normal)
            judged.append(Judged(part.name, row, verdict, kind, without, fact))
    return tuple(judged)


def proof_of(closure: Closure, judged: Judged) -> Proof | None:
    """Return the proof of an entailed row, or of the contradiction that a row leads to."""
    if judged.fact is None or judged.verdict in ("asserted", "undetermined"):
        return None
    if judged.verdict == "inconsistent":
        return closure.prove_clash(judged.fact)
    if not closure.derivations.holds(judged.fact):
        # Only HermiT finds it, and shows no proof.
        return None
    if isinstance(judged.fact, Link):
        return closure.checked(short_proof(closure.derivations, judged.fact), judged.fact)
    return closure.prove(judged.fact)


def count_verdicts(judged: Sequence[Judged]) -> dict[str, int]:
    """Return the number of rows by verdict."""
    counts = Counter(one.verdict for one in judged)
    return {verdict: counts[verdict] for verdict in CLOSURE_VERDICTS}


def count_kinds(judged: Sequence[Judged]) -> dict[str, int]:
    """Return the number of entailed rows by kind of leak, the most frequent first."""
    return dict(Counter(str(one.kind) for one in judged if one.kind is not None).most_common())


def _refuse_foreign_relations(part: HeldOut, names: Names, facts: Sequence[Fact | None]) -> None:
    if part.rows and not any(facts):
        relations = [relation for _, relation, _ in part.rows]
        if not any(names.means_type(r) or names.find("relation", r) for r in relations):
            raise UnknownNameError(
                "relation",
                relations[0],
                names.closure.relations,
                where=f"no row of {part.name} has a relation of the graph or the ontology; name "
                "the namespace of its labels with --namespace IRI",
            )


def _verdicts(closure: Closure, facts: Sequence[Fact | None]) -> list[ClosureVerdict]:
    steps = closure.derivations
    found: list[ClosureVerdict] = []
    still_open: list[int] = []
    for place, fact in enumerate(facts):
        verdict: ClosureVerdict = "undetermined"
        if fact is not None and steps.is_asserted(fact):
            verdict = "asserted"
        elif fact is not None and (steps.holds(fact) or closure.is_listed(fact)):
            verdict = "entailed"
        elif fact is not None:
            still_open.append(place)
        found.append(verdict)
    asked = [fact for place in still_open if (fact := facts[place]) is not None]
    for place, clashes in zip(still_open, contradictions(closure, asked), strict=True):
        if clashes:
            found[place] = "inconsistent"
    return found


def contradictions(closure: Closure, facts: Sequence[Fact], *, table_from: int = 100) -> list[bool]:
    """Tell for each fact whether it would contradict the rest.

    Many facts are first looked up in the table of verdicts on candidates, which follows every
    rule that the ontology at hand has, or else only finds some of the contradictions.

    Args:
        closure: of the rest.
        facts: each judged by itself; none of them follows.
        table_from: number of facts from which the table pays.
    """
    closure = closure.about(facts)
    found = [False] * len(facts)
    rest = list(range(len(facts)))
    if len(facts) >= table_from:
        relation_of = {role: r for r, role in enumerate(closure.base.role_of.tolist())}
        size = closure.kg.n_entities
        masks = build_masks(closure)
        tabled = [
            place
            for place, fact in enumerate(facts)
            if isinstance(fact, Link)
            and fact.role in relation_of
            and max(fact.source, fact.target) < size
        ]
        rows: IntArray = np.array(
            [
                (fact.source, relation_of[fact.role], fact.target)
                for fact in (facts[place] for place in tabled)
                if isinstance(fact, Link)
            ],
            dtype=np.int32,
        ).reshape(-1, 3)
        codes = masks.triple_codes(rows)
        for place, code in zip(tabled, codes.tolist(), strict=True):
            found[place] = code == IMPOSSIBLE
        known = set(tabled) if masks.follows_all else set()
        rest = [place for place in rest if not found[place] and place not in known]
    for place in rest:
        found[place] = closure.what_if.assume([facts[place]]).clash is not None
    return found
