"""Ranks of trained instances: evaluated into their folders, and read back together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hybridkg.errors import DataError, RankTableError, UnknownNameError
from hybridkg.evaluation.candidates import Protocol, make_task
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.lists import ListObserver, write_lists
from hybridkg.evaluation.observers import Observer
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.graph.datasets import load_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.base import Scorer
from hybridkg.training.grid import train_grid
from hybridkg.training.instance import describe_instance, load_scorer, read_manifest
from hybridkg.training.protocol_options import ProtocolOptions
from hybridkg.training.spec import Spec
from hybridkg.training.stored_ranks import (
    LISTS,
    RANKS,
    about_instance,
    distinct_names,
    read_ranks,
    refuse_repeats,
)


def rank_instance(
    scorer: Scorer,
    kg: KnowledgeGraph,
    *,
    name: str,
    about: dict[str, Any],
    options: ProtocolOptions | None = None,
    observers: Sequence[Observer] = (),
    progress: bool = False,
    note: Callable[[str], None] | None = None,
) -> RankTable:
    """Rank one scorer under the given options."""
    chosen = options or ProtocolOptions()
    return evaluate(
        scorer,
        kg,
        **chosen.run(),
        observers=observers,
        name=name,
        about=about,
        progress=progress,
        note=note,
    )


def keeping(options: ProtocolOptions | None) -> list[ListObserver]:
    """Return what keeps the lists that options ask for: one observer, or none."""
    return [ListObserver(options.keep_top)] if options is not None and options.keep_top else []


def write_with_lists(
    table: RankTable, folder: Path, lists: Sequence[ListObserver], kg: KnowledgeGraph | None
) -> None:
    """Write ranks with the lists that were kept; lists of an earlier evaluation go."""
    table.write(folder)
    (folder / LISTS).unlink(missing_ok=True)
    for observer in lists:
        assert kg is not None
        write_lists(folder / LISTS, observer, kg)


class Instances:
    """Trained instances opened for scoring; data sets are loaded once each."""

    def __init__(self, folders: Sequence[str | Path], dataset: str | None = None) -> None:
        """Open folders of finished instances.

        Args:
            folders: one an instance.
            dataset: name or folder of the data set, where it moved since the training.

        Raises:
            DataError: there is no folder, one stands twice, or their data sets differ.
            TrainingError: a folder holds no finished instance.
        """
        if not folders:
            raise DataError("no instance given; expected folders that `hybridkg train` made")
        self.folders = [Path(folder) for folder in folders]
        refuse_repeats(self.folders)
        self._manifests = [read_manifest(folder) for folder in self.folders]
        for folder, manifest in zip(self.folders, self._manifests, strict=True):
            first = self._manifests[0]["dataset"]
            if manifest["dataset"]["filter_digest"] != first["filter_digest"]:
                raise DataError(
                    f"{self.folders[0]} was trained on {first['name']!r} and {folder} on "
                    f"{manifest['dataset']['name']!r}; expected instances of one data set"
                )
        self._dataset = dataset
        self._graphs: dict[str, KnowledgeGraph] = {}
        self.names = distinct_names(self.folders)

    def __len__(self) -> int:
        return len(self.folders)

    def graph(self, number: int) -> KnowledgeGraph:
        """Return the data set of an instance."""
        name = self._dataset or str(self._manifests[number]["spec_dataset"])
        if name not in self._graphs:
            try:
                self._graphs[name] = load_dataset(name)
            except UnknownNameError as error:
                raise DataError(
                    f"{self.folders[number]}: its data set {name!r} is not found from here; name "
                    f"its folder with --dataset ({error})"
                ) from error
        return self._graphs[name]

    def scorer(self, number: int) -> Scorer:
        """Return the scorer of an instance."""
        return load_scorer(self.folders[number], self.graph(number))

    def rank(
        self,
        number: int,
        scorer: Scorer,
        *,
        into: str,
        options: ProtocolOptions | None = None,
        observers: Sequence[Observer] = (),
        audit: str | None = None,
        progress: bool = False,
        note: Callable[[str], None] | None = None,
    ) -> RankTable:
        """Rank an instance and write the ranks into its folder.

        Args:
            number: the instance.
            scorer: of the instance.
            into: name of the folder inside the instance's.
            options: protocol; the default where None.
            observers: count further per-query figures.
            audit: digest of the reasoning behind the observers' verdicts, kept with the ranks.
            progress: show a progress bar.
            note: takes a line about memory before the run, and about time where it is long.
        """
        about = about_instance(self._manifests[number])
        lists = keeping(options)
        table = rank_instance(
            scorer,
            self.graph(number),
            name=self.names[number],
            about=about if audit is None else {**about, "audit": audit},
            options=options,
            observers=[*observers, *lists],
            progress=progress,
            note=note,
        )
        write_with_lists(table, self.folders[number] / into, lists, self.graph(number))
        return table


def evaluate_instances(
    folders: Sequence[str | Path] | Instances,
    *,
    options: ProtocolOptions | None = None,
    dataset: str | None = None,
    progress: bool = False,
    note: Callable[[str], None] = lambda line: None,
) -> RankTable:
    """Rank instances and write the ranks into their folders.

    Args:
        folders: of finished instances, all of the same data set; or the opened instances.
        options: protocol; the default where None.
        dataset: name or folder of the data set, where it moved since the training.
        progress: show progress bars.
        note: takes one line an instance.

    Returns:
        The ranks of all instances in one table.

    Raises:
        DataError: the instances belong to different data sets, or one is named twice.
        TrainingError: a folder holds no finished instance, or the data set is another one.
    """
    instances = folders if isinstance(folders, Instances) else Instances(folders, dataset)
    # All instances belong to one data set.
    chosen = (options or ProtocolOptions()).for_graph(instances.graph(0))
    tables = []
    for number, folder in enumerate(instances.folders):
        scorer = instances.scorer(number)
        table = instances.rank(
            number, scorer, into=RANKS, options=chosen, progress=progress, note=note
        )
        note(f"{instances.names[number]}: ranks written to {folder / RANKS}")
        tables.append(table)
    return combine(tables)


def train_and_rank(
    spec: Spec, *, note: Callable[[str], None] = lambda line: None
) -> tuple[list[Path], RankTable | None]:
    """Train what is unfinished in a spec, and rank what has no ranks yet.

    Args:
        spec: what to train, on what, and where to.
        note: takes one line at a time about the progress.

    Returns:
        The folders of all instances, and their ranks on the test split in one table; None where
        the data set has no test triple.

    Raises:
        TrainingError: instances failed, the others are finished; or a folder holds something else.
    """
    kg = load_dataset(spec.dataset)
    asked = len(kg.splits.get("test", ())) > 0
    described = {instance.name: describe_instance(instance) for instance in spec.instances()}

    def rank(folder: Path, scorer: Scorer) -> RankTable:
        about = about_instance(described[folder.name])
        table = rank_instance(scorer, kg, name=folder.name, about=about)
        table.write(folder / RANKS)
        note(f"{folder.name}: ranked")
        return table

    folders = train_grid(spec, progress=note, kg=kg, after=rank if asked else None)
    if not asked:
        return folders, None
    usual = make_task(kg).protocol
    tables = []
    for folder in folders:
        table = _own_ranks(folder, usual)
        tables.append(rank(folder, load_scorer(folder, kg)) if table is None else table)
    return folders, combine(tables)


def _own_ranks(folder: Path, protocol: Protocol) -> RankTable | None:
    """Return an instance's ranks where they are whole, its own, and follow a protocol."""
    try:
        table = read_ranks([folder])
    except RankTableError:
        return None
    return table if table.protocol == protocol else None
