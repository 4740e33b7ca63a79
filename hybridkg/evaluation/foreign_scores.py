"""Scores of other tools, ranked by the one evaluator under a stated protocol."""

from __future__ import annotations

from typing import Any

from hybridkg.evaluation.candidates import CandidateName, UnseenName, make_task
from hybridkg.evaluation.completeness import (
    find_gaps,
    gap_notes,
    refuse_gaps,
    refuse_other_triples,
)
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.external import ExternalScorer
from hybridkg.types import TARGETS, FilterName, Target


def evaluate_scores(
    scorer: ExternalScorer,
    kg: KnowledgeGraph,
    *,
    partial: bool = False,
    split: str = "test",
    filter_name: FilterName = "all",
    candidates: CandidateName = "all",
    unseen: UnseenName = "keep",
    targets: tuple[Target, ...] = TARGETS,
    batch_size: int | None = None,
    progress: bool = False,
) -> RankTable:
    """Rank the true answers of a split by the scores of a file that covers the protocol.

    Args:
        scorer: made by ``read_scores`` for this graph.
        kg: the graph.
        partial: rank also what does not cover the protocol; what is missing has no score then,
            and ties below all that has.
        split: as for :func:`hybridkg.evaluation.evaluator.evaluate`, and so the others.
        filter_name: splits whose triples are known answers.
        candidates: pool of candidates.
        unseen: "keep" or "drop" triples with unseen entities or relations.
        targets: what is asked of each triple.
        batch_size: distinct queries a block.
        progress: show a progress bar.

    Returns:
        A table of one instance, whose notes say what was recognised, left out and missing.

    Raises:
        ScoreError: a query or a candidate of a filtered pool has no score; how many is said.
        DataError: the file names test triples of another split.
        SplitError, ConfigError: the protocol cannot be followed on this graph.
    """
    protocol: dict[str, Any] = {
        "split": split,
        "filter_name": filter_name,
        "candidates": candidates,
        "unseen": unseen,
        "targets": targets,
    }
    task = make_task(kg, **protocol)
    refuse_other_triples(scorer, kg, split)
    gaps = find_gaps(scorer, kg, task)
    if not partial:
        refuse_gaps(scorer, kg, gaps, split)
    source = scorer.source
    about = {
        "source": source.path.name,
        "format": source.format,
        "notes": [*source.notes, *gap_notes(gaps)],
    }
    return evaluate(scorer, kg, **protocol, batch_size=batch_size, about=about, progress=progress)
