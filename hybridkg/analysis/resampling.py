"""Means of metrics on resamples of the test triples, all instances on the same ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hybridkg.analysis.strata import strata_by_triple
from hybridkg.evaluation.adjusted import (
    AdjustedMetric,
    PoolMoments,
    chance_per_query,
    metric_named,
)
from hybridkg.evaluation.metrics import Metric
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.types import DoubleArray, TiePolicy

#: Bytes of the weights that stand in memory together.
BLOCK_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class Resampling:
    """Means of the base metrics on the sample (row 0) and on each resample.

    With a base instance, the other columns are means of differences to it, taken query by
    query: two instances that rank alike differ by exactly 0, which no difference of two sums
    promises.
    """

    #: base metric -> (1 + resamples, instances).
    means: Mapping[str, DoubleArray]
    #: base metric of an adjusted one -> what chance earns, (1 + resamples, pools).
    moments: Mapping[str, PoolMoments]
    #: column that the others are relative to.
    base: int | None

    @classmethod
    def over(
        cls,
        table: RankTable,
        metrics: Sequence[str],
        ties: TiePolicy,
        rng: np.random.Generator,
        resamples: int,
        *,
        base: int | None = None,
    ) -> Resampling:
        """Resample the test triples of a table.

        Args:
            table: ranks of one or more instances.
            metrics: names whose values will be asked.
            ties: tie policy.
            rng: source of the resamples.
            resamples: their number.
            base: row of the instance that the others are relative to.

        Raises:
            RankTableError: the table has no query.
            UnknownNameError: no such metric or tie policy.
        """
        found = [metric_named(name) for name in metrics]
        adjusted = {m.base.name: m.base for m in found if isinstance(m, AdjustedMetric)}
        plain = {m.name for m in found if not isinstance(m, AdjustedMetric)}
        names = sorted(plain | set(adjusted))
        totals = _resampled_sums(_parts(table, names, adjusted, ties, base), rng, resamples)
        n = totals.pop("queries")
        means = {name: totals[f"mean {name}"] / n for name in names}
        moments = {
            name: PoolMoments(totals[f"expectation {name}"] / n, totals[f"variance {name}"] / n**2)
            for name in adjusted
        }
        return cls(means, moments, base)

    def metric(self, name: str) -> DoubleArray:
        """(1 + resamples, instances) values of a metric."""
        metric = metric_named(name)
        if not isinstance(metric, AdjustedMetric):
            return self.means[metric.name]
        return metric.adjust(self.means[metric.base.name], self.moments[metric.base.name])

    def difference(self, name: str) -> DoubleArray:
        """(1 + resamples, instances) differences to the base instance."""
        assert self.base is not None
        metric = metric_named(name)
        key = metric.base.name if isinstance(metric, AdjustedMetric) else metric.name
        relative = self.means[key].copy()
        own = relative[:, [self.base]]
        relative[:, self.base] -= own[:, 0]
        if not isinstance(metric, AdjustedMetric):
            return relative
        moments = self.moments[key]
        own_moments = moments
        if moments.expectation.shape[1] > 1:
            at = [self.base]
            own_moments = PoolMoments(moments.expectation[:, at], moments.variance[:, at])
        # Nothing added to a mean leaves it as it is, to the last bit.
        found: DoubleArray = metric.adjust(own + relative, moments) - metric.adjust(
            own, own_moments
        )
        return found

    def scale(self, name: str) -> float:
        """Size of the values of a metric, beside which a rest of rounding is small."""
        found = np.abs(self.metric(name)[:, self.base])
        return float(np.nan_to_num(found).max(initial=0.0))


def _parts(
    table: RankTable,
    names: Sequence[str],
    adjusted: Mapping[str, Metric],
    ties: TiePolicy,
    base: int | None,
) -> dict[str, DoubleArray]:
    """Return (columns, triples) sums of all that a resample adds up."""
    strata = strata_by_triple(table)
    parts = {"queries": strata.sizes[None, :].astype(np.float64)}
    for name in names:
        values = table.values(name, ties)
        if base is not None:
            relative = values - values[base]
            relative[base] = values[base]
            values = relative
        parts[f"mean {name}"] = strata.sums(values)
    # Pools are nearly always the same for all instances; then they are added up once.
    same = (table.candidates == table.candidates[:1]).all()
    pools = table.candidates[:1] if same else table.candidates
    for name, metric in adjusted.items():
        expectation, variance = chance_per_query(metric, pools)
        parts[f"expectation {name}"] = strata.sums(expectation)
        parts[f"variance {name}"] = strata.sums(variance)
    return parts


def _resampled_sums(
    parts: Mapping[str, DoubleArray], rng: np.random.Generator, resamples: int
) -> dict[str, DoubleArray]:
    """Add (columns, triples) up over the sample and over each resample.

    Returns:
        (1 + resamples, columns) by part; row 0 is the sample.
    """
    stacked = np.concatenate(list(parts.values()))
    n = stacked.shape[1]
    totals = np.empty((1 + resamples, len(stacked)))
    totals[0] = stacked.sum(axis=1)
    height = max(1, BLOCK_BYTES // (8 * n))
    for start in range(1, 1 + resamples, height):
        size = min(height, 1 + resamples - start)
        drawn = rng.integers(0, n, size=(size, n)) + n * np.arange(size)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        totals[start : start + size] = weights.astype(np.float64) @ stacked.T
    bounds = np.cumsum([len(part) for part in parts.values()])[:-1]
    return dict(zip(parts, np.split(totals, bounds, axis=1), strict=True))
