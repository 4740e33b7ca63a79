"""The tie rules of other tools, beside our own."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import scored_graphs

from hybridkg.cli._options import tie_policies
from hybridkg.errors import ConfigError, RankTableError, UnknownNameError
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.metrics import METRICS, MRR
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.types import FOREIGN_TIE_POLICIES, TIE_POLICIES

TRAIN = [("e0", "r", "e1"), ("e2", "r", "e3"), ("e4", "s", "e5"), ("e6", "s", "e7"),
         ("e8", "r", "e9")]  # fmt: skip
TEST = [("e0", "r", "e3"), ("e2", "s", "e5"), ("e4", "r", "e9")]
#: What some rules predict: (anchor, relation, target) -> candidate -> confidence.
PREDICTED = {
    ("e0", "r", "tail"): {"e1": 0.9, "e3": 0.6, "e5": 0.6},
    ("e3", "r", "head"): {"e2": 0.8, "e4": 0.3},
    ("e2", "s", "tail"): {"e7": 0.5},
    ("e5", "s", "head"): {"e6": 0.7, "e4": 0.7, "e2": 0.7},
    ("e9", "r", "head"): {"e8": 0.9, "e0": 0.5, "e4": 0.2},
}


class Predictions:
    """Scores of the candidates that some rule predicts."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._kg = kg

    def score(self, queries):
        kg = self._kg
        scores = np.full((len(queries), kg.n_entities), -np.inf, dtype=np.float32)
        for row, (anchor, relation) in enumerate(
            zip(queries.anchors.tolist(), queries.relations.tolist(), strict=True)
        ):
            asked = (kg.entities[anchor], kg.relations[relation], queries.target)
            for candidate, score in PREDICTED.get(asked, {}).items():
                scores[row, kg.entities.id_of(candidate)] = score
        return scores


@pytest.fixture
def table():
    kg = KnowledgeGraph.from_labels(
        {"train": TRAIN, "test": TEST}, entities=[f"e{i}" for i in range(10)]
    )
    return evaluate(Predictions(kg), kg)


def test_rules_that_rank_only_some_earn_what_the_policy_says(table) -> None:
    assert table.optimistic[0].tolist() == [1, 2, 2, 1, 1, 2]
    assert table.pessimistic[0].tolist() == [2, 9, 10, 2, 10, 2]
    assert table.scored[0].tolist() == [True, False, False, True, False, True]
    for ties, expected in {
        "optimistic": Fraction(3, 4),
        "pessimistic": Fraction(163, 540),
        "realistic": Fraction(13, 33),
        "absent_zero_realistic": Fraction(11, 36),
        "absent_zero_optimistic": Fraction(5, 12),
        # Scored answers alone: ranks 2, 2 and 2.
        "absent_zero_pessimistic": Fraction(3, 2) / 6,
    }.items():
        assert table.values("mrr", ties).mean() == pytest.approx(float(expected), abs=1e-12)
    assert table.metrics("expected")["mrr"].iloc[0] == pytest.approx(0.455975, abs=5e-7)


def test_the_habit_of_counting_zero_gives_no_mean_rank(table) -> None:
    from hybridkg.analysis.summary import summarise

    values = table.values("mean_rank", "absent_zero_realistic")
    assert np.isnan(values[~table.scored]).all()
    assert values[table.scored].tolist() == [1.5, 1.5, 2]
    (row,) = summarise(table, "absent_zero_realistic")["instances"]
    assert np.isnan(row["mean_rank"])
    assert any("50.0% of the answers have no score and earn 0" in note for note in row["notes"])
    whole = replace(table, columns={**table.columns, "scored": np.ones_like(table.scored)})
    assert whole.metrics("absent_zero_realistic")["mean_rank"].iloc[0] == pytest.approx(
        (1.5 + 5.5 + 6 + 1.5 + 5.5 + 2) / 6
    )


@given(scored_graphs(), st.sampled_from(sorted(METRICS)))
def test_foreign_rules_keep_to_the_own_rules_they_follow(case, name) -> None:
    kg, scorer = case
    table = evaluate(scorer, kg)
    for base in ("optimistic", "realistic", "pessimistic"):
        absent = table.values(name, f"absent_zero_{base}")
        own = table.values(name, base)
        assert (absent[table.scored] == own[table.scored]).all()
        if METRICS[name].larger_is_better:
            assert (absent[~table.scored] == 0).all()
    rounded = table.values("mean_rank", "rounded_mean")
    # The middle of an odd tie group is a rank; of two middle ranks the worse one counts.
    assert (rounded - table.values("mean_rank", "realistic") == (rounded % 1 == 0) * np.where(
        (table.optimistic + table.pessimistic) % 2 == 0, 0, 0.5)).all()  # fmt: skip


def test_a_rule_about_absent_answers_needs_to_know_them() -> None:
    ranks = np.array([1, 2], dtype=np.int32)
    with pytest.raises(RankTableError, match="without knowing which true answers have a score"):
        MRR.values(ranks, ranks, "absent_zero_realistic")
    with pytest.raises(UnknownNameError, match="did you mean 'absent_zero_realistic'"):
        MRR.values(ranks, ranks, "absent_zero_realistc", scored=ranks > 0)


def test_ties_take_one_name_several_or_all() -> None:
    assert tie_policies("all") == list(TIE_POLICIES)
    assert tie_policies("rounded_mean") == ["rounded_mean"]
    assert tie_policies("pessimistic, rounded_mean,pessimistic") == ["pessimistic", "rounded_mean"]
    assert tie_policies("rounded_mean,all") == ["rounded_mean", *TIE_POLICIES]
    assert not set(TIE_POLICIES) & set(FOREIGN_TIE_POLICIES)
    for text in ("", "fair", "expected,", "expected;optimistic"):
        with pytest.raises(ConfigError, match="expected all or one of expected, optimistic"):
            tie_policies(text)
