"""The chance line: what a scorer that knows nothing earns on the same queries."""

from __future__ import annotations

from hybridkg.evaluation.metrics import METRICS
from hybridkg.types import IntArray


def chance_line(candidates: IntArray) -> dict[str, float]:
    """Return the expected value of each metric over random orders of the pools.

    A constant scorer earns exactly these values under the ``expected`` policy.

    Args:
        candidates: (queries,) pool sizes, the true answer included.

    Returns:
        Metric name to mean over queries; for MRR the mean of H(n)/n.

    >>> import numpy as np
    >>> round(chance_line(np.array([2], dtype=np.int32))["mrr"], 4)  # (1 + 1/2) / 2
    0.75
    """
    return {name: float(metric.chance(candidates).mean()) for name, metric in METRICS.items()}
