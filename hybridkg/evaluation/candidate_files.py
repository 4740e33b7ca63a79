"""Files of candidates: tab-separated lists, and beside each a JSON document of its making.

Three forms, told apart by the first line: one entity a line, which competes in
every query; ``relation, target, candidate``; and ``head, relation, tail,
target, candidate``, where the first three are the true triple.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hybridkg._io import atomic_path
from hybridkg.errors import DataError
from hybridkg.evaluation.candidate_documents import (
    KindName,
    document_path,
    kind_of,
    read_document,
    require_fit,
    write_document,
)
from hybridkg.evaluation.candidate_sets import (
    CandidateSets,
    EntitySet,
    QueryLists,
    RelationSets,
    distinct_rows,
    take_lists,
)
from hybridkg.evaluation.label_columns import read_columns
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import QueryList
from hybridkg.graph.row_keys import row_keys
from hybridkg.graph.sorted_keys import find_sorted, offsets_of
from hybridkg.graph.tsv import render_tsv
from hybridkg.types import TARGETS, AnyArray, BoolArray, FilterName, IntArray, LongArray, Target

COLUMNS: dict[KindName, tuple[str, ...]] = {
    "entities": ("candidate",),
    "relations": ("relation", "target", "candidate"),
    "queries": ("head", "relation", "tail", "target", "candidate"),
}
_KIND_WORDS: dict[KindName, str] = {
    "entities": "the entities of",
    "relations": "sets per relation of",
    "queries": "lists per query of",
}
_PACKED = (".gz", ".xz", ".bz2")


@dataclass(frozen=True, slots=True)
class _Lists:
    """One list a distinct query of the evaluation, its truth left out."""

    #: (distinct queries,) length of each list.
    sizes: LongArray
    entities: IntArray
    #: queries of the file that are not asked.
    n_not_asked: int


def read_candidates(
    path: str | Path,
    kg: KnowledgeGraph,
    queries: QueryList,
    *,
    split: str,
    filter_name: FilterName,
) -> CandidateSets:
    """Read the candidates of an evaluation.

    A true answer may stand in its own list; it is left out there, for it always competes. Lists
    of queries that are not asked are left out, and counted in ``words``.

    Args:
        path: plain or packed; where ``path + ".json"`` lies beside it, it must fit.
        kg: the graph that the labels belong to.
        queries: what is asked.
        split: the split that the queries come from.
        filter_name: known answers of the evaluation.

    Raises:
        DataError: rows are malformed or repeated; a query that is asked has no list; or the
            file belongs to another data set, split or filter, or was changed.
        UnknownNameError: a label does not stand for anything; its line is named.
    """
    columns = read_columns(path, list(COLUMNS.values()))
    kind = next(kind for kind, names in COLUMNS.items() if set(names) == set(columns.names))
    words = f"{_KIND_WORDS[kind]} {Path(path).name}"
    about = read_document(path)
    if about is not None:
        require_fit(path, about, kind, kg, split=split, filter_name=filter_name)
        words = str(about["words"])
    entities = columns.ids("candidate", kg.entities)
    if kind == "entities":
        columns.refuse_repeats([entities])
        return EntitySet.build(kg, entities, words)
    asks_tail = columns.choice("target", TARGETS) == TARGETS.index("tail")
    relations = columns.ids("relation", kg.relations)
    if kind == "relations":
        columns.refuse_repeats([relations, asks_tail.astype(np.int32), entities])
        return RelationSets.build(kg, _sets(relations, asks_tail, entities), words)
    heads, tails = (columns.ids(end, kg.entities) for end in ("head", "tail"))
    asked = [heads, relations, tails, asks_tail.astype(np.int32)]
    columns.refuse_repeats([*asked, entities])
    return _lists_of(path, kg, queries, asked, entities, words)


def write_candidates(
    path: str | Path,
    sets: CandidateSets,
    kg: KnowledgeGraph,
    *,
    split: str,
    filter_name: FilterName,
    about: Mapping[str, Any] | None = None,
) -> list[Path]:
    """Write candidates, and how they were made into ``path + ".json"``.

    A list without a candidate is written as its own true answer, which a reader leaves out.

    Args:
        path: replaced where it exists.
        sets: what to write.
        kg: names the ids.
        split: the split that lists were made for.
        filter_name: known answers that were left out of lists.
        about: further facts on the making (n, seed, rule, ...).

    Returns:
        Both files.

    Raises:
        DataError: the name ends like a packed file, or a label cannot stand in such a file.
    """
    if Path(path).suffix.lower() in _PACKED:
        raise DataError(
            f"{path}: packed candidate files are read, but not written; expected a name without "
            f"{Path(path).suffix}; pack the file and name its .json alike afterwards"
        )
    # A document that is left from an earlier file would be refused with the new one.
    document_path(path).unlink(missing_ok=True)
    _refuse_unwritable(sets, kg)
    kind = kind_of(sets)
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        if kind != "entities":
            stream.write("\t".join(COLUMNS[kind]) + "\n")
        for block in _blocks(sets, kg):
            stream.write(block)
    beside = write_document(path, sets, kg, split=split, filter_name=filter_name, about=about or {})
    return [Path(path), beside]


def _sets(
    relations: IntArray, asks_tail: BoolArray, entities: IntArray
) -> dict[tuple[Target, int], IntArray]:
    """Sort rows of (relation, target, candidate) into sets."""
    found: dict[tuple[Target, int], IntArray] = {}
    for target in TARGETS:
        of_target = asks_tail == (target == "tail")
        order = np.argsort(relations[of_target], kind="stable")
        ids, first = np.unique(relations[of_target][order], return_index=True)
        parts = np.split(entities[of_target][order], first[1:])
        # Of no rows at all, split makes one empty part.
        found |= {(target, r): part for r, part in zip(ids.tolist(), parts, strict=False)}
    return found


def _refuse_unwritable(sets: CandidateSets, kg: KnowledgeGraph) -> None:
    """Refuse labels that a tab-separated file cannot keep, before anything is written."""
    entities: AnyArray = sets.entities
    relations: AnyArray = np.zeros(0, dtype=np.int32)
    if isinstance(sets, QueryLists):
        entities = np.append(entities, sets.queries.triples[:, [0, 2]])
        relations = sets.queries.relations
    elif isinstance(sets, RelationSets):
        relations = np.flatnonzero(np.diff(sets.offsets)) % kg.n_relations
    render_tsv((kg.entities[e],) for e in np.unique(entities).tolist())
    render_tsv((kg.relations[r],) for r in np.unique(relations).tolist())


def _lists_of(
    path: str | Path,
    kg: KnowledgeGraph,
    queries: QueryList,
    asked: list[IntArray],
    entities: IntArray,
    words: str,
) -> QueryLists:
    """Give each query its list, by labels and never by line."""
    first, which = distinct_rows(queries)
    wanted = [*queries.triples[first].T, queries.asks_tail[first].astype(np.int32)]
    found = _match(wanted, asked, entities, queries.answers[first])
    without = np.flatnonzero(found.sizes < 0)
    if len(without):
        head, relation, tail = kg.label_triples(queries.triples[first[without[:1]]])[0]
        target = "tail" if queries.asks_tail[first[without[0]]] else "head"
        raise DataError(
            f"{path}: {len(without)} of {len(first)} queries have no list, for example the "
            f"{target} of ({head}, {relation}, {tail}); expected one line or more for each; add "
            "their lists, or ask less with --targets or --unseen"
        )
    if found.n_not_asked:
        words += f" (lists of {found.n_not_asked:,} more queries are not asked)"
    offsets = offsets_of(found.sizes)
    sizes, joined = take_lists(offsets, found.entities, which)
    return QueryLists.build(kg, queries, sizes, joined, words)


def _match(
    wanted: list[IntArray], asked: list[IntArray], entities: IntArray, answers: IntArray
) -> _Lists:
    """Sort rows of (query, candidate) into the lists of the wanted queries.

    Args:
        wanted: head, relation, tail and target, (m,) each, of distinct queries.
        asked: the same of each row, (n,) each.
        entities: (n,) candidate of each row.
        answers: (m,) true answer of each wanted query.

    Returns:
        The lists; the size of one that has no row is -1.
    """
    m = len(answers)
    both = [np.concatenate(pair) for pair in zip(wanted, asked, strict=True)]
    keys = row_keys(both)
    if keys is None:
        _, keys = np.unique(np.column_stack(both), axis=0, return_inverse=True)
        keys = keys.reshape(-1)
    order = np.argsort(keys[:m])
    held = keys[:m][order]
    place = find_sorted(held, keys[m:])
    known = place >= 0
    query = order[place[known]]
    competing = entities[known]
    rows = np.bincount(query, minlength=m)
    others = competing != answers[query]
    query, competing = query[others], competing[others]
    sizes = np.bincount(query, minlength=m).astype(np.int64)
    sizes[rows == 0] = -1
    sorting = np.lexsort((competing, query))
    return _Lists(sizes, competing[sorting], len(np.unique(keys[m:][~known])))


def _blocks(sets: CandidateSets, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield the lines of the file in blocks."""
    names = kg.entities.labels
    if isinstance(sets, EntitySet):
        yield "".join(f"{names[e]}\n" for e in sets.entities.tolist())
    elif isinstance(sets, RelationSets):
        for slot in np.flatnonzero(np.diff(sets.offsets)).tolist():
            place, relation = divmod(slot, kg.n_relations)
            front = f"{kg.relations[relation]}\t{TARGETS[place]}\t"
            found = sets.entities[sets.offsets[slot] : sets.offsets[slot + 1]]
            yield "".join([f"{front}{names[e]}\n" for e in found.tolist()])
    else:
        first, _ = distinct_rows(sets.queries)
        triples = kg.label_triples(sets.queries.triples[first])
        for row, triple in zip(first.tolist(), triples, strict=True):
            target = "tail" if sets.queries.asks_tail[row] else "head"
            front = "\t".join((*triple, target)) + "\t"
            found = sets.of(row) if sets.sizes[row] else sets.queries.answers[row : row + 1]
            yield "".join([f"{front}{names[e]}\n" for e in found.tolist()])
