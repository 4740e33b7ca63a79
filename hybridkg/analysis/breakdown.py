"""Metrics apart by relation, cardinality class and target, and macro means over relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridkg.analysis.strata import Strata, strata_by
from hybridkg.evaluation.adjusted import (
    AdjustedMetric,
    PoolMoments,
    chance_per_query,
    metric_named,
)
from hybridkg.evaluation.metrics import METRICS
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.types import CHANCE, DoubleArray, IntArray, TiePolicy

if TYPE_CHECKING:
    import pandas as pd

#: Asked for in place of keys of strata: each relation counts once.
MACRO = "macro"


def breakdown(
    table: RankTable,
    by: Sequence[str] = ("relation",),
    *,
    ties: TiePolicy = "expected",
    metrics: Sequence[str] = tuple(METRICS),
) -> pd.DataFrame:
    """Return the metrics of each stratum of the queries.

    Args:
        table: ranks of one or more instances.
        by: some of "relation", "cardinality", "target"; classes are those of
            :func:`hybridkg.evaluation.cardinality.relation_cardinality`.
        ties: tie policy.
        metrics: names, adjusted metrics too; these are adjusted by the stratum's own pools.

    Returns:
        One row per instance and stratum: ``queries``, the mean of each metric over these
        queries, ``tied`` and ``coverage``. NaN where a metric is not defined.

    Raises:
        ConfigError: there is no such key.
        RankTableError: the table has no query, or no cardinality classes and these are asked.
        UnknownNameError: no such metric or tie policy.
    """
    import pandas as pd

    strata = strata_by(table, by)
    n = len(table.instances)
    found = {name: _stratum_values(table, name, ties, strata).reshape(-1) for name in metrics}
    keys = [(name, *label) for name in table.instances for label in strata.labels]
    return pd.DataFrame(
        {
            "queries": np.tile(strata.sizes, n),
            **found,
            "tied": strata.means(table.tied).reshape(-1),
            "coverage": strata.means(table.scored).reshape(-1),
        },
        index=pd.MultiIndex.from_tuples(keys, names=["instance", *strata.by]),
    )


def macro_over_relations(
    table: RankTable,
    *,
    ties: TiePolicy = "expected",
    metrics: Sequence[str] = tuple(METRICS),
) -> pd.DataFrame:
    """Return the mean over relations of each relation's mean: each relation counts once.

    Returns:
        One row per instance: ``relations`` (their number), the metrics, ``tied``,
        ``coverage``. NaN where a metric is not defined for some relation.

    Raises:
        RankTableError: the table has no query.
        UnknownNameError: no such metric or tie policy.
    """
    import pandas as pd

    strata = strata_by(table, ("relation",))
    found = {name: _stratum_values(table, name, ties, strata) for name in metrics}
    found |= {"tied": strata.means(table.tied), "coverage": strata.means(table.scored)}
    return pd.DataFrame(
        {"relations": len(strata.labels)} | {name: v.mean(axis=1) for name, v in found.items()},
        index=pd.Index(table.instances, name="instance"),
    )


def breakdown_rows(
    table: RankTable,
    by: Sequence[str],
    *,
    ties: TiePolicy = "expected",
    metrics: Sequence[str] = tuple(METRICS),
    groups: Mapping[str, Sequence[str]] | None = None,
) -> list[dict[str, Any]]:
    """Return the breakdown as rows of the chance line, of groups and of instances.

    Args:
        table: ranks of one or more instances.
        by: keys of strata, or "macro" alone for the mean over relations.
        ties: tie policy.
        metrics: names, adjusted metrics too.
        groups: name -> member instances, whose mean is shown.

    Returns:
        Stratum by stratum one row each: ``kind`` ("chance", "group", "instance"), ``name``,
        the keys of the stratum, ``queries`` (or ``relations``), the metrics, and but for chance
        ``tied`` and ``coverage``. No chance where pool sizes are unknown.

    Raises:
        ConfigError, RankTableError, UnknownNameError: as for :func:`breakdown`.
    """
    macro = tuple(by) == (MACRO,)
    strata = strata_by(table, ("relation",) if macro else by)
    lines = _lines(table, strata, ties, metrics, groups or {})
    if macro:
        size = {"relations": len(strata.labels)}
        return [
            {"kind": kind, "name": name} | size | {m: float(v.mean()) for m, v in values.items()}
            for kind, name, values in lines
        ]
    return [
        {"kind": kind, "name": name}
        | dict(zip(strata.by, label, strict=True))
        | {"queries": int(strata.sizes[at])}
        | {metric: float(v[at]) for metric, v in values.items()}
        for at, label in enumerate(strata.labels)
        for kind, name, values in lines
    ]


def chance_breakdown(
    table: RankTable, by: Sequence[str] = ("relation",), *, metrics: Sequence[str] = tuple(METRICS)
) -> pd.DataFrame | None:
    """Return the chance line of each stratum.

    Returns:
        One row per stratum: ``queries`` and the expected metrics; None where pool sizes are
        unknown.
    """
    import pandas as pd

    if (table.candidates[0] < 1).any():
        return None
    strata = strata_by(table, by)
    found = {name: _stratum_chance(name, table.candidates[0], strata) for name in metrics}
    labels = pd.DataFrame(strata.labels, columns=list(strata.by))
    return pd.DataFrame({"queries": strata.sizes, **found}).set_index(
        [labels[key] for key in strata.by]
    )


def _lines(
    table: RankTable,
    strata: Strata,
    ties: TiePolicy,
    metrics: Sequence[str],
    groups: Mapping[str, Sequence[str]],
) -> list[tuple[str, str, dict[str, DoubleArray]]]:
    """Return kind, name and the (strata,) values of the chance line, groups and instances."""
    found = {name: _stratum_values(table, name, ties, strata) for name in metrics}
    found |= {"tied": strata.means(table.tied), "coverage": strata.means(table.scored)}
    place = {name: row for row, name in enumerate(table.instances)}
    lines: list[tuple[str, str, dict[str, DoubleArray]]] = []
    if (table.candidates[0] > 0).all():
        chance = {name: _stratum_chance(name, table.candidates[0], strata) for name in metrics}
        lines.append(("chance", CHANCE, chance))
    for group, members in groups.items():
        at = [place[one] for one in members]
        lines.append(("group", group, {m: v[at].mean(axis=0) for m, v in found.items()}))
    for name, row in place.items():
        lines.append(("instance", name, {m: v[row] for m, v in found.items()}))
    return lines


def _stratum_values(table: RankTable, name: str, ties: TiePolicy, strata: Strata) -> DoubleArray:
    """(instances, strata) values of a metric."""
    metric = metric_named(name)
    if not isinstance(metric, AdjustedMetric):
        return strata.means(table.values(metric.name, ties))
    means = strata.means(table.values(metric.base.name, ties))
    return metric.adjust(means, _stratum_moments(metric, table.candidates, strata))


def _stratum_chance(name: str, candidates: IntArray, strata: Strata) -> DoubleArray:
    metric = metric_named(name)
    if not isinstance(metric, AdjustedMetric):
        return strata.means(metric.chance(candidates))
    moments = _stratum_moments(metric, candidates, strata)
    return metric.adjust(moments.expectation, moments)


def _stratum_moments(metric: AdjustedMetric, candidates: IntArray, strata: Strata) -> PoolMoments:
    expectation, variance = chance_per_query(metric.base, candidates)
    return PoolMoments(strata.means(expectation), strata.sums(variance) / strata.sizes**2)
