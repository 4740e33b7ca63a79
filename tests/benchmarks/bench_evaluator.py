"""Evaluator cost on an FB15k-237-sized random problem, as a ratio of CPU time.

Run by hand: ``python tests/benchmarks/bench_evaluator.py [--repeats 5] [--pykeen-triples 640]``.
The yardstick is one matrix product of every distinct query with all entities, in the same
process and on the same single thread.
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
from hybridkg.graph.queries import QueryList
from hybridkg.scoring.base import Factors

N_ENTITIES, N_RELATIONS, DIMENSION = 14_541, 237, 256
SIZES = {"train": 272_115, "valid": 17_535, "test": 20_438}


class RandomDistMult:
    """DistMult with normal vectors."""

    name = "distmult"

    def __init__(self, rng: np.random.Generator) -> None:
        self.entities = rng.normal(size=(N_ENTITIES, DIMENSION)).astype(np.float32)
        self.relations = rng.normal(size=(N_RELATIONS, DIMENSION)).astype(np.float32)

    def factor(self, queries):
        return Factors(
            self.entities[queries.anchors] * self.relations[queries.relations], self.entities
        )

    def score(self, queries):
        factors = self.factor(queries)
        return factors.queries @ factors.candidates.T


class RandomMasks:
    """Verdict codes by slot, a third of them impossible."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._table = rng.integers(0, 4, size=(2 * N_RELATIONS, N_ENTITIES)).astype(np.uint8)

    depends_on_anchor = False

    def codes(self, target, relation, anchor=None):
        return self._table[2 * relation + (target == "head")]


def matmul(scorer: RandomDistMult, kg, batch: int = 288) -> float:
    """CPU seconds of the matrix product of all distinct queries."""
    out = np.empty((batch, N_ENTITIES), dtype=np.float32)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--pykeen-triples", type=int, default=640)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    kg = random_graph(N_ENTITIES, N_RELATIONS, SIZES, seed=0)
    scorer, masks = RandomDistMult(rng), RandomMasks(rng)
    observer = VerdictObserver(masks)
    queries = QueryList.from_triples(kg.split("test"))
    n_distinct = sum(len(queries.distinct(t)[0]) for t in ("tail", "head"))
    print(f"{len(kg.split('test')):,} test triples, {n_distinct:,} distinct queries")
    baseline = memory_mib("VmRSS")
    reset_peak()
    evaluate(scorer, kg)
    print(f"peak memory above baseline: {memory_mib('VmHWM') - baseline:.0f} MiB")
    small = kg.with_splits({**kg.splits, "test": kg.split("test")[:1000]})
    evaluate(scorer, small)  # compile and warm up
    evaluate(scorer, small, observers=[observer])
    matmul(scorer, small)
    runs: dict[str, list[float]] = {"matmul": [], "evaluate": [], "evaluate + verdicts": []}
    for _ in range(options.repeats):
        runs["matmul"].append(matmul(scorer, kg))
        runs["evaluate"].append(timed(lambda: evaluate(scorer, kg)))
        runs["evaluate + verdicts"].append(
            timed(lambda: evaluate(scorer, kg, observers=[observer]))
        )
    unit = statistics.median(runs["matmul"])
    for name, seconds in runs.items():
        median = statistics.median(seconds)
        print(f"{name:22s} {median:7.2f} CPU-s  {median / unit:6.2f} x matmul")
    warnings.simplefilter("ignore")
    share = options.pykeen_triples / len(kg.split("test"))
    for stock in (False, True):
        seconds = pykeen_seconds(scorer, kg, options.pykeen_triples, stock=stock) / share
        kind = "stock DistMult" if stock else "matmul scoring"
        print(
            f"PyKEEN, {kind:14s} {seconds:7.1f} CPU-s  {seconds / unit:6.1f} x matmul "
            f"(from {options.pykeen_triples} triples)"
        )


if __name__ == "__main__":
    main()
