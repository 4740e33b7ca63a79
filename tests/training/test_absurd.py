"""Absurd candidates: filtered like the ranking, the truth kept, reasons given."""

from __future__ import annotations

import numpy as np

from hybridkg.analysis.reasoning import Reasoning
from hybridkg.evaluation.candidates import make_task
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.observers import VerdictObserver
from hybridkg.graph.datasets import load_dataset
from hybridkg.training.absurd import AbsurdCandidates


class Ordered:
    """Scores the named entities 9, 8, 7, ... as answers of every query, the others 0."""

    name = "ordered"

    def __init__(self, kg, names) -> None:
        self.scores = np.zeros(kg.n_entities, np.float32)
        self.scores[kg.entities.ids_of(names)] = 9 - np.arange(len(names))

    def score(self, queries):
        return np.tile(self.scores, (len(queries), 1))


def test_ranks_of_absurd_candidates_are_filtered_and_keep_the_truth() -> None:
    kg = load_dataset("academic")
    reasoning = Reasoning.over(kg)
    # For (bob, advises, ?) carol is known and dave is true; cmu is an institution.
    scorer = Ordered(kg, ["carol", "dave", "cmu"])
    for filter_name, rank in (("all", 2), ("none", 3)):
        task = make_task(kg, filter_name=filter_name)
        observer = VerdictObserver(reasoning.masks, (3,))
        table = evaluate(scorer, kg, filter_name=filter_name, observers=[observer])
        found = AbsurdCandidates(kg, task, reasoning.masks).find(scorer, table, n=6, k=3)
        (first,) = (one for one in found if one["query"] == "(bob, advises, ?)")
        assert (first["candidate"], first["rank"], first["verdict"]) == ("cmu", rank, "impossible")
        assert "advises range Person" in first["reasons"][0]["axioms"]
