"""CPU seconds and test MRR of trained embeddings on a benchmark, one thread.

Run by hand: ``python tests/benchmarks/bench_training.py [--models complex distmult]
[--dataset codex-s] [--seeds 0] [--set dimension=1024 precision=bfloat16]``. The test split is
only looked at after training; validation chooses the epoch.
"""

from __future__ import annotations

import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import time
import tomllib

from hybridkg.evaluation.evaluator import evaluate
from hybridkg.graph.datasets import load_dataset
from hybridkg.scoring.embedding_kinds import find_kind, pykeen_model
from hybridkg.training.one_vs_all import EpochRecord, train_embedding
from hybridkg.training.one_vs_all_config import OneVsAllConfig
from hybridkg.training.spec import make_config

#: Rates and scales that differ from the defaults, by model.
SETTINGS = {
    "complex": {},
    "distmult": {},
    "transe": {"n3": 0.0, "scale": 2.0},
    "rotate": {"n3": 0.0, "scale": 2.0, "learning_rate": 0.005},
}


def main() -> None:
    """Train each model with each seed and print one line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="+", default=["complex", "distmult"])
    parser.add_argument("--dataset", default="codex-s")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--set", nargs="*", default=[], help="options as key=value")
    parser.add_argument("--curve", action="store_true", help="print every validation")
    arguments = parser.parse_args()
    kg = load_dataset(arguments.dataset)
    # The import of PyKEEN costs some seconds once and is no part of a training.
    pykeen_model(find_kind("distmult"), 2, 1, 2)
    options = {}
    for pair in arguments.set:
        key, _, value = pair.partition("=")
        quoted = value if value[:1].isdigit() else f'"{value}"'
        options[key] = tomllib.loads(f"value = {quoted}")["value"]
    print(
        f"{'model':9} {'seed':>4} {'epoch':>5} {'valid':>6} {'CPU s':>6} {'MRR':>6} {'Hits@10':>7}"
    )
    for model in arguments.models:
        config = make_config(OneVsAllConfig, {**SETTINGS.get(model, {}), **options}, model)
        for seed in arguments.seeds:
            start = time.process_time()

            def tell(record: EpochRecord, start: float = start) -> None:
                if arguments.curve and record.validation_mrr is not None:
                    spent = time.process_time() - start
                    print(f"  {record.epoch:3} {record.validation_mrr:.4f} {spent:.1f}", flush=True)

            trained = train_embedding(kg, model, config, seed, progress=tell)
            seconds = time.process_time() - start
            table = evaluate(trained.scorer, kg)
            mrr = table.values("mrr", "pessimistic").mean()
            hits = table.values("hits_at_10", "pessimistic").mean()
            best = max((record.validation_mrr or 0.0) for record in trained.curve)
            print(
                f"{model:9} {seed:4} {trained.kept_epoch:5} {best:6.4f} {seconds:6.1f} {mrr:6.4f} "
                f"{hits:7.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
