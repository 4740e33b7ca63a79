"""The audit summary: what its columns mean, on rankings made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from strategies import TableScorer

from hybridkg.analysis.audit import audit_summary, clean_ranks
from hybridkg.analysis.summary import summarise
from hybridkg.errors import RankTableError
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.listing import list_candidates
from hybridkg.evaluation.observers import VerdictObserver
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries

OK, UNTYPED, UNSUPPORTED, IMPOSSIBLE = range(4)
#: Candidates a..f of (a, r, ?); b is known, f is true.
SCORES = [0.5, 9.0, 0.9, 0.5, 0.7, 0.5]
CODES = [IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE, UNSUPPORTED, OK]


class Slot:
    """Verdicts of one tail slot; the head slot is ok throughout."""

    depends_on_anchor = False

    def __init__(self, codes) -> None:
        self._codes = np.array(codes, dtype=np.uint8)

    def codes(self, target, relation, anchor=None):
        return self._codes if target == "tail" else np.zeros(6, dtype=np.uint8)


@pytest.fixture
def kg() -> KnowledgeGraph:
    return KnowledgeGraph.from_labels(
        {"train": [("a", "r", "b")], "test": [("a", "r", "f")]}, entities="abcdef"
    )


def ranked(kg, codes=CODES, scores=SCORES, name="one"):
    table = np.zeros((6, 1, 6), np.float32)
    table[0, 0] = scores
    observer = VerdictObserver(Slot(codes), (1, 2, 3))
    return evaluate(TableScorer(table, table), kg, targets=("tail",), observers=[observer],
                    name=name, about={"audit": "x"})  # fmt: skip


def test_ties_with_the_truth_count_half_and_known_answers_not_at_all(kg) -> None:
    row = audit_summary(ranked(kg)).loc["one"]
    # c is above, a and d tie; b is a known answer.
    assert row["impossible_above"] == 1 + 2 / 2
    assert row["unsupported_above"] == 1
    assert row["impossible_pool"] == 3
    assert row["impossible_top_1"] == 1
    assert row["impossible_top_2"] == 1
    # One place is left for a, d and f together; two of the three are impossible.
    assert row["impossible_top_3"] == pytest.approx(1 + 2 / 3)
    assert row["unsupported_top_2"] == 1


def test_clean_ranks_lose_impossible_candidates_and_keep_the_truth(kg) -> None:
    table = ranked(kg)
    assert (table.optimistic[0, 0], table.pessimistic[0, 0], table.candidates[0, 0]) == (3, 5, 5)
    clean = clean_ranks(table)
    assert (clean.optimistic[0, 0], clean.pessimistic[0, 0], clean.candidates[0, 0]) == (2, 2, 2)
    row = audit_summary(table, ties="pessimistic").loc["one"]
    assert (row["mrr"], row["clean_mrr"], row["strict_mrr"]) == (1 / 5, 1 / 2, 1 / 2)


def test_an_impossible_truth_counts_nothing_in_the_strict_reading(kg) -> None:
    row = audit_summary(ranked(kg, codes=[*CODES[:5], IMPOSSIBLE])).loc["one"]
    assert row["truth_impossible"] == 1
    assert row["clean_mrr"] == 1 / 2
    assert row["strict_mrr"] == 0


def test_the_audit_needs_verdicts_and_one_ontology(kg) -> None:
    one = ranked(kg)
    plain = evaluate(TableScorer(*(np.zeros((6, 1, 6), np.float32),) * 2), kg, name="plain")
    with pytest.raises(RankTableError, match="carry no verdict counts"):
        audit_summary(plain)
    two = ranked(kg, name="two")
    assert combine([one, two]).instances == ("one", "two")
    other = replace(two, about={"two": {"audit": "another"}})
    with pytest.raises(RankTableError, match="under different ontologies"):
        combine([one, other])


def test_lists_rank_as_the_evaluator_does(kg) -> None:
    table = np.zeros((6, 1, 6), np.float32)
    table[0, 0] = SCORES
    scorer = TableScorer(table, table)
    queries = Queries("tail", kg.entities.ids_of(["a"]), np.zeros(1, np.int32))
    listing = list_candidates(
        scorer, kg, queries, k=4, known=kg.answer_index("tail", "all"),
        answers=kg.entities.ids_of(["f"]),
    )[0]  # fmt: skip
    assert [kg.entities[e] for e in listing.entities.tolist()] == ["c", "e", "a", "d"]
    assert listing.ranks.tolist() == [1, 2, 3, 3]
    evaluated = evaluate(scorer, kg, targets=("tail",))
    everything = list_candidates(
        scorer, kg, queries, known=kg.answer_index("tail", "all"),
        answers=kg.entities.ids_of(["f"]),
    )[0]  # fmt: skip
    place = everything.entities.tolist().index(kg.entities.id_of("f"))
    assert everything.ranks[place] == evaluated.optimistic[0, 0]


def test_means_over_seeds_come_with_the_sample_standard_deviation(kg) -> None:
    first = ranked(kg, name="m-s0")
    second = ranked(kg, name="m-s1", scores=[0, 0, 0, 0, 0, 1])
    tables = [replace(t, about={t.instances[0]: {"model": "m", "audit": "x"}})
              for t in (first, second)]  # fmt: skip
    (model,) = summarise(combine(tables), "pessimistic")["models"]
    assert model["mean"]["mrr"] == pytest.approx((1 / 5 + 1) / 2)
    assert model["sd"]["mrr"] == pytest.approx((1 - 1 / 5) / np.sqrt(2))
