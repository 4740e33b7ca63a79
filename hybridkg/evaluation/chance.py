"""The chance line: what a scorer that knows nothing earns on the same queries."""

from __future__ import annotations

from collections.abc import Sequence

from hybridkg.evaluation.adjusted import AdjustedMetric, PoolMoments, metric_named
from hybridkg.evaluation.metrics import METRICS
from hybridkg.types import IntArray


def chance_line(candidates: IntArray, metrics: Sequence[str] = tuple(METRICS)) -> dict[str, float]:
    """Return the expected value of each metric over random orders of the pools.

    A constant scorer earns exactly these values under the ``expected`` policy.

    Args:
        candidates: (queries,) pool sizes, the true answer included.
        metrics: names; adjusted metrics earn 1 (AMR) or 0 by their definition, NaN where they
            are not defined.

    Returns:
        Metric name to mean over queries; for MRR the mean of H(n)/n.

    Raises:
        RankTableError: a pool size is unknown (0).
        UnknownNameError: there is no such metric.

    >>> import numpy as np
    >>> round(chance_line(np.array([2], dtype=np.int32))["mrr"], 4)  # (1 + 1/2) / 2
    0.75
    """
    found = {}
    for name in metrics:
        metric = metric_named(name)
        if isinstance(metric, AdjustedMetric):
            metric.base.chance(candidates)
            moments = PoolMoments.of(metric.base, candidates)
            found[name] = float(metric.adjust(moments.expectation, moments))
        else:
            found[name] = float(metric.chance(candidates).mean())
    return found
