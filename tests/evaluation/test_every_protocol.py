"""Every form of scores, of candidates and of counting, against one plain loop over a query."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridkg.errors import SplitError
from hybridkg.evaluation import evaluator
from hybridkg.evaluation.candidate_sets import EntitySet, QueryLists, RelationSets
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.lists import ListObserver
from hybridkg.evaluation.observers import VerdictObserver
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import QueryList
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.scoring.base import Factors, SparseScores
from hybridkg.types import FILTERS, TARGETS, VERDICTS

FORMS = ("float32", "float64", "sparse", "sparse float64", "factors")
POOLS = ("all", "train", "entities", "relations", "queries")
LARGEST = float(np.finfo(np.float32).max)
#: -0.0 is 0.0; a candidate may score inf; differences of the last two are beyond float32.
VALUES = (-np.inf, -1.0, 0.0, -0.0, 10.0, 10.0005, 1e-45, np.inf, -LARGEST, LARGEST)


def some_graph(rng: np.random.Generator) -> KnowledgeGraph:
    """Few anchors with many answers; test triples repeat, and some are known in training."""
    # Around the chunks of 32 and the parts of 1008 that the kernels cut rows into.
    n, m = int(rng.choice([1, 2, 5, 31, 32, 33, 70, 1007, 1008, 1041])), int(rng.integers(1, 4))

    def rows(size: int) -> np.ndarray:
        few, many = rng.integers(0, min(n, 3), size), rng.integers(0, n, size)
        turned = rng.random(size) < 0.5
        ends = np.where(turned, few, many), np.where(turned, many, few)
        return np.column_stack([ends[0], rng.integers(0, m, size), ends[1]]).astype(np.int32)

    train, test = rows(int(rng.choice([0, 5, 60]))), rows(6)
    return KnowledgeGraph(
        name="some",
        entities=Vocabulary(f"e{i:05d}" for i in range(n)),
        relations=Vocabulary((f"r{i}" for i in range(m)), kind="relation"),
        splits={"train": train, "valid": rows(4), "test": np.vstack([test, test[:2], train[:2]])},
    )


@dataclass
class Table:
    """Scores and listed candidates of every query: (relations, anchors, entities) by target."""

    name = "table"
    scores: dict[str, np.ndarray]
    listed: dict[str, np.ndarray]

    def score(self, queries):
        return self.scores[queries.target][queries.relations, queries.anchors % 40]

    def row(self, target: str, relation: int, anchor: int) -> np.ndarray:
        place = relation, anchor % 40
        return np.where(self.listed[target][place], self.scores[target][place], -np.inf)


class Listed(Table):
    """The same as lists in no order."""

    def score_sparse(self, queries):
        listed = self.listed[queries.target][queries.relations, queries.anchors % 40]
        rows, entities = np.nonzero(listed[:, ::-1])
        entities = listed.shape[1] - 1 - entities
        offsets = np.append(0, np.cumsum(listed.sum(axis=1)))
        return SparseScores(offsets, entities, self.score(queries)[rows, entities])


@dataclass
class Vectors:
    """Products of small whole numbers, which no order of summing up changes."""

    name = "vectors"
    anchors: np.ndarray
    candidates: np.ndarray
    unscored: np.ndarray

    def score(self, queries):
        raise AssertionError("the products are taken")

    def factor(self, queries):
        vectors = self.anchors[queries.relations, queries.anchors]
        return Factors(vectors, self.candidates, unscored_entities=self.unscored)

    def row(self, target: str, relation: int, anchor: int) -> np.ndarray:
        scores = self.candidates @ self.anchors[relation, anchor]
        scores[self.unscored] = -np.inf
        return scores


def some_scorer(rng: np.random.Generator, kg: KnowledgeGraph, form: str) -> Table | Vectors:
    n, m = kg.n_entities, kg.n_relations
    if form == "factors":
        vectors = rng.integers(-2, 3, (m, n, 3)).astype(np.float32)
        unscored = np.flatnonzero(rng.random(n) < 0.1)
        return Vectors(vectors, rng.integers(-2, 3, (n, 3)).astype(np.float32), unscored)
    shape, chosen = (m, 40, n), rng.choice(VALUES, int(rng.integers(1, 5)))
    scores = {target: rng.choice(chosen, shape) for target in TARGETS}
    for target, answer, anchor in (("tail", 2, 0), ("head", 0, 2)):
        for triple in kg.split("test"):
            at = triple[1], triple[anchor] % 40, triple[answer]
            scores[target][at] = np.where(scores[target][at] == np.inf, 0.5, scores[target][at])
        if "float64" in form:
            moved = np.abs(scores[target]) < 100
            scores[target] += np.where(moved, rng.integers(0, 2, shape) * 1e-9, 0)
        else:
            scores[target] = scores[target].astype(np.float32)
    share = rng.choice([0, 0.05, 0.9]) if "sparse" in form else 1.0
    listed = {target: rng.random(shape) < share for target in TARGETS}
    return (Listed if "sparse" in form else Table)(scores, listed)


@dataclass
class Masks:
    depends_on_anchor: bool
    n_entities: int

    def codes(self, target, relation, anchor=None):
        rng = np.random.default_rng([target == "tail", relation, anchor or 0])
        return rng.integers(0, len(VERDICTS), self.n_entities).astype(np.uint8)


def some_candidates(rng, kg: KnowledgeGraph, pool: str, targets) -> Any:
    def some() -> np.ndarray:
        share = rng.choice([0.1, 0.8])
        found = np.flatnonzero(rng.random(kg.n_entities) < share)
        return (found if len(found) else np.zeros(1)).astype(np.int32)

    if pool == "entities":
        return EntitySet.build(kg, some(), "some")
    if pool == "relations":
        slots = [(target, r) for target in TARGETS for r in range(kg.n_relations)]
        return RelationSets.build(kg, {slot: some() for slot in slots}, "some")
    if pool == "queries":
        queries = QueryList.from_triples(kg.split("test"), targets)
        lists: dict[Any, np.ndarray] = {}
        keys = list(zip(map(tuple, queries.triples.tolist()), queries.asks_tail, strict=True))
        for key, answer in zip(keys, queries.answers, strict=True):
            lists.setdefault(key, np.setdiff1d(some(), [answer]).astype(np.int32))
        parts = [lists[key] for key in keys]
        sizes = np.array([len(part) for part in parts])
        return QueryLists.build(kg, queries, sizes, np.concatenate(parts), "some")
    return pool


@dataclass
class Expected:
    """What a plain loop finds."""

    rows: list[dict[str, float]] = field(default_factory=list)
    lists: dict[Any, dict[int, float]] = field(default_factory=dict)
    n_rounded: int = 0
    n_candidates: int = 0


def members(kg: KnowledgeGraph, candidates: Any, target, relation: int, row: int) -> set[int]:
    if isinstance(candidates, EntitySet):
        return set(candidates.entities.tolist())
    if isinstance(candidates, RelationSets):
        return set(candidates.of(target, relation).tolist())
    if isinstance(candidates, QueryLists):
        return set(candidates.of(row).tolist())
    return set(range(kg.n_entities)) if candidates == "all" else set(kg.train[:, ::2].flat)


def ties_with(scores: np.ndarray, truth: np.float32, equality: str) -> np.ndarray:
    if equality == "exact" or truth == -np.inf:
        return scores == truth
    with np.errstate(over="ignore"):
        allowed = np.float32(1e-5) + np.abs(np.float32(1e-4) * truth)
        return (np.abs(scores - truth) <= allowed) | (scores == truth)


def count_verdicts(scores, truth, codes, own: int, cutoffs) -> dict[str, float]:
    """Count over the other candidates; those in the first places count by their share."""
    found: dict[str, float] = {"truth_verdict": own}
    proposed = np.append(scores, truth)
    levels = np.unique(proposed[proposed > -np.inf])
    for k in cutoffs:
        found[f"listed_top_{k}"] = min(k, int((proposed > -np.inf).sum()))
    for v, verdict in enumerate(VERDICTS[1:], start=1):
        found[f"{verdict}_above"] = int(((codes == v) & (scores > truth)).sum())
        found[f"{verdict}_tied"] = int(((codes == v) & (scores == truth)).sum())
        found[f"{verdict}_candidates"] = int((codes == v).sum())
        marked = np.append(codes, own) == v
        for k in cutoffs:
            found[f"{verdict}_top_{k}"] = 0.0
            for level in levels:
                group = proposed == level
                room = np.clip(k - (proposed > level).sum(), 0, group.sum())
                found[f"{verdict}_top_{k}"] += room / group.sum() * (group & marked).sum()
    return found


def expect(kg, scorer, candidates, masks, protocol, cutoffs) -> Expected:
    known = {tuple(t) for s in FILTERS[protocol["filter_name"]] for t in kg.splits[s].tolist()}
    found = Expected()
    for h, r, t in kg.split("test").tolist():
        for target, anchor, answer in (("tail", h, t), ("head", t, h)):
            if target not in protocol["targets"]:
                continue
            pool = members(kg, candidates, target, r, len(found.rows))
            made = {e: (h, r, e) if target == "tail" else (e, r, t) for e in pool}
            others = [e for e in sorted(pool) if e != answer and made[e] not in known]
            wide = scorer.row(target, r, anchor)
            scores = wide.astype(np.float32)
            truth, rest = scores[answer], scores[others]
            tied = ties_with(rest, truth, protocol["equality"])
            better = int(((rest > truth) & ~tied).sum())
            codes = masks.codes(target, r, anchor if masks.depends_on_anchor else None)
            found.rows.append(
                {
                    "optimistic": 1 + better,
                    "pessimistic": 1 + better + int(tied.sum()),
                    "candidates": 1 + len(others),
                    "scored": truth > -np.inf,
                    **count_verdicts(rest, truth, codes[others], int(codes[answer]), cutoffs),
                }
            )
            rounded = int(((rest == truth) & (wide[others] != wide[answer])).sum())
            found.n_rounded += rounded > 0
            found.n_candidates += rounded
            listed = found.lists.setdefault((target, anchor, r), {})
            listed |= {e: scores[e] for e in [*others, answer] if scores[e] > -np.inf}
    return found


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    compiled=st.booleans(),
    equality=st.sampled_from(["exact", "libkge"]),
    filter_name=st.sampled_from(sorted(FILTERS)),
    targets=st.sampled_from([("tail", "head"), ("tail",), ("head",)]),
    batch_size=st.integers(1, 7),
    cutoffs=st.sampled_from([(1, 3, 10), (2,), ()]),
)
def test_evaluation_equals_the_plain_loop(
    form, pool, seed, compiled, cutoffs, **protocol: Any
) -> None:
    rng = np.random.default_rng(seed)
    kg = some_graph(rng)
    scorer = some_scorer(rng, kg, form)
    if pool == "train" and not len(kg.train):
        with pytest.raises(SplitError, match="candidates 'train' are none"):
            evaluate(scorer, kg, candidates="train")
        return
    candidates = some_candidates(rng, kg, pool, protocol["targets"])
    masks, lists = Masks(bool(seed % 2), kg.n_entities), ListObserver(5)
    expected = expect(kg, scorer, candidates, masks, protocol, cutoffs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluator, "SMALL", 0 if compiled else 10**9)
        observers = [VerdictObserver(masks, cutoffs), lists]
        table = evaluate(scorer, kg, candidates=candidates, observers=observers, **protocol)
    for column in expected.rows[0]:
        wanted = [row[column] for row in expected.rows]
        assert table.columns[column][0].tolist() == pytest.approx(wanted), column
    kept = {(q.target, q.anchor, q.relation): q.entities.tolist() for q in lists.lists}
    assert kept == {
        query: sorted(listed, key=lambda e: (-listed[e], e))[:5]
        for query, listed in expected.lists.items()
    }
    notes = "".join(table.about[scorer.name].get("notes", []))
    words = f"{expected.n_rounded} true answers tie with {expected.n_candidates} candidates only"
    if protocol["equality"] == "exact" and expected.n_rounded:
        assert words in notes
    else:
        assert "rounded" not in notes
