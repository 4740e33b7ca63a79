"""When scores count as equal: exactly, within LibKGE's tolerance, or because of rounding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TableScorer, random_graph, scored_graphs

from hybridkg.errors import ConfigError, RankTableError
from hybridkg.evaluation import evaluator
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.observers import VerdictObserver


class Wide:
    """The scores of a table scorer in another type or layout."""

    name = "table"

    def __init__(self, scorer: TableScorer, change) -> None:
        self._scorer, self._change = scorer, change

    def score(self, queries):
        return self._change(self._scorer.score(queries))


def near_ties(kg, seed: int) -> TableScorer:
    """Scores around 10, a few times 1e-4 apart: LibKGE takes differences up to 1.01e-3 as ties."""
    rng = np.random.default_rng(seed)
    shape = (kg.n_entities, kg.n_relations, kg.n_entities)
    scores = [(10 + rng.integers(0, 8, shape) * 3e-4).astype(np.float32) for _ in range(2)]
    return TableScorer(*scores)


def torch_isclose_ranks(scores, answer, others):
    """Optimistic and pessimistic rank by torch's isclose, as LibKGE counts."""
    torch = pytest.importorskip("torch")
    values = torch.as_tensor(scores)
    close = torch.isclose(values, values[answer], rtol=1e-4, atol=1e-5)
    better = (values > values[answer]) & ~close
    return 1 + int(better[others].sum()), 1 + int((better | close)[others].sum())


@pytest.mark.parametrize("compiled", [False, True])
def test_the_tolerance_of_libkge_changes_ranks_where_scores_nearly_tie(compiled: bool) -> None:
    kg = random_graph(60, 3, {"train": 200, "valid": 20, "test": 40}, seed=1)
    scorer = near_ties(kg, 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluator, "SMALL", 0 if compiled else 10**9)
        exact, close = evaluate(scorer, kg), evaluate(scorer, kg, equality="libkge")
    assert (exact.optimistic != close.optimistic).any()
    assert (close.optimistic <= exact.optimistic).all()
    assert (close.pessimistic >= exact.pessimistic).all()
    known = {tuple(t) for s in ("train", "valid", "test") for t in kg.splits[s].tolist()}
    row = 0
    for h, r, t in kg.split("test").tolist():
        for target, anchor, answer in (("tail", h, t), ("head", t, h)):
            made = [(h, r, e) if target == "tail" else (e, r, t) for e in range(kg.n_entities)]
            others = [e for e in range(kg.n_entities) if e != answer and made[e] not in known]
            scores = scorer._tables[target][anchor, r]
            found = int(close.optimistic[0, row]), int(close.pessimistic[0, row])
            assert found == torch_isclose_ranks(scores, answer, others)
            row += 1


class SlotCodes:
    depends_on_anchor = False

    def __init__(self, kg) -> None:
        shape = (kg.n_relations, kg.n_entities)
        self._codes = np.random.default_rng(0).integers(0, 4, shape).astype(np.uint8)

    def codes(self, target, relation, anchor=None):
        return self._codes[relation]


@pytest.mark.parametrize("compiled", [False, True])
def test_verdicts_are_counted_exactly_whatever_ranks_take_for_equal(compiled: bool) -> None:
    kg = random_graph(60, 3, {"train": 200, "valid": 20, "test": 40}, seed=1)
    scorer, observers = near_ties(kg, 1), [VerdictObserver(SlotCodes(kg))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluator, "SMALL", 0 if compiled else 10**9)
        exact = evaluate(scorer, kg, observers=observers)
        close = evaluate(scorer, kg, observers=observers, equality="libkge")
    for column in set(exact.columns) - {"optimistic", "pessimistic"}:
        assert np.allclose(exact.columns[column], close.columns[column]), column


@given(scored_graphs())
def test_distant_scores_rank_alike_under_both_equalities(case) -> None:
    kg, scorer = case
    exact, close = evaluate(scorer, kg), evaluate(scorer, kg, equality="libkge")
    assert exact.optimistic.tolist() == close.optimistic.tolist()
    assert exact.pessimistic.tolist() == close.pessimistic.tolist()
    with pytest.raises(RankTableError, match="equality is 'exact' in one and 'libkge'"):
        combine([exact, close])


def test_an_unknown_equality_is_refused(academic) -> None:
    scores = np.zeros((13, 5, 13), np.float32)
    with pytest.raises(ConfigError, match="equality 'close'; expected one of exact, libkge"):
        evaluate(TableScorer(scores, scores), academic, equality="close")


@given(scored_graphs(), st.sampled_from(["float64", "Fortran", "torch", "float16", "list"]))
def test_type_and_layout_of_scores_change_no_rank(case, kind: str) -> None:
    kg, scorer = case
    torch = pytest.importorskip("torch")
    change = {
        "float64": lambda s: s.astype(np.float64),
        "Fortran": np.asfortranarray,
        "torch": torch.as_tensor,
        "float16": lambda s: s.astype(np.float16),
        "list": lambda s: s.tolist(),
    }[kind]
    first, second = evaluate(scorer, kg), evaluate(Wide(scorer, change), kg)
    assert first.optimistic.tolist() == second.optimistic.tolist()
    assert first.pessimistic.tolist() == second.pessimistic.tolist()
    assert second.about["table"].get("notes", []) == first.about["table"].get("notes", [])


@pytest.mark.parametrize("candidates", ["all", "train"])
def test_ties_made_by_rounding_are_counted_and_said(candidates: str) -> None:
    kg = random_graph(30, 2, {"train": 40, "valid": 5, "test": 20}, seed=3)
    rng = np.random.default_rng(0)
    shape = (kg.n_entities, kg.n_relations, kg.n_entities)
    tail, head = (rng.integers(0, 4, shape) + rng.random(shape) * 1e-9 for _ in range(2))

    class Table(TableScorer):
        def score(self, queries):
            return (tail if queries.target == "tail" else head)[queries.anchors, queries.relations]

    table = evaluate(Table(tail, head), kg, candidates=candidates)
    pool = kg.seen_entities() if candidates == "train" else np.ones(kg.n_entities, bool)
    known = {tuple(t) for s in ("train", "valid", "test") for t in kg.splits[s].tolist()}
    queries = made_by_rounding = 0
    for h, r, t in kg.split("test").tolist():
        for scores, answer, made in (
            (tail[h, r], t, [(h, r, e) for e in range(kg.n_entities)]),
            (head[t, r], h, [(e, r, t) for e in range(kg.n_entities)]),
        ):
            n = sum(
                np.float32(scores[e]) == np.float32(scores[answer])
                and scores[e] != scores[answer]
                and made[e] not in known
                and pool[e]
                for e in range(kg.n_entities)
                if e != answer
            )
            queries, made_by_rounding = queries + (n > 0), made_by_rounding + int(n)
    assert queries > 0
    (note,) = table.about["table"]["notes"]
    assert note.startswith(f"{queries} true answers tie with {made_by_rounding} candidates only")


def test_exact_float64_scores_need_no_note(academic) -> None:
    scores = np.random.default_rng(0).integers(0, 9, (13, 5, 13)).astype(np.float32)
    wide = Wide(TableScorer(scores, scores), lambda s: s.astype(np.float64))
    assert "notes" not in evaluate(wide, academic).about["table"]


@pytest.mark.parametrize("compiled", [False, True])
def test_no_distance_is_too_large_for_the_tolerance(academic, compiled: bool) -> None:
    scores = np.full((13, 5, 13), np.finfo(np.float32).max, np.float32)
    scores[..., ::2] *= -1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluator, "SMALL", 0 if compiled else 10**9)
        close = evaluate(TableScorer(scores, scores), academic, equality="libkge")
    exact = evaluate(TableScorer(scores, scores), academic)
    assert close.optimistic.tolist() == exact.optimistic.tolist()
    assert close.pessimistic.tolist() == exact.pessimistic.tolist()


def test_within_a_tolerance_rounding_makes_no_tie(academic) -> None:
    scores = np.ones((13, 5, 13)) + np.arange(13) * 1e-10
    assert "tie with" in evaluate(TableScorer(scores, scores), academic).about["table"]["notes"][0]
    about = evaluate(TableScorer(scores, scores), academic, equality="libkge").about["table"]
    assert about["notes"] == ["all scores are equal in every query"]
