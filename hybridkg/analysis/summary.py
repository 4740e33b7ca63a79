"""The metrics of a rank table as one document: per instance, per model, and the chance line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridkg.analysis.groups import model_of
from hybridkg.evaluation.chance import chance_line
from hybridkg.evaluation.metrics import METRICS
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.types import TiePolicy


def summarise(
    table: RankTable, ties: TiePolicy = "expected", *, metrics: Sequence[str] = ()
) -> dict[str, Any]:
    """Return metric means of every instance and model with the protocol they were made under.

    Args:
        table: ranks of one or more instances.
        ties: tie policy of all values.
        metrics: names of metrics beside the usual ones, adjusted ones too.

    Returns:
        A JSON object: protocol, ties, chance (None where pool sizes are unknown), instances
        (metrics, tied and coverage shares, notes), models (mean and sample standard deviation
        over their instances, where a model has several).
    """
    names = list(dict.fromkeys([*METRICS, *metrics]))
    frame = table.metrics(ties, names)
    rows = frame.to_dict("index")
    instances = []
    for name in table.instances:
        about = table.about.get(name, {})
        row = {str(metric): float(value) for metric, value in rows[name].items()}
        instances.append(
            {
                "name": name,
                "model": model_of(table, name),
                "seed": about.get("seed"),
                **row,
                "notes": [*about.get("notes", []), *_tie_notes(ties, row["tied"], row["coverage"])],
            }
        )
    pools = table.candidates[0]
    models = []
    by_model = frame.groupby([model_of(table, name) for name in frame.index], sort=False)
    for model, part in by_model:
        if len(part) > 1:
            models.append(
                {
                    "model": str(model),
                    "instances": len(part),
                    "mean": {m: float(part[m].mean(skipna=False)) for m in names},
                    "sd": {m: float(part[m].std(ddof=1, skipna=False)) for m in names},
                }
            )
    return {
        "protocol": table.protocol.to_json(),
        "protocol_sentence": table.protocol.sentence(),
        "ties": ties,
        "n_queries": table.n_queries,
        "chance": chance_line(pools, names) if (pools > 0).all() else None,
        "instances": instances,
        "models": models,
    }


def _tie_notes(ties: TiePolicy, tied: float, coverage: float) -> list[str]:
    notes = []
    if ties.endswith("optimistic") and tied > 0:
        notes.append(
            f"optimistic ranks flatter ties: {tied:.1%} of the answers tie with other candidates"
        )
    if ties.startswith("absent_zero") and coverage < 1:
        notes.append(
            f"{1 - coverage:.1%} of the answers have no score and earn 0 under {ties}, which gives "
            "no mean rank"
        )
    return notes
