"""Rank tables of several instances side by side, joined by query and never by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hybridkg.errors import DataError, RankTableError
from hybridkg.evaluation.candidates import require_same_protocol
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.types import AnyArray, LongArray


def combine(tables: Sequence[RankTable]) -> RankTable:
    """Put tables of the same protocol side by side, joined by query and never by line.

    Observed columns survive only where every table has them.

    Raises:
        RankTableError: protocols, queries or pools differ, or an instance name stands twice.
        DataError: there is no table.
    """
    if not tables:
        raise DataError("no rank table to combine; expected one or more")
    first = tables[0]
    shared = [c for c in first.columns if all(c in table.columns for table in tables)]
    parts: dict[str, list[AnyArray]] = {column: [] for column in shared}
    audits = {about.get("audit") for table in tables for about in table.about.values()}
    if len(audits) > 1 and "truth_verdict" in shared:
        raise RankTableError(
            "verdict counts under different ontologies, or with other types known, do not stand in "
            "one table; audit the instances together"
        )
    for table in tables:
        names = f"{', '.join(first.instances)} and {', '.join(table.instances)}"
        require_same_protocol(first.protocol, table.protocol, names)
        order = _order(first, table)
        for column in shared:
            parts[column].append(table.columns[column][:, order])
        if (table.candidates[:, order] != first.candidates[0]).any():
            raise RankTableError(
                f"instances {list(first.instances)} and {list(table.instances)} were ranked in "
                "pools of different size; evaluate both under one protocol"
            )
    return replace(
        first,
        instances=tuple(name for table in tables for name in table.instances),
        columns={column: np.concatenate(values) for column, values in parts.items()},
        about={k: v for table in tables for k, v in table.about.items()},
    )


def _order(first: RankTable, other: RankTable) -> LongArray:
    """Return the rows of another table in the order of the first one's queries.

    Raises:
        RankTableError: they answer different queries.
    """
    if all(getattr(first, c) == getattr(other, c) for c in ("heads", "relations", "tails",
                                                            "targets")):  # fmt: skip
        return np.arange(first.n_queries)
    place = {key: row for row, key in enumerate(first.query_keys())}
    keys = other.query_keys()
    missing = [key for key in keys if key not in place]
    if missing or len(keys) != len(place):
        raise RankTableError(
            f"instances {list(first.instances)} and {list(other.instances)} answer different "
            f"queries ({first.n_queries} and {other.n_queries}"
            + (f"; for example {missing[0][:4]}" if missing else "")
            + "); evaluate both on the same test triples"
        )
    order = np.empty(len(keys), dtype=np.int64)
    order[[place[key] for key in keys]] = np.arange(len(keys))
    return order
