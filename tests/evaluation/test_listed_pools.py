"""Tables of queries with their own candidates need no data set."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkg.errors import ConfigError, DataError, ScoreError
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.listed_pools import evaluate_pools
from hybridkg.training.protocol_options import protocol_options

TIED = {
    "q1": ("t .9 1", "a .9 0", "b .9 0", "c .4 0", "d .1 0", "e 0 0"),
    "q2": ("t .5 1", "a .9 0", "b .8 0", "c .4 0", "d .1 0", "e 0 0"),
    "q3": ("t 0 1", "a 0 0", "b 0 0", "c 0 0", "d 0 0", "e 0 0"),
    "q4": ("t .2 1", "a .9 0", "b .2 0", "c .2 0", "d .2 0", "e 0 0"),
}


def write(path: Path, rows: list[tuple[str, str, str, str]]) -> Path:
    text = "\n".join(map("\t".join, rows))
    path.write_text(f"query\tcandidate\tscore\tis_answer\n{text}\n")
    return path


def test_tied_scores_under_every_policy(tmp_path) -> None:
    rows = [(q, *line.split()) for q, lines in TIED.items() for line in lines]
    table = evaluate_pools(write(tmp_path / "tied.tsv", rows))
    assert table.optimistic.tolist() == [[1, 3, 1, 2]]
    assert table.pessimistic.tolist() == [[3, 3, 6, 5]]
    assert table.candidates.tolist() == [[6] * 4]
    assert int(table.tied.sum()) == 3
    policies = {
        "optimistic": (1 + Fraction(1, 3) + 1 + Fraction(1, 2)) / 4,
        "pessimistic": (Fraction(1, 3) + Fraction(1, 3) + Fraction(1, 6) + Fraction(1, 5)) / 4,
        "realistic": (Fraction(1, 2) + Fraction(1, 3) + 2 * Fraction(2, 7)) / 4,
        "expected": Fraction(241, 576),
    }
    for ties, value in policies.items():
        assert table.values("mrr", ties).mean() == pytest.approx(float(value))
    assert table.query(0) == "(q1, query, ?) -> t"
    assert table.protocol.dataset.startswith("tied.tsv (")
    assert table.protocol.candidates == "listed"
    assert table.protocol.n_candidates == 6


@st.composite
def pools(draw) -> list[tuple[str, str, str, str]]:
    rows = [
        (f"q{q}", f"c{c}", draw(st.sampled_from(["-inf", "-1", "0", "0.5"])),
         draw(st.sampled_from("01")))
        for q in range(draw(st.integers(1, 4)))
        for c in draw(st.sets(st.integers(0, 6), min_size=1))
    ]  # fmt: skip
    return draw(st.permutations([*rows, ("last", "c", "0", "1")]))


@given(pools())
def test_ranks_equal_the_nested_loop(rows) -> None:
    with tempfile.TemporaryDirectory() as place:
        table = evaluate_pools(write(Path(place) / "p.tsv", rows))
    expected = {}
    for query, answer, score, is_answer in rows:
        if is_answer == "1":
            others = [float(s) for q, _, s, a in rows if q == query and a == "0"]
            better = sum(s > float(score) for s in others)
            tied = sum(s == float(score) for s in others)
            expected[query, answer] = (1 + better, 1 + better + tied, 1 + len(others),
                                       score != "-inf")  # fmt: skip
    found = zip(table.optimistic[0], table.pessimistic[0], table.candidates[0], table.scored[0],
                strict=True)  # fmt: skip
    assert dict(zip(zip(table.heads, table.tails, strict=True), found, strict=True)) == expected
    unanswered = {row[0] for row in rows} - {query for query, _ in expected}
    notes = "".join(table.about["p"]["notes"])
    assert (f"{len(unanswered)} queries have no answer" in notes) == bool(unanswered)


def test_two_models_on_the_same_pools_stand_in_one_table(tmp_path) -> None:
    rows = [("q", "a", "1", "1"), ("q", "b", "2", "0"), ("p", "a", "0", "true")]
    first = evaluate_pools(write(tmp_path / "x.tsv", rows))
    turned = [(q, c, str(-float(s)), a) for q, c, s, a in reversed(rows)]
    both = combine([first, evaluate_pools(write(tmp_path / "y.tsv", turned))])
    assert both.instances == ("x", "y")
    np.testing.assert_array_equal(both.optimistic, [[2, 1], [1, 1]])


@pytest.mark.parametrize(
    ("rows", "message"),
    [([("q", "a", "1", "yes")], r"p.tsv:2: is_answer is 'yes'; expected 1 or 0"),
     ([("q", "a", "1", "0")], "no row has is_answer 1"),
     ([("q", "a", "1", "1"), ("p", "a", "1", "1"), ("q", "a", "2", "0")],
      r"candidate 'a' of query 'q' stands in lines 2 and 4"),
     ([("q", "a", "NaN", "1")], "p.tsv:2: score is 'NaN'"),
     ([("q", "a", "inf", "1")], "p.tsv:2: score is 'inf'")],
)  # fmt: skip
def test_broken_pools_are_refused_with_their_line(rows, message, tmp_path) -> None:
    with pytest.raises(DataError, match=message):
        evaluate_pools(write(tmp_path / "p.tsv", rows))


def test_another_table_is_no_table_of_pools(tmp_path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text("head\trelation\ttail\tcandidate\tscore\na\tr\t?\ta\t1\n")
    with pytest.raises(DataError, match="expected query, candidate, score, is_answer"):
        evaluate_pools(path)


def test_ties_made_by_rounding_are_said(tmp_path) -> None:
    tied = [("a", "1.0", "1"), ("b", "1.0000000001", "0"), ("c", "1.0", "0"),
            ("d", "1.0000000001", "1")]  # fmt: skip
    rows = [("q", *row) for row in tied] + [("p", "a", "0", "1"), ("p", "b", "0", "0")]
    table = evaluate_pools(write(tmp_path / "p.tsv", rows))
    assert table.pessimistic.tolist() == [[3, 3, 2]]
    # b ties with a, and c with d; of two answers of a query neither is a candidate of the other.
    assert table.about["p"]["notes"] == [
        "2 true answers tie with 2 candidates only because float64 scores were rounded to float32"
    ]


def test_scores_beyond_float32_are_refused(tmp_path) -> None:
    with pytest.raises(
        ScoreError, match=r"p.tsv: a score holds .*1e\+39.*, which is beyond float32"
    ):
        evaluate_pools(write(tmp_path / "p.tsv", [("q", "a", "1e39", "1")]))


def test_no_evaluation_follows_the_protocol_of_listed_pools(tmp_path) -> None:
    pools = evaluate_pools(write(tmp_path / "p.tsv", [("q", "a", "1", "1")]))
    with pytest.raises(ConfigError, match=r"--like names ranks of p.tsv .*its own queries"):
        protocol_options({}, pools.protocol)
