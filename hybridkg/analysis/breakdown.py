"""Metrics apart by relation, cardinality class and target, and macro means over relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

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
from hybridkg.types import DoubleArray, IntArray, TiePolicy

if TYPE_CHECKING:
    import pandas as pd


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
