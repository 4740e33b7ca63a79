"""One instance: a model with options and seed, trained into one folder, and read back.

The folder holds what the model needs to score, whatever the caller adds
(ranks), and ``manifest.json``, which is written last: a folder without it is
unfinished and counts for nothing.
"""

from __future__ import annotations

import dataclasses
import json
import platform
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import hybridkg
from hybridkg._io import digest_bytes, digest_file, read_json, write_json
from hybridkg.errors import DataError, TrainingError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.base import Scorer
from hybridkg.scoring.registry import Report
from hybridkg.training.instance_folder import (
    LOCK,
    MANIFEST,
    UNFINISHED,
    claim_folder,
    clear_folder,
)
from hybridkg.training.models import find_model
from hybridkg.training.spec import InstanceSpec, ModelSpec, make_config

FORMAT = "hybridkg-instance-1"

#: Entries of the manifest that say what the instance is; its digest is taken over them.
_DESCRIBING = ("format", "model", "label", "config", "seed", "dataset", "files")

#: Called with the folder and the scorer before the instance counts as finished.
After = Callable[[Path, Scorer], object]

#: Distributions whose version may change a result.
_PACKAGES = ("numpy", "scipy", "numba", "torch", "pykeen", "safetensors")


def describe_dataset(kg: KnowledgeGraph) -> dict[str, Any]:
    """Return what identifies a graph: name, counts, digests of vocabularies and triples."""
    return {
        "name": kg.name,
        "entities": kg.n_entities,
        "relations": kg.n_relations,
        "entity_digest": kg.entities.digest,
        "relation_digest": kg.relations.digest,
        "train_digest": kg.filter_digest("train"),
        "train_valid_digest": kg.filter_digest("train+valid"),
        "filter_digest": kg.filter_digest("all"),
    }


def describe_instance(instance: InstanceSpec) -> dict[str, Any]:
    """Return what an instance is, with all options written out."""
    return {
        "model": instance.model.model,
        "label": instance.model.label,
        "config": dataclasses.asdict(instance.model.config),
        "seed": instance.seed,
    }


def train_instance(
    instance: InstanceSpec,
    kg: KnowledgeGraph,
    folder: str | Path,
    *,
    dataset: str = "",
    report: Report = lambda line: None,
    after: After | None = None,
) -> Path:
    """Train one instance into a folder, from scratch.

    What an interrupted training left in the folder is removed first. The
    manifest is written last, so a folder that has one is whole.

    Args:
        instance: model, options, seed.
        kg: the graph.
        folder: created where missing; must not hold a finished instance.
        dataset: how the spec named the data set; kept in the manifest.
        report: takes one line about the progress.
        after: called with folder and scorer once the weights are written, before the manifest.

    Returns:
        The folder.

    Raises:
        TrainingError: the folder holds a finished instance or files of something else, cannot be
            written, or another process trains into it.
    """
    root = Path(folder)
    with claim_folder(root, report):
        train_claimed(instance, kg, root, dataset=dataset, report=report, after=after)
    return root


def train_claimed(
    instance: InstanceSpec,
    kg: KnowledgeGraph,
    root: Path,
    *,
    dataset: str,
    report: Report,
    after: After | None,
) -> None:
    """Train one instance into a folder that this process has claimed.

    Raises:
        TrainingError: the folder holds a finished instance or files of something else.
    """
    clear_folder(root)
    kind = find_model(instance.model.model)
    # Before the clock starts: the first instance of a process is no dearer than the next.
    kind.prepare()
    started, seconds = datetime.now(UTC), time.process_time()
    # The mark tells a later run that the folder is ours to clear.
    write_json(root / UNFINISHED, describe_instance(instance))
    fitted = kind.fit(kg, instance.model.config, instance.seed or 0, report)
    fit_seconds = time.process_time() - seconds
    kind.save(fitted.scorer, root)
    # Taken before the caller adds files: ranks may be made anew without harm to the model.
    files = _digests(root)
    if after is not None:
        after(root, fitted.scorer)
    manifest = {
        "format": FORMAT,
        **describe_instance(instance),
        "spec_dataset": dataset,
        "dataset": describe_dataset(kg),
        "versions": _versions(),
        "files": files,
        "curve": [dict(record) for record in fitted.curve],
        "facts": dict(fitted.facts),
        "started": started.isoformat(timespec="seconds"),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "fit_cpu_seconds": round(fit_seconds, 3),
        "cpu_seconds": round(time.process_time() - seconds, 3),
    }
    write_json(root / MANIFEST, {**manifest, "digest": _digest_description(manifest)})
    (root / UNFINISHED).unlink()


def read_manifest(folder: str | Path) -> dict[str, Any]:
    """Read the manifest of a finished instance.

    Raises:
        TrainingError: the folder is no finished instance, or its manifest was edited.
    """
    path = Path(folder) / MANIFEST
    if not path.is_file():
        raise TrainingError(_why_no_instance(Path(folder)))
    try:
        document = read_json(path)
    except DataError as error:
        raise TrainingError(f"{error}; remove {str(folder)!r} and train again") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise TrainingError(f"{path}: expected format {FORMAT!r}; this is no instance's manifest")
    if document.get("digest") != _digest_description(document):
        raise TrainingError(
            f"{path}: was edited, or is of an earlier version: its digest is not that of its "
            f"{', '.join(_DESCRIBING[1:])}. Undo the edit, or remove {str(folder)!r} and train "
            "again"
        )
    return document


def _why_no_instance(root: Path) -> str:
    """Return what a folder without a manifest is, and what to do about it."""
    if not root.is_dir():
        return f"{root}: no such folder; expected the folder of a finished instance"
    said = f"{root}: no {MANIFEST}; expected the folder of a finished instance"
    below = next((one.parent for one in sorted(root.glob(f"*/{MANIFEST}")) if _is_ours(one)), None)
    if below is not None:
        return f"{said}, such as {below}"
    if (root / UNFINISHED).is_file():
        return f"{said}. Run the training again: it completes what is unfinished"
    return f"{said}, as `hybridkg train` makes them"


def _is_ours(manifest: Path) -> bool:
    try:
        document = read_json(manifest)
    except DataError:
        return False
    return isinstance(document, dict) and document.get("format") == FORMAT


def _digest_description(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of what a manifest says of the instance, whatever its layout."""
    described = {key: manifest.get(key) for key in _DESCRIBING}
    return digest_bytes(json.dumps(described, sort_keys=True).encode())


def damaged_files(folder: str | Path, manifest: Mapping[str, Any]) -> list[str]:
    """Return the files of an instance that are missing or changed since the training."""
    root = Path(folder)
    return [
        name
        for name, digest in sorted(manifest["files"].items())
        if not (root / name).is_file() or digest_file(root / name) != digest
    ]


def load_scorer(folder: str | Path, kg: KnowledgeGraph) -> Scorer:
    """Load the scorer of a finished instance for the graph it was trained on.

    Raises:
        TrainingError: the instance is unfinished or damaged, or the graph is another one.
    """
    manifest = read_manifest(folder)
    refuse_other_dataset(folder, manifest, kg)
    damaged = damaged_files(folder, manifest)
    if damaged:
        raise TrainingError(
            f"{folder}: {', '.join(damaged)} missing or changed since the training; train again"
        )
    kind = find_model(manifest["model"])
    config = make_config(kind.config, manifest["config"], f"{folder}/{MANIFEST}")
    try:
        return kind.load(Path(folder), kg, config, manifest["seed"] or 0)
    except DataError as error:
        raise TrainingError(f"{folder}: {error}") from error


def refuse_other_dataset(
    folder: str | Path, manifest: Mapping[str, Any], kg: KnowledgeGraph
) -> None:
    """Refuse a graph whose vocabularies or triples are not those of the training.

    Raises:
        TrainingError: naming what differs.
    """
    stored, given = manifest["dataset"], describe_dataset(kg)
    differing = [key for key in given if key != "name" and stored.get(key) != given[key]]
    if differing:
        raise TrainingError(
            f"{folder}: trained on {stored.get('name')!r} with {stored.get('entities')} entities "
            f"and {stored.get('relations')} relations; the graph {kg.name!r} has "
            f"{kg.n_entities} and {kg.n_relations}, and differs in {', '.join(differing)}. "
            "Use the data set of the training, or train again into another folder"
        )


def stored_instance(manifest: Mapping[str, Any]) -> InstanceSpec:
    """Return the instance that a manifest describes."""
    kind = find_model(manifest["model"])
    config = make_config(kind.config, manifest["config"], MANIFEST)
    return InstanceSpec(ModelSpec(manifest["model"], manifest["label"], config), manifest["seed"])


def discard_instance(folder: str | Path) -> None:
    """Turn a finished instance into an unfinished one, which the next training clears."""
    root = Path(folder)
    write_json(root / UNFINISHED, {})
    (root / MANIFEST).unlink()


def _digests(root: Path) -> dict[str, str]:
    """Return relative path -> SHA-256 of all files in the folder but the mark and the lock."""
    ours = (root / UNFINISHED, root / LOCK)
    files = sorted(path for path in root.rglob("*") if path.is_file() and path not in ours)
    return {path.relative_to(root).as_posix(): digest_file(path) for path in files}


def _versions() -> dict[str, str]:
    found = {"hybridkg": hybridkg.__version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
