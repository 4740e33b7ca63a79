"""What is wrong with named splits: overlaps, repeats, unseen labels, reversed pairs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from hybridkg.errors import SplitError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.split_findings import (
    Clean,
    Entailed,
    Overlap,
    Reversed,
    SplitReport,
    SplitSize,
    Unseen,
)
from hybridkg.graph.triples import as_triples
from hybridkg.types import BoolArray, IntArray, LongArray

#: How many triples or labels a finding shows; the counts are always of all.
N_EXAMPLES = 5


def check_splits(
    kg: KnowledgeGraph,
    *,
    entailed: Mapping[str, BoolArray] | None = None,
    contradicting: Mapping[str, BoolArray] | None = None,
) -> SplitReport:
    """Check the splits of a graph against each other.

    Args:
        kg: a graph with a split "train".
        entailed: split -> (n,) True where a row of the split follows from train and an
            ontology; whether rows that stand in train are marked does not matter.
        contradicting: split -> (n,) True where a row contradicts train and the ontology.

    Returns:
        The counts, with a few examples each.

    Raises:
        SplitError: marks name a split that is not there, or have another length.
    """
    marks, against = dict(entailed or {}), dict(contradicting or {})
    for name, given in (("entailed", marks), ("contradicting", against)):
        for split, mark in given.items():
            if len(mark) != len(kg.split(split)):
                raise SplitError(
                    f"{name}[{split!r}] has {len(mark)} values; expected one for each of the "
                    f"{len(kg.split(split))} rows"
                )
    keys = triple_keys(kg.splits, kg.n_entities, kg.n_relations)
    others = [split for split in _ordered(kg) if split != "train"]
    unseen_rows = {split: _unseen_rows(kg, split) for split in others}
    return SplitReport(
        sizes=tuple(_size(kg, split, keys[split]) for split in _ordered(kg)),
        overlaps=tuple(
            _overlap(kg, split, other, keys) for other, split in combinations(_ordered(kg), 2)
        ),
        unseen=tuple(_unseen(kg, split, *unseen_rows[split]) for split in others),
        reversed=tuple(_reversed(kg, split) for split in others),
        entailed=tuple(
            _entailed(kg, s, keys, marks[s], against.get(s)) for s in others if s in marks
        ),
        clean=tuple(_clean(s, keys, unseen_rows[s], marks.get(s)) for s in others),
    )


def triple_keys(
    splits: Mapping[str, IntArray], n_entities: int, n_relations: int
) -> dict[str, LongArray]:
    """Give each distinct triple one int64 number, the same in all splits.

    Args:
        splits: split name -> (n, 3).
        n_entities: size of the entity vocabulary.
        n_relations: size of the relation vocabulary.

    Returns:
        Split name -> (n,) numbers.
    """
    triples = np.concatenate([as_triples([]), *splits.values()]).astype(np.int64)
    pairs = triples[:, 0] * n_relations + triples[:, 1]
    if n_entities * n_relations * n_entities >= 2**63:
        pairs = np.unique(pairs, return_inverse=True)[1].astype(np.int64)
    keys = pairs * n_entities + triples[:, 2]
    stops = np.cumsum([len(one) for one in splits.values()])
    return dict(zip(splits, np.split(keys, stops[:-1]), strict=True))


def reversed_pairs(train: IntArray, asked: IntArray, n_entities: int) -> BoolArray:
    """Tell for each row (h, r, t) of ``asked`` (m, 3) whether ``train`` has some (t, r', h)."""
    forward = train[:, 0].astype(np.int64) * n_entities + train[:, 2]
    backward = asked[:, 2].astype(np.int64) * n_entities + asked[:, 0]
    return np.isin(backward, forward)


def _ordered(kg: KnowledgeGraph) -> list[str]:
    """Name the splits: train, valid, test, then any others by name."""
    usual = ["train", "valid", "test"]
    return sorted(kg.splits, key=lambda s: (usual.index(s) if s in usual else len(usual), s))


def _examples(kg: KnowledgeGraph, rows: IntArray) -> tuple[LabelTriple, ...]:
    return tuple(kg.label_triples(rows[:N_EXAMPLES]))


def _size(kg: KnowledgeGraph, split: str, keys: LongArray) -> SplitSize:
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    repeated = np.sort(first[counts > 1])
    return SplitSize(
        split,
        rows=len(keys),
        distinct=len(first),
        repeated=len(keys) - len(first),
        examples=_examples(kg, kg.splits[split][repeated]),
    )


def _overlap(kg: KnowledgeGraph, split: str, other: str, keys: Mapping[str, LongArray]) -> Overlap:
    shared = np.isin(keys[split], keys[other])
    _, first = np.unique(keys[split][shared], return_index=True)
    rows = kg.splits[split][shared]
    return Overlap(
        split,
        other,
        triples=len(first),
        rows=int(shared.sum()),
        examples=_examples(kg, rows[np.sort(first)]),
    )


def _unseen_rows(kg: KnowledgeGraph, split: str) -> tuple[BoolArray, BoolArray]:
    """(n, 2) True where head or tail is unseen, and (n,) where the relation is."""
    rows = kg.splits[split]
    return ~kg.seen_entities()[rows[:, [0, 2]]], ~kg.seen_relations()[rows[:, 1]]


def _unseen(kg: KnowledgeGraph, split: str, ends: BoolArray, relations: BoolArray) -> Unseen:
    rows = kg.splits[split]
    new_entities = np.unique(rows[:, [0, 2]][ends])
    new_relations = np.unique(rows[:, 1][relations])
    return Unseen(
        split,
        entities=len(new_entities),
        entity_triples=int(ends.any(axis=1).sum()),
        entity_positions=int(ends.sum()),
        relations=len(new_relations),
        relation_triples=int(relations.sum()),
        triples=int((ends.any(axis=1) | relations).sum()),
        entity_examples=tuple(kg.entities[int(one)] for one in new_entities[:N_EXAMPLES]),
        relation_examples=tuple(kg.relations[int(one)] for one in new_relations[:N_EXAMPLES]),
    )


def _reversed(kg: KnowledgeGraph, split: str) -> Reversed:
    rows = kg.splits[split]
    found = reversed_pairs(kg.train, rows, kg.n_entities)
    return Reversed(
        split,
        triples=int(found.sum()),
        share=float(found.mean()) if len(rows) else 0.0,
        examples=_examples(kg, rows[found]),
    )


def _entailed(
    kg: KnowledgeGraph,
    split: str,
    keys: Mapping[str, LongArray],
    mark: BoolArray,
    against: BoolArray | None,
) -> Entailed:
    distinct, first = np.unique(keys[split], return_index=True)
    asserted = np.isin(distinct, keys["train"])
    derived = mark[first] & ~asserted
    clashes = np.zeros_like(derived) if against is None else against[first] & ~asserted & ~derived
    rows = kg.splits[split][np.sort(first[derived])]
    return Entailed(
        split,
        asserted=int(asserted.sum()),
        derived=int(derived.sum()),
        inconsistent=int(clashes.sum()),
        outside=int((~asserted & ~derived & ~clashes).sum()),
        derived_triples=tuple(kg.label_triples(rows)),
    )


def _clean(
    split: str,
    keys: Mapping[str, LongArray],
    unseen: tuple[BoolArray, BoolArray],
    mark: BoolArray | None,
) -> Clean:
    elsewhere = np.concatenate([keys[other] for other in keys if other != split])
    kept = ~np.isin(keys[split], elsewhere) & ~unseen[0].any(axis=1) & ~unseen[1]
    clean = np.unique(keys[split][kept])
    underivable = None if mark is None else len(np.unique(keys[split][kept & ~mark]))
    return Clean(split, triples=len(clean), underivable=underivable)
