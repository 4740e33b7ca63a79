"""Which rows of the splits follow from train and an ontology, for the split checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.document import UnusedAxiom
from hybridkg.ontology.labels import Joined, Match
from hybridkg.types import BoolArray, LongArray

if TYPE_CHECKING:
    from hybridkg.ontology.consistency import SetAside
    from hybridkg.ontology.normalise import Profile


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

    def as_document(self) -> dict[str, Any]:
        """Return all but the marks as JSON-able values."""
        return {
            "axioms": dict(self.kinds),
            "matches": {kind: asdict(match) for kind, match in self.matches.items()},
            "unused": [str(one) for one in self.unused],
            "complete": not self.unused,
            "set_aside_culprits": asdict(self.set_aside) if self.set_aside else None,
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
    from hybridkg.ontology.consistency import require_consistent, set_aside_culprits
    from hybridkg.ontology.knowledge_base import assemble

    base = assemble(kg, joined, profile=profile)
    aside: SetAside | None = None
    if set_aside:
        base, saturation, aside = set_aside_culprits(base)
    else:
        saturation = base.saturate()
        require_consistent(base, saturation)
    n_nodes = saturation.nodes.n_nodes
    marks = {}
    for split, rows in kg.splits.items():
        if split == "train":
            continue
        follows = np.zeros(len(rows), dtype=np.bool_)
        keys: LongArray = rows[:, 0].astype(np.int64) * n_nodes + rows[:, 2]
        for relation in np.unique(rows[:, 1]).tolist():
            asked = np.flatnonzero(rows[:, 1] == relation)
            follows[asked] = np.isin(keys[asked], saturation.edges[base.role_of[relation]])
        marks[split] = follows
    return EntailedSplits(marks, joined.matches, base.normal.unused, joined.ontology.kinds, aside)
