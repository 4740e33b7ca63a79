"""Contradictions: who clashes, through which minimal sets, and the way on without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hybridkg.errors import InconsistentOntologyError
from hybridkg.graph.knowledge_graph import LabelTriple
from hybridkg.graph.triples import as_triples
from hybridkg.ontology.derivations import Derivations
from hybridkg.ontology.justifications import Justifications, justify
from hybridkg.ontology.knowledge_base import KnowledgeBase
from hybridkg.ontology.proof_steps import Clash, Link, Member
from hybridkg.ontology.proofs import LeafSet, smallest_proof
from hybridkg.ontology.saturation import Saturation
from hybridkg.ontology.wording import Wording
from hybridkg.types import IntArray


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
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return every minimal culprit set of every clashing individual, as sentences.

    Args:
        base: what is asserted.
        saturation: what follows.
        limit: sets looked at for any one fact.
    """
    steps, words = steps_of(base, saturation), Wording(base, saturation.nodes)
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for node in saturation.clashing().tolist():
        sets = justify(steps, Clash(node), limit=limit).sets
        found[base.individuals[node]] = tuple(map(words.leaves, sets))
    return found


def require_consistent(base: KnowledgeBase, saturation: Saturation) -> None:
    """Refuse facts and axioms that contradict each other.

    Raises:
        InconsistentOntologyError: with one minimal culprit set, the individuals that clash by
            themselves, and the facts to blame over all minimal sets.
    """
    if len(saturation.clashing()):
        _, _, aside = set_aside_culprits(base)
        raise _inconsistency(base, saturation, aside)


def _inconsistency(
    base: KnowledgeBase, saturation: Saturation, aside: SetAside
) -> InconsistentOntologyError:
    """Say what contradicts what, and where to go from there."""
    nodes = saturation.clashing().tolist()
    words, steps = Wording(base, saturation.nodes), steps_of(base, saturation)
    culprits = words.leaves(_one_culprit_set(steps, base, saturation, nodes[0]))
    clashing = [base.individuals[node] for node in nodes]
    facts = [" ".join(triple) for triple in aside.triples]
    facts += [f"{entity} type {name}" for entity, name in aside.types]
    blamed = (
        f"; to blame over all minimal sets: {len(aside.triples)} triples and {len(aside.types)} "
        f"types ({_shortened(facts, '; ', 20)})"
        if facts
        else ""
    )
    return InconsistentOntologyError(
        f"facts and axioms contradict each other at {len(clashing)} individual(s) "
        f"({_shortened(clashing, ', ', 10)}), so everything follows from them; one minimal culprit "
        f"set: {_shortened(culprits, '; ', 12)}{blamed}. Mend the data or the axioms, "
        "or go on without the facts to blame: --set-aside-culprits, in Python set_aside=True",
        culprits=[culprits],
        clashing=clashing,
        triples=aside.triples,
        types=aside.types,
    )


def _shortened(parts: Sequence[str], separator: str, limit: int) -> str:
    # One axiom over thousands of classes is as unreadable as thousands of axioms.
    shown = separator.join(p if len(p) <= 300 else p[:297] + "..." for p in parts[:limit])
    return shown + (f"{separator}and {len(parts) - limit} more" if len(parts) > limit else "")


def _one_culprit_set(
    steps: Derivations, base: KnowledgeBase, saturation: Saturation, node: int
) -> LeafSet:
    """Return one minimal set, even where listing all of them would take too long."""
    found = justify(steps, Clash(node), limit=200)
    if found.sets:
        return found.sets[0]
    proof = smallest_proof(steps, Clash(node))
    assert proof is not None, "a marked clash has a proof"
    return proof.leaves


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
                raise _inconsistency(rest, saturation, SetAside())
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
