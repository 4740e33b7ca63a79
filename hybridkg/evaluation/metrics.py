"""Rank metrics: per-query values under a tie policy, with range, direction, source and chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hybridkg.errors import RankTableError, UnknownNameError
from hybridkg.types import DoubleArray, IntArray, TiePolicy


def _reciprocal(rank: DoubleArray) -> DoubleArray:
    return 1.0 / rank


def _expected_reciprocal(optimistic: IntArray, pessimistic: IntArray) -> DoubleArray:
    """Mean of 1/r over r = o..p, that is (H(p) - H(o - 1)) / (p - o + 1)."""
    from scipy.special import digamma

    low, high = optimistic.astype(np.float64), pessimistic.astype(np.float64)
    # H(n) = digamma(n + 1) + a constant; without a tie the value is exact.
    mean = (digamma(high + 1) - digamma(low)) / (high - low + 1)
    value: DoubleArray = np.where(high == low, 1.0 / low, np.clip(mean, 1.0 / high, 1.0 / low))
    return value


def _identity(rank: DoubleArray) -> DoubleArray:
    return rank


def _expected_rank(optimistic: IntArray, pessimistic: IntArray) -> DoubleArray:
    return (optimistic.astype(np.float64) + pessimistic) / 2


@dataclass(frozen=True, slots=True)
class Metric:
    """A function of one filtered rank, averaged over queries elsewhere."""

    #: field name in tables and JSON.
    name: str
    #: name for people.
    title: str
    #: smallest and largest possible value.
    range: tuple[float, float]
    #: True where a larger value is better.
    larger_is_better: bool
    #: where the definition comes from.
    source: str
    #: value at a rank, which may be a half for the realistic policy.
    at_rank: Callable[[DoubleArray], DoubleArray]
    #: mean of the value over a random order inside the tie group.
    expected: Callable[[IntArray, IntArray], DoubleArray]

    def values(
        self, optimistic: IntArray, pessimistic: IntArray, ties: TiePolicy = "expected"
    ) -> DoubleArray:
        """Return the value of each query.

        Args:
            optimistic: any shape, 1 + better.
            pessimistic: same shape, 1 + better + tied.
            ties: policy for the tie group.

        Raises:
            UnknownNameError: the policy does not exist.
        """
        if ties == "expected":
            return self.expected(optimistic, pessimistic)
        if ties == "optimistic":
            return self.at_rank(optimistic.astype(np.float64))
        if ties == "pessimistic":
            return self.at_rank(pessimistic.astype(np.float64))
        if ties == "realistic":
            return self.at_rank((optimistic.astype(np.float64) + pessimistic) / 2)
        raise UnknownNameError(
            "tie policy", str(ties), ("expected", "optimistic", "pessimistic", "realistic")
        )

    def chance(self, candidates: IntArray) -> DoubleArray:
        """Return the expected value of each query under a scorer that knows nothing.

        Args:
            candidates: pool sizes, 1 or more.

        Raises:
            RankTableError: a pool size is unknown (0), as in foreign rank files.
        """
        if (candidates < 1).any():
            raise RankTableError(
                "the number of candidates is not known for every query; the chance line needs it. "
                "Give rank files a column 'candidates'"
            )
        return self.expected(np.ones_like(candidates), candidates)


def hits_at(k: int) -> Metric:
    """Return Hits@k: 1 where the rank is at most k, else 0.

    Source: Bordes et al. 2013, Translating embeddings for modeling multi-relational data.
    """

    def at_rank(rank: DoubleArray) -> DoubleArray:
        return (rank <= k).astype(np.float64)

    def expected(optimistic: IntArray, pessimistic: IntArray) -> DoubleArray:
        size = pessimistic - optimistic + 1
        inside = np.clip(k - optimistic + 1, 0, size)
        value: DoubleArray = inside / size
        return value

    return Metric(
        f"hits_at_{k}", f"Hits@{k}", (0.0, 1.0), True, "Bordes et al. 2013", at_rank, expected
    )


#: Mean reciprocal rank.
MRR = Metric(
    "mrr",
    "MRR",
    (0.0, 1.0),
    True,
    "Voorhees 1999, The TREC-8 question answering track report",
    _reciprocal,
    _expected_reciprocal,
)
#: Mean rank.
MEAN_RANK = Metric(
    "mean_rank",
    "MR",
    (1.0, float("inf")),
    False,
    "Bordes et al. 2011, Learning structured embeddings of knowledge bases",
    _identity,
    _expected_rank,
)

METRICS: dict[str, Metric] = {
    metric.name: metric for metric in (MRR, hits_at(1), hits_at(3), hits_at(10), MEAN_RANK)
}


def get_metric(name: str) -> Metric:
    """Return a metric by name; any ``hits_at_K`` with K >= 1 exists.

    Raises:
        UnknownNameError: there is no such metric.
    """
    if name in METRICS:
        return METRICS[name]
    prefix, _, number = name.rpartition("_")
    if prefix == "hits_at" and number.isdecimal() and int(number) >= 1:
        return hits_at(int(number))
    raise UnknownNameError("metric", name, METRICS)
