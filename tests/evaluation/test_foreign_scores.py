"""Score files rank as the scores that they hold, whatever their format, and only if complete."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from score_writers import WRITERS, dense_scores, query_rows, write_candidates, write_query_map
from strategies import protocols, scored_graphs

from hybridkg.errors import DataError, ScoreError
from hybridkg.evaluation.candidates import make_task
from hybridkg.evaluation.completeness import find_gaps
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.foreign_scores import evaluate_scores
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.score_files import read_scores


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=20)
@given(scored_graphs(), protocols())
def test_any_format_ranks_as_the_scores_themselves(name, scored, protocol) -> None:
    kg, scorer = scored
    writer, by_name = WRITERS[name]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path = writer(folder, kg, dense_scores(scorer, kg))
        queries = write_query_map(folder, kg) if by_name else None
        table = evaluate_scores(read_scores(path, kg, queries=queries), kg, **protocol)
        expected = evaluate(scorer, kg, **protocol)
        for column in ("optimistic", "pessimistic", "candidates"):
            np.testing.assert_array_equal(table.columns[column], expected.columns[column])
        # A rank is a score above -inf: ranking lists have no other way to say "not scored".
        if name != "ranks":
            np.testing.assert_array_equal(table.scored, expected.scored)
        assert table.protocol == expected.protocol


def required(kg: KnowledgeGraph, task, row: tuple[str, str, str], target: str) -> set[str]:
    """Candidates of one query that need a score, by the nested loop."""
    known = {tuple(t) for t in kg.label_triples(task.known)}
    asked = set(
        kg.label_triples(task.queries.triples[task.queries.asks_tail == (target == "tail")])
    )
    found = set()
    for e, entity in enumerate(kg.entities):
        triple = (row[0], row[1], entity) if target == "tail" else (entity, row[1], row[2])
        if triple in asked or (task.pool[e] and triple not in known):
            found.add(entity)
    return found


@given(scored_graphs(), protocols(), st.data())
def test_gaps_equal_the_nested_loop(scored, protocol, data) -> None:
    kg, scorer = scored
    protocol.pop("batch_size")
    task = make_task(kg, **protocol)
    asked = [(row, t) for row, t in query_rows(kg) if t in protocol["targets"]]
    scores = dense_scores(scorer, kg)
    with tempfile.TemporaryDirectory() as place:
        path = write_candidates(Path(place), kg, scores)
        header, *lines = path.read_text().splitlines()
        kept = data.draw(st.lists(st.sampled_from(lines), unique=True, min_size=1))
        path.write_text("\n".join([header, *kept]) + "\n")
        fields = [line.split("\t") for line in kept]
        there = {((h, r, t), e) for _, t, e, _, r, h in fields}
        gaps = find_gaps(read_scores(path, kg), kg, task)
    rows_there = {row for row, _ in there}
    missing = [row for row, _ in asked if row not in rows_there]
    lacking = [
        {e for e in required(kg, task, row, target) if (row, e) not in there}
        for row, target in asked
        if row in rows_there
    ]
    assert gaps.n_queries == len(asked)
    # In the order of the split, tail first.
    in_order = dict.fromkeys(
        row
        for h, r, t in kg.label_triples(kg.split("test"))
        for row in ((h, r, "?"), ("?", r, t))
        if row in missing
    )
    assert gaps.missing == tuple(f"({', '.join(row)})" for row in in_order)
    assert gaps.n_extra == len(rows_there - {row for row, _ in asked})
    assert gaps.n_unscored == sum(map(len, lacking))
    assert gaps.n_short == sum(map(bool, lacking))
    assert len(gaps.unscored) == min(gaps.n_short, 5)


@given(scored_graphs(), st.data())
def test_a_partial_file_ranks_as_if_the_rest_were_unscored(scored, data) -> None:
    kg, scorer = scored
    scores = dense_scores(scorer, kg)
    with tempfile.TemporaryDirectory() as place:
        path = write_candidates(Path(place), kg, scores)
        header, *lines = path.read_text().splitlines()
        kept = data.draw(st.lists(st.sampled_from(lines), unique=True, min_size=1))
        for line in set(lines) - set(kept):
            _, tail, entity, _, relation, head = line.split("\t")
            q = [row for row, _ in query_rows(kg)].index((head, relation, tail))
            scores[q, kg.entities.id_of(entity)] = -np.inf
        full = evaluate_scores(read_scores(write_candidates(Path(place), kg, scores), kg), kg)
        path.write_text("\n".join([header, *kept]) + "\n")
        partial = evaluate_scores(read_scores(path, kg), kg, partial=True)
    for column, values in full.columns.items():
        np.testing.assert_array_equal(partial.columns[column], values)


#: First line of a long table.
HEADER = "head\trelation\ttail\tcandidate\tscore\n"


@pytest.fixture
def small() -> KnowledgeGraph:
    return KnowledgeGraph.from_labels(
        {
            "train": [("a", "r", "b"), ("b", "r", "c"), ("c", "r", "d")],
            "valid": [("a", "r", "d")],
            "test": [("a", "r", "c"), ("b", "r", "a")],
        },
        name="small",
    )


def test_what_the_filter_removes_need_not_be_there(small, tmp_path) -> None:
    path = tmp_path / "s.tsv"
    # b and d are known tails of (a, r, ?), so the pool is a and c.
    path.write_text(
        HEADER + "a\tr\t?\ta\t1\na\tr\t?\tc\t-inf\nb\tr\t?\ta\t1\nb\tr\t?\tb\t2\nb\tr\t?\td\t3\n"
    )
    table = evaluate_scores(read_scores(path, small), small, targets=("tail",))
    assert table.optimistic.tolist() == [[2, 3]]
    assert table.candidates.tolist() == [[2, 3]]
    assert table.scored.tolist() == [[False, True]]
    assert table.about["s"]["notes"] == []
    lacking = (
        r"without a score: 3, in 2 of 2 queries, as 'b' of \(a, r, \?\), 'c' of \(b, r, \?\)\."
    )
    with pytest.raises(ScoreError, match=lacking):
        evaluate_scores(read_scores(path, small), small, targets=("tail",), filter_name="none")


def test_another_split_is_told_by_queries_of_both_sides(small, tmp_path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text(HEADER + "".join(f"{h}\tr\t?\t{e}\t{ord(e)}\n" for h in "ac" for e in "abcd"))
    sides = r"file: 1 of 2, as \(b, r, \?\); in the file and not asked: 1, as \(c, r, \?\); another"
    with pytest.raises(ScoreError, match=sides):
        evaluate_scores(read_scores(path, small), small, targets=("tail",))
    table = evaluate_scores(read_scores(path, small), small, targets=("tail",), partial=True)
    assert table.about["s"]["notes"] == [
        "queries that are not in the file: 1 of 2; all their candidates are unscored",
        "queries of the file that are not asked: 1, as (c, r, ?); left out",
    ]
    assert table.scored.tolist() == [[True, False]]
    # The unscored answer ties with its whole pool.
    assert (table.optimistic[0, 1], table.pessimistic[0, 1]) == (1, table.candidates[0, 1])


def test_scored_triples_answer_both_of_their_queries(small, tmp_path) -> None:
    path = tmp_path / "s.tsv"
    rng = np.random.default_rng(0)
    scores = {(h, t): rng.integers(0, 3) for h in "abcd" for t in "abcd"}
    path.write_text(
        "tail\tscore\thead\trelation\n"
        + "".join(f"{t}\t{s}\t{h}\tr\n" for (h, t), s in scores.items())
    )
    table = evaluate_scores(read_scores(path, small), small)
    assert table.about["s"]["notes"] == []
    # (a, r, ?) -> c against a; (?, r, c) -> a against c and d; (b, r, ?) -> a against b and d;
    # (?, r, a) -> b against all others.
    rivals = [
        ("ac", ["aa"]),
        ("ac", ["cc", "dc"]),
        ("ba", ["bb", "bd"]),
        ("ba", ["aa", "ca", "da"]),
    ]
    for number, (truth, others) in enumerate(rivals):
        mine = scores[tuple(truth)]
        better = sum(scores[tuple(o)] > mine for o in others)
        tied = sum(scores[tuple(o)] == mine for o in others)
        assert table.optimistic[0, number] == 1 + better
        assert table.pessimistic[0, number] == 1 + better + tied
        assert table.candidates[0, number] == 1 + len(others)


def test_blocks_of_another_split_are_refused_with_their_line(small, tmp_path) -> None:
    path = tmp_path / "ranking"
    path.write_text("a r c\nHeads: a\t0.5\t\nTails: c\t0.5\t\na r d\nHeads: \nTails: \n")
    with pytest.raises(
        DataError,
        match=r"ranking:4: triple \('a', 'r', 'd'\) is not in split "
        r"'test' of small \(triples of the file that are not: 1 of 2\).*--split",
    ):
        evaluate_scores(read_scores(path, small), small, partial=True)
    with pytest.raises(DataError, match=r"ranking:1: triple \('a', 'r', 'c'\)"):
        evaluate_scores(read_scores(path, small), small, split="valid", partial=True)


def test_close_scores_are_handed_on_with_all_their_digits(small, tmp_path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text(HEADER + "a\tr\t?\ta\t0.5000000001\n")
    scorer = read_scores(path, small)
    task = make_task(small, targets=("tail",))
    queries, _, _ = task.queries.distinct("tail")
    assert scorer.score(queries)[0, 0] == 0.5000000001
    assert scorer.score_sparse(queries).scores.tolist() == [0.5000000001]
