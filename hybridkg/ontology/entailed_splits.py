"""Which rows of the splits follow from train and an ontology, for the split checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.labels import Joined, Match
from hybridkg.types import BoolArray, IntArray, LongArray

if TYPE_CHECKING:
    from hybridkg.ontology.closure import Closure
    from hybridkg.ontology.consistency import SetAside
    from hybridkg.ontology.normalise import Profile


@dataclass(frozen=True, slots=True)
class LeakCounts:
    """Distinct triples of one relation in one split."""

    #: that stand in train.
    asserted: int
    #: that follow from it.
    entailed: int
    #: that contradict it.
    inconsistent: int
    undetermined: int
    #: kind of leak -> entailed triples, the most frequent first.
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class EntailedSplits:
    """Rows inside the closure of train, and what the reasoning did not cover."""

    #: split, without train -> (n,) True where a row follows or stands in train.
    marks: Mapping[str, BoolArray]
    #: kind -> how far the names of graph and ontology met.
    matches: Mapping[str, Match]
    #: with any of these, rows that are not marked may follow nevertheless.
    unused: tuple[UnusedAxiom, ...]
    #: number of axioms by kind.
    kinds: Mapping[str, int]
    #: facts and types that were left out because they contradict the axioms; None where that
    #: was not asked for.
    set_aside: SetAside | None = None
    #: split, without train -> (n,) True where a row contradicts train and the axioms.
    contradicting: Mapping[str, BoolArray] = field(default_factory=dict)
    #: split -> relation -> its distinct triples by verdict, and the entailed ones by kind.
    leaks: Mapping[str, Mapping[str, LeakCounts]] = field(default_factory=dict)

    def as_document(self) -> dict[str, Any]:
        """Return all but the marks as JSON-able values."""
        return {
            "axioms": dict(self.kinds),
            "matches": {kind: asdict(match) for kind, match in self.matches.items()},
            "unused": [str(one) for one in self.unused],
            "complete": not self.unused,
            "set_aside_culprits": asdict(self.set_aside) if self.set_aside else None,
            "leaks": {
                split: {relation: asdict(counts) for relation, counts in parts.items()}
                for split, parts in self.leaks.items()
            },
        }


def entailed_splits(
    kg: KnowledgeGraph,
    joined: Joined,
    *,
    profile: Profile = "el+",
    set_aside: bool = False,
) -> EntailedSplits:
    """Mark the rows of each split that train, the types and the axioms entail.

    Args:
        kg: a graph with a split "train".
        joined: an ontology spelled in the graph's labels.
        profile: which axiom kinds are used; those that are not are listed.
        set_aside: leave facts that contradict the axioms out of the reasoning, and list them.

    Raises:
        InconsistentOntologyError: train contradicts the axioms, so that everything follows.
    """
    # The engine brings SciPy, which the help text of a command does not need.
    from hybridkg.ontology.closure import Closure
    from hybridkg.ontology.consistency import require_consistent, set_aside_culprits
    from hybridkg.ontology.knowledge_base import assemble

    base = assemble(kg, joined, profile=profile)
    aside: SetAside | None = None
    if set_aside:
        base, saturation, aside = set_aside_culprits(base)
    else:
        saturation = base.saturate()
        require_consistent(base, saturation)
    closure = Closure(base, saturation)
    n_nodes = saturation.nodes.n_nodes
    marks: dict[str, BoolArray] = {}
    contradicting: dict[str, BoolArray] = {}
    leaks: dict[str, dict[str, LeakCounts]] = {}
    for split, rows in kg.splits.items():
        if split == "train":
            continue
        follows = np.zeros(len(rows), dtype=np.bool_)
        keys: LongArray = rows[:, 0].astype(np.int64) * n_nodes + rows[:, 2]
        for relation in np.unique(rows[:, 1]).tolist():
            asked = np.flatnonzero(rows[:, 1] == relation)
            follows[asked] = np.isin(keys[asked], saturation.edges[base.role_of[relation]])
        marks[split] = follows
        contradicting[split] = _contradicting(closure, rows, follows)
        leaks[split] = _leaks(closure, rows, follows, contradicting[split])
    return EntailedSplits(
        marks,
        joined.matches,
        base.normal.unused,
        joined.ontology.kinds,
        aside,
        contradicting,
        leaks,
    )


def _contradicting(closure: Closure, rows: IntArray, follows: BoolArray) -> BoolArray:
    from hybridkg.ontology.held_out import contradictions
    from hybridkg.ontology.proof_steps import Link

    found = np.zeros(len(rows), dtype=np.bool_)
    still_open = np.flatnonzero(~follows)
    role_of = closure.base.role_of.tolist()
    links = [Link(role_of[r], h, t) for h, r, t in rows[still_open].tolist()]
    found[still_open] = contradictions(closure, links)
    return found


def _leaks(
    closure: Closure, rows: IntArray, follows: BoolArray, contradicting: BoolArray
) -> dict[str, LeakCounts]:
    """Count the distinct triples of each relation by verdict, the entailed ones by kind."""
    from hybridkg.ontology.leaks import leak_kind, short_proof
    from hybridkg.ontology.proof_steps import Link

    base, steps = closure.base, closure.derivations
    _, first = np.unique(rows, axis=0, return_index=True)
    found: dict[str, LeakCounts] = {}
    for relation in np.unique(rows[:, 1]).tolist():
        places = first[rows[first, 1] == relation]
        role = int(base.role_of[relation])
        asserted, kinds = 0, Counter[str]()
        for h, _, t in rows[places[follows[places]]].tolist():
            link = Link(role, h, t)
            if steps.is_asserted(link):
                asserted += 1
            else:
                kinds[leak_kind(short_proof(steps, link).steps[-1], base.normal)] += 1
        inconsistent = int(contradicting[places].sum())
        entailed = kinds.total()
        found[closure.kg.relations[relation]] = LeakCounts(
            asserted,
            entailed,
            inconsistent,
            len(places) - asserted - entailed - inconsistent,
            dict(kinds.most_common()),
        )
    return found
