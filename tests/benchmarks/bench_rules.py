"""CPU seconds, memory and quality of the rule engine on a benchmark folder.

Run by hand: ``python tests/benchmarks/bench_rules.py FOLDER [--profile fast] [--seed 0]
[--support 2] [--confidence 0.01] [--cap 20000] [--aggregation maxplus] [--file] [--once]``.
A first pass compiles and the second one is timed; ``--once`` leaves out the first, for the
figures of one process from start to end.
Ranks are counted here by brute force, apart from the evaluator: filtered by
train, valid and test, pessimistic and optimistic.
"""

from __future__ import annotations

import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from hybridkg.graph.datasets import load_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries, QueryList
from hybridkg.rules.apply import AGGREGATIONS
from hybridkg.rules.files import read_rules, write_rules
from hybridkg.rules.mine import MiningConfig, Profile, mine_rules, profile
from hybridkg.rules.statistics import rule_statistics
from hybridkg.scoring.rule_scorer import RuleScorer
from hybridkg.types import TARGETS

BLOCK = 256


def timed(label: str, work: Callable[[], Any]) -> Any:
    """Run and print CPU seconds and the peak so far."""
    start = time.process_time()
    result = work()
    spent = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{label:<28}{spent:8.2f} CPU s   peak {peak} MB", flush=True)
    return result


def ranks(kg: KnowledgeGraph, scorer: RuleScorer) -> tuple[np.ndarray, np.ndarray]:
    """Optimistic and pessimistic ranks of every test query."""
    queries = QueryList.from_triples(kg.split("test"))
    better, equal = np.zeros(len(queries)), np.zeros(len(queries))
    for target in TARGETS:
        asked, rows, offsets = queries.distinct(target)
        known = kg.answer_index(target, "all")
        for first in range(0, len(asked), BLOCK):
            scores = scorer.score(asked.rows(slice(first, first + BLOCK)))
            for number, line in enumerate(scores, start=first):
                members = rows[offsets[number] : offsets[number + 1]]
                truths = line[queries.answers[members]]
                line[known.answers_of(asked.anchors[number], asked.relations[number])] = np.nan
                better[members] = [np.count_nonzero(line > truth) for truth in truths]
                equal[members] = [np.count_nonzero(line == truth) for truth in truths]
    return 1 + better, 1 + better + equal


def line(found: np.ndarray) -> str:
    """MRR/H@1/H@10."""
    return f"{(1 / found).mean():.4f}/{(found <= 1).mean():.4f}/{(found <= 10).mean():.4f}"


def rank_sparsely(scorer: RuleScorer, asked: list[Queries]) -> None:
    """Score all queries block by block and keep nothing."""
    for part in asked:
        for first in range(0, len(part), BLOCK):
            scorer.score_sparse(part.rows(slice(first, first + BLOCK)))


def configured(options: argparse.Namespace) -> MiningConfig:
    """Return the profile with what the options replace."""
    changes = {
        "min_support": options.support,
        "min_confidence": options.confidence,
        "cap_per_head": options.cap,
        "samples": options.samples,
    }
    given: dict[str, Any] = {name: value for name, value in changes.items() if value is not None}
    if given.get("cap_per_head") == 0:
        given["cap_per_head"] = None
    return replace(profile(options.profile, seed=options.seed), **given)


def main() -> None:
    """Mine, rank and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="a folder or the name of a data set")
    parser.add_argument("--profile", choices=get_args(Profile), default="fast")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--support", type=int, help="in place of the profile's")
    parser.add_argument("--confidence", type=float, help="in place of the profile's")
    parser.add_argument("--cap", type=int, help="in place of the profile's, 0 for none")
    parser.add_argument("--samples", type=int, help="keep what a sampler of so many finds")
    parser.add_argument("--aggregation", choices=AGGREGATIONS, default="maxplus")
    parser.add_argument("--once", action="store_true", help="no pass before that compiles")
    parser.add_argument("--file", action="store_true", help="also count, write and read the rules")
    options = parser.parse_args()
    kg = timed("read", lambda: load_dataset(options.folder))
    config = configured(options)
    if not options.once:
        timed("mine (first)", lambda: mine_rules(kg, config))
    rules = timed("mine", lambda: mine_rules(kg, config))
    print(rules.counts(), dict(rules.dropped))
    scorer = timed(
        "index",
        lambda: RuleScorer(rules, kg, aggregation=options.aggregation, weights=config.weights),
    )
    asked = [QueryList.from_triples(kg.split("test")).distinct(target)[0] for target in TARGETS]
    if not options.once:
        timed("compile ranking", lambda: scorer.score_sparse(asked[0].rows(slice(0, 1))))
        timed("rank (sparse)", lambda: rank_sparsely(scorer, asked))
    optimistic, pessimistic = timed("rank (dense) and count", lambda: ranks(kg, scorer))
    print(f"pessimistic {line(pessimistic)}  optimistic {line(optimistic)}")
    print(f"whole process {time.process_time():.1f} CPU s")
    if options.file:
        timed("count anew", lambda: rule_statistics(rules, kg))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "all.rules"
            timed("write", lambda: write_rules(rules, path, kg))
            timed("read and count", lambda: read_rules(path, kg))


if __name__ == "__main__":
    main()
