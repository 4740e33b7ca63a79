"""Data sets by name: shipped, bundled with PyKEEN, or in the folder of benchmarks."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, replace
from pathlib import Path

from hybridkg._io import packaged_file
from hybridkg.errors import DataError, MissingExtraError, UnknownNameError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.read import SPLITS, ReadReport, find_part, report_folder

#: Data sets whose files lie inside the PyKEEN distribution.
PYKEEN_NAMES = ("kinships", "nations", "umls")
#: A folder with fewer bytes than this in its splits is counted even in a quick listing.
QUICK_BYTES = 100_000


#: IRI in front of the labels of the academic world, in its ontology.
ACADEMIC_NAMESPACE = "http://example.org/academic#"


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """One registered data set; counts are None where they were not taken."""

    name: str
    #: "shipped", "PyKEEN" or "benchmarks".
    origin: str
    #: folder, or what is missing.
    where: str
    available: bool
    splits: tuple[str, ...] = ()
    entities: int | None = None
    relations: int | None = None
    #: rows of each split, in the order of ``splits``.
    triples: tuple[int, ...] | None = None


def load_dataset(name_or_path: str | Path) -> KnowledgeGraph:
    """Load a data set by its name, or a benchmark folder by its path.

    Args:
        name_or_path: a folder wins over a name.

    Raises:
        UnknownNameError: neither a folder nor a registered name.
        MissingExtraError: the data set comes with PyKEEN, which is not installed.
        DataError: its files cannot be read.
    """
    return report_dataset(name_or_path)[0]


def report_dataset(name_or_path: str | Path) -> tuple[KnowledgeGraph, ReadReport]:
    """Load as :func:`load_dataset` does, and count what was set aside.

    Raises:
        UnknownNameError: as for :func:`load_dataset`.
        MissingExtraError: as for :func:`load_dataset`.
        DataError: as for :func:`load_dataset`.
    """
    if not isinstance(name_or_path, str | os.PathLike):
        raise DataError(
            f"{name_or_path!r} is of type {type(name_or_path).__name__}; expected the name of a "
            "data set or the path of a folder"
        )
    name = str(name_or_path)
    if not name:
        raise DataError("the name of the data set is empty; expected a name or a folder")
    if Path(name_or_path).is_dir():
        return report_folder(name_or_path)
    if name in PYKEEN_NAMES:
        folder = _pykeen_folder(name)
        if folder is None:
            raise MissingExtraError(f"the data set {name!r}", "embeddings")
        return report_folder(folder, name=name)
    if name == "academic":
        folder = packaged_file("ontologies/academic", "train.tsv").parent
        kg, report = report_folder(folder, name=name)
        beside = {
            "schema.ttl": str(packaged_file("ontologies", "academic.ttl")),
            "namespace": ACADEMIC_NAMESPACE,
        }
        return replace(kg, sources={**kg.sources, **beside}), report
    found = _benchmarks()
    if name in found:
        return report_folder(found[name], name=name)
    if Path(name).is_symlink() and not Path(name).exists():
        raise DataError(f"{name} is a link to nothing; expected a folder or a registered name")
    if Path(name).is_file():
        raise DataError(f"{name} is a file; expected a folder with train.tsv or a registered name")
    known = registered_names()
    root = benchmark_folder()
    exists = "" if root.is_dir() else ", which does not exist"
    where = f"further ones are looked for in {root}{exists}; HYBRIDKG_BENCHMARKS names another"
    raise UnknownNameError("data set or folder", name, known, where=where)


def list_datasets(*, counts: bool = False) -> list[DatasetRow]:
    """List the registered data sets.

    Args:
        counts: read all of them for their counts, which takes seconds; otherwise only small
            ones are counted.
    """
    rows = []
    try:
        shipped = packaged_file("ontologies/academic", "train.tsv").parent
        rows.append(_row("academic", "shipped", shipped, counts=counts))
    except DataError as error:
        rows.append(DatasetRow("academic", "shipped", str(error), available=False))
    for name in PYKEEN_NAMES:
        folder = _pykeen_folder(name)
        if folder is None:
            missing = "needs the extra 'embeddings'"
            rows.append(DatasetRow(name, "PyKEEN", missing, available=False))
        else:
            rows.append(_row(name, "PyKEEN", folder, counts=True))
    rows += [_row(name, "benchmarks", path, counts=counts) for name, path in _benchmarks().items()]
    return rows


def registered_names() -> tuple[str, ...]:
    """Return the names that stand for a data set, those of benchmarks last."""
    return ("academic", *PYKEEN_NAMES, *_benchmarks())


def benchmark_folder() -> Path:
    """Return the folder of benchmarks: ``HYBRIDKG_BENCHMARKS``, or ``../shared/data``.

    An empty variable counts as none.
    """
    return Path(os.environ.get("HYBRIDKG_BENCHMARKS") or "../shared/data")


def _benchmarks() -> dict[str, Path]:
    """Map the name of each benchmark, its path below the benchmark folder, to its folder."""
    root = benchmark_folder()
    if not root.is_dir():
        return {}
    found = {}
    for folder in sorted(one for depth in ("*", "*/*") for one in root.glob(depth)):
        if folder.is_dir() and any(_files(folder, "train")):
            found[folder.relative_to(root).as_posix()] = folder
    return found


def _files(folder: Path, split: str) -> list[Path]:
    return [one for one in folder.glob(f"{split}.t*") if one.name.startswith(_STARTS[split])]


_STARTS = {split: (f"{split}.tsv", f"{split}.txt") for split in SPLITS}


def _pykeen_folder(name: str) -> Path | None:
    """Find a data set inside PyKEEN without importing it."""
    spec = importlib.util.find_spec("pykeen")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "datasets" / name
    return folder if folder.is_dir() and _files(folder, "train") else None


def _row(name: str, origin: str, folder: Path, *, counts: bool) -> DatasetRow:
    """Describe one folder; a broken one is listed as not available, with the reason."""
    try:
        found = {split: find_part(folder, split, (".tsv", ".txt")) for split in SPLITS}
        splits = {split: path for split, path in found.items() if path is not None}
        size = sum(path.stat().st_size for path in splits.values())
        if not counts and size > QUICK_BYTES:
            return DatasetRow(name, origin, str(folder), True, tuple(splits))
        kg, _ = report_folder(folder, name=name)
    except DataError as error:
        return DatasetRow(name, origin, str(error), available=False)
    return DatasetRow(
        name,
        origin,
        str(folder),
        available=True,
        splits=tuple(kg.splits),
        entities=kg.n_entities,
        relations=kg.n_relations,
        triples=tuple(len(rows) for rows in kg.splits.values()),
    )
