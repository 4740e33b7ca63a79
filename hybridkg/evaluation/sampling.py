"""Sampled candidates, and what a sample does to hits: in closed form, from the full ranks."""

from __future__ import annotations

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.evaluation.candidate_sets import QueryLists, RelationSets, distinct_rows, take_lists
from hybridkg.evaluation.candidates import Candidates, Task, UnseenName, make_task
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.sorted_keys import offsets_of
from hybridkg.graph.triples import AnswerIndex
from hybridkg.types import (
    TARGETS,
    DoubleArray,
    FilterName,
    IntArray,
    LongArray,
    Target,
    TiePolicy,
)


def sample_candidates(
    kg: KnowledgeGraph,
    n: int,
    rng: np.random.Generator,
    *,
    split: str = "test",
    filter_name: FilterName = "all",
    targets: tuple[Target, ...] = TARGETS,
    unseen: UnseenName = "keep",
    pool: Candidates = "all",
    words: str | None = None,
) -> QueryLists:
    """Draw candidates for each query, uniformly and without replacement.

    Drawn is from the filtered pool without the true answer: known answers are never drawn. A
    list is shorter where fewer candidates exist; ``words`` counts those. Queries are drawn for in
    the order of their labels, so the order of the triples in their file changes nothing.

    Args:
        kg: the graph.
        n: length of the lists, 1 or more; the true answer competes beside them.
        rng: source of chance; the same state gives the same lists.
        split: split whose triples are asked.
        filter_name: splits whose triples are known answers.
        targets: what is asked of each triple.
        unseen: "keep" or "drop" triples with an entity or relation unseen in training.
        pool: what is drawn from: "all", "train", or one set of entities.
        words: what the protocol says of the lists; by default their length.

    Raises:
        ConfigError: n is below 1, or the pool differs from query to query.
        SplitError: the split has no triple to ask.
    """
    if n < 1:
        raise ConfigError(f"a sample of {n} candidates; expected 1 or more")
    task = make_task(
        kg, split=split, filter_name=filter_name, targets=targets, unseen=unseen, candidates=pool
    )
    if isinstance(task.sets, RelationSets | QueryLists):
        raise ConfigError(
            f"a sample from {task.sets.words}; expected one pool for all queries: all, train, or "
            "a file of entities"
        )
    first, which = distinct_rows(task.queries)
    lists = _draw(kg, task, first, n, rng)
    sizes = np.array([len(one) for one in lists], dtype=np.int64)
    joined = np.concatenate([*lists, np.zeros(0, dtype=np.int32)])
    offsets = offsets_of(sizes)
    chosen, entities = take_lists(offsets, joined, which)
    said = words or f"{n} sampled candidates a query"
    short = int((chosen < n).sum())
    if short:
        said += f" (fewer exist for {short:,} queries)"
    return QueryLists.build(kg, task.queries, chosen, entities, said)


def _draw(
    kg: KnowledgeGraph, task: Task, rows: LongArray, n: int, rng: np.random.Generator
) -> list[IntArray]:
    """Draw for some rows of a task, in their order."""
    members = np.flatnonzero(task.pool).astype(np.int32)
    queries = task.queries
    anchors, relations, answers = queries.anchors[rows], queries.relations[rows], queries.answers
    known: dict[bool, AnswerIndex] = {}
    spans: dict[bool, tuple[LongArray, LongArray]] = {}
    for target in TARGETS:
        index = kg.answer_index(target, task.filter_name)
        known[target == "tail"] = index
        spans[target == "tail"] = index.locate(anchors, relations)
    found = []
    for place, row in enumerate(rows.tolist()):
        is_tail = bool(queries.asks_tail[row])
        start, stop = spans[is_tail]
        others = known[is_tail].answers[start[place] : stop[place]]
        excluded = np.union1d(others, answers[row])
        excluded = excluded[task.pool[excluded]]
        # Positions among the members that are left: each excluded one shifts those after it.
        shifted = np.searchsorted(members, excluded) - np.arange(len(excluded))
        left = len(members) - len(excluded)
        drawn = np.sort(rng.choice(left, min(n, left), replace=False, shuffle=False))
        found.append(members[drawn + np.searchsorted(shifted, drawn, side="right")])
    return found


def expected_sampled_hits(
    optimistic: IntArray,
    pessimistic: IntArray,
    candidates: IntArray,
    *,
    n: int,
    k: int,
    ties: TiePolicy = "expected",
) -> DoubleArray:
    """Return the expected hits at k had n candidates been drawn for each query.

    Of N competitors, b are ranked above the truth. Among n that are drawn without replacement
    the number from above is hypergeometric, and the truth is a hit where it is at most k - 1.
    In a tie group b is uniform between its ends. The sum of that chance over b = 0 to B is
    (N + 1) / (n + 1) times the expectation of min(H, k), where H counts the marked ones among
    n + 1 drawn from N + 1 with B + 1 marked: the truth, drawn along with its competitors, is
    equally likely at each place of the sample.

    Args:
        optimistic: filtered ranks in the full pool, 1-based.
        pessimistic: the same shape.
        candidates: the same shape; sizes of the full pools, the true answer included.
        n: number of competitors that would be drawn, 1 or more; all of them where fewer exist.
        k: length of the list, 1 or more.
        ties: "expected", "optimistic" or "pessimistic".

    Returns:
        The same shape, between 0 and 1.

    Raises:
        ConfigError: n or k is below 1, or the policy has no such form; that of "realistic"
            depends on the ties that are drawn.

    >>> import numpy as np
    >>> rank, pool = np.array([2], dtype=np.int32), np.array([5], dtype=np.int32)
    >>> float(expected_sampled_hits(rank, rank, pool, n=1, k=1)[0])  # 1 of 4 is above
    0.75
    """
    if n < 1 or k < 1:
        raise ConfigError(f"a sample of {n} and hits at {k}; expected 1 or more of both")
    if ties not in ("expected", "optimistic", "pessimistic"):
        raise ConfigError(
            f"ties {ties!r}; expected 'expected', 'optimistic' or 'pessimistic' for sampled hits"
        )
    competitors = candidates.astype(np.int64) - 1
    low, high = optimistic.astype(np.int64) - 1, pessimistic.astype(np.int64) - 1
    if ties != "expected":
        low = high = low if ties == "optimistic" else high
    draws = np.minimum(n, competitors)
    found = np.zeros(low.shape, dtype=np.float64)
    for marked in range(k):
        found += _chance_of(marked, competitors, low, draws)
    tied = high > low
    if tied.any():
        total, drawn = competitors[tied] + 1, draws[tied] + 1
        within = _mean_capped(total, high[tied] + 1, drawn, k)
        within -= _mean_capped(total, low[tied], drawn, k)
        found[tied] = within * total / drawn / (high - low + 1)[tied]
    return np.clip(found, 0.0, 1.0)


def _mean_capped(total: LongArray, marked: LongArray, draws: LongArray, k: int) -> DoubleArray:
    """Return the (m,) expectation of min(k, number of marked ones drawn)."""
    short = np.zeros(len(total), dtype=np.float64)
    for number in range(k):
        short += (k - number) * _chance_of(number, total, marked, draws)
    return k - short


def _chance_of(number: int, total: LongArray, marked: LongArray, draws: LongArray) -> DoubleArray:
    """Return the chance that exactly so many marked ones are among the drawn; shape of total.

    The hypergeometric probability as a product of ratios, which keeps nearly all digits where
    logarithms of factorials lose them.
    """
    rest = draws - number
    chance = np.where(rest >= 0, 1.0, 0.0)
    for i in range(number):
        # The binomial coefficient goes along, so that no factor is out of scale.
        ratio = np.maximum(marked - i, 0) / np.maximum(total - i, 1)
        chance *= ratio * np.maximum(draws - i, 0) / (i + 1)
    for i in range(int(rest.max(initial=0))):
        ratio = np.maximum(total - marked - i, 0) / np.maximum(total - number - i, 1)
        chance *= np.where(i < rest, ratio, 1.0)
    return chance
