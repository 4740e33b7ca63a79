"""Lines of scores gathered into one list a query; a candidate that stands twice is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.external import QueryCode, spell_query
from hybridkg.types import DoubleArray, IntArray, LongArray


class Chunk(NamedTuple):
    """Some entries in the order of the file: 16 bytes each."""

    #: (n,) list number * entities + candidate.
    keys: LongArray
    scores: DoubleArray


def _concatenated(chunks: list[Chunk]) -> tuple[LongArray, DoubleArray]:
    """Join chunks into two arrays, and let each go when it is copied."""
    size = sum(len(chunk.keys) for chunk in chunks)
    keys, scores = np.empty(size, dtype=np.int64), np.empty(size)
    stop = size
    while chunks:
        chunk = chunks.pop()
        start = stop - len(chunk.keys)
        keys[start:stop], scores[start:stop] = chunk
        stop = start
    return keys, scores


@dataclass(frozen=True, slots=True)
class Lists:
    """Scored candidates in lists, the lists and the candidates in each by rising number."""

    #: (k,) numbers of the lists, distinct and rising.
    numbers: LongArray
    #: (k + 1,) offsets into the two arrays below.
    offsets: LongArray
    #: (n,) entity ids.
    entities: IntArray
    scores: DoubleArray


def gather(
    chunks: list[Chunk],
    n_entities: int,
    repeated: Callable[[int, int, int, int], DataError],
    *,
    declared: LongArray | None = None,
) -> Lists:
    """Sort entries into lists.

    Args:
        chunks: all entries; emptied, so that memory is given back on the way.
        n_entities: the stride of the keys.
        repeated: makes the error for a candidate that stands twice in a list, from the list,
            the candidate, and the places of both entries, 0-based.
        declared: rising numbers of the lists, where some may have no entry.

    Raises:
        DataError: a candidate stands twice in a list.
    """
    keys, scores = _concatenated(chunks)
    if not (keys[1:] > keys[:-1]).all():
        # Stable, so that of two equal entries the first comes first; files are nearly sorted.
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        twice = np.flatnonzero(keys[1:] == keys[:-1])
        if len(twice):
            # The second entry that comes first in the file is the first to be seen there.
            at = int(twice[np.argmin(order[twice + 1])])
            number, entity = divmod(int(keys[at]), n_entities)
            raise repeated(number, entity, int(order[at]), int(order[at + 1]))
        scores = scores[order]
        del order
    # In place: files of ten million lines are usual.
    entities = np.empty(len(keys), dtype=np.int32)
    np.remainder(keys, n_entities, out=entities, casting="unsafe")
    keys //= n_entities
    numbers = keys
    if declared is None:
        first = np.ones(len(numbers), dtype=np.bool_)
        first[1:] = numbers[1:] != numbers[:-1]
        declared = numbers[first]
    offsets = np.append(np.searchsorted(numbers, declared), len(numbers)).astype(np.int64)
    return Lists(declared, offsets, entities, scores)


def join_lists(
    lists: Lists,
    keys: LongArray,
    lines: LongArray,
    *,
    path: str,
    kg: KnowledgeGraph,
    code: QueryCode,
) -> Lists:
    """Unite the lists that answer the same query, as two test triples of one query give them.

    Args:
        lists: numbered 0..k-1.
        keys: (k,) coded query of each list.
        lines: (k,) line where each list begins.
        path: the file, for messages.
        kg: spells labels.
        code: spells queries.

    Returns:
        The lists numbered by coded query.

    Raises:
        DataError: two lists of one query give a candidate different scores.
    """
    list_of = np.repeat(np.arange(len(keys)), np.diff(lists.offsets))
    combined = keys[list_of] * code.n_entities + lists.entities
    order = np.argsort(combined, kind="stable")
    combined, scores, list_of = combined[order], lists.scores[order], list_of[order]
    again = np.zeros(len(combined), dtype=np.bool_)
    again[1:] = combined[1:] == combined[:-1]
    bad = np.flatnonzero(again[1:] & (scores[1:] != scores[:-1]))
    if len(bad):
        at = int(bad[0])
        key, entity = divmod(int(combined[at]), code.n_entities)
        raise DataError(
            f"{path}: candidate {kg.entities[entity]!r} of {spell_query(kg, code, key)} has score "
            f"{scores[at]} in line {lines[list_of[at]]} and {scores[at + 1]} in line "
            f"{lines[list_of[at + 1]]}; expected one score a query; mend one of them"
        )
    distinct = np.unique(keys)
    kept = combined[~again]
    offsets = np.append(np.searchsorted(kept // code.n_entities, distinct), len(kept))
    entities = (kept % code.n_entities).astype(np.int32)
    return Lists(distinct, offsets.astype(np.int64), entities, scores[~again])
