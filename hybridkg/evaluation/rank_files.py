"""Foreign per-query ranks: tab-separated tables with columns by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hybridkg._io import digest_bytes
from hybridkg.errors import DataError
from hybridkg.evaluation.candidates import UNSTATED, Protocol
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.graph.tsv import read_named_columns
from hybridkg.types import TARGETS, IntArray


def read_rank_file(path: str | Path, *, name: str | None = None) -> RankTable:
    """Read the ranks of one instance.

    Args:
        path: tab-separated, first line the column names: head, relation, tail, target (or
            side), and rank or optimistic and pessimistic; candidates is optional.
        name: instance name; by default the file's name without its suffixes.

    Returns:
        A table of one instance under a protocol whose fields are "unstated".

    Raises:
        DataError: a column is missing, or a value is not a rank; line and file are named.
    """
    header, rows = read_named_columns(path)
    at = _columns(path, header)
    if not rows:
        raise DataError(f"{path}: a header and no row; expected one line a query")
    both = {"optimistic", "pessimistic"} <= set(at)
    optimistic = _integers(path, rows, "optimistic" if both else "rank", at)
    pessimistic = _integers(path, rows, "pessimistic", at) if both else optimistic
    candidates = np.zeros_like(optimistic)
    if "candidates" in at:
        candidates = _integers(path, rows, "candidates", at)
    for line, row in rows:
        if row[at["target"]] not in TARGETS:
            raise DataError(f"{path}:{line}: target {row[at['target']]!r}, expected tail or head")
    title = name or Path(path).name.split(".")[0]
    table = RankTable(
        heads=[row[at["head"]] for _, row in rows],
        relations=[row[at["relation"]] for _, row in rows],
        tails=[row[at["tail"]] for _, row in rows],
        targets=[row[at["target"]] for _, row in rows],
        instances=(title,),
        columns={
            "optimistic": optimistic[None, :],
            "pessimistic": pessimistic[None, :],
            "candidates": candidates[None, :],
            "scored": np.ones((1, len(rows)), dtype=np.bool_),
        },
        protocol=_unstated(),
        about={title: {"source": Path(path).name}},
    )
    repeated = [key for key in table.query_keys() if key[4] > 0]
    if repeated:
        raise DataError(f"{path}: the query {repeated[0][:4]} stands more than once")
    return table


def _columns(path: str | Path, header: list[str]) -> dict[str, int]:
    """Return the place of each column, the target's under "target" whatever it is called."""
    at = {"target" if column == "side" else column: n for n, column in enumerate(header)}
    missing = [c for c in ("head", "relation", "tail") if c not in at]
    if "target" not in at:
        missing.append("target (or side)")
    if "rank" not in at and not {"optimistic", "pessimistic"} <= set(at):
        missing.append("rank (or optimistic and pessimistic)")
    if missing:
        raise DataError(
            f"{path}: columns {header}; missing: {', '.join(missing)}. Expected a header line "
            "with head, relation, tail, target, and rank or optimistic and pessimistic"
        )
    return at


def _integers(
    path: str | Path, rows: list[tuple[int, tuple[str, ...]]], column: str, at: dict[str, int]
) -> IntArray:
    found = np.empty(len(rows), dtype=np.int32)
    for number, (line, row) in enumerate(rows):
        text = row[at[column]]
        if not text.isdecimal() or not 1 <= int(text) < 2**31:
            raise DataError(f"{path}:{line}: {column} is {text!r}, expected a whole number from 1")
        found[number] = int(text)
    return found


def _unstated() -> Protocol:
    word = UNSTATED
    return Protocol(word, word, word, digest_bytes(), word, 0, "keep", 0, word, digest_bytes())
