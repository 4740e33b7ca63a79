"""The native applier and PyClause on the same rule file: ranks, counts and CPU seconds.

Run by hand, with PyClause in the Python that HYBRIDKG_PYCLAUSE_PYTHON names:
``python tests/benchmarks/bench_pyclause.py FOLDER RULES [RULES ...]``. Both take the counts of
the file, all rules and all candidates (full top-k, no early stop), on one thread. PyClause's order
breaks ties by frequency and then by id; the native order is compared with and without that.
"""

from __future__ import annotations

import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hybridkg.evaluation.evaluator import evaluate
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries, QueryList
from hybridkg.graph.read import read_folder
from hybridkg.rules.apply import Aggregation
from hybridkg.rules.files import read_rules
from hybridkg.rules.pyclause import answer_queries, count_rules
from hybridkg.rules.rule_set import RULE_KINDS, RuleSet
from hybridkg.rules.statistics import rule_statistics
from hybridkg.scoring.base import SparseScores
from hybridkg.scoring.pyclause_scorer import PyClauseScorer
from hybridkg.scoring.rule_scorer import RuleScorer
from hybridkg.types import TARGETS


class ByFrequency:
    """The native order with ties broken as PyClause breaks them."""

    name = "native-by-frequency"

    def __init__(self, scorer: RuleScorer) -> None:
        self._scorer = scorer
        triples = np.unique(scorer.kg.train, axis=0)
        both = np.concatenate([triples[:, 0], triples[:, 2]])
        self._frequency = np.bincount(both, minlength=scorer.kg.n_entities)

    def score(self, queries: Queries) -> np.ndarray:
        raise NotImplementedError

    def score_sparse(self, queries: Queries) -> SparseScores:
        found = self._scorer.score_sparse(queries)
        rows = np.repeat(np.arange(len(queries)), np.diff(found.offsets))
        order = np.lexsort((found.entities, -self._frequency[found.entities], -found.scores, rows))
        sizes = np.diff(found.offsets)
        place = np.arange(len(order)) - np.repeat(found.offsets[:-1], sizes)
        scores = (np.repeat(sizes, sizes) - place).astype(np.float32)
        return SparseScores(found.offsets, found.entities[order], scores)


@dataclass(frozen=True, slots=True)
class Ranks:
    """Ranks of all test queries by one scorer."""

    optimistic: np.ndarray
    pessimistic: np.ndarray

    @classmethod
    def of(cls, scorer: Any, kg: KnowledgeGraph) -> Ranks:
        table = evaluate(scorer, kg)
        return cls(table.optimistic[0], table.pessimistic[0])

    def mrr(self) -> float:
        return float((1 / self.pessimistic).mean())

    def __str__(self) -> str:
        p = self.pessimistic
        return (
            f"pessimistic {self.mrr():.4f}/{(p <= 1).mean():.4f}/{(p <= 10).mean():.4f}"
            f"  optimistic {(1 / self.optimistic).mean():.4f}"
        )


def compare_ranks(
    rules: RuleSet, kg: KnowledgeGraph, aggregation: Aggregation
) -> tuple[Ranks, Ranks, Ranks]:
    """Return native ranks, native ranks by frequency, and PyClause's."""
    native = RuleScorer(rules, kg, aggregation=aggregation)
    other = PyClauseScorer(rules, kg, kg.split("test"), aggregation=aggregation)
    return Ranks.of(native, kg), Ranks.of(ByFrequency(native), kg), Ranks.of(other, kg)


def ranking_seconds(rules: RuleSet, kg: KnowledgeGraph) -> tuple[float, float, float]:
    """Return CPU seconds: native index and ranking, and PyClause's ranking without its loading."""
    listed = QueryList.from_triples(kg.split("test"))
    queries = {target: listed.distinct(target)[0] for target in TARGETS}
    warm = RuleScorer(rules, kg)
    for target in TARGETS:
        warm.score_sparse(queries[target].rows(slice(0, 5)))
    start = time.process_time()
    scorer = RuleScorer(rules, kg)
    indexed = time.process_time()
    for target in TARGETS:
        scorer.score_sparse(queries[target])
    ranked = time.process_time()
    _, report = answer_queries(rules, kg, queries)
    return indexed - start, ranked - indexed, report["cpu_seconds"]["rank"]


def sampled(rules: RuleSet, closed: int, unary: int, seed: int = 0) -> RuleSet:
    """Return some closed and some constant and dangling rules."""
    draw = np.random.default_rng(seed)
    names = np.array(RULE_KINDS)[rules.kind]
    parts = []
    for wanted, number in (
        (names == "closed", closed),
        (np.isin(names, ["constant", "dangling"]), unary),
    ):
        rows = np.flatnonzero(wanted)
        parts.append(draw.choice(rows, min(number, len(rows)), replace=False))
    return rules.select(np.sort(np.concatenate(parts)))


def main() -> None:
    """Compare both on each rule file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("rules", type=Path, nargs="+")
    parser.add_argument("--closed", type=int, default=1000)
    parser.add_argument("--unary", type=int, default=5000)
    options = parser.parse_args()
    kg = read_folder(options.folder)
    for path in options.rules:
        rules = read_rules(path, kg, statistics="file")
        print(f"{path.name}: {len(rules):,} rules, {rules.counts()}")
        for aggregation in ("maxplus", "max", "noisyor", "noisyor_top5"):
            native, by_frequency, other = compare_ranks(rules, kg, aggregation)
            inside = (native.optimistic <= other.pessimistic) & (
                other.pessimistic <= native.pessimistic
            )
            print(f"  {aggregation:<13} native        {native}")
            print(f"  {'':<13} by frequency  {by_frequency}")
            print(f"  {'':<13} PyClause      {other}")
            same = (by_frequency.pessimistic == other.pessimistic).mean()
            print(f"  {'':<13} PyClause's rank inside the native tie: {inside.mean():.4%}; "
                  f"equal by frequency: {same:.4%}")  # fmt: skip
        index, rank, theirs = ranking_seconds(rules, kg)
        print(f"  ranking CPU s: native {rank:.2f} (+ index {index:.2f}), PyClause {theirs:.2f}; "
              f"ratio {rank / theirs:.3f}, with index {(rank + index) / theirs:.3f}")  # fmt: skip
        part = sampled(rules, options.closed, options.unary)
        rule_statistics(part, kg)
        start = time.process_time()
        exact = rule_statistics(part, kg)
        spent = time.process_time() - start
        theirs = count_rules(part, kg)
        equal = (exact.support == theirs.support) & (exact.predictions == theirs.predictions)
        print(f"  counting {len(part):,} rules: native {spent:.3f} CPU s, PyClause "
              f"{theirs.cpu_seconds:.3f}; ratio {spent / theirs.cpu_seconds:.3f}")  # fmt: skip
        for code in np.unique(part.kind):
            rows = part.kind == code
            print(f"  equal counts: {equal[rows].sum()} of {rows.sum()} {RULE_KINDS[code]}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
