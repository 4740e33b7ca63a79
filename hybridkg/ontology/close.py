"""Close a graph's facts and types under an ontology, by the engine that fits."""

from __future__ import annotations

from dataclasses import replace

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.consistency import require_consistent, set_aside_culprits
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.engines import EngineName
from hybridkg.ontology.hermit import require_hermit_consistent
from hybridkg.ontology.knowledge_base import assemble
from hybridkg.ontology.labels import Joined
from hybridkg.ontology.matrix_engine import MAX_PAIRS, Announce
from hybridkg.ontology.normalise import Profile


def close(
    kg: KnowledgeGraph,
    ontology: Joined | Ontology,
    *,
    split: str = "train",
    profile: Profile = "el+",
    unique_names: bool = False,
    set_aside: bool = False,
    max_pairs: int = MAX_PAIRS,
    announce: Announce | None = None,
    engine: EngineName = "auto",
) -> Closure:
    """Close a split's triples and the asserted types under an ontology.

    Args:
        kg: the graph.
        ontology: spelled in the graph's labels.
        split: the split whose triples are facts.
        profile: "el+", or "el" without inverse, symmetric and other axioms beyond EL.
        unique_names: two names never mean one individual; what is functional can clash then.
        set_aside: leave out the facts of all minimal culprit sets instead of refusing
            data that contradict themselves; see ``Closure.set_aside``.
        max_pairs: pairs that the closure of one relation may have.
        announce: told of large results before they are made.
        engine: "matrix", "nemo", "hermit", or "auto" to choose by size.

    Raises:
        ClosureSizeError: a relation would get more pairs than allowed.
        InconsistentOntologyError: the data contradict the axioms.
        MissingExtraError: HermiT was asked for, and there is no Java.
        SplitError: there is no such split.
        UnknownNameError: there is no such engine.
    """
    base = assemble(
        kg,
        ontology,
        split=split,
        profile=profile,
        unique_names=unique_names,
        max_pairs=max_pairs,
        announce=announce,
        engine=engine,
    )
    if set_aside:
        closure = Closure(*set_aside_culprits(base))
    else:
        saturation = base.saturate()
        require_consistent(base, saturation)
        closure = Closure(base, saturation)
    if base.engine.name != "hermit":
        return closure
    return replace(closure, hermit=require_hermit_consistent(closure.base))
