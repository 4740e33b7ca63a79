"""PyClause as an optional back end: learning, counting and applying rules in a subprocess.

It is found in the current interpreter, or in the one that the environment
variable HYBRIDKG_PYCLAUSE_PYTHON names. Names never reach it: entities and
relations travel as safe ids.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from hybridkg.errors import ConfigError, TrainingError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.rules.apply import Aggregation, check_aggregation
from hybridkg.rules.imports import ImportedRules, import_rules
from hybridkg.rules.rule_set import RULE_KINDS, RuleSet
from hybridkg.rules.safe_ids import entity_ids, relation_ids, write_safe_ids, write_safe_triples
from hybridkg.rules.spelling import ANYBURL_VARIABLES, Names, anyburl_texts
from hybridkg.rules.weights import RuleWeights
from hybridkg.types import DoubleArray, IntArray, LongArray, Target

#: Names the Python that has PyClause.
PYTHON_VARIABLE = "HYBRIDKG_PYCLAUSE_PYTHON"
Learner: TypeAlias = Literal["anyburl", "amie"]
_WORKER = Path(__file__).with_name("pyclause_worker.py")


@dataclass(frozen=True, slots=True)
class PyClauseCounts:
    """Counts of n rules; -1 where there are none."""

    #: (n,) predictions that are training triples.
    support: LongArray
    #: (n,) distinct predictions.
    predictions: LongArray
    #: what the counting took, without loading.
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class PyClauseAnswers:
    """Candidates of n queries of one target, the best first."""

    #: (n + 1,) query -> slice of the arrays below.
    offsets: LongArray
    entities: IntArray
    #: what PyClause returns: the best confidence under maxplus, 1 - product under noisyor.
    scores: DoubleArray


def find_python() -> Path:
    """Return the Python that has PyClause.

    Raises:
        ConfigError: none has it; the message says how to install it.
    """
    named = os.environ.get(PYTHON_VARIABLE)
    python = named or sys.executable
    try:
        # A module search, no import: its C++ half may print and exit.
        code = (
            "import importlib.util as u, sys;"
            "sys.exit(not (u.find_spec('c_clause') and u.find_spec('clause')))"
        )
        found = subprocess.run(
            [python, "-c", code], capture_output=True, check=False, env=_environment()
        )
    except OSError as error:
        raise ConfigError(
            f"{PYTHON_VARIABLE}={named!r} cannot be run ({error.strerror}); expected the path of "
            "a Python that has PyClause"
        ) from error
    if found.returncode != 0:
        raise ConfigError(
            f"PyClause is not installed for {python}; install it from its authors' repository "
            "(git clone https://github.com/symbolic-kg/PyClause, then pip install -e PyClause; "
            f"needs a C++ compiler), and name a Python that has it in {PYTHON_VARIABLE}. The "
            "native back end needs none of this"
        )
    return Path(python)


def learn_rules(
    kg: KnowledgeGraph,
    *,
    learner: Learner = "anyburl",
    seconds: int = 60,
    min_support: int = 2,
    max_length: int = 3,
    threads: int = 1,
    options: Mapping[str, Any] | None = None,
) -> ImportedRules:
    """Learn rules with AnyBURL or AMIE; counts are taken anew on the training triples.

    What AnyBURL finds depends on the computing time that it is given, and differs between runs.

    Args:
        kg: its split "train" is learned from.
        learner: "anyburl", or "amie" where PyClause has its jar; both need Java.
        seconds: learning time of AnyBURL.
        min_support: least number of right predictions.
        max_length: most body atoms of closed rules.
        threads: that AnyBURL learns with.
        options: further options of the learner by PyClause's names ("raw.THRESHOLD_CONFIDENCE").

    Returns:
        The rules; those of a form that is not covered are left out and counted.

    Raises:
        ConfigError: PyClause or Java is absent, or an option is not usable.
        TrainingError: the learner failed.
    """
    if seconds < 1 or min_support < 1 or max_length < 1:
        raise ConfigError(
            f"seconds={seconds!r}, min_support={min_support!r}, max_length={max_length!r}; "
            "expected at least 1"
        )
    if shutil.which("java") is None:
        raise ConfigError(f"{learner} needs Java, and there is no 'java' on the path; install one")
    chosen: dict[str, Any] = {
        "time": seconds,
        "raw.MAX_LENGTH_CYCLIC": max_length,
        "raw.THRESHOLD_CORRECT_PREDICTIONS": min_support,
        "raw.WORKER_THREADS": threads,
    }
    if learner == "amie":
        chosen = {"raw.mins": min_support, "raw.maxad": max_length + 1}
    job = {"task": "learn", "learner": learner, "options": {**chosen, **(options or {})}}
    with _job_folder() as folder:
        write_safe_triples(kg, folder, ["train"])
        (folder / "learned").mkdir()
        _run(job, folder)
        path = folder / "learned" / "rules.txt"
        write_safe_ids(kg, path)
        return import_rules(path, kg, unusable="drop", file_format="anyburl")


def count_rules(rules: RuleSet, kg: KnowledgeGraph) -> PyClauseCounts:
    """Count predictions and support with PyClause.

    It counts a dangling rule h(X,c) <= b(X,A) only over values A other than c, though it
    applies the rule to every X with a value; and it has no counts for zero rules, these are -1.

    Raises:
        ConfigError: PyClause is absent, or the rules belong to another graph.
        TrainingError: PyClause failed.
    """
    rules.check_graph(kg)
    counts = np.full((len(rules), 2), -1, dtype=np.int64)
    seconds = 0.0
    counted = np.flatnonzero(rules.kind != RULE_KINDS.index("zero"))
    if len(counted):
        with _job_folder() as folder:
            _write_graph(kg, folder)
            _write_rules(rules.select(counted), kg, folder)
            report = _run(_graph_job("count", kg, RuleWeights()), folder)
            seconds = float(report["cpu_seconds"]["count"])
            counts[counted] = np.load(folder / "counts.npy")
    return PyClauseCounts(counts[:, 1].copy(), counts[:, 0].copy(), seconds)


def answer_queries(
    rules: RuleSet,
    kg: KnowledgeGraph,
    queries: Mapping[Target, Queries],
    *,
    aggregation: Aggregation = "maxplus",
    weights: RuleWeights | None = None,
) -> tuple[dict[Target, PyClauseAnswers], dict[str, Any]]:
    """Answer queries with all rules: full top-k, no early stop, one thread.

    Candidates with equal confidences stand in the order of their frequency, PyClause's tie
    handling; known answers are not left out.

    Args:
        rules: any rules over the graph's vocabularies.
        kg: bodies are matched with its split "train".
        queries: distinct queries per target.
        aggregation: "max" is "maxplus" here; they differ in which of order and score is used.
        weights: how counts become confidences.

    Returns:
        Answers per target, and what PyClause reports: CPU seconds, number of rules.

    Raises:
        ConfigError: PyClause is absent, or the rules belong to another graph.
        TrainingError: PyClause failed, or did not take all rules.
    """
    check_aggregation(aggregation)
    rules.check_graph(kg)
    job = _graph_job("rank", kg, weights or RuleWeights())
    job["options"] = {
        "topk": max(kg.n_entities, 1),
        "disc_at_least": -1,
        "num_top_rules": 5 if aggregation == "noisyor_top5" else -1,
        "aggregation_function": "noisyor" if aggregation.startswith("noisyor") else "maxplus",
        "filter_w_data": False,
        "tie_handling": "frequency",
        "num_threads": 1,
        "verbose": False,
    }
    with _job_folder() as folder:
        _write_graph(kg, folder)
        _write_rules(rules, kg, folder)
        targets: tuple[Target, ...] = ("tail", "head")
        for target in targets:
            asked = queries.get(target)
            pairs = np.zeros((0, 2)) if asked is None else np.c_[asked.anchors, asked.relations]
            np.save(folder / f"{target}.npy", pairs.astype(np.int32))
        report = _run(job, folder)
        if report["n_rules"] != len(rules):
            raise TrainingError(
                f"PyClause took {report['n_rules']} of {len(rules)} rules; expected all. Leave "
                "out the kinds that it does not parse"
            )
        answers = {}
        for target in targets:
            if target in queries:
                with np.load(folder / f"{target}-answers.npz") as found:
                    answers[target] = PyClauseAnswers(
                        found["offsets"], found["entities"], found["scores"]
                    )
    return answers, report


def _graph_job(task: str, kg: KnowledgeGraph, weights: RuleWeights) -> dict[str, Any]:
    if weights.measure != "standard":
        raise ConfigError("PyClause orders rules by standard confidence; expected measure standard")
    if weights.unseen != int(weights.unseen):
        raise ConfigError(f"unseen={weights.unseen!r}; PyClause takes a whole number")
    return {
        "task": task,
        "n_entities": kg.n_entities,
        "n_relations": kg.n_relations,
        "unseen": int(weights.unseen),
        "loader": {
            "d_weight": weights.dangling,
            "z_weight": weights.zero,
            "b_max_branching_factor": -1,
            "num_threads": 1,
            "verbose": False,
        },
    }


def _write_graph(kg: KnowledgeGraph, folder: Path) -> None:
    np.save(folder / "train.npy", kg.train)


def _write_rules(rules: RuleSet, kg: KnowledgeGraph, folder: Path) -> None:
    """Write rules with safe ids in their own order, so that counts come back by row."""
    names = Names(entity_ids(kg), relation_ids(kg), ANYBURL_VARIABLES)
    rows = zip(
        rules.body_count.tolist(), rules.support.tolist(), anyburl_texts(rules, names), strict=True
    )
    with (folder / "rules.txt").open("w", encoding="ascii", newline="\n") as stream:
        stream.writelines(f"{body}\t{support}\t0\t{text}\n" for body, support, text in rows)


@contextmanager
def _job_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hybridkg-pyclause-") as name:
        yield Path(name)


def _environment() -> dict[str, str]:
    """Return an environment without our search path, which could hide the other Python's."""
    dropped = {"PYTHONPATH", "PYTHONHOME"} if os.environ.get(PYTHON_VARIABLE) else set()
    return {key: value for key, value in os.environ.items() if key not in dropped}


def _run(job: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Do a job in the other interpreter; its output is kept for the message of an error."""
    python = find_python()
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    log, result = folder / "log.txt", folder / "result.json"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [python, str(_WORKER), "."], cwd=folder, stdout=stream, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, env=_environment(), start_new_session=True,
        )  # fmt: skip
        try:
            code = process.wait()
        except BaseException:
            # The learner is a grandchild: only its group ends with us.
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            raise
    report: dict[str, Any] = {}
    if result.is_file():
        report = json.loads(result.read_text(encoding="utf-8"))
    if not report and not result.is_file():
        report = {"error": f"PyClause ended its interpreter with exit code {code}"}
    if "error" in report:
        words = " | ".join(log.read_text(encoding="utf-8", errors="replace").split("\n")[-4:])
        raise TrainingError(
            f"{job['task']} with PyClause failed: {report['error']}; its last words: "
            f"{words.strip(' |')[:500] or 'none'}"
        )
    return report
