"""Queries in strata: by relation, cardinality class or target, and by test triple."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hybridkg.errors import ConfigError, RankTableError
from hybridkg.evaluation.cardinality import CARDINALITIES
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.types import TARGETS, BoolArray, DoubleArray, LongArray

#: What queries can be told apart by.
STRATA_KEYS = ("relation", "cardinality", "target")


@dataclass(frozen=True, slots=True)
class Strata:
    """A partition of the queries of a table; no stratum is empty."""

    #: key names.
    by: tuple[str, ...]
    #: one value a key, for each stratum.
    labels: tuple[tuple[str, ...], ...]
    #: (queries,) number of each query's stratum.
    codes: LongArray

    @property
    def sizes(self) -> LongArray:
        """(strata,) number of queries."""
        return np.bincount(self.codes, minlength=len(self.labels))

    def sums(self, values: DoubleArray | BoolArray) -> DoubleArray:
        """Add (..., queries) values up to (..., strata)."""
        order = np.argsort(self.codes, kind="stable")
        starts = np.append(0, np.cumsum(self.sizes)[:-1])
        found: DoubleArray = np.add.reduceat(
            values[..., order].astype(np.float64, copy=False), starts, axis=-1
        )
        return found

    def means(self, values: DoubleArray | BoolArray) -> DoubleArray:
        """Average (..., queries) values to (..., strata)."""
        found: DoubleArray = self.sums(values) / self.sizes
        return found


def strata_by(table: RankTable, by: Sequence[str]) -> Strata:
    """Part the queries by one or several keys.

    Args:
        table: ranks of instances on the same queries.
        by: "relation", "cardinality", "target"; strata are sorted by relation label, by the
            order of CARDINALITIES, and tail first.

    Raises:
        ConfigError: there is no such key, none at all, or one stands twice.
        RankTableError: the table has no query, or cardinality classes are asked for and the
            ranks do not carry them.
    """
    keys = tuple(by)
    if not keys or set(keys) - set(STRATA_KEYS) or len(set(keys)) != len(keys):
        raise ConfigError(
            f"strata by {', '.join(keys) or 'nothing'}; expected some of "
            f"{', '.join(STRATA_KEYS)}, each once"
        )
    _refuse_empty(table)
    columns = []
    for key in keys:
        if key == "relation":
            columns.append([(0, label) for label in table.relations])
        elif key == "target":
            columns.append([(TARGETS.index(label), label) for label in table.targets])
        else:
            columns.append([(code, CARDINALITIES[code]) for code in _cardinality_codes(table)])
    rows = list(zip(*columns, strict=True))
    order = sorted(set(rows))
    place = {row: number for number, row in enumerate(order)}
    return Strata(
        keys,
        tuple(tuple(label for _, label in row) for row in order),
        np.array([place[row] for row in rows], dtype=np.int64),
    )


def strata_by_triple(table: RankTable) -> Strata:
    """Put the two queries of a test triple together; repeated triples stay apart.

    Strata are sorted by label, so they do not depend on the order of the queries.

    Raises:
        RankTableError: the table has no query.
    """
    _refuse_empty(table)
    rows = [(head, relation, tail, turn) for head, relation, tail, _, turn in table.query_keys()]
    order = sorted(set(rows))
    place = {row: number for number, row in enumerate(order)}
    return Strata(
        ("head", "relation", "tail", "occurrence"),
        tuple((head, relation, tail, str(turn)) for head, relation, tail, turn in order),
        np.array([place[row] for row in rows], dtype=np.int64),
    )


def _cardinality_codes(table: RankTable) -> list[int]:
    if "cardinality" not in table.columns:
        raise RankTableError(
            "the ranks carry no cardinality classes of their relations, as ranks from files and "
            "of older evaluations do not; expected a column cardinality; evaluate the instances "
            "again, or part the queries by relation or target"
        )
    codes = table.columns["cardinality"]
    if (codes != codes[0]).any() or codes.max() >= len(CARDINALITIES):
        raise RankTableError(
            "the cardinality classes of the relations differ between instances, or are no codes "
            "of such classes; expected ranks made on the same training triples; evaluate the "
            "instances again"
        )
    return [int(code) for code in codes[0]]


def _refuse_empty(table: RankTable) -> None:
    if table.n_queries == 0:
        raise RankTableError("the rank table has no query; expected one or more")
