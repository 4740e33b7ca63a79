"""Evaluator cost as a ratio of CPU time to the matrix product alone.

Run by hand: ``python tests/benchmarks/bench_evaluator.py [random fb15k-237 wn18rr sparse]``.
The yardstick is one matrix product of every distinct query with all entities, 512 queries at a
time, in the same process and on the same single thread; runs are interleaved, medians count. On
the random problem of the size of FB15k-237 PyKEEN's evaluator runs as well: on all test triples
with equal scoring, on a part with its own DistMult, always with the whole filter. ``sparse`` asks
10,000 queries over a million entities of a scorer that reaches few of them, and of ones that reach
more.
"""

from __future__ import annotations

import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import statistics
import sys
import time
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from strategies import random_graph

from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.observers import VerdictObserver
from hybridkg.graph.datasets import load_dataset
from hybridkg.graph.queries import QueryList
from hybridkg.scoring.base import Factors, SparseScores

N_ENTITIES, N_RELATIONS, DIMENSION = 14_541, 237, 256
SIZES = {"train": 272_115, "valid": 17_535, "test": 20_438}


class RandomDistMult:
    """DistMult with normal vectors."""

    name = "distmult"

    def __init__(self, kg, rng: np.random.Generator) -> None:
        self.entities = rng.normal(size=(kg.n_entities, DIMENSION)).astype(np.float32)
        self.relations = rng.normal(size=(kg.n_relations, DIMENSION)).astype(np.float32)

    def factor(self, queries):
        return Factors(
            self.entities[queries.anchors] * self.relations[queries.relations], self.entities
        )

    def score(self, queries):
        factors = self.factor(queries)
        return factors.queries @ factors.candidates.T


class RandomMasks:
    """Verdict codes by slot, a third of them impossible."""

    def __init__(self, kg, rng: np.random.Generator) -> None:
        shape = (2 * kg.n_relations, kg.n_entities)
        self._table = rng.integers(0, 4, size=shape).astype(np.uint8)

    depends_on_anchor = False

    def codes(self, target, relation, anchor=None):
        return self._table[2 * relation + (target == "head")]


class ReachFew:
    """Sparse scores of a fixed number of candidates, the same for the same query."""

    name = "sparse"

    def __init__(self, kg, reached: int) -> None:
        self.n_entities, self.reached = kg.n_entities, reached

    def score(self, queries):
        raise AssertionError("the sparse path is taken")

    def score_sparse(self, queries):
        n = len(queries)
        first = queries.anchors.astype(np.int64)[:, None] * 7919 + queries.relations[:, None]
        step = self.n_entities // self.reached
        ids = (first + np.arange(self.reached) * step) % self.n_entities
        offsets = np.arange(n + 1, dtype=np.int64) * self.reached
        scores = (ids % 1009).astype(np.float32)
        return SparseScores(offsets, ids.reshape(-1).astype(np.int32), scores.reshape(-1))


def matmul(scorer: RandomDistMult, kg, batch: int = 512) -> float:
    """CPU seconds of the matrix product of all distinct queries."""
    out = np.empty((batch, kg.n_entities), dtype=np.float32)
    queries = QueryList.from_triples(kg.split("test"))
    start = time.process_time()
    for target in ("tail", "head"):
        asked, _, _ = queries.distinct(target)
        for first in range(0, len(asked), batch):
            factors = scorer.factor(asked.rows(slice(first, first + batch)))
            np.matmul(factors.queries, factors.candidates.T, out=out[: len(factors.queries)])
    return time.process_time() - start


def timed(function) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def memory_mib(field: str) -> float:
    """Resident memory of this process in MiB: now ("VmRSS") or at its peak ("VmHWM"); Linux."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def reset_peak() -> None:
    """Forget the peak so far; Linux."""
    Path("/proc/self/clear_refs").write_text("5")


def pykeen_seconds(scorer: RandomDistMult, kg, n_triples: int, *, stock: bool) -> float:
    """CPU seconds of PyKEEN's evaluator on the first test triples, full filter."""
    import torch
    from pykeen.evaluation import RankBasedEvaluator
    from pykeen.models import DistMult
    from pykeen.triples import CoreTriplesFactory

    torch.set_num_threads(1)
    train = torch.as_tensor(kg.train.astype(np.int64))
    factory = CoreTriplesFactory(train, num_entities=N_ENTITIES, num_relations=N_RELATIONS)
    model = DistMult(triples_factory=factory, embedding_dim=DIMENSION)
    if not stock:
        entities, relations = torch.as_tensor(scorer.entities), torch.as_tensor(scorer.relations)
        model.score_t = lambda hr, **_: (entities[hr[:, 0]] * relations[hr[:, 1]]) @ entities.T
        model.score_h = lambda rt, **_: (entities[rt[:, 1]] * relations[rt[:, 0]]) @ entities.T
    test = torch.as_tensor(kg.split("test").astype(np.int64))
    evaluator = RankBasedEvaluator(filtered=True)
    warnings.simplefilter("ignore")
    return timed(
        lambda: evaluator.evaluate(
            model,
            test[:n_triples],
            additional_filter_triples=[train, torch.as_tensor(kg.split("valid").astype(np.int64)),
                                       test],
            batch_size=32,
            use_tqdm=False,
        )
    )  # fmt: skip


def compare(kg, repeats: int) -> RandomDistMult:
    """Print evaluator against matrix product; return the scorer."""
    rng = np.random.default_rng(0)
    scorer, masks = RandomDistMult(kg, rng), RandomMasks(kg, rng)
    queries = QueryList.from_triples(kg.split("test"))
    n_distinct = sum(len(queries.distinct(t)[0]) for t in ("tail", "head"))
    print(f"{kg.name}: {len(kg.split('test')):,} test triples, {n_distinct:,} distinct queries")
    small = kg.with_splits({**kg.splits, "test": kg.split("test")[:1000]})
    observed = {
        "ranks": [],
        "ranks, violations above": [VerdictObserver(masks, ())],
        "ranks, top-10 violations": [VerdictObserver(masks, (10,))],
        "ranks, top-1, 3, 10": [VerdictObserver(masks, (1, 3, 10))],
    }
    for observers in observed.values():
        evaluate(scorer, small, observers=observers)  # compile and warm up
    matmul(scorer, small)
    baseline = memory_mib("VmRSS")
    reset_peak()
    evaluate(scorer, kg, observers=observed["ranks, top-10 violations"])
    print(f"peak memory above baseline: {memory_mib('VmHWM') - baseline:.0f} MiB")
    runs: dict[str, list[float]] = {"matrix product": [], **{name: [] for name in observed}}
    for _ in range(repeats):
        runs["matrix product"].append(matmul(scorer, kg))
        for name, observers in observed.items():
            runs[name].append(timed(lambda seen=observers: evaluate(scorer, kg, observers=seen)))
    unit = statistics.median(runs["matrix product"])
    for name, seconds in runs.items():
        median = statistics.median(seconds)
        print(f"  {name:26s} {median:7.2f} CPU-s  {median / unit:6.2f} x product")
    return scorer


def compare_pykeen(kg, scorer: RandomDistMult, n_triples: int) -> None:
    """Print PyKEEN's evaluator against ours: equal scoring on all triples, stock on a part."""
    own = timed(lambda: evaluate(scorer, kg))
    n_test = len(kg.split("test"))
    for stock, n in ((False, n_test), (True, n_triples)):
        seconds = pykeen_seconds(scorer, kg, n, stock=stock) * n_test / n
        kind = "stock DistMult" if stock else "matmul scoring"
        print(
            f"  PyKEEN, {kind:18s} {seconds:7.1f} CPU-s  {seconds / own:6.1f} x ours "
            f"(from {n:,} triples, whole filter)"
        )


def compare_sparse() -> None:
    """Print time and memory of 10,000 queries over a million entities."""
    sizes = {"train": 1_000_000, "valid": 1000, "test": 5000}
    kg = random_graph(1_000_000, 10, sizes, seed=0)
    evaluate(ReachFew(kg, 10), kg.with_splits({**kg.splits, "test": kg.split("test")[:10]}))
    print("sparse: 10,000 queries over 1,000,000 entities")
    for reached in (0, 1000, 10_000):
        scorer = ReachFew(kg, max(reached, 1))
        baseline = memory_mib("VmRSS")
        reset_peak()
        seconds = timed(lambda chosen=scorer: evaluate(chosen, kg))
        print(
            f"  {max(reached, 1):6,} candidates a query: {seconds:6.2f} CPU-s, peak memory "
            f"{memory_mib('VmHWM') - baseline:.0f} MiB above baseline"
        )


def main() -> None:
    """Run the chosen parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["random", "fb15k-237", "wn18rr", "sparse"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--pykeen-triples", type=int, default=640)
    options = parser.parse_args()
    for part in options.parts:
        if part == "sparse":
            compare_sparse()
        elif part == "random":
            kg = random_graph(N_ENTITIES, N_RELATIONS, SIZES, seed=0)
            scorer = compare(kg, options.repeats)
            compare_pykeen(kg, scorer, options.pykeen_triples)
        else:
            compare(load_dataset(part), options.repeats)


if __name__ == "__main__":
    main()
