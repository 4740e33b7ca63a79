"""Summaries of the schema audit: what a ranking proposes that the ontology forbids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hybridkg.errors import RankTableError
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.types import VERDICTS, TiePolicy

if TYPE_CHECKING:
    import pandas as pd

_VIOLATIONS = VERDICTS[:0:-1]


def audit_summary(
    table: RankTable,
    *,
    by: Sequence[str] = (),
    ties: TiePolicy = "expected",
) -> pd.DataFrame:
    """Summarise the verdict counts of a rank table.

    Args:
        table: evaluated with a :class:`hybridkg.evaluation.observers.VerdictObserver`.
        by: further keys beside the instance: "relation", "target" or both.
        ties: tie policy of the rank metrics.

    Returns:
        One row per instance and key. For each verdict V of impossible, unsupported, untyped:
        ``V_top_K`` mean number in the first K places, ``V_above`` mean number ranked above the
        truth (ties count half); ``V_pool`` mean number in the filtered pool; and
        ``truth_V`` share of queries whose true answer has that verdict. Then ``mrr``,
        ``clean_mrr`` (impossible candidates removed, the truth kept) and ``strict_mrr`` (an
        impossible truth counts 0).

    Raises:
        RankTableError: the table was evaluated without the observer.
    """
    if "impossible_above" not in table.columns:
        raise RankTableError(
            "the ranks carry no verdict counts; run the audit on the instances, which ranks them "
            "together with the ontology"
        )
    frame = table.to_frame()
    mrr = table.values("mrr", ties)
    lenient = clean_ranks(table).values("mrr", ties)
    truth = table.columns["truth_verdict"]
    strict = np.where(truth == VERDICTS.index("impossible"), 0.0, lenient)
    frame = frame.assign(
        mrr=mrr.reshape(-1), clean_mrr=lenient.reshape(-1), strict_mrr=strict.reshape(-1)
    )
    columns: list[str] = []
    for verdict in _VIOLATIONS:
        code = VERDICTS.index(verdict)
        frame[f"{verdict}_above"] = frame[f"{verdict}_above"] + frame[f"{verdict}_tied"] / 2
        frame[f"{verdict}_pool"] = frame[f"{verdict}_candidates"]
        frame[f"truth_{verdict}"] = (truth == code).reshape(-1).astype(np.float64)
        columns += [c for c in frame.columns if c.startswith(f"{verdict}_top_")]
        columns += [f"{verdict}_above", f"{verdict}_pool", f"truth_{verdict}"]
    columns += ["mrr", "clean_mrr", "strict_mrr"]
    grouped = frame.groupby(["instance", *by], sort=False)
    found = grouped[columns].mean()
    found.insert(0, "queries", grouped.size())
    return found


def clean_ranks(table: RankTable) -> RankTable:
    """Return the table as ranked once impossible candidates have left the pool.

    The true answer always stays, whatever its own verdict: the lenient reading.
    """
    above, tied = table.columns["impossible_above"], table.columns["impossible_tied"]
    removed = {
        "optimistic": table.optimistic - above,
        "pessimistic": table.pessimistic - above - tied,
        "candidates": table.candidates - table.columns["impossible_candidates"],
        "scored": table.scored,
    }
    return replace(table, columns=removed)
