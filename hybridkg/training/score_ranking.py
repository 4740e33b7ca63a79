"""Score files and trained instances, ranked under one protocol into one table."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hybridkg.errors import ConfigError, DataError
from hybridkg.evaluation.candidates import Protocol, make_task
from hybridkg.evaluation.foreign_scores import evaluate_scores
from hybridkg.evaluation.inductive import TrainedOn, check_inductive
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.listed_pools import evaluate_pools
from hybridkg.evaluation.lists import ListObserver
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.graph.datasets import load_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.score_files import holds_pools, read_scores, score_name, takes_maps
from hybridkg.training.protocol_options import (
    ProtocolOptions,
    protocol_options,
    require_protocol,
    spelled_option,
)
from hybridkg.training.ranking import (
    Instances,
    evaluate_instances,
    keeping,
    write_with_lists,
)
from hybridkg.types import CHANCE

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ScoreFile:
    """A score file and the name that its ranks get."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Scores:
    """Score files with what is needed to read them."""

    files: tuple[ScoreFile, ...] = ()
    #: what names of queries, or rows of matrices, mean.
    queries: Path | None = None
    #: what columns of matrices mean.
    entity_map: Path | None = None
    #: rank also what does not cover the protocol.
    partial: bool = False
    #: folder for the ranks, one folder a file, or None.
    out: Path | None = None
    #: graph that inductive models were trained on, or None where it is the data set itself.
    trained_on: str | None = None
    #: go on where entities stand in both graphs.
    allow_overlap: bool = False


def parse_score_file(text: str) -> ScoreFile:
    """Read ``NAME=FILE``, or a path alone, whose name counts without its suffixes.

    Raises:
        ConfigError: the name or the path is empty.
    """
    name, separator, path = text.partition("=")
    if not separator or "/" in name or Path(text).exists():
        name, path = score_name(text), text
    if not path or name in ("", ".", "..", CHANCE):
        raise ConfigError(
            f"--scores {text!r}; expected FILE or NAME=FILE, where the name may be that of a "
            f"folder and is not {CHANCE}"
        )
    return ScoreFile(name, Path(path))


def evaluate_together(
    folders: Sequence[str | Path] = (),
    scores: Scores | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    like: Protocol | None = None,
    dataset: str | None = None,
    progress: bool = False,
    note: Note = lambda line: None,
) -> RankTable:
    """Rank trained instances and score files under one protocol, in one table.

    Args:
        folders: of finished instances; their ranks are written there.
        scores: score files.
        given: options that were given, by the names of
            :class:`hybridkg.training.ranking.ProtocolOptions`.
        like: protocol to follow, of stored ranks.
        dataset: name or folder; by default that of the instances.
        progress: show progress bars.
        note: takes one line an instance and a file.

    Returns:
        The ranks of all, instances first.

    Raises:
        ConfigError: nothing is given to rank, a data set is missing or changes nothing, or
            options contradict each other.
        RankTableError: the protocol differs from the one to follow, or names stand twice.
    """
    asked = scores or Scores()
    _check_request(folders, asked)
    if asked.out is not None:
        _require_folder(asked.out)
    if asked.files and _are_pools(asked) and not folders:
        table = _rank_pools(asked, given or {}, dataset, note)
        if like is not None:
            require_protocol(table.protocol, like)
    else:
        instances = Instances(folders, dataset) if folders else None
        kg = instances.graph(0) if instances else _graph(asked, dataset)
        chosen = dict(given or {})
        if asked.trained_on is not None:
            chosen["trained_on"] = _trained_on(kg, asked, note)
        options = protocol_options(chosen, like).for_graph(kg)
        if like is not None:
            require_protocol(_protocol(kg, options), like)
        # First, because what is wrong with a file is then said before any folder is written to.
        tables = _rank_files(asked, kg, options, progress, note)
        if instances:
            found = evaluate_instances(instances, options=options, progress=progress, note=note)
            tables.insert(0, found)
        table = combine(tables)
    return table


def _protocol(kg: KnowledgeGraph, options: ProtocolOptions) -> Protocol:
    """Return the protocol that options lead to on a graph."""
    return replace(make_task(kg, **options.task()).protocol, equality=options.equality)


def _trained_on(kg: KnowledgeGraph, scores: Scores, note: Note) -> TrainedOn:
    """Compare the data set with the training graph of inductive models."""
    assert scores.trained_on is not None
    found = check_inductive(kg, scores.trained_on, allow_overlap=scores.allow_overlap)
    for line in found.notes():
        note(line)
    return found


def _require_folder(out: Path) -> None:
    """Say before any work that a folder for ranks cannot be made.

    Raises:
        DataError: there is something else, or no right to write.
    """
    place = out.absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK):
        what = "is no folder" if not place.is_dir() else "cannot be written to"
        raise DataError(
            f"--out {out}: {place} {what}; expected a new folder or one of ranks; name another"
        )


def _check_request(folders: Sequence[str | Path], scores: Scores) -> None:
    if not folders and not scores.files:
        raise ConfigError(
            "nothing to rank; expected folders of trained instances, or --scores FILE with "
            "--dataset DATA; name one of them"
        )
    for folder in folders:
        name, separator, path = str(folder).partition("=")
        if separator and not Path(folder).exists() and Path(path).is_file():
            raise ConfigError(
                f"{folder} stands where a folder of an instance belongs; expected --scores before "
                f"each score file: --scores {name}={path}"
            )
    idle = {
        "--partial": scores.partial,
        "--queries": scores.queries,
        "--entity-map": scores.entity_map,
        "--out": scores.out,
        "--trained-on": scores.trained_on,
        "--allow-overlap": scores.allow_overlap,
    }
    without = [option for option, value in idle.items() if value]
    if without and not scores.files:
        raise ConfigError(
            f"{', '.join(without)} without a score file would change nothing; expected --scores "
            "FILE beside it; leave the option out"
        )
    if scores.allow_overlap and scores.trained_on is None:
        raise ConfigError(
            "--allow-overlap without --trained-on would change nothing; expected both; name the "
            "training graph or leave the option out"
        )
    if scores.trained_on is not None and folders:
        raise ConfigError(
            "--trained-on beside trained instances; expected score files alone, because an "
            "instance ranks the data set that it was trained on; rank the files by themselves"
        )
    names = [file.name for file in scores.files] + [
        Path(folder).resolve().name for folder in folders
    ]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice and scores.files:
        raise ConfigError(
            f"the name {twice[0]!r} stands for two score files or instances; expected distinct "
            "names; give one another with --scores NAME=FILE"
        )


def _are_pools(scores: Scores) -> bool:
    """Tell whether all files bring their own candidates."""
    if scores.queries is not None:
        return False
    return all(holds_pools(file.path) for file in scores.files)


def _rank_pools(
    scores: Scores, given: Mapping[str, Any], dataset: str | None, note: Note
) -> RankTable:
    idle = [f"--{spelled_option(option)}" for option in given]
    idle += ["--dataset"] if dataset is not None else []
    idle += ["--partial"] if scores.partial else []
    idle += ["--entity-map"] if scores.entity_map is not None else []
    idle += ["--trained-on"] if scores.trained_on is not None else []
    if idle:
        raise ConfigError(
            f"{scores.files[0].path} brings its own candidates and answers (column is_answer), so "
            f"{', '.join(idle)} would change nothing; leave it out, or say with --queries FILE "
            "what its queries ask of the data set"
        )
    tables = []
    for file in scores.files:
        table = evaluate_pools(file.path, name=file.name)
        note(f"{file.name}: {table.about[file.name]['format']}, {table.n_queries:,} answers")
        _write(table, scores.out, note)
        tables.append(table)
    return combine(tables)


def _graph(scores: Scores, dataset: str | None) -> KnowledgeGraph:
    if dataset is not None:
        return load_dataset(dataset)
    raise ConfigError(
        f"{scores.files[0].path} names entities of a data set, and none is named; expected "
        "--dataset DATA, a name or a folder with train.tsv and test.tsv"
    )


def _rank_files(
    scores: Scores, kg: KnowledgeGraph, options: ProtocolOptions, progress: bool, note: Note
) -> list[RankTable]:
    takes = {file.path: takes_maps(file.path) if file.path.exists() else (True, True)
             for file in scores.files}  # fmt: skip
    # A map may be meant for one of several files; it is passed on where nobody takes it, and
    # refused there.
    queries_for = [path for path, (one, _) in takes.items() if one] or list(takes)
    entities_for = [path for path, (_, one) in takes.items() if one] or list(takes)
    tables = []
    for file in scores.files:
        scorer = read_scores(
            file.path,
            kg,
            name=file.name,
            queries=scores.queries if file.path in queries_for else None,
            entity_map=scores.entity_map if file.path in entities_for else None,
        )
        note(
            f"{file.name}: {scorer.source.format}, {scorer.n_queries('tail'):,} tail and "
            f"{scorer.n_queries('head'):,} head queries"
        )
        lists = keeping(options)
        table = evaluate_scores(
            scorer,
            kg,
            partial=scores.partial,
            **options.run(),
            observers=lists,
            progress=progress,
            note=note,
        )
        _write(table, scores.out, note, lists, kg)
        tables.append(table)
    return tables


def _write(
    table: RankTable,
    out: Path | None,
    note: Note,
    lists: Sequence[ListObserver] = (),
    kg: KnowledgeGraph | None = None,
) -> None:
    """Write the ranks of one file, and the lists that were kept, into a folder of its name."""
    if out is None:
        return
    name = table.instances[0]
    folder = out / quote(name, safe=" ")
    write_with_lists(table, folder, lists, kg)
    note(f"{name}: ranks written to {folder}")
