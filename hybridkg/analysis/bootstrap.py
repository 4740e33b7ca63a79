"""Confidence intervals and paired differences by resampling test triples.

The two queries of a triple share it, so they are dependent and stay together; all instances are
judged on the same resamples, so that what is hard for all of them cancels in a difference.

Source: Efron, Tibshirani 1993, An introduction to the bootstrap, chapters 13 and 15.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hybridkg.analysis.resampling import Resampling
from hybridkg.errors import ConfigError, UnknownNameError
from hybridkg.evaluation.metrics import METRICS
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.types import DoubleArray, TiePolicy

if TYPE_CHECKING:
    import pandas as pd

#: Differences of this size, beside the values, are rests of rounding.
_ROUNDING = 1e-12
MAX_RESAMPLES = 100_000


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How often is resampled, and how wide an interval is."""

    #: number of resamples.
    resamples: int = 1000
    #: probability that an interval shall cover, between 0 and 1.
    level: float = 0.95

    def __post_init__(self) -> None:
        if not 1 <= self.resamples <= MAX_RESAMPLES:
            raise ConfigError(
                f"{self.resamples} resamples; expected a number from 1 to {MAX_RESAMPLES:,}"
            )
        if not 0 < self.level < 1:
            raise ConfigError(f"level {self.level}; expected a number between 0 and 1, as in 0.95")

    def interval(self, resampled: DoubleArray) -> DoubleArray:
        """Return the (2, ...) percentile interval of (resamples, ...) values."""
        tail = (1 - self.level) / 2
        found: DoubleArray = np.quantile(resampled, [tail, 1 - tail], axis=0)
        return found


def confidence_intervals(
    table: RankTable,
    *,
    rng: np.random.Generator,
    metrics: Sequence[str] = tuple(METRICS),
    ties: TiePolicy = "expected",
    groups: Mapping[str, Sequence[str]] | None = None,
    bootstrap: Bootstrap | None = None,
) -> pd.DataFrame:
    """Return percentile intervals of every instance's metrics, and of means over groups.

    Pools are resampled with their queries, so an adjusted metric is adjusted anew each time. A
    group's interval covers its mean over the given instances; what another seed would change is
    not in it, but in the standard deviation over the instances.

    Args:
        table: ranks of one or more instances.
        rng: source of the resamples; the same state gives the same resamples, whatever
            instances and metrics are asked.
        metrics: names, adjusted metrics too.
        ties: tie policy.
        groups: name -> member instances.
        bootstrap: number of resamples and level; 1,000 and 0.95 by default.

    Returns:
        One row per (kind, name, metric), kind "instance" or "group": ``value``, ``low``,
        ``high``. NaN where a metric is not defined on the queries or on some resample.

    Raises:
        RankTableError: the table has no query.
        UnknownNameError: no such metric, tie policy or group member.
    """
    import pandas as pd

    chosen = bootstrap or Bootstrap()
    members = {name: _rows(table, names) for name, names in (groups or {}).items()}
    study = Resampling.over(table, metrics, ties, rng, chosen.resamples)
    rows = []
    for metric in metrics:
        resampled = study.metric(metric)
        kinds = {("instance", name): resampled[:, i] for i, name in enumerate(table.instances)}
        kinds |= {("group", g): resampled[:, at].mean(axis=1) for g, at in members.items()}
        for (kind, name), values in kinds.items():
            low, high = chosen.interval(values[1:])
            rows.append((kind, name, metric, values[0], low, high))
    frame = pd.DataFrame(rows, columns=["kind", "name", "metric", "value", "low", "high"])
    return frame.set_index(["kind", "name", "metric"])


def difference(
    table: RankTable,
    first: str,
    second: str,
    *,
    rng: np.random.Generator,
    metrics: Sequence[str] = tuple(METRICS),
    ties: TiePolicy = "expected",
    bootstrap: Bootstrap | None = None,
) -> pd.DataFrame:
    """Return the paired difference of two instances, first minus second.

    Returns:
        One row per metric, as :func:`differences` gives it.

    Raises:
        RankTableError: the table has no query.
        UnknownNameError: no such instance, metric or tie policy.
    """
    pair = table.select(list(dict.fromkeys([first, second])))
    found = differences(pair, second, rng=rng, metrics=metrics, ties=ties, bootstrap=bootstrap,
                        instances=[first])  # fmt: skip
    return found.droplevel("instance")


def differences(
    table: RankTable,
    against: str,
    *,
    rng: np.random.Generator,
    metrics: Sequence[str] = tuple(METRICS),
    ties: TiePolicy = "expected",
    bootstrap: Bootstrap | None = None,
    instances: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return the paired difference of instances to one of them.

    Args:
        table: ranks of the instances.
        against: the instance that is subtracted.
        rng: as for :func:`confidence_intervals`.
        metrics: names, adjusted metrics too.
        ties: tie policy.
        bootstrap: number of resamples and level; 1,000 and 0.95 by default.
        instances: whose differences are wanted; by default all others.

    Returns:
        One row per (instance, metric): ``difference`` (instance minus ``against``, whichever
        direction is better), ``low``, ``high``, and the two-sided ``p``: twice the smaller share
        of resamples at or beyond zero, the sample itself counted in, so that 2 / (resamples + 1)
        is the least that n resamples can show. NaN where a metric is not defined.

    Raises:
        RankTableError: the table has no query.
        UnknownNameError: no such instance, metric or tie policy.
    """
    import pandas as pd

    chosen = bootstrap or Bootstrap()
    (base,) = _rows(table, [against])
    wanted = [n for n in table.instances if n != against] if instances is None else instances
    at = _rows(table, wanted)
    study = Resampling.over(table, metrics, ties, rng, chosen.resamples, base=base)
    rows = []
    for metric in metrics:
        found, scale = study.difference(metric), study.scale(metric)
        low, high = chosen.interval(found[1:][:, at])
        p = _p_values(found[1:][:, at], scale)
        for j, name in enumerate(wanted):
            rows.append((name, metric, found[0, at[j]], low[j], high[j], p[j]))
    frame = pd.DataFrame(
        rows, columns=["instance", "metric", "difference", "low", "high", "p"]
    )  # fmt: skip
    return frame.set_index(["instance", "metric"])


def _rows(table: RankTable, names: Sequence[str]) -> list[int]:
    for name in names:
        if name not in table.instances:
            raise UnknownNameError("instance", name, table.instances)
    return [table.instances.index(name) for name in names]


def _p_values(resampled: DoubleArray, scale: float) -> DoubleArray:
    """Two-sided p of (resamples, n) differences, (n,)."""
    zero = _ROUNDING * max(1.0, scale)
    below = (resampled <= zero).sum(axis=0)
    above = (resampled >= -zero).sum(axis=0)
    p = np.minimum(1.0, 2 * (1 + np.minimum(below, above)) / (1 + len(resampled)))
    return np.where(np.isnan(resampled).any(axis=0), np.nan, p)
