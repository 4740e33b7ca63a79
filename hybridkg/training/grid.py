"""A grid of instances: safe to repeat, and a lost worker costs one instance only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hybridkg.errors import TrainingError
from hybridkg.graph.datasets import load_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.registry import Report
from hybridkg.training.instance import (
    After,
    damaged_files,
    describe_instance,
    discard_instance,
    read_manifest,
    refuse_other_dataset,
    train_claimed,
)
from hybridkg.training.instance_folder import (
    claim_folder,
    holds_leftovers,
    holds_manifest,
    refuse_foreign,
    refuse_unwritable,
)
from hybridkg.training.models import find_model
from hybridkg.training.spec import InstanceSpec, Spec


def train_grid(
    spec: Spec,
    *,
    progress: Report = lambda line: None,
    after: After | None = None,
    kg: KnowledgeGraph | None = None,
) -> list[Path]:
    """Train all instances of a spec that are not finished yet.

    A finished instance with the same options, data set and files is left
    alone. An unfinished or damaged one is made anew. An exception in one
    instance does not keep the others from being trained, nor does another
    process that trains it just now.

    Args:
        spec: what to train, on what, and where to.
        progress: takes one line at a time.
        after: called with folder and scorer of each instance that is trained, before it counts
            as finished; it may write into the folder.
        kg: the data set, when it is loaded already; else it is loaded from the spec.

    Returns:
        The folders of all instances, in the order of the spec.

    Raises:
        TrainingError: a folder holds something else or cannot be written (nothing is trained
            then), or instances failed (the others are finished then); each is named with its
            reason.
    """
    graph = load_dataset(spec.dataset) if kg is None else kg
    instances = spec.instances()
    folders = [Path(spec.out) / instance.name for instance in instances]
    for model in spec.models:
        if not find_model(model.model).seeded and len(spec.seeds) > 1:
            progress(f"{model.label}: deterministic, one instance for all {len(spec.seeds)} seeds")
    pending = [
        (instance, folder)
        for instance, folder in zip(instances, folders, strict=True)
        if not _is_left_alone(instance, folder, graph, progress)
    ]
    if pending:
        refuse_unwritable(Path(spec.out))
    for _, folder in pending:
        if folder.exists():
            refuse_unwritable(folder)
    failures: list[tuple[str, Exception]] = []
    for instance, folder in pending:
        try:
            _train(instance, folder, graph, spec.dataset, progress, after)
        except Exception as error:  # One bad instance must not cost the grid.
            progress(f"{instance.name}: failed: {type(error).__name__}: {error}")
            failures.append((instance.name, error))
    if failures:
        listed = "; ".join(f"{name}: {type(error).__name__}: {error}" for name, error in failures)
        raise TrainingError(
            f"{len(failures)} of {len(instances)} instances failed, the others are finished: "
            f"{listed}"
        ) from failures[0][1]
    return folders


def _train(
    instance: InstanceSpec,
    folder: Path,
    kg: KnowledgeGraph,
    dataset: str,
    progress: Report,
    after: After | None,
) -> None:
    def report(line: str) -> None:
        progress(f"{instance.name}: {line}")

    with claim_folder(folder, report):
        # Looked at again: another process may have been here since the folders were gone through.
        if holds_manifest(folder):
            damaged = _damaged(instance, folder, kg)
            if not damaged:
                report("finished by another process, left alone")
                return
            report(f"{', '.join(damaged)} missing or changed, trained again")
            discard_instance(folder)
        elif holds_leftovers(folder):
            report("unfinished, trained again")
        report("training")
        train_claimed(instance, kg, folder, dataset=dataset, report=report, after=after)
        report(f"finished in {read_manifest(folder)['cpu_seconds']:.1f} CPU seconds")


def _is_left_alone(
    instance: InstanceSpec, folder: Path, kg: KnowledgeGraph, progress: Report
) -> bool:
    """Tell whether a folder holds this very instance whole; change nothing in it.

    Raises:
        TrainingError: the folder holds another instance, or something else.
    """
    if not holds_manifest(folder):
        refuse_foreign(folder)
        return False
    if _damaged(instance, folder, kg):
        return False
    progress(f"{instance.name}: finished before, left alone")
    return True


def _damaged(instance: InstanceSpec, folder: Path, kg: KnowledgeGraph) -> list[str]:
    """Return what is damaged of a finished instance; refuse a folder that holds another.

    Raises:
        TrainingError: another model, other options, another seed or another data set.
    """
    manifest = read_manifest(folder)
    differences = _differences(manifest, describe_instance(instance))
    if differences:
        raise TrainingError(
            f"{folder}: holds another instance ({'; '.join(differences)}); choose another out or "
            "label in the spec, or remove the folder"
        )
    refuse_other_dataset(folder, manifest, kg)
    return damaged_files(folder, manifest)


def _differences(stored: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    """Return ``key stored, asked for`` of what two instances differ in."""
    found = [
        f"{key} {stored.get(key)!r}, asked for {asked[key]!r}"
        for key in ("model", "seed")
        if stored.get(key) != asked[key]
    ]
    options = {**stored.get("config", {}), **asked["config"]}
    return found + [
        f"{key} {stored.get('config', {}).get(key)!r}, asked for {asked['config'].get(key)!r}"
        for key in sorted(options)
        if stored.get("config", {}).get(key) != asked["config"].get(key)
    ]
