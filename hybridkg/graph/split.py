"""Splits facts into train, valid and test so that training covers every label."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hybridkg.errors import ConfigError, SplitError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.triples import as_triples, distinct_triples
from hybridkg.types import IntArray, LongArray


@dataclass(frozen=True, slots=True)
class SplitPlan:
    """Which distinct triple goes where, and how far that is from what was asked."""

    #: split name -> (n, 3) triples sorted by head, relation, tail; "train", and the other two
    #: where a share was asked for them.
    splits: dict[str, IntArray]
    #: rows of the input that repeated an earlier one and were left out.
    repeated: int
    #: triples that the shares ask for, by split.
    asked: dict[str, int]

    @property
    def held_out(self) -> dict[str, int]:
        """Triples that valid and test hold."""
        return {split: len(self.splits.get(split, ())) for split in self.asked}

    def sentence(self) -> str | None:
        """Say that fewer triples than asked were held out, or None where all were."""
        missing = sum(self.asked.values()) - sum(self.held_out.values())
        if not missing:
            return None
        held = ", ".join(
            f"{split} {n} of {self.asked[split]}" for split, n in self.held_out.items()
        )
        return (
            f"{missing} triple(s) fewer than asked are held out ({held}); the others are the last "
            "training triple of an entity or relation"
        )


def make_split(
    graph: KnowledgeGraph | Iterable[LabelTriple],
    *,
    valid: float = 0.1,
    test: float = 0.1,
    seed: int | np.random.Generator = 0,
) -> KnowledgeGraph:
    """Split the facts of a graph anew, relation by relation.

    Every entity and relation that has a triple keeps one in train. Facts in any order, with or
    without repeats, give the same split for the same seed.

    Args:
        graph: a graph, all of whose splits are put together first, or labelled triples.
        valid: share of the distinct triples for validation, from 0 up to below 1.
        test: share of the distinct triples for the test; valid + test stay below 1.
        seed: seed or generator of the drawing.

    Returns:
        The graph with splits "train" and, where a share was asked, "valid" and "test".

    Raises:
        ConfigError: the seed is no whole number from 0.
        SplitError: the shares are impossible, or no triple can be held out.
    """
    if not isinstance(graph, KnowledgeGraph):
        graph = KnowledgeGraph.from_labels({"train": graph})
    return graph.with_splits(plan_split(graph, valid=valid, test=test, seed=seed).splits)


def plan_split(
    kg: KnowledgeGraph, *, valid: float, test: float, seed: int | np.random.Generator = 0
) -> SplitPlan:
    """Split as :func:`make_split` does, and tell what was left out or could not be met.

    Raises:
        ConfigError: as for :func:`make_split`.
        SplitError: as for :func:`make_split`.
    """
    rng = _generator(seed)
    shares = {"valid": float(valid), "test": float(test)}
    _check_shares(shares)
    rows = np.concatenate([as_triples([]), *kg.splits.values()])
    triples = distinct_triples(rows)
    asked = {
        split: int(np.floor(len(triples) * share + 0.5))
        for split, share in shares.items()
        if share > 0
    }
    for split, count in asked.items():
        if count == 0:
            raise SplitError(
                f"{shares[split]:g} of {len(triples)} distinct triples is less than one for "
                f"{split!r}; expected at least one; ask for a larger share or give more facts"
            )
    room = np.maximum(np.bincount(triples[:, 1], minlength=kg.n_relations) - 1, 0)
    quotas = {"valid": relation_quotas(triples[:, 1], room, shares["valid"])}
    quotas["test"] = relation_quotas(triples[:, 1], room - quotas["valid"], shares["test"])
    wanted = quotas["valid"] + quotas["test"]
    held = holdable_rows(triples, kg.n_entities, wanted, rng)
    splits = _share_out(triples, held, quotas, rng)
    for split, count in asked.items():
        if len(splits[split]) == 0:
            raise SplitError(
                f"{sum(asked.values())} of {len(triples)} distinct triples were asked for, but "
                f"only {len(held)} can leave train without taking the last training triple of "
                f"an entity or relation, and none is left for {split!r} ({count} asked); ask "
                "for smaller shares or give more facts"
            )
    return SplitPlan(
        splits={"train": splits["train"], **{split: splits[split] for split in asked}},
        repeated=len(rows) - len(triples),
        asked=asked,
    )


def relation_quotas(relations: IntArray, room: LongArray, share: float) -> LongArray:
    """Share a number of triples out over relations, by largest remainder.

    Args:
        relations: (n,) relation of each distinct triple.
        room: (n_relations,) triples that each relation can give at most.
        share: part of the n triples, from 0 to below 1.

    Returns:
        (n_relations,) triples to take from each relation; they sum to the rounded share where
        there is room for it.
    """
    exact = np.bincount(relations, minlength=len(room)) * share
    quota: LongArray = np.minimum(np.floor(exact).astype(np.int64), room)
    # Halves go up; rounding them to even would make the share of 5 in 10 depend on parity.
    missing = int(np.floor(len(relations) * share + 0.5)) - int(quota.sum())
    while missing > 0 and bool((quota < room).any()):
        open_ = np.flatnonzero(quota < room)
        taken = open_[np.lexsort((open_, (quota - exact)[open_]))][:missing]
        quota[taken] += 1
        missing -= len(taken)
    return quota


def holdable_rows(
    triples: IntArray, n_entities: int, wanted: LongArray, rng: np.random.Generator
) -> LongArray:
    """Draw triples that can leave train while each entity and relation keeps one.

    Args:
        triples: (n, 3) distinct triples.
        n_entities: size of the entity vocabulary.
        wanted: (n_relations,) triples to take from each relation, at most.
        rng: source of the order in which triples are tried.

    Returns:
        Row numbers in the order drawn.
    """
    heads, relations, tails = (column.tolist() for column in triples.T)
    degree = np.bincount(triples[:, [0, 2]].ravel(), minlength=n_entities)
    # A loop touches its entity twice, but is one triple.
    loops = triples[triples[:, 0] == triples[:, 2], 0]
    left = (degree - np.bincount(loops, minlength=n_entities)).tolist()
    size = np.bincount(triples[:, 1], minlength=len(wanted))
    quota = np.minimum(wanted, np.maximum(size - 1, 0)).tolist()
    held = []
    for row in rng.permutation(len(triples)).tolist():
        h, r, t = heads[row], relations[row], tails[row]
        if quota[r] > 0 and left[h] > 1 and left[t] > 1:
            quota[r] -= 1
            left[h] -= 1
            if h != t:
                left[t] -= 1
            held.append(row)
    return np.array(held, dtype=np.int64)


def _generator(seed: object) -> np.random.Generator:
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ConfigError(f"seed {seed!r}; expected a whole number, 0 or more")
    return np.random.default_rng(seed)


def _check_shares(shares: dict[str, float]) -> None:
    for split, share in shares.items():
        if not 0 <= share < 1:
            raise SplitError(
                f"a share of {share:g} for {split!r}; expected a number from 0 to below 1, "
                "such as 0.1"
            )
    if sum(shares.values()) >= 1:
        raise SplitError(
            f"shares {shares['valid']:g} for valid and {shares['test']:g} for test leave nothing "
            "for train; expected a sum below 1"
        )


def _share_out(
    triples: IntArray,
    held: LongArray,
    quotas: dict[str, LongArray],
    rng: np.random.Generator,
) -> dict[str, IntArray]:
    """Divide the held-out rows between valid and test in the proportion of their quotas.

    A relation that lacks triples gives valid and test the same part of what they asked for;
    the odd triple goes to the split that is furthest behind over all relations.
    """
    got = {"valid": 0, "test": 0}
    total = {split: int(quota.sum()) for split, quota in quotas.items()}
    where = np.zeros(len(triples), dtype=np.int64)
    by_relation: dict[int, list[int]] = {}
    for row in held.tolist():
        by_relation.setdefault(int(triples[row, 1]), []).append(row)
    for r, rows in sorted(by_relation.items()):
        valid, test = int(quotas["valid"][r]), int(quotas["test"][r])
        n_valid = len(rows) * valid // (valid + test)
        n_test = len(rows) * test // (valid + test)
        if n_valid + n_test < len(rows):
            behind = got["valid"] * total["test"] < got["test"] * total["valid"]
            n_valid += int(behind)
        got["valid"] += n_valid
        got["test"] += len(rows) - n_valid
        where[rng.permutation(rows)[:n_valid]] = 1
    where[held] = np.where(where[held] == 1, 1, 2)
    return {name: triples[where == code] for code, name in enumerate(("train", "valid", "test"))}
