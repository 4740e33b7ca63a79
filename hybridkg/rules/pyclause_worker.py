"""Runs PyClause in an interpreter of its own: ``python pyclause_worker.py FOLDER``.

Its C++ code can end the interpreter, and its learners leave it with success
after a failure. So a job lies in a folder as ``job.json`` with its arrays, and
has succeeded only where ``result.json`` lies beside it afterwards. Needs NumPy
and PyClause, and nothing of hybridkg.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

#: Queries that are answered at a time, so that few candidates are Python objects at once.
_BLOCK = 512
_KINDS = ("b", "c", "d", "z", "xxc", "xxd")


def learn(job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Learn rules from ``train.txt`` into ``learned/rules.txt``."""
    options = importlib.import_module("clause").Options()
    mode = job["learner"]
    if mode == "amie":
        # Its start would fail with exit code 0.
        jar = Path(importlib.import_module("clause.util.utils").get_amie_dir())
        if not jar.is_file():
            return {"error": f"PyClause has no AMIE at {jar}; put AMIE's jar there"}
    options.set("learner.mode", mode)
    for name, value in job["options"].items():
        options.set(f"learner.{mode}.{name}", value)
    learner = importlib.import_module("clause").Learner(options=options.get("learner"))
    # Relative paths: PyClause hands them to a shell unquoted.
    learner.learn_rules(path_data="train.txt", path_output="learned/rules.txt")
    if not (folder / "learned" / "rules.txt").is_file():
        return {"error": f"{mode} wrote no rule file"}
    return {}


def count(job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Count predictions and support of ``rules.txt`` into ``counts.npy``."""
    native = importlib.import_module("c_clause")
    options = importlib.import_module("clause").Options()
    loader = _loader(job, folder, options)
    options.set("rules_handler.collect_predictions", False)
    options.set("rules_handler.num_threads", 1)
    options.set("rules_handler.verbose", False)
    lines = (folder / "rules.txt").read_text(encoding="ascii").split("\n")[:-1]
    handler = native.RulesHandler(options=options.get("rules_handler"))
    start = time.process_time()
    handler.calculate_predictions(rules=[line.split("\t")[-1] for line in lines], loader=loader)
    spent = time.process_time() - start
    np.save(folder / "counts.npy", np.array(handler.get_statistics(), dtype=np.int64))
    return {"cpu_seconds": {"count": spent}}


def rank(job: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Answer ``tail.npy`` and ``head.npy``, (n, 2) entity and relation, best candidate first."""
    native = importlib.import_module("c_clause")
    options = importlib.import_module("clause").Options()
    spent: dict[str, float] = {}
    start = time.process_time()
    loader = _loader(job, folder, options)
    loader.load_rules(rules=str(folder / "rules.txt"))
    n_loaded = len(loader.get_rules())
    spent["load"] = time.process_time() - start
    for name, value in job["options"].items():
        options.set(f"qa_handler.{name}", value)
    handler = native.QAHandler(options=options.get("qa_handler"))
    spent["rank"] = 0.0
    for direction in ("tail", "head"):
        asked = np.load(folder / f"{direction}.npy")
        sizes, entities, scores = [0], [], []
        for first in range(0, len(asked), _BLOCK):
            queries = [(int(entity), int(relation)) for entity, relation in asked[first:][:_BLOCK]]
            start = time.process_time()
            handler.calculate_answers(queries=queries, loader=loader, direction=direction)
            spent["rank"] += time.process_time() - start
            for answers in handler.get_answers(as_string=False):
                rows = np.array(answers, dtype=np.float64).reshape(-1, 2)
                sizes.append(len(rows))
                entities.append(rows[:, 0].astype(np.int32))
                scores.append(rows[:, 1])
        empty = [np.zeros(0)]
        np.savez(
            folder / f"{direction}-answers.npz",
            offsets=np.cumsum(sizes),
            entities=np.concatenate(entities or empty).astype(np.int32),
            scores=np.concatenate(scores or empty),
        )
    return {"cpu_seconds": spent, "n_rules": n_loaded}


def _loader(job: dict[str, Any], folder: Path, options: Any) -> Any:
    """Load the triples with the ids of the graph; nothing is filtered from the rules."""
    for kind in _KINDS:
        options.set(f"loader.{kind}_min_conf", 0.0)
        options.set(f"loader.{kind}_num_unseen", job["unseen"])
    for name, value in job["loader"].items():
        options.set(f"loader.{name}", value)
    loader = importlib.import_module("c_clause").Loader(options=options.get("loader"))
    loader.set_entity_index([f"e{number}" for number in range(job["n_entities"])])
    loader.set_relation_index([f"r{number}" for number in range(job["n_relations"])])
    loader.load_data(data=np.load(folder / "train.npy").tolist())
    return loader


TASKS: dict[str, Callable[[dict[str, Any], Path], dict[str, Any]]] = {
    "learn": learn,
    "count": count,
    "rank": rank,
}


def main(folder: Path) -> None:
    """Do the job of a folder."""
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    try:
        result = TASKS[job["task"]](job, folder)
    except SystemExit:
        result = {"error": f"PyClause left its interpreter during {job['task']!r}"}
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
