"""The oracle: per query the best member of a group. An upper bound of selection, not a model.

Source: Méroué, Gandon, Monnin, definitions 4 and 5 (oracle of a group, minimum rank per query).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridkg.analysis.groups import make_groups
from hybridkg.errors import RankTableError
from hybridkg.evaluation.metrics import METRICS, get_metric
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.types import DoubleArray, TiePolicy

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class GroupOracle:
    """What a group's members reach alone and together, under one tie policy."""

    #: name of the group.
    name: str
    #: member instances.
    members: tuple[str, ...]
    #: metric -> oracle value.
    oracle: Mapping[str, float]
    #: metric -> mean over the members.
    mean: Mapping[str, float]
    #: metric -> (member, value) of the best single member.
    best: Mapping[str, tuple[str, float]]
    #: oracle MRR minus best single MRR.
    gap: float
    #: number of queries that no member certainly ranks first (Hits@1 below 1 for all).
    unsolved_at_1: int
    #: number of queries.
    n_queries: int
    #: member -> loss of oracle MRR when it is left out; empty for a single member.
    leave_one_out: Mapping[str, float]
    #: (member, oracle MRR so far), starting with the best single, adding the best next.
    greedy: tuple[tuple[str, float], ...]
    #: mean oracle MRR over all subsets of 1, 2, ... members.
    mean_by_size: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class OracleStudy:
    """Oracles of several groups over one rank table."""

    #: tie policy of all values.
    ties: TiePolicy
    #: one entry a group, that of all instances last.
    groups: tuple[GroupOracle, ...]
    #: pairs of instances -> Jaccard distance of what they rank first.
    jaccard: Mapping[tuple[str, str], float]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a group: size, oracle and best MRR, gap, Hits, unsolved share."""
        import pandas as pd

        rows = [
            {
                "members": len(group.members),
                "mean_mrr": group.mean["mrr"],
                "best": group.best["mrr"][0],
                "best_mrr": group.best["mrr"][1],
                "oracle_mrr": group.oracle["mrr"],
                "gap": group.gap,
                "oracle_hits_at_1": group.oracle["hits_at_1"],
                "oracle_hits_at_10": group.oracle["hits_at_10"],
                "unsolved_at_1": group.unsolved_at_1 / group.n_queries,
            }
            for group in self.groups
        ]
        return pd.DataFrame(rows, index=pd.Index([g.name for g in self.groups], name="group"))

    def to_json(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
        return {
            "ties": self.ties,
            "meaning": "upper bound of selecting one member per query; not a model",
            "groups": [
                {
                    "name": group.name,
                    "members": list(group.members),
                    "oracle": dict(group.oracle),
                    "mean": dict(group.mean),
                    "best": {m: {"instance": i, "value": v} for m, (i, v) in group.best.items()},
                    "gap": group.gap,
                    "unsolved_at_1": group.unsolved_at_1,
                    "n_queries": group.n_queries,
                    "leave_one_out": dict(group.leave_one_out),
                    "greedy": [{"instance": i, "oracle_mrr": v} for i, v in group.greedy],
                    "mean_by_size": list(group.mean_by_size),
                }
                for group in self.groups
            ],
            "jaccard_distance": [
                {"first": a, "second": b, "distance": d} for (a, b), d in self.jaccard.items()
            ],
        }


def oracle(
    table: RankTable,
    groups: Sequence[tuple[str, tuple[str, ...]]] = (),
    *,
    ties: TiePolicy = "expected",
) -> OracleStudy:
    """Study the oracles of groups of instances.

    Per query and metric the oracle takes the best member's value under the policy; for the
    three policies that read one rank this is the metric of the least rank.

    Args:
        table: ranks of the instances, joined by query.
        groups: (name, members); by default one a model with several instances. The group of
            all instances is always added.
        ties: tie policy.

    Raises:
        UnknownNameError: a member is not in the table.
        RankTableError: the table has no query.
    """
    if table.n_queries == 0:
        raise RankTableError("the rank table has no query; an oracle needs at least one")
    values = {name: table.values(name, ties) for name in METRICS}
    place = {name: row for row, name in enumerate(table.instances)}
    studied = tuple(
        _study(name, members, {m: v[[place[i] for i in members]] for m, v in values.items()})
        for name, members in make_groups(table, groups).items()
    )
    return OracleStudy(ties, studied, _jaccard_distances(table.instances, values["hits_at_1"]))


def best_of(values: DoubleArray, metric: str) -> DoubleArray:
    """Return (queries,) best value over (members, queries); a member without one loses."""
    choose = np.fmax if get_metric(metric).larger_is_better else np.fmin
    best: DoubleArray = choose.reduce(values, axis=0)
    return best


def _study(name: str, members: tuple[str, ...], values: Mapping[str, DoubleArray]) -> GroupOracle:
    reached = {metric: float(best_of(v, metric).mean()) for metric, v in values.items()}
    best = {}
    for metric, v in values.items():
        means = v.mean(axis=1)
        gains = means if get_metric(metric).larger_is_better else -means
        # NaN, which foreign tie rules give, would win the argmax.
        row = int(np.where(np.isnan(gains), -np.inf, gains).argmax())
        best[metric] = (members[row], float(means[row]))
    mrr = values["mrr"]
    return GroupOracle(
        name=name,
        members=members,
        oracle=reached,
        mean={metric: float(v.mean()) for metric, v in values.items()},
        best=best,
        gap=reached["mrr"] - best["mrr"][1],
        unsolved_at_1=int((values["hits_at_1"].max(axis=0) < 1).sum()),
        n_queries=mrr.shape[1],
        leave_one_out=_leave_one_out(members, mrr),
        greedy=_greedy(members, mrr),
        mean_by_size=mean_oracle_by_size(mrr),
    )


def _leave_one_out(members: tuple[str, ...], mrr: DoubleArray) -> dict[str, float]:
    if len(members) < 2:
        return {}
    # The oracle without a member differs only where that member is the single best.
    ordered = np.sort(mrr, axis=0)
    drop = np.where(mrr == ordered[-1], ordered[-1] - ordered[-2], 0.0).mean(axis=1)
    return dict(zip(members, drop.tolist(), strict=True))


def _greedy(members: tuple[str, ...], mrr: DoubleArray) -> tuple[tuple[str, float], ...]:
    """Add members by largest oracle MRR; equal ones in the given order."""
    found: list[tuple[str, float]] = []
    current = np.zeros(mrr.shape[1])
    left = list(range(len(members)))
    while left:
        gains = [float(np.maximum(current, mrr[row]).mean()) for row in left]
        row = left.pop(int(np.argmax(gains)))
        current = np.maximum(current, mrr[row])
        found.append((members[row], max(gains)))
    return tuple(found)


def mean_oracle_by_size(values: DoubleArray) -> tuple[float, ...]:
    """Return the mean oracle over all subsets of size k = 1..n, in closed form.

    With the members' values of a query in falling order x(1) >= ... >= x(n), the i-th is the
    best of C(n - i, k - 1) of the C(n, k) subsets.

    Args:
        values: (members, queries), larger is better.
    """
    n = len(values)
    ordered = np.sort(values, axis=0)[::-1].mean(axis=1)
    return tuple(
        float(sum(comb(n - i, k - 1) * ordered[i - 1] for i in range(1, n - k + 2)) / comb(n, k))
        for k in range(1, n + 1)
    )


def _jaccard_distances(
    instances: tuple[str, ...], hits: DoubleArray
) -> dict[tuple[str, str], float]:
    """1 - sum(min) / sum(max) of Hits@1; for whole hits the distance of the solved sets."""
    found = {}
    for i, first in enumerate(instances):
        for j in range(i + 1, len(instances)):
            union = np.maximum(hits[i], hits[j]).sum()
            shared = np.minimum(hits[i], hits[j]).sum()
            found[first, instances[j]] = float(1 - shared / union) if union else 0.0
    return found
