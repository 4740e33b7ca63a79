"""Reasoning that several commands ask for with the same options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridkg.cli._options import profile_named
from hybridkg.cli._output import note, printable

if TYPE_CHECKING:
    from hybridkg.analysis.closure_study import ClosureStudy
    from hybridkg.graph.knowledge_graph import KnowledgeGraph
    from hybridkg.graph.split_findings import SplitReport
    from hybridkg.ontology.entailed_splits import EntailedSplits
    from hybridkg.ontology.labels import Joined
    from hybridkg.ontology.premises import Premises


def close_premises(
    premises: Premises,
    *,
    engine: str,
    profile: str,
    unique_names: bool,
    set_aside: bool,
    max_pairs: int | None,
) -> ClosureStudy:
    """Close what was read, as the options of ``closure`` and ``explain`` say.

    Raises:
        InconsistentOntologyError: the data contradict the axioms.
        ClosureSizeError: a relation would get more pairs than allowed.
        ConfigError: there is no such engine or profile.
    """
    from hybridkg.analysis.closure_study import ClosureStudy
    from hybridkg.ontology.matrix_engine import MAX_PAIRS

    return ClosureStudy.over(
        premises,
        engine=engine,
        profile=profile_named(profile),
        unique_names=unique_names,
        set_aside=set_aside,
        max_pairs=max_pairs or MAX_PAIRS,
        announce=lambda text: note(str(printable(text))),
    )


def check_reasoned_splits(
    kg: KnowledgeGraph, joined: Joined | None, *, profile: str, set_aside: bool
) -> tuple[SplitReport, EntailedSplits | None]:
    """Check splits, with what follows from train where there is an ontology.

    Raises:
        HybridKGError: the closure cannot be made.
        ConfigError: there is no such profile.
    """
    from hybridkg.graph.split_checks import check_splits
    from hybridkg.ontology.entailed_splits import entailed_splits

    if joined is None:
        return check_splits(kg), None
    found = entailed_splits(kg, joined, profile=profile_named(profile), set_aside=set_aside)
    checks = check_splits(kg, entailed=found.marks, contradicting=found.contradicting)
    return checks, found
