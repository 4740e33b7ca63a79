"""Ranks among sets and lists equal the ranks of a plain loop over the candidates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TableScorer, scored_graphs

from hybridkg.errors import RankTableError, ScoreError
from hybridkg.evaluation.candidate_sets import EntitySet, RelationSets
from hybridkg.evaluation.candidates import make_task
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.inductive import check_inductive
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.sampling import sample_candidates
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.types import FILTERS, TARGETS


def rank_among(scores_row, truth: int, candidates) -> tuple[int, int, int]:
    """Optimistic and pessimistic rank of the truth among itself and the candidates."""
    others = [e for e in candidates if e != truth]
    better = sum(scores_row[e] > scores_row[truth] for e in others)
    tied = sum(scores_row[e] == scores_row[truth] for e in others)
    return 1 + better, 1 + better + tied, 1 + len(others)


@given(scored_graphs(), st.sampled_from(["queries", "relations"]), st.sampled_from(list(FILTERS)),
       st.integers(0, 9), st.integers(1, 5))  # fmt: skip
def test_ranks_are_those_of_a_loop_over_the_candidates(
    scored, kind, filter_name, seed, batch
) -> None:
    kg, scorer = scored
    rng = np.random.default_rng(seed)
    if kind == "queries":
        # Drawn without a filter, so that the evaluation's own filter has something to do.
        sets = sample_candidates(kg, 3, rng, filter_name="none")
    else:
        members = {
            (target, r): rng.choice(kg.n_entities, size=min(2, kg.n_entities), replace=False)
            for target in TARGETS
            for r in range(kg.n_relations)
        }
        sets = RelationSets.build(kg, members, "some sets")
    table = evaluate(scorer, kg, candidates=sets, filter_name=filter_name, batch_size=batch)
    task = make_task(kg, candidates=sets, filter_name=filter_name)
    known = {tuple(row) for row in task.known.tolist()}
    for row, (h, r, t) in enumerate(task.queries.triples.tolist()):
        is_tail = bool(task.queries.asks_tail[row])
        target, answer = ("tail", t) if is_tail else ("head", h)
        listed = sets.of(row) if kind == "queries" else sets.of(target, r)
        competing = [
            e for e in listed.tolist() if ((h, r, e) if is_tail else (e, r, t)) not in known
        ]
        scores = scorer._tables[target][h if is_tail else t, r]
        found = [int(column[0, row]) for column in
                 (table.optimistic, table.pessimistic, table.candidates)]  # fmt: skip
        assert tuple(found) == rank_among(scores, answer, competing)


def test_a_list_of_everything_gives_the_full_ranks(academic) -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(13, 5, 13)).astype(np.float32)
    scorer = TableScorer(scores, scores)
    whole = evaluate(scorer, academic)
    listed = evaluate(scorer, academic, candidates=sample_candidates(academic, 99, rng))
    for column in ("optimistic", "pessimistic", "candidates"):
        assert listed.columns[column].tolist() == whole.columns[column].tolist()
    with pytest.raises(RankTableError, match="candidates is 'all' in one"):
        combine([whole, listed])


def test_the_training_graph_travels_with_the_ranks(academic) -> None:
    training = KnowledgeGraph.from_labels({"train": [("a1", "advises", "a2")]}, name="training")
    zeros = np.zeros((13, 5, 13), np.float32)
    checked = check_inductive(academic, training)
    table = evaluate(TableScorer(zeros, zeros), academic, trained_on=checked)
    assert table.protocol.trained_on_digest == checked.digest
    assert "trained on training (no entity is shared)" in table.protocol.sentence()


SPEC = 'dataset = "academic"\nout = "{out}"\nseeds = [0]\n[[models]]\nname = "frequency"\n'


def test_commands_rank_among_the_candidates_of_a_file(tmp_path: Path, hybridkg_command) -> None:
    (tmp_path / "spec.toml").write_text(SPEC.format(out=tmp_path / "runs"))
    assert hybridkg_command("train", tmp_path / "spec.toml")[0] == 0
    (folder,) = [path for path in (tmp_path / "runs").iterdir() if path.is_dir()]
    lists, sets = tmp_path / "lists.tsv", tmp_path / "sets.tsv"
    hybridkg_command("candidates", "academic", "--out", lists, "--sample", 4)
    hybridkg_command("candidates", "academic", "--out", sets, "--by", "types")
    code, out, _ = hybridkg_command("evaluate", folder, "--candidates", lists, "--json")
    assert code == 0
    (evaluation,) = json.loads(out)["evaluations"]
    assert evaluation["protocol"]["candidates"] == "4 sampled candidates a query, seed 0"
    # Each pool holds four candidates and the truth.
    assert evaluation["chance"]["mrr"] == pytest.approx(sum(1 / r for r in range(1, 6)) / 5)
    code, out, _ = hybridkg_command("evaluate", folder, "--candidates", sets)
    assert code == 0
    assert "candidates types of academic.ttl" in out
    code, _, err = hybridkg_command("evaluate", folder, "--candidates", "nothing")
    assert code == 2
    assert "candidates 'nothing'; expected 'all', 'train' or a file of candidates" in err


def test_rules_rank_among_the_candidates_of_a_file(tmp_path: Path, hybridkg_command) -> None:
    rules, lists = tmp_path / "rules.tsv", tmp_path / "lists.tsv"
    assert hybridkg_command("rules", "mine", "academic", "--out", rules)[0] == 0
    hybridkg_command("candidates", "academic", "--out", lists, "--sample", 4)
    code, out, err = hybridkg_command("rules", "apply", rules, "academic", "--candidates", lists)
    assert code == 0, err
    assert "candidates 4 sampled candidates a query, seed 0" in out


@pytest.mark.parametrize("kind", ["entities", "relations", "queries"])
def test_nan_is_refused_of_an_entity_that_is_no_candidate(academic, kind: str) -> None:
    chosen = np.array([1, 2], dtype=np.int32)
    candidates = {
        "entities": EntitySet.build(academic, chosen.tolist(), "some"),
        "relations": RelationSets.build(
            academic, {(target, r): chosen for target in TARGETS for r in range(5)}, "some"
        ),
        "queries": sample_candidates(
            academic,
            2,
            np.random.default_rng(0),
            pool=EntitySet.build(academic, chosen.tolist(), "some"),
        ),
    }[kind]
    answers = make_task(academic).queries.answers.tolist()
    outside = next(e for e in range(13) if e not in {1, 2, *answers})
    scores = np.zeros((13, 5, 13), np.float32)
    scores[..., outside] = np.nan
    with pytest.raises(ScoreError, match=f"gives NaN to '{academic.entities[outside]}' as answer"):
        evaluate(TableScorer(scores, scores), academic, candidates=candidates)
