"""Rank metrics: per-query values under a tie policy, with range, direction, source and chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hybridkg.errors import RankTableError, UnknownNameError
from hybridkg.types import (
    FOREIGN_TIE_POLICIES,
    TIE_POLICIES,
    BoolArray,
    DoubleArray,
    IntArray,
    TiePolicy,
)

_ABSENT_ZERO = "absent_zero_"


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


def _reciprocal_variance(candidates: IntArray) -> DoubleArray:
    """Variance of 1/r for r uniform on 1..n, that is (n H2(n) - H(n)^2) / n^2."""
    from scipy.special import digamma, zeta

    n = candidates.astype(np.float64)
    harmonic = digamma(n + 1) + np.euler_gamma
    squares = zeta(2) - zeta(2, n + 1)
    # The special functions leave a trace where the only rank is 1.
    value: DoubleArray = np.where(n == 1, 0.0, squares / n - (harmonic / n) ** 2)
    return value


def _rank_variance(candidates: IntArray) -> DoubleArray:
    """Variance of r uniform on 1..n."""
    value: DoubleArray = (candidates.astype(np.float64) ** 2 - 1) / 12
    return value


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
    #: variance of the value over a random order of a pool of the given size.
    variance: Callable[[IntArray], DoubleArray]

    def values(
        self,
        optimistic: IntArray,
        pessimistic: IntArray,
        ties: TiePolicy = "expected",
        *,
        scored: BoolArray | None = None,
    ) -> DoubleArray:
        """Return the value of each query.

        Two rules are those of other tools. ``rounded_mean`` reads the rank in the middle of the
        tie group, the worse one of two, as LibKGE does. ``absent_zero_X`` reads ties as X, but
        a true answer without a score earns 0, as rule miners count it; where smaller is better
        that habit says nothing, and the value is NaN.

        Args:
            optimistic: any shape, 1 + better.
            pessimistic: same shape, 1 + better + tied.
            ties: policy for the tie group.
            scored: same shape, True where the true answer has a score; only ``absent_zero_X``
                reads it.

        Raises:
            UnknownNameError: the policy does not exist.
            RankTableError: the policy needs to know what is scored, and is not told.
        """
        if ties.startswith(_ABSENT_ZERO) and ties in FOREIGN_TIE_POLICIES:
            if scored is None:
                raise RankTableError(
                    f"tie policy {ties!r} without knowing which true answers have a score; "
                    "expected scored, as a rank table has it"
                )
            base: TiePolicy = ties.removeprefix(_ABSENT_ZERO)  # type: ignore[assignment]
            present = self.values(optimistic, pessimistic, base)
            return np.where(scored, present, 0.0 if self.larger_is_better else np.nan)
        if ties == "expected":
            return self.expected(optimistic, pessimistic)
        if ties == "optimistic":
            return self.at_rank(optimistic.astype(np.float64))
        if ties == "pessimistic":
            return self.at_rank(pessimistic.astype(np.float64))
        if ties == "realistic":
            return self.at_rank((optimistic.astype(np.float64) + pessimistic) / 2)
        if ties == "rounded_mean":
            middle = optimistic + (pessimistic - optimistic + 1) // 2
            return self.at_rank(middle.astype(np.float64))
        raise UnknownNameError("tie policy", str(ties), (*TIE_POLICIES, *FOREIGN_TIE_POLICIES))

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

    def variance(candidates: IntArray) -> DoubleArray:
        share = np.minimum(k / candidates, 1.0)
        value: DoubleArray = share * (1 - share)
        return value

    return Metric(
        f"hits_at_{k}",
        f"Hits@{k}",
        (0.0, 1.0),
        True,
        "Bordes et al. 2013",
        at_rank,
        expected,
        variance,
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
    _reciprocal_variance,
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
    _rank_variance,
)

METRICS: dict[str, Metric] = {
    metric.name: metric for metric in (MRR, hits_at(1), hits_at(3), hits_at(10), MEAN_RANK)
}


def get_metric(name: str) -> Metric:
    """Return a metric by name; any ``hits_at_K`` exists whose K is a possible rank.

    Raises:
        UnknownNameError: there is no such metric.
    """
    if name in METRICS:
        return METRICS[name]
    prefix, _, number = name.rpartition("_")
    if prefix == "hits_at" and number.isdecimal() and len(number) <= 10:
        k = int(number)
        if 1 <= k < 2**31:
            return hits_at(k)
    raise UnknownNameError("metric", name, METRICS)
