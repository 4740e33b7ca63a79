"""Many instances and groups side by side, as one document: what ``compare`` prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hybridkg.analysis.bootstrap import Bootstrap, confidence_intervals, differences
from hybridkg.analysis.breakdown import MACRO, breakdown_rows
from hybridkg.analysis.groups import ALL, make_groups, model_groups
from hybridkg.analysis.strata import STRATA_KEYS, strata_by_triple
from hybridkg.analysis.summary import summarise
from hybridkg.errors import ConfigError, UnknownNameError
from hybridkg.evaluation.adjusted import metric_named
from hybridkg.evaluation.metrics import METRICS
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.types import TiePolicy

#: Metrics of a comparison that names none.
COMPARED_METRICS = (*METRICS, "amri")


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """What a comparison shows."""

    #: names of metrics, adjusted ones too.
    metrics: tuple[str, ...] = COMPARED_METRICS
    #: groups by hand; without any, one group a model with several instances.
    groups: Sequence[tuple[str, tuple[str, ...]]] = ()
    #: metric to sort by, best first; or "name"; or "none" for the given order.
    sort: str = "none"
    #: keys of strata, or "macro" alone; nothing for no breakdown.
    by: tuple[str, ...] = ()
    #: True for intervals of all values.
    intervals: bool = False
    #: instance that all others are compared with.
    against: str | None = None
    #: number of resamples and level.
    bootstrap: Bootstrap = field(default_factory=Bootstrap)
    #: seed of the resamples.
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.metrics:
            raise ConfigError("no metric to compare; expected one or more, as in mrr")
        for name in self.metrics:
            metric_named(name)
        if self.sort not in ("none", "name"):
            metric_named(self.sort, where="a sort goes by a metric, by name, or none")
        if self.by != (MACRO,) and set(self.by) - set(STRATA_KEYS):
            raise ConfigError(
                f"a breakdown by {','.join(self.by)!r}; expected some of {','.join(STRATA_KEYS)}, "
                f"or {MACRO} alone"
            )


def compare_instances(
    table: RankTable, options: ComparisonOptions | None = None, *, ties: TiePolicy = "expected"
) -> dict[str, Any]:
    """Put instances and groups side by side under one tie policy.

    Every policy and every part starts from the same seed, so all numbers of a comparison rest
    on the same resamples.

    Args:
        table: ranks of the instances, joined by query.
        options: what is shown.
        ties: tie policy.

    Returns:
        A JSON object: all that :func:`hybridkg.analysis.summary.summarise` says, with further
        metrics, then ``metrics`` and ``sort`` as asked, ``groups`` (mean and sample standard
        deviation over the members), ``intervals`` in each instance and group where asked,
        ``bootstrap``, ``against`` and ``breakdown`` (None where not asked).

    Raises:
        UnknownNameError: there is no such instance, metric or tie policy.
        ConfigError: groups or keys are not usable.
        RankTableError: the table has no query, or not what a breakdown needs.
    """
    chosen = options or ComparisonOptions()
    if chosen.against is not None and chosen.against not in table.instances:
        raise UnknownNameError("instance", chosen.against, table.instances)
    groups = _groups(table, chosen)
    sort_metric = [] if chosen.sort in ("none", "name") else [chosen.sort]
    document = summarise(table, ties, metrics=[*chosen.metrics, *sort_metric])
    names = list(dict.fromkeys([*METRICS, *chosen.metrics, *sort_metric, "tied", "coverage"]))
    rows = {row["name"]: row for row in document["instances"]}
    document["groups"] = [
        {"name": name, **_group([rows[one] for one in members], names)}
        for name, members in groups.items()
    ]
    if chosen.intervals:
        _add_intervals(document, table, groups, chosen, ties)
    for key in ("instances", "groups"):
        document[key] = _sorted(document[key], chosen.sort)
    uses_bootstrap = chosen.intervals or chosen.against is not None
    return document | {
        "metrics": list(chosen.metrics),
        "sort": chosen.sort,
        "bootstrap": _bootstrap_json(table, chosen) if uses_bootstrap else None,
        "against": _against(table, document, chosen, ties),
        "breakdown": _breakdown(table, groups, chosen, ties),
    }


def _groups(table: RankTable, options: ComparisonOptions) -> dict[str, tuple[str, ...]]:
    if not options.groups:
        return model_groups(table)
    found = make_groups(table, options.groups)
    # All instances together are a group for an oracle; their mean says nothing.
    del found[ALL]
    return found


def _group(members: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    values = {m: np.array([one[m] for one in members], dtype=np.float64) for m in names}
    single = len(members) < 2
    return {
        "members": [one["name"] for one in members],
        "n_instances": len(members),
        "mean": {m: float(v.mean()) for m, v in values.items()},
        "sd": {m: None if single else float(v.std(ddof=1)) for m, v in values.items()},
    }


def _bootstrap_json(table: RankTable, options: ComparisonOptions) -> dict[str, Any]:
    return {
        "level": options.bootstrap.level,
        "resamples": options.bootstrap.resamples,
        "seed": options.seed,
        "unit": "test triple",
        "n_triples": len(strata_by_triple(table).labels),
        "method": "percentile",
    }


def _add_intervals(
    document: dict[str, Any],
    table: RankTable,
    groups: Mapping[str, Sequence[str]],
    options: ComparisonOptions,
    ties: TiePolicy,
) -> None:
    found = confidence_intervals(
        table,
        rng=np.random.default_rng(options.seed),
        metrics=options.metrics,
        ties=ties,
        groups=groups,
        bootstrap=options.bootstrap,
    )
    by_row: dict[tuple[str, str], dict[str, Any]] = {}
    for (kind, name, metric), low, high in zip(found.index, found["low"], found["high"],
                                               strict=True):  # fmt: skip
        by_row.setdefault((kind, name), {})[metric] = {"low": float(low), "high": float(high)}
    for row in document["instances"]:
        row["intervals"] = by_row["instance", row["name"]]
    for row in document["groups"]:
        row["intervals"] = by_row["group", row["name"]]


def _sorted(rows: list[dict[str, Any]], sort: str) -> list[dict[str, Any]]:
    """Return rows by name, or best first; what is not defined comes last, equal rows stay."""
    if sort == "none":
        return rows
    if sort == "name":
        return sorted(rows, key=lambda row: str(row["name"]))
    sign = -1.0 if metric_named(sort).larger_is_better else 1.0

    def place(row: dict[str, Any]) -> float:
        value = sign * float(row.get("mean", row)[sort])
        return math.inf if math.isnan(value) else value

    return sorted(rows, key=place)


def _against(
    table: RankTable, document: Mapping[str, Any], options: ComparisonOptions, ties: TiePolicy
) -> dict[str, Any] | None:
    if options.against is None:
        return None
    found = differences(
        table,
        options.against,
        rng=np.random.default_rng(options.seed),
        metrics=options.metrics,
        ties=ties,
        bootstrap=options.bootstrap,
    ).reset_index()
    records = {(row["instance"], row["metric"]): row for row in found.to_dict("records")}
    return {
        "instance": options.against,
        "differences": [
            {str(key): value for key, value in records[row["name"], metric].items()}
            for row in document["instances"]
            if row["name"] != options.against
            for metric in options.metrics
        ],
    }


def _breakdown(
    table: RankTable,
    groups: Mapping[str, Sequence[str]],
    options: ComparisonOptions,
    ties: TiePolicy,
) -> dict[str, Any] | None:
    if not options.by:
        return None
    rows = breakdown_rows(table, options.by, ties=ties, metrics=options.metrics, groups=groups)
    return {"by": list(options.by), "rows": rows}
