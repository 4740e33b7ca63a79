"""Ranks that lie in folders and files: read together, joined by query."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hybridkg._io import digest_bytes, read_json
from hybridkg.errors import DataError, RankTableError
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.rank_files import read_rank_file
from hybridkg.evaluation.rank_table import MANIFEST, RankTable

#: Folder of an instance that holds its ranks.
RANKS = "ranks"
#: File beside the ranks that holds the best candidates of each query, where they were kept.
LISTS = "lists.tsv"


def about_instance(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return label, model, seed and digest of a described instance for its rank table."""
    what = {key: described[key] for key in ("model", "label", "config", "seed")}
    return {
        "model": described["label"],
        "kind": described["model"],
        "seed": described["seed"],
        "instance": digest_bytes(json.dumps(what, sort_keys=True).encode()),
    }


def read_ranks(paths: str | Path | Sequence[str | Path]) -> RankTable:
    """Read the ranks of instance folders, folders of ranks, and foreign rank files.

    Args:
        paths: instance folders (their ``ranks``), folders that hold rank tables, or
            tab-separated files with columns head, relation, tail, target, rank.

    Returns:
        One table, joined by query.

    Raises:
        DataError: there is no path, or a file cannot be read.
        RankTableError: a folder has no ranks, or protocols or queries differ.
    """
    if isinstance(paths, str | Path):
        paths = [paths]
    if not paths:
        raise DataError("no instance given; expected folders with ranks, or rank files")
    places = [Path(path) for path in paths]
    refuse_repeats(places)
    names = distinct_names(places)
    tables = []
    for place, name in zip(places, names, strict=True):
        if place.is_dir():
            table = RankTable.read(_ranks_folder(place))
            _refuse_foreign_ranks(place, table)
            if len(table.instances) == 1 and table.instances != (name,) and place.name != RANKS:
                about = table.about[table.instances[0]]
                table = replace(table, instances=(name,), about={name: about})
            tables.append(table)
        else:
            tables.append(read_rank_file(place, name=name))
    return combine(tables)


def refuse_repeats(places: Sequence[Path]) -> None:
    """Refuse a path that is named twice, however it is spelled.

    Raises:
        DataError: naming both spellings.
    """
    seen: dict[Path, Path] = {}
    for place in places:
        if place.resolve() in seen:
            raise DataError(f"{seen[place.resolve()]} and {place} are the same; name it once")
        seen[place.resolve()] = place


def _refuse_foreign_ranks(place: Path, table: RankTable) -> None:
    """Refuse ranks in an instance's folder that were made of another instance."""
    if not (place / MANIFEST).is_file() or len(table.instances) != 1:
        return
    manifest = read_json(place / MANIFEST)
    if "label" not in manifest:
        return
    expected = about_instance(manifest)["instance"]
    if table.about[table.instances[0]].get("instance") != expected:
        raise RankTableError(
            f"{place / RANKS}: these ranks were made of another instance; evaluate again: "
            f"hybridkg evaluate {place}"
        )


def _ranks_folder(place: Path) -> Path:
    for folder in (place / RANKS, place):
        if (folder / "queries.parquet").is_file() and (folder / MANIFEST).is_file():
            return folder
    raise RankTableError(
        f"{place}: holds no ranks; evaluate the instance first: hybridkg evaluate {place}"
    )


def distinct_names(places: Sequence[Path]) -> list[str]:
    """Name each place by its last part, or by its path where two share it."""
    short = [
        (place.resolve().name if place.is_dir() else place.name.split(".")[0]) for place in places
    ]
    return [
        name if short.count(name) == 1 else str(place)
        for name, place in zip(short, places, strict=True)
    ]
