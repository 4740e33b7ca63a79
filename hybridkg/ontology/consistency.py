"""Contradictions: who clashes, through which minimal sets, and the way on without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hybridkg.errors import Blame, CulpritSets, InconsistentOntologyError
from hybridkg.graph.knowledge_graph import LabelTriple
from hybridkg.graph.triples import as_triples
from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.justifications import Justifications, justify
from hybridkg.ontology.knowledge_base import KnowledgeBase
from hybridkg.ontology.minimal import Support, minimal_support
from hybridkg.ontology.proof_steps import Clash, Link, Member
from hybridkg.ontology.proofs import smallest_proof
from hybridkg.ontology.saturation import Saturation
from hybridkg.ontology.wording import Wording
from hybridkg.types import IntArray

#: Sets of one individual that are cut down and kept where the search for all of them stopped.
MAX_REDUCED = 100


@dataclass(frozen=True, slots=True)
class SetAside:
    """Facts and types that were left out of a knowledge base to make it consistent.

    They stay in training and in the filter. A set is minimal among the sets of
    facts and types that contradict the axioms, all axioms held fixed. Where a
    membership is known from asserted types, these are blamed for it and not also
    every triple whose domain or range repeats it; should the triples that are
    left still clash, a further round blames them.
    """

    #: triples, in labels.
    triples: tuple[LabelTriple, ...] = ()
    #: (entity, class) labels.
    types: tuple[tuple[str, str], ...] = ()
    #: individuals with a clash of their own.
    clashing: tuple[str, ...] = ()
    #: number of minimal culprit sets.
    n_sets: int = 0
    #: False where a search stopped at its limit, so that the counts are lower bounds.
    complete: bool = True

    def __len__(self) -> int:
        return len(self.triples) + len(self.types)


def steps_of(base: KnowledgeBase, saturation: Saturation) -> Derivations:
    """Return the single steps behind the facts of a closure."""
    return Derivations(base.normal, saturation, base.types, base.facts)


def culprit_sets(
    base: KnowledgeBase, saturation: Saturation, *, limit: int = 10_000
) -> CulpritSets:
    """Return every minimal culprit set of every clashing individual, as sentences.

    Args:
        base: what is asserted.
        saturation: what follows.
        limit: sets that are kept for one individual.
    """
    steps, words = steps_of(base, saturation), Wording(base, saturation.nodes)
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    complete = True
    for node in saturation.clashing().tolist():
        search = justify(steps, Clash(node), limit=limit)
        sets = search.sets
        if not search.complete:
            # A search that stopped early may have met none, or some that are not minimal.
            clash = Clash(node)
            few = sets[: min(limit, MAX_REDUCED)]
            rough = [minimal_support(base.normal, one, clash).leaves for one in few]
            sets = tuple(dict.fromkeys([*rough, one_culprit_set(steps, node).leaves]))[:limit]
        complete &= search.complete
        found[base.individuals[node]] = tuple(dict.fromkeys(map(words.leaves, sets)))
    return CulpritSets(found, complete)


def require_consistent(base: KnowledgeBase, saturation: Saturation) -> None:
    """Refuse facts and axioms that contradict each other.

    Only one culprit set is looked for; the error finds the others when it is asked.

    Raises:
        InconsistentOntologyError: with one minimal culprit set, and the individuals that clash
            by themselves.
    """
    if len(saturation.clashing()):
        raise _inconsistency(base, saturation)


def one_culprit_set(steps: Derivations, node: int) -> Support:
    """Return one minimal set of statements that makes an individual clash.

    Args:
        steps: of the closure.
        node: an individual that clashes.
    """
    proof = smallest_proof(steps, Clash(node))
    assert proof is not None, "a marked clash has a proof"
    return minimal_support(steps.normal, proof.leaves, proof.conclusion)


def _inconsistency(
    base: KnowledgeBase, saturation: Saturation, *, by_axioms_alone: bool = False
) -> InconsistentOntologyError:
    """Say what contradicts what, and where to go from there."""
    nodes = saturation.clashing().tolist()
    words, steps = Wording(base, saturation.nodes), steps_of(base, saturation)
    support = one_culprit_set(steps, nodes[0])
    culprits = words.leaves(support.leaves)
    clashing = [base.individuals[node] for node in nodes]
    kind = "one minimal culprit set" if support.minimal else "one culprit set, perhaps not minimal"
    way_on = (
        "Mend the axioms: no fact is to blame"
        if by_axioms_alone
        else "Mend the data or the axioms, or go on without the facts to blame: "
        "--set-aside-culprits, in Python set_aside=True"
    )
    return InconsistentOntologyError(
        f"facts and axioms contradict each other at {len(clashing)} individual(s) "
        f"({_shortened(clashing, ', ', 10)}), so everything follows from them; {kind}: "
        f"{_shortened(culprits, '; ', 12)}. {way_on}",
        culprits=[culprits],
        clashing=clashing,
        blame=None if by_axioms_alone else lambda: _blame(base),
        all_culprits=lambda limit: culprit_sets(base, saturation, limit=limit),
    )


def _blame(base: KnowledgeBase) -> Blame:
    try:
        aside = set_aside_culprits(base)[2]
    except InconsistentOntologyError:
        return Blame()
    return Blame(aside.triples, aside.types, aside.complete)


def _shortened(parts: Sequence[str], separator: str, limit: int) -> str:
    # One axiom over thousands of classes is as unreadable as thousands of axioms.
    shown = separator.join(p if len(p) <= 300 else p[:297] + "..." for p in parts[:limit])
    return shown + (f"{separator}and {len(parts) - limit} more" if len(parts) > limit else "")


def set_aside_culprits(
    base: KnowledgeBase, *, blame_repeats: bool = False, limit: int = 5_000
) -> tuple[KnowledgeBase, Saturation, SetAside]:
    """Leave the facts and types of all minimal culprit sets out of a knowledge base.

    Args:
        base: what is asserted; unchanged.
        limit: sets looked at for any one fact in one round; a further round
            follows where facts still clash.
        blame_repeats: also leave out the triples that only repeat what asserted types say.

    Returns:
        The consistent rest, its closure, and what was left out.

    Raises:
        InconsistentOntologyError: axioms contradict each other without any fact.
    """
    facts: set[tuple[int, int, int]] = set()
    types: set[tuple[int, int]] = set()
    clashing: dict[str, None] = {}
    n_sets, complete = 0, True
    rest, saturation = base, base.saturate()
    while len(saturation.clashing()):
        steps = steps_of(rest, saturation)
        known = None if blame_repeats else rest.saturate_types().members
        for node in saturation.clashing().tolist():
            clashing[base.individuals[node]] = None
            found = justify(steps, Clash(node), axioms_fixed=True, limit=limit, known=known)
            if frozenset() in found.sets:
                raise _inconsistency(rest, saturation, by_axioms_alone=True)
            n_sets += len(found.sets)
            complete &= found.complete
            _collect(found, facts, types)
        rest = base.without(_rows(facts, 3), _rows(types, 2))
        saturation = rest.saturate()
    normal, names = base.normal, base.individuals
    aside = SetAside(
        tuple(sorted((names[h], normal.roles[r], names[t]) for h, r, t in facts)),
        tuple(sorted((names[e], normal.classes[c]) for e, c in types)),
        tuple(sorted(clashing)),
        n_sets,
        complete,
    )
    return rest, saturation, aside


def _collect(
    found: Justifications, facts: set[tuple[int, int, int]], types: set[tuple[int, int]]
) -> None:
    for one in found.sets:
        for leaf in one:
            if isinstance(leaf, Link):
                facts.add((leaf.source, leaf.role, leaf.target))
            elif isinstance(leaf, Member):
                types.add((leaf.node, leaf.cls))


def _rows(rows: set[tuple[int, int, int]] | set[tuple[int, int]], width: int) -> IntArray:
    if width == 3:
        return as_triples(sorted(rows))
    return np.array(sorted(rows), dtype=np.int32).reshape(-1, width)
