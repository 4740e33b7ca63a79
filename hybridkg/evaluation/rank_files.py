"""Foreign per-query ranks: tab-separated tables with columns by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hybridkg._io import digest_bytes
from hybridkg.errors import DataError
from hybridkg.evaluation.candidates import Protocol
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.graph.tsv import read_named_columns
from hybridkg.types import IntArray

_TARGET_NAMES = ("target", "side")


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
    target_column = next((c for c in _TARGET_NAMES if c in header), None)
    both = {"optimistic", "pessimistic"} <= set(header)
    missing = [c for c in ("head", "relation", "tail") if c not in header]
    if target_column is None:
        missing.append("target (or side)")
    if not both and "rank" not in header:
        missing.append("rank (or optimistic and pessimistic)")
    if missing:
        raise DataError(
            f"{path}: columns {header}; missing: {', '.join(missing)}. Expected a header line "
            "with head, relation, tail, target, and rank or optimistic and pessimistic"
        )
    at = {column: number for number, column in enumerate(header)}

    def integers(column: str) -> IntArray:
        found = np.empty(len(rows), dtype=np.int32)
        for number, (line, row) in enumerate(rows):
            text = row[at[column]]
            if not text.isdecimal() or int(text) < 1 or int(text) >= 2**31:
                raise DataError(
                    f"{path}:{line}: {column} is {text!r}, expected a whole number from 1"
                )
            found[number] = int(text)
        return found

    optimistic = integers("optimistic" if both else "rank")
    pessimistic = integers("pessimistic") if both else optimistic
    candidates = integers("candidates") if "candidates" in at else np.zeros_like(optimistic)
    targets = [row[at[str(target_column)]] for _, row in rows]
    for (line, _), target in zip(rows, targets, strict=True):
        if target not in ("tail", "head"):
            raise DataError(f"{path}:{line}: target {target!r}, expected 'tail' or 'head'")
    labels = {key: [row[at[key]] for _, row in rows] for key in ("head", "relation", "tail")}
    title = name or Path(path).name.split(".")[0]
    table = RankTable(
        heads=labels["head"],
        relations=labels["relation"],
        tails=labels["tail"],
        targets=targets,
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
    keys = table.query_keys()
    repeated = [key for key in keys if key[4] > 0]
    if repeated:
        raise DataError(f"{path}: the query {repeated[0][:4]} stands more than once")
    return table


def read_rank_files(paths: Sequence[str | Path] | Mapping[str, str | Path]) -> RankTable:
    """Read several instances and join them by query.

    Args:
        paths: files, or instance name -> file.

    Raises:
        DataError: a file cannot be read.
        RankTableError: the files answer different queries.
    """
    named = paths.items() if isinstance(paths, Mapping) else ((None, path) for path in paths)
    return combine([read_rank_file(path, name=name) for name, path in named])


def _unstated() -> Protocol:
    word = "unstated"
    return Protocol(word, word, word, digest_bytes(), word, 0, "keep", 0, word, digest_bytes())
