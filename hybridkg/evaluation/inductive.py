"""Inductive data sets: a model is trained on one graph and asked about another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hybridkg._io import digest_bytes
from hybridkg.errors import DataError
from hybridkg.graph.datasets import load_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.read import graph_of, is_rdf, read_tsv
from hybridkg.graph.tsv import read_table

#: Overlapping entities that a message lists; the count is of all.
_N_LISTED = 20


@dataclass(frozen=True, slots=True)
class TrainedOn:
    """What a training graph shares with the inference graph that is asked about."""

    #: name of the training graph.
    name: str
    #: SHA-256 over the labels of its distinct training triples.
    digest: str
    #: entities over all its splits.
    n_entities: int
    #: entities of the inference graph that stand in it, sorted.
    shared_entities: tuple[str, ...]
    #: relations of the inference graph that it lacks, sorted.
    new_relations: tuple[str, ...]

    @property
    def words(self) -> str:
        """What the protocol says of the training graph."""
        shared = len(self.shared_entities)
        overlap = f"shared entities: {shared:,}" if shared else "no entity is shared"
        return f"{self.name} ({overlap})"

    def notes(self) -> list[str]:
        """Say what a reader of the ranks should know."""
        found = []
        if self.shared_entities:
            found.append(
                f"{len(self.shared_entities)} entities stand in the training graph "
                f"{self.name} too: {_listed(self.shared_entities)}"
            )
        if self.new_relations:
            found.append(
                f"{len(self.new_relations)} relations do not stand in the training graph "
                f"{self.name}: {_listed(self.new_relations)}; a model trained on it cannot know "
                "them"
            )
        return found


def check_inductive(
    kg: KnowledgeGraph,
    trained_on: KnowledgeGraph | str | Path,
    *,
    allow_overlap: bool = False,
) -> TrainedOn:
    """Compare the graph that is asked about with the one that a model was trained on.

    Triples of the training graph are no part of ``kg``, so they never enter a filter, and its
    entities are no candidates.

    Args:
        kg: the inference graph with its valid and test triples.
        trained_on: the training graph, or the folder, registered name or tab-separated file of
            triples that it is read from; all its splits count.
        allow_overlap: go on where entities stand in both graphs.

    Raises:
        DataError: entities of ``kg`` stand in the training graph, each named with the line of
            its first occurrence; or the training graph cannot be read.
    """
    other = trained_on if isinstance(trained_on, KnowledgeGraph) else _read(trained_on)
    theirs, ours = _labels_in_triples(other), _labels_in_triples(kg)
    shared = tuple(sorted(theirs[0] & ours[0]))
    if shared and not allow_overlap:
        shown = "; ".join(f"{place}: {names}" for place, names in _places(kg, shared).items())
        more = f"; and {len(shared) - _N_LISTED} more" if len(shared) > _N_LISTED else ""
        raise DataError(
            f"{len(shared)} entities of {kg.name} stand in the training graph {other.name} too: "
            f"{shown}{more}; expected none in an inductive evaluation; take them out, or allow "
            "them with --allow-overlap"
        )
    return TrainedOn(
        other.name, _digest(other), len(theirs[0]), shared, tuple(sorted(ours[1] - theirs[1]))
    )


def _read(source: str | Path) -> KnowledgeGraph:
    """Read a training graph from a file of triples, a folder, or by its registered name."""
    if not Path(source).is_file():
        return load_dataset(source)
    if is_rdf(source):
        raise DataError(
            f"{source}: an RDF file; expected tab-separated triples or a benchmark folder for "
            "the graph that was trained on; `hybridkg split` makes one"
        )
    rows = [(h, r, t) for h, r, t in read_tsv(source)]
    if not rows:
        raise DataError(f"{source}: no triple; expected the graph that was trained on")
    return graph_of({"train": rows}, name=Path(source).name)[0]


def _labels_in_triples(kg: KnowledgeGraph) -> tuple[set[str], set[str]]:
    """Return the entities and the relations that stand in a triple of any split."""
    rows = np.concatenate(list(kg.splits.values()))
    entities, relations = np.unique(rows[:, [0, 2]]), np.unique(rows[:, 1])
    return (
        {kg.entities[e] for e in entities.tolist()},
        {kg.relations[r] for r in relations.tolist()},
    )


def _digest(kg: KnowledgeGraph) -> str:
    rows = sorted(set(kg.label_triples(kg.train)))
    return digest_bytes(*(label.encode() for row in rows for label in row))


def _places(kg: KnowledgeGraph, entities: Sequence[str]) -> Mapping[str, str]:
    """Spell, per file, the first line at which each of some entities stands.

    A graph whose triples were not read from tab-separated files gives the number of the triple
    in its split instead.
    """
    wanted = {kg.entities.id_of(label) for label in entities}
    found: dict[str, list[str]] = {}
    n_found = 0
    for split, rows in kg.splits.items():
        first: dict[int, int] = {}
        for number, (head, _, tail) in enumerate(rows.tolist()):
            for entity in {head, tail} & wanted:
                first[entity] = number
                wanted.discard(entity)
        if not first:
            continue
        place, lines = _lines(kg, split, len(rows))
        for entity, number in sorted(first.items(), key=lambda item: (item[1], item[0])):
            if n_found < _N_LISTED:
                word = f"line {lines[number]}" if lines else f"triple {number + 1}"
                found.setdefault(place, []).append(f"{kg.entities[entity]} ({word})")
            n_found += 1
    return {place: ", ".join(names) for place, names in found.items()}


def _lines(kg: KnowledgeGraph, split: str, n_rows: int) -> tuple[str, list[int]]:
    """Return the file of a split and the line of each triple; no line where there is no file."""
    source = kg.sources.get(split)
    if source is None or not Path(source).is_file() or is_rdf(source):
        return split, []
    table = read_table(source)
    if len(table.rows) != n_rows:
        return split, []
    blank = set(table.blank_lines)
    lines = range(1, n_rows + len(blank) + 1)
    return source, [line for line in lines if line not in blank]


def _listed(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - _N_LISTED} more" if len(labels) > _N_LISTED else ""
    return ", ".join(labels[:_N_LISTED]) + more
