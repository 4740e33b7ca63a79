"""Evaluation in blocks: the same ranks for every block size and part, in bounded memory."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from strategies import TableScorer, random_graph

from hybridkg.errors import ConfigError
from hybridkg.evaluation import observers
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.observers import VerdictObserver
from hybridkg.evaluation.plan import plan_run
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.vocabulary import Vocabulary
from hybridkg.scoring.base import Factors, SparseScores

N_ENTITIES, N_QUERIES = 50_000, 2_000
MIB = 2**20


class Formula:
    """score(q, e) = ((q + 1) * 7919 + e * 104729) mod 1000003, exact in float32, without ties."""

    name = "formula"

    def __init__(self) -> None:
        self.largest = 0

    def score(self, queries):
        self.largest = max(self.largest, len(queries))
        first = (queries.anchors.astype(np.int64)[:, None] + 1) * 7919
        values = first + np.arange(N_ENTITIES, dtype=np.int64) * 104729
        return (values % 1000003).astype(np.float32)


def formula_graph(n_queries: int) -> KnowledgeGraph:
    """Query q asks for the tail (31 q + 17) mod N; forty other tails are known."""
    answers = {q: (q * 31 + 17) % N_ENTITIES for q in range(n_queries)}
    train = [
        (q, 0, (q * 97 + j * 1009) % N_ENTITIES)
        for q in range(n_queries)
        for j in range(40)
        if (q * 97 + j * 1009) % N_ENTITIES != answers[q]
    ]
    test = [(q, 0, answer) for q, answer in answers.items()]
    return KnowledgeGraph(
        name="formula",
        entities=Vocabulary(f"{n:05d}" for n in range(N_ENTITIES)),
        relations=Vocabulary(["r"], kind="relation"),
        splits={s: np.array(rows, np.int32) for s, rows in (("train", train), ("test", test))},
    )


@pytest.fixture(scope="module")
def few() -> KnowledgeGraph:
    return formula_graph(60)


@pytest.mark.parametrize(("batch_size", "limit"), [(1, 200), (7, 200), (256, 600)])
def test_every_batch_size_gives_the_same_ranks_within_its_memory(few, batch_size, limit) -> None:
    scorer = Formula()
    evaluate(scorer, few, targets=("tail",), batch_size=1)
    tracemalloc.start()
    table = evaluate(scorer, few, targets=("tail",), batch_size=batch_size)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert scorer.largest == min(batch_size, 60)
    assert table.optimistic[0, :8].tolist() == [
        10578, 47820, 35106, 22385, 9679, 46921, 34204, 21485,
    ]  # fmt: skip
    assert table.optimistic.tolist() == table.pessimistic.tolist()
    assert peak < limit * 10**6


def test_ranks_of_fifty_thousand_entities_are_those_of_an_independent_count() -> None:
    table = evaluate(Formula(), formula_graph(N_QUERIES), targets=("tail",))
    assert int(table.optimistic.sum()) == 49_985_873
    metrics = table.metrics().iloc[0]
    assert metrics["mean_rank"] == pytest.approx(24_992.9365, abs=1e-9)
    assert metrics["mrr"] == pytest.approx(0.0003667553, abs=5e-11)
    assert (metrics["hits_at_1"], metrics["hits_at_10"]) == (0, pytest.approx(0.001))


class NormalFactors:
    """DistMult over normal vectors."""

    name = "normal"

    def __init__(self, kg: KnowledgeGraph) -> None:
        rng = np.random.default_rng(0)
        self.entities = rng.normal(size=(kg.n_entities, 32)).astype(np.float32)
        self.relations = rng.normal(size=(kg.n_relations, 32)).astype(np.float32)

    def factor(self, queries):
        vectors = self.entities[queries.anchors] * self.relations[queries.relations]
        return Factors(vectors, self.entities)

    def score(self, queries):
        raise AssertionError("the products are taken")


@pytest.mark.parametrize("candidates", ["all", "train"])
def test_a_part_of_the_test_triples_ranks_as_in_the_whole(candidates: str) -> None:
    kg = random_graph(3000, 5, {"train": 9000, "valid": 300, "test": 900}, seed=5)
    scorer = NormalFactors(kg)
    whole = evaluate(scorer, kg, candidates=candidates)
    # The other test triples stay known, as those of valid.
    rest = np.concatenate([kg.split("valid"), kg.split("test")[100:]])
    part = evaluate(
        scorer,
        kg.with_splits({**kg.splits, "valid": rest, "test": kg.split("test")[:100]}),
        candidates=candidates,
    )
    assert part.optimistic[0].tolist() == whole.optimistic[0, :200].tolist()
    assert part.pessimistic[0].tolist() == whole.pessimistic[0, :200].tolist()
    assert part.candidates[0].tolist() == whole.candidates[0, :200].tolist()


class Reached:
    """Sparse scores of ten candidates a query; the dense form says the same."""

    name = "reached"

    def __init__(self, kg: KnowledgeGraph) -> None:
        self.n_entities = kg.n_entities
        self.asked: list[int] = []

    def score_sparse(self, queries):
        n = len(queries)
        self.asked.append(n)
        first = queries.anchors.astype(np.int64)[:, None] * 31 + queries.relations[:, None]
        ids = (first + np.arange(10) * 7) % self.n_entities
        offsets = np.arange(n + 1) * 10
        return SparseScores(offsets, ids.reshape(-1).astype(np.int32), (ids % 5).reshape(-1) * 1.0)

    def score(self, queries):
        found = self.score_sparse(queries)
        scores = np.full((len(queries), self.n_entities), -np.inf, np.float32)
        scores[np.repeat(np.arange(len(queries)), 10), found.entities] = found.scores
        return scores


class RelationCodes:
    depends_on_anchor = False

    def __init__(self, kg: KnowledgeGraph) -> None:
        shape = (2 * kg.n_relations, kg.n_entities)
        self._codes = np.random.default_rng(2).integers(0, 4, shape).astype(np.uint8)

    def codes(self, target, relation, anchor=None):
        return self._codes[2 * relation + (target == "head")]


@pytest.mark.parametrize("candidates", ["all", "train"])
def test_sparse_scores_rank_as_their_dense_form(candidates: str) -> None:
    kg = random_graph(900, 4, {"train": 700, "valid": 50, "test": 300}, seed=2)
    sparse = Reached(kg)
    dense = TableScorer(np.zeros(0), np.zeros(0), name="reached")
    dense.score = Reached(kg).score  # type: ignore[method-assign]
    seen = [VerdictObserver(RelationCodes(kg))]
    first = evaluate(sparse, kg, candidates=candidates, observers=seen)
    second = evaluate(dense, kg, candidates=candidates, observers=seen)
    assert first.scored.any()
    assert set(first.columns) == set(second.columns)
    for column, values in first.columns.items():
        assert np.allclose(values, second.columns[column]), column


class AnchorCodes(RelationCodes):
    depends_on_anchor = True

    def codes(self, target, relation, anchor=None):
        return np.roll(super().codes(target, relation), anchor or 0)


def test_verdicts_that_depend_on_the_anchor_are_counted_in_parts(monkeypatch) -> None:
    kg = random_graph(900, 4, {"train": 700, "valid": 50, "test": 300}, seed=2)
    observer = VerdictObserver(AnchorCodes(kg))
    whole = evaluate(Reached(kg), kg, observers=[observer])
    monkeypatch.setattr(observers, "CODE_BYTES", 3000)
    parts = evaluate(Reached(kg), kg, observers=[observer])
    for column, values in whole.columns.items():
        assert np.array_equal(values, parts.columns[column]), column


def test_a_million_entities_take_memory_for_what_is_scored_only() -> None:
    n = 1_000_000
    rng = np.random.default_rng(0)
    rows = {s: rng.integers(0, n, (k, 3)).astype(np.int32) for s, k in (("train", 2000),
                                                                     ("test", 500))}  # fmt: skip
    for triples in rows.values():
        triples[:, 1] = 0
    kg = KnowledgeGraph(
        name="large",
        entities=Vocabulary(f"{e:07d}" for e in range(n)),
        relations=Vocabulary(["r"], kind="relation"),
        splits=rows,
    )
    assert len(kg.entities.digest) == 64  # spelled out once, before memory is watched
    evaluate(Reached(kg), kg)
    tracemalloc.start()
    table = evaluate(Reached(kg), kg)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.n_queries == 1000
    # Dense rows of float32 would take 4 GB.
    assert peak < 40 * MIB


def test_memory_is_said_before_the_run_and_bounds_its_blocks(few) -> None:
    notes: list[str] = []
    scorer = Formula()
    evaluate(scorer, few, targets=("tail",), memory=20 * MIB, note=notes.append)
    assert notes[0].startswith("formula: 60 distinct queries over 50,000 entities, blocks of ")
    assert notes[0].endswith("about 20 MiB beside graph, scorer and libraries")
    assert 1 < scorer.largest <= 20 * MIB / (12 * N_ENTITIES)


@pytest.mark.parametrize("path", ["factor", "score", "sparse"])
def test_too_little_memory_is_refused_with_what_is_needed(path: str) -> None:
    with pytest.raises(ConfigError, match=r"memory 1 MiB; expected at least \d+ MiB for 20,000"):
        plan_run(
            path,
            n_queries=9000,
            n_rows=20_000,
            n_entities=1_000_000,
            n_known=100_000,
            memory=MIB,
        )


def test_a_long_run_says_how_long_once_a_second_has_shown_it(few, monkeypatch) -> None:
    from hybridkg.evaluation import evaluator, progress

    clock = iter([100.0, 100.5, 101.0, 102.0, 103.0])
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(clock))
    notes: list[str] = []
    # The first of five blocks does not count; two more of twelve queries take a second.
    monkeypatch.setattr(evaluator, "_LONG", 2.0)
    evaluate(Formula(), few, targets=("tail",), batch_size=12, note=notes.append)
    assert notes[1:] == [f"formula: about {1.0 * 60 / 24:.0f} s in all"]


def test_threads_change_no_rank_of_exact_scores() -> None:
    kg = random_graph(3000, 5, {"train": 9000, "valid": 300, "test": 900}, seed=5)
    scorer = TableScorer(*np.random.default_rng(1).integers(0, 99, (2, 3000, 5, 3000), np.int8))
    first, second = evaluate(scorer, kg), evaluate(scorer, kg, threads=2)
    assert first.optimistic.tolist() == second.optimistic.tolist()
    assert first.pessimistic.tolist() == second.pessimistic.tolist()
    with pytest.raises(ConfigError, match="threads 0; expected 1 or more"):
        evaluate(scorer, kg, threads=0)


class Everything:
    """Sparse scores of every entity."""

    name = "everything"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def score_sparse(self, queries):
        n = len(queries)
        self.asked.append(n)
        ids = np.tile(np.arange(N_ENTITIES, dtype=np.int32), n)
        return SparseScores(np.arange(n + 1) * N_ENTITIES, ids, (ids % 7).astype(np.float32))

    def score(self, queries):
        raise AssertionError("the lists are taken")


class Rows:
    """Rows of a table of float32 or float64 scores."""

    name = "rows"

    def __init__(self, dtype: type) -> None:
        self._table = np.random.default_rng(0).random((60, N_ENTITIES)).astype(dtype)

    def score(self, queries):
        return self._table[queries.anchors]


@pytest.mark.parametrize("candidates", ["all", "train"])
@pytest.mark.parametrize("scorer", [Rows(np.float32), Rows(np.float64), Everything()])
def test_a_run_takes_no_more_memory_than_it_was_allowed(few, scorer, candidates: str) -> None:
    options = {"targets": ("tail",), "memory": 20 * MIB, "candidates": candidates}
    evaluate(scorer, few, **options)
    tracemalloc.start()
    evaluate(scorer, few, **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * MIB


def test_sparse_blocks_ask_as_many_queries_as_their_scores_allow(few) -> None:
    everything, reached = Everything(), Reached(few)
    for scorer in (everything, reached):
        evaluate(scorer, few, targets=("tail",))
    assert everything.asked == [20, 20, 20]
    assert reached.asked == [20, 40]


def test_the_copy_of_a_restricted_pool_is_planned_for() -> None:
    sizes = {"n_queries": 9000, "n_rows": 0, "n_entities": 10_000, "n_known": 0}
    whole, part = (plan_run("factor", **sizes, restricted=is_part) for is_part in (False, True))
    assert part.n_bytes == 2 * whole.n_bytes
