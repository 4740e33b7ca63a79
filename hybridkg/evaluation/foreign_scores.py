"""Scores of other tools, ranked by the one evaluator under a stated protocol."""

from __future__ import annotations

from typing import Any

from hybridkg.evaluation.candidates import make_task
from hybridkg.evaluation.completeness import (
    find_gaps,
    gap_notes,
    refuse_gaps,
    refuse_no_answer,
    refuse_other_triples,
)
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.external import ExternalScorer

#: Options of an evaluation that :func:`make_task` takes.
PROTOCOL_OPTIONS = ("split", "filter_name", "candidates", "unseen", "targets", "trained_on")


def evaluate_scores(
    scorer: ExternalScorer,
    kg: KnowledgeGraph,
    *,
    partial: bool = False,
    **options: Any,
) -> RankTable:
    """Rank the true answers of a split by the scores of a file that covers the protocol.

    Args:
        scorer: made by ``read_scores`` for this graph.
        kg: the graph.
        partial: rank also what does not cover the protocol; what is missing has no score then,
            and ties below all that has.
        **options: as for :func:`hybridkg.evaluation.evaluator.evaluate`.

    Returns:
        A table of one instance, whose notes say what was recognised, left out and missing.

    Raises:
        ScoreError: a query or a candidate of a filtered pool has no score; how many is said.
        DataError: the file names test triples of another split.
        SplitError, ConfigError: the protocol cannot be followed on this graph.
    """
    asked = {key: value for key, value in options.items() if key in PROTOCOL_OPTIONS}
    task = make_task(kg, **asked)
    split = task.protocol.split
    refuse_other_triples(scorer, kg, split)
    gaps = find_gaps(scorer, kg, task)
    refuse_no_answer(scorer, kg, gaps, split)
    if not partial:
        refuse_gaps(scorer, kg, gaps, split)
    source = scorer.source
    about = {
        "source": source.path.name,
        "format": source.format,
        "notes": [*source.notes, *gap_notes(gaps)],
    }
    return evaluate(scorer, kg, **{**options, "candidates": task.candidates, "about": about})
