"""Metrics adjusted for chance: how far a mean lies from what an ignorant scorer earns.

Sizes of pools differ between data sets, filters and candidate protocols, and with them what
chance earns; these figures are comparable where the plain means are not.

Sources: Berrendorf et al. 2020, On the ambiguity of rank-based evaluation of entity alignment or
link prediction methods (AMR, AMRI); Hoyt et al. 2022, A unified framework for rank-based
evaluation metrics for link prediction in knowledge graphs (the other indices, and z).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hybridkg.errors import UnknownNameError
from hybridkg.evaluation.metrics import MEAN_RANK, METRICS, Metric, get_metric
from hybridkg.types import DoubleArray, IntArray

Form = Literal["ratio", "index", "z"]

_BERRENDORF = "Berrendorf et al. 2020"
_HOYT = "Hoyt et al. 2022"


@dataclass(frozen=True, slots=True)
class PoolMoments:
    """What chance earns on some queries: each rank is uniform on 1..n, independent of others."""

    #: expected mean of the metric over the queries.
    expectation: DoubleArray
    #: variance of that mean.
    variance: DoubleArray

    @classmethod
    def of(cls, metric: Metric, candidates: IntArray) -> PoolMoments:
        """Return the moments in closed form.

        Args:
            metric: a metric of ranks.
            candidates: (..., queries) pool sizes; where one is unknown (0) all is NaN.
        """
        expectation, variance = chance_per_query(metric, candidates)
        return cls(expectation.mean(axis=-1), variance.mean(axis=-1) / candidates.shape[-1])


def chance_per_query(metric: Metric, candidates: IntArray) -> tuple[DoubleArray, DoubleArray]:
    """Return expectation and variance of each query's value over random orders of its pool.

    Args:
        metric: a metric of ranks.
        candidates: any shape, pool sizes; where one is unknown (0), NaN.
    """
    known = np.maximum(candidates, 1)
    unknown = candidates < 1
    return (
        np.where(unknown, np.nan, metric.chance(known)),
        np.where(unknown, np.nan, metric.variance(known)),
    )


@dataclass(frozen=True, slots=True)
class AdjustedMetric:
    """A function of the mean of a metric and of the pools; there is no value per query."""

    #: field name in tables and JSON.
    name: str
    #: name for people.
    title: str
    #: the metric whose mean is adjusted.
    base: Metric
    #: mean over chance, share of the way from chance to perfect, or standard deviations.
    form: Form
    #: smallest and largest possible value.
    range: tuple[float, float]
    #: True where a larger value is better.
    larger_is_better: bool
    #: where the definition comes from.
    source: str

    def adjust(self, mean: DoubleArray, moments: PoolMoments) -> DoubleArray:
        """Return the adjusted values of means; all shapes broadcast.

        The z of a mean rank has its sign turned, so that better than chance is positive.

        Args:
            mean: means of the base metric.
            moments: expectation and variance of these means under chance.

        Returns:
            NaN where pool sizes are unknown, or chance leaves no room: every pool holds one
            candidate, at most k for Hits@k.
        """
        expected = moments.expectation
        sign = 1.0 if self.base.larger_is_better else -1.0
        if self.form == "ratio":
            return np.asarray(mean / expected)
        # Every base metric is 1 where each answer stands first.
        room = np.sqrt(moments.variance) if self.form == "z" else sign * (1.0 - expected)
        # Adding 0 turns -0, which a mean rank at chance gives, into 0.
        return np.asarray(sign * (mean - expected) / np.where(room > 0, room, np.nan) + 0.0)

    def of(self, mean: float, candidates: IntArray) -> float | None:
        """Return the adjusted value of one mean.

        Args:
            mean: mean of the base metric over the queries.
            candidates: (queries,) pool sizes.

        Returns:
            None where a pool size is unknown or chance leaves no room.

        >>> import numpy as np
        >>> adjusted_named("amri").of(1.5, np.array([3, 3], dtype=np.int32))  # chance is rank 2
        0.5
        """
        value = float(self.adjust(np.float64(mean), PoolMoments.of(self.base, candidates)))  # type: ignore[arg-type]
        return None if np.isnan(value) else value


def _index(base: Metric) -> AdjustedMetric:
    title = f"adjusted {base.title}"
    return AdjustedMetric(
        f"adjusted_{base.name}", title, base, "index", (-np.inf, 1.0), True, _HOYT
    )


def _z(base: Metric) -> AdjustedMetric:
    return AdjustedMetric(
        f"z_{base.name}", f"z({base.title})", base, "z", (-np.inf, np.inf), True, _HOYT
    )


def _all() -> dict[str, AdjustedMetric]:
    found = [
        AdjustedMetric("amr", "AMR", MEAN_RANK, "ratio", (0.0, 2.0), False, _BERRENDORF),
        AdjustedMetric("amri", "AMRI", MEAN_RANK, "index", (-1.0, 1.0), True, _BERRENDORF),
        _z(MEAN_RANK),
    ]
    for base in METRICS.values():
        if base is not MEAN_RANK:
            found += [_index(base), _z(base)]
    return {metric.name: metric for metric in found}


#: Adjusted forms of the usual metrics; ``adjusted_hits_at_K`` and ``z_hits_at_K`` exist for any K.
ADJUSTED_METRICS: dict[str, AdjustedMetric] = _all()


def adjusted_named(name: str) -> AdjustedMetric:
    """Return an adjusted metric by name.

    Raises:
        UnknownNameError: there is no such metric.
    """
    if name in ADJUSTED_METRICS:
        return ADJUSTED_METRICS[name]
    form, _, base = name.partition("_")
    if form in ("adjusted", "z") and base.startswith("hits_at_"):
        return (_index if form == "adjusted" else _z)(get_metric(base))
    raise UnknownNameError("adjusted metric", name, ADJUSTED_METRICS)


def metric_named(name: str, *, where: str = "") -> Metric | AdjustedMetric:
    """Return a metric of ranks or an adjusted one by name.

    Args:
        name: for example "mrr", "hits_at_5", "amri" or "z_hits_at_10".
        where: what asked for it, for the message.

    Raises:
        UnknownNameError: there is no such metric.
    """
    for find in (get_metric, adjusted_named):
        try:
            return find(name)
        except UnknownNameError:
            continue
    known = (*METRICS, *ADJUSTED_METRICS)
    more = "hits_at_K, adjusted_hits_at_K and z_hits_at_K exist for every K from 1"
    raise UnknownNameError("metric", name, known, where=f"{more}; {where}" if where else more)
