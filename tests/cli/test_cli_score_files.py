"""``evaluate --scores``: score files ranked, refused, and put beside trained instances."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hybridkg.training.score_ranking import parse_score_file

ENTITIES = [f"e{i}" for i in range(10)]
LONG = "head\trelation\ttail\tcandidate\tscore\n"
#: Only what some rule reaches; the first query's best candidate is a known answer.
RULES = {
    ("e0", "r", "?"): {"e1": 0.9, "e3": 0.6, "e5": 0.6},
    ("?", "r", "e3"): {"e2": 0.8, "e4": 0.3},
    ("e2", "s", "?"): {"e7": 0.5},
    ("?", "s", "e5"): {"e6": 0.7, "e4": 0.7, "e2": 0.7},
    ("?", "r", "e9"): {"e8": 0.9, "e0": 0.5, "e4": 0.2},
}
#: All candidates of the six queries, by place; digits in the order of the entities.
KGE = {
    ("e0", "r", "?"): "2917380456",
    ("?", "r", "e3"): "6190238457",
    ("e2", "s", "?"): "0123495678",
    ("?", "s", "e5"): "9876543210",
    ("e4", "r", "?"): "9876054321",
    ("?", "r", "e9"): "0912673548",
}


def long_table(queries) -> str:
    return LONG + "".join(
        "\t".join((*query, candidate, str(score))) + "\n"
        for query, listed in queries.items()
        for candidate, score in (
            listed.items() if isinstance(listed, dict) else zip(ENTITIES, listed, strict=True)
        )
    )


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Ten entities, three test triples, a rule learner's lists and an embedding's scores."""
    data = tmp_path / "world"
    data.mkdir()
    (data / "train.tsv").write_text("e0\tr\te1\ne2\tr\te3\ne4\ts\te5\ne6\ts\te7\ne8\tr\te9\n")
    (data / "test.tsv").write_text("e0\tr\te3\ne2\ts\te5\ne4\tr\te9\n")
    (data / "entities.txt").write_text("\n".join(ENTITIES) + "\n")
    (tmp_path / "rules.tsv").write_text(long_table(RULES).replace("score", "confidence"))
    (tmp_path / "kge.tsv").write_text(long_table(KGE))
    return tmp_path


def evaluations(out: str, ties: str) -> dict[str, dict]:
    document = json.loads(out)
    (found,) = [one for one in document["evaluations"] if one["ties"] == ties]
    return {one["name"]: one for one in found["instances"]}


def rank_by_hand(query, truth, known) -> int:
    """Rank of a truth among all scored candidates that are not known."""
    scores = dict(zip(ENTITIES, KGE[query], strict=True))
    return 1 + sum(s > scores[truth] for e, s in scores.items() if e not in known)


def test_partial_lists_and_full_scores_are_ranked_in_the_same_pools(
    world, hybridkg_command
) -> None:
    code, out, err = hybridkg_command(
        "evaluate", "--scores", f"rules={world / 'rules.tsv'}", "--scores", world / "kge.tsv",
        "--dataset", world / "world", "--partial", "--ties", "all", "--json",
        "--out", world / "ranks",
    )  # fmt: skip
    assert code == 0
    assert "rules: table of candidates (head, relation, tail, candidate, confidence), 2 tail" in err
    mrr = {
        "optimistic": Fraction(3, 4),
        "pessimistic": Fraction(163, 540),
        "realistic": Fraction(13, 33),
        "expected": 0.455975,
    }
    by_hand = [
        rank_by_hand(("e0", "r", "?"), "e3", {"e1"}),
        rank_by_hand(("?", "r", "e3"), "e0", {"e2"}),
        rank_by_hand(("e2", "s", "?"), "e5", set()),
        rank_by_hand(("?", "s", "e5"), "e2", {"e4"}),
        rank_by_hand(("e4", "r", "?"), "e9", set()),
        rank_by_hand(("?", "r", "e9"), "e4", {"e8"}),
    ]
    for ties, value in mrr.items():
        found = evaluations(out, ties)
        assert found["rules"]["mrr"] == pytest.approx(float(value), abs=5e-7)
        assert found["rules"]["coverage"] == 3 / 6
        assert found["kge"]["mrr"] == pytest.approx(sum(1 / rank for rank in by_hand) / 6)
        assert found["kge"]["coverage"] == 1
    assert evaluations(out, "expected")["rules"]["notes"] == [
        "queries that are not in the file: 1 of 6; all their candidates are unscored",
        "candidates without a score in the file: 38, in 5 of 6 queries; they tie below every "
        "scored one",
    ]
    # The folders are ranks like those of instances.
    code, compared, _ = hybridkg_command(
        "compare", world / "ranks" / "rules", world / "ranks" / "kge", "--json"
    )
    assert code == 0
    (expected,) = [one for one in json.loads(out)["evaluations"] if one["ties"] == "expected"]
    (document,) = json.loads(compared)["comparisons"]
    assert document["protocol"] == expected["protocol"]
    for ours, theirs in zip(document["instances"], expected["instances"], strict=True):
        assert {key: ours[key] for key in theirs} == theirs
    code, _, _ = hybridkg_command("oracle", world / "ranks" / "rules", world / "ranks" / "kge")
    assert code == 0


def test_a_file_that_lacks_queries_is_refused_without_partial(world, hybridkg_command) -> None:
    data = world / "world"
    code, out, err = hybridkg_command(
        "evaluate", "--scores", world / "rules.tsv", "--dataset", data, "--out", world / "ranks"
    )
    assert (code, out) == (2, "")
    assert "rules.tsv: queries that are not in the file: 1 of 6, as (e4, r, ?)." in err
    assert not (world / "ranks").exists()
    code, _, err = hybridkg_command(
        "evaluate", "--scores", world / "rules.tsv", "--dataset", data, "--targets", "head"
    )
    assert code == 2
    # Each pool has 10 - 1 candidates; those that are known, e2, e4 and e8, need no score.
    n_lacking = (9 - 1) + (9 - 2) + (9 - 2)
    assert f"candidates without a score: {n_lacking}, in 3 of 3 queries, as 'e0' of" in err


INDUCTIVE = {
    ("b1", "likes", "?"): [0.1, 0.9, 0.5, 0.8, 0.6],
    ("?", "likes", "b3"): [0.4, 0.9, 0.7, 0.3, 0.2],
    ("b2", "sees", "?"): [0.9, 0.1, 0.3, 0.6, 0.5],
    ("?", "sees", "b5"): [0.9, 0.6, 0.2, 0.8, 0.7],
}


@pytest.mark.parametrize(
    ("filter_name", "ranks"),
    [("none", [4, 3, 3, 4]), ("train", [3, 2, 3, 2]), ("all", [2, 2, 3, 2])],
)
def test_the_filter_decides_in_an_inductive_graph(
    filter_name, ranks, tmp_path, hybridkg_command
) -> None:
    data = tmp_path / "inference"
    data.mkdir()
    (data / "train.tsv").write_text("b1\tlikes\tb2\nb2\tlikes\tb3\nb3\tsees\tb4\nb4\tsees\tb5\n"
                                    "b1\tsees\tb5\n")  # fmt: skip
    (data / "valid.tsv").write_text("b1\tlikes\tb4\nb3\tlikes\tb2\n")
    (data / "test.tsv").write_text("b1\tlikes\tb3\nb2\tsees\tb5\n")
    listed = {q: dict(zip(["b1", "b2", "b3", "b4", "b5"], s, strict=True))
              for q, s in INDUCTIVE.items()}  # fmt: skip
    (tmp_path / "s.tsv").write_text(long_table(listed))
    code, out, _ = hybridkg_command("evaluate", "--scores", tmp_path / "s.tsv", "--dataset", data,
                                    "--filter", filter_name, "--json")  # fmt: skip
    assert code == 0
    assert evaluations(out, "expected")["s"]["mrr"] == pytest.approx(sum(1 / r for r in ranks) / 4)


@pytest.fixture
def trained(tmp_path, hybridkg_command) -> Path:
    spec = tmp_path / "spec.toml"
    spec.write_text(
        f'dataset = "academic"\nout = "{tmp_path / "runs"}"\nseeds = [0]\n'
        '[[models]]\nname = "constant"\n'
    )
    assert hybridkg_command("train", spec)[0] == 0
    return tmp_path / "runs" / "constant"


def constant_file(path: Path, kg) -> Path:
    """Scores in which everything ties, for all queries of the academic test split."""
    queries = {}
    for head, relation, tail in kg.label_triples(kg.split("test")):
        for query in ((head, relation, "?"), ("?", relation, tail)):
            queries[query] = dict.fromkeys(kg.entities.labels, 0.5)
    path.write_text(long_table(queries))
    return path


def test_a_file_stands_beside_an_instance_of_the_same_data_set(
    trained, academic, tmp_path, hybridkg_command
) -> None:
    path = constant_file(tmp_path / "foreign.tsv", academic)
    code, out, err = hybridkg_command("evaluate", trained, "--scores", path, "--filter", "train",
                                      "--json")  # fmt: skip
    assert code == 0
    found = evaluations(out, "expected")
    assert list(found) == ["constant", "foreign"]
    assert found["foreign"]["mrr"] == pytest.approx(found["constant"]["mrr"])
    assert json.loads(out)["evaluations"][0]["protocol"]["filter"] == "train"
    # The instance has ranks under that protocol now, and --like follows it.
    code, out, err = hybridkg_command("evaluate", "--scores", path, "--dataset", "academic",
                                      "--like", trained, "--json")  # fmt: skip
    assert code == 0
    assert json.loads(out)["evaluations"][0]["protocol"]["filter"] == "train"
    code, _, err = hybridkg_command("evaluate", "--scores", path, "--dataset", "academic",
                                    "--like", trained, "--filter", "all")  # fmt: skip
    assert code == 2
    assert "--filter all beside --like, whose ranks have filter train" in err
    code, _, _ = hybridkg_command("evaluate", "--scores", path, "--dataset", "academic", "--like",
                                  trained, "--filter", "train", "--targets", "both")  # fmt: skip
    assert code == 0


def test_like_refuses_another_data_set_by_its_digests(trained, world, hybridkg_command) -> None:
    code, _, err = hybridkg_command(
        "evaluate", "--scores", world / "kge.tsv", "--dataset", world / "world", "--like", trained
    )
    assert code == 2
    assert "--like: the known triples differ; dataset is " in err
    assert "(data set academic there, world here)" in err
    ranks = world / "foreign.tsv"
    ranks.write_text("head\trelation\ttail\ttarget\trank\ne0\tr\te3\ttail\t1\n")
    code, _, err = hybridkg_command(
        "evaluate", "--scores", world / "kge.tsv", "--dataset", world / "world", "--like", ranks
    )
    assert code == 2
    assert "whose protocol is not stated" in err


def test_a_table_with_its_own_candidates_needs_no_data_set(tmp_path, hybridkg_command) -> None:
    path = tmp_path / "pools.tsv"
    path.write_text("query\tcandidate\tscore\tis_answer\nq\ta\t1\t1\nq\tb\t1\t0\nq\tc\t2\t1\n")
    code, out, _ = hybridkg_command("evaluate", "--scores", path, "--json", "--ties", "all",
                                    "--out", tmp_path / "ranks")  # fmt: skip
    assert code == 0
    # a ties with b, and c, the other answer, is filtered; c stands alone above b.
    assert evaluations(out, "expected")["pools"]["mrr"] == pytest.approx((3 / 4 + 1) / 2)
    assert evaluations(out, "pessimistic")["pools"]["mrr"] == pytest.approx((1 / 2 + 1) / 2)
    code, _, err = hybridkg_command("evaluate", "--scores", path, "--like",
                                    tmp_path / "ranks" / "pools")  # fmt: skip
    assert code == 0
    code, _, err = hybridkg_command("evaluate", "--scores", path, "--filter", "none",
                                    "--dataset", "academic")  # fmt: skip
    assert code == 2
    assert "--filter, --dataset would change nothing" in err


def test_a_map_goes_to_the_file_that_needs_it(world, hybridkg_command) -> None:
    named = world / "named.tsv"
    queries = {f"q{i}": query for i, query in enumerate(KGE)}
    (world / "map.tsv").write_text(
        "query\thead\trelation\ttail\n"
        + "".join("\t".join((name, *query)) + "\n" for name, query in queries.items())
    )
    named.write_text("query\tcandidate\tscore\n" + "".join(
        f"{name}\t{e}\t{s}\n" for name, q in queries.items()
        for e, s in zip(ENTITIES, KGE[q], strict=True)
    ))  # fmt: skip
    code, out, _ = hybridkg_command(
        "evaluate", "--scores", named, "--scores", world / "kge.tsv", "--queries",
        world / "map.tsv", "--dataset", world / "world", "--json",
    )  # fmt: skip
    assert code == 0
    found = evaluations(out, "expected")
    assert found["named"]["mrr"] == found["kge"]["mrr"]
    code, _, err = hybridkg_command("evaluate", "--scores", world / "kge.tsv", "--queries",
                                    world / "map.tsv", "--dataset", world / "world")  # fmt: skip
    assert code == 2
    assert "spells its queries out" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to rank; expected folders of trained instances, or --scores FILE"),
        (["--scores", "{kge}"], "and none is named; expected --dataset DATA"),
        (["--scores", "=x"], "--scores '=x'; expected FILE or NAME=FILE"),
        (["--scores", "a={kge}", "--scores", "a={rules}", "--dataset", "{data}"],
         "the name 'a' stands for two score files or instances"),
        (["{data}", "--partial", "--out", "x"], "--partial, --out without a score file"),
        (["--scores", "{kge}x", "--dataset", "{data}"], "no such file"),
        (["--scores", "{kge}", "--dataset", "{data}", "--filter", "some"], "filter 'some'"),
        (["--scores", "{kge}", "--dataset", "{data}", "--split", "dev"], "no split 'dev'"),
    ],
)  # fmt: skip
def test_bad_requests_give_one_sentence(arguments, message, world, hybridkg_command) -> None:
    places = {"kge": world / "kge.tsv", "rules": world / "rules.tsv", "data": world / "world"}
    code, out, err = hybridkg_command("evaluate", *(one.format(**places) for one in arguments))
    assert (code, out) == (2, "")
    assert message in err
    assert err.strip().splitlines()[-1].startswith("error: ")


def test_a_path_with_an_equals_sign_is_a_path_where_it_exists(tmp_path, monkeypatch) -> None:
    path = tmp_path / "lr=0.1.tsv"
    # No name holds a slash, so that a slip in the path is told as one.
    assert parse_score_file(str(path)).path == path
    monkeypatch.chdir(tmp_path)
    assert parse_score_file(path.name).name == "lr"
    path.touch()
    assert parse_score_file(path.name).name == "lr=0"
    found = parse_score_file(str(path))
    assert (found.name, found.path) == ("lr=0", path)
    assert parse_score_file(f"mine={path}").path == path


def refused(hybridkg_command, world, *arguments) -> str:
    """The one sentence of a refused evaluation."""
    code, _, err = hybridkg_command("evaluate", "--dataset", world / "world", *arguments)
    assert code == 2
    assert "Traceback" not in err
    return err.splitlines()[-1]


@pytest.mark.parametrize("partial", [[], ["--partial"]])
def test_a_file_that_answers_no_asked_query_is_refused_in_any_case(
    world, partial, hybridkg_command
) -> None:
    (world / "other.tsv").write_text(LONG + "e1\tr\t?\te2\t0.5\n")
    said = refused(hybridkg_command, world, "--scores", world / "other.tsv", *partial)
    assert "answers none of the 6 queries of split 'test' of world, as (e0, r, ?)" in said
    assert "it answers 1 others, as (e1, r, ?)" in said


def test_a_column_of_an_unknown_entity_is_refused_without_partial(world, hybridkg_command) -> None:
    queries = list(KGE)
    matrix = np.array([[float(digit) for digit in KGE[query]] + [0.0] for query in queries])
    np.save(world / "m.npy", matrix)
    (world / "m.queries.tsv").write_text("".join("\t".join(query) + "\n" for query in queries))
    (world / "m.entities.txt").write_text("\n".join([*ENTITIES, "atlantis"]) + "\n")
    said = refused(hybridkg_command, world, "--scores", world / "m.npy")
    assert "columns of entities that world does not have: 1, as 'atlantis'" in said
    code, out, _ = hybridkg_command(
        "evaluate", "--scores", world / "m.npy", "--scores", world / "kge.tsv",
        "--dataset", world / "world", "--partial", "--json",
    )  # fmt: skip
    assert code == 0
    found = evaluations(out, "expected")["m"]
    assert found["mrr"] == evaluations(out, "expected")["kge"]["mrr"]
    assert found["notes"] == ["1 columns of entities that the data set lacks, as 'atlantis'"]


def test_a_score_file_in_the_place_of_an_instance_says_where_it_belongs(
    world, hybridkg_command
) -> None:
    said = refused(hybridkg_command, world, "--scores", world / "kge.tsv",
                   f"rules={world / 'rules.tsv'}")  # fmt: skip
    assert f"--scores rules={world / 'rules.tsv'}" in said


def test_missing_candidates_are_refused_with_the_way_on(world, hybridkg_command) -> None:
    table = (world / "kge.tsv").read_text().splitlines(keepends=True)
    (world / "short.tsv").write_text("".join(table[:-1]))
    said = refused(hybridkg_command, world, "--scores", world / "short.tsv")
    assert "candidates without a score: 1, in 1 of 6 queries, as 'e9' of (?, r, e9)" in said
    assert "rank with --partial (in Python partial=True), which ties them" in said


@pytest.mark.parametrize("name", [".", "..", "", "(chance)"])
def test_names_that_are_no_folder_of_their_own_are_refused(world, name, hybridkg_command) -> None:
    said = refused(hybridkg_command, world, "--scores", f"{name}={world / 'kge.tsv'}")
    assert "expected FILE or NAME=FILE" in said


def test_a_folder_that_cannot_be_made_is_refused_before_any_work(world, hybridkg_command) -> None:
    out = world / "kge.tsv" / "ranks"
    said = refused(hybridkg_command, world, "--scores", world / "kge.tsv", "--out", out)
    assert f"--out {out}: {world / 'kge.tsv'} is no folder" in said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<!DOCTYPE html><html>", "this is a web page"),
        (LONG.replace("\n", "\r").encode() + b"e0\tr\t?\te1\t1\r" * 9999, "carriage return alone"),
        (LONG.encode() + b"e0\tr\t?\t" + b"x" * 100_000 + b"\t1\n", "unknown entity"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_few_words(
    world, content, words, hybridkg_command
) -> None:
    (world / "odd.tsv").write_bytes(content)
    said = refused(hybridkg_command, world, "--scores", world / "odd.tsv")
    assert words in said
    assert len(said) < 1000
    said = refused(hybridkg_command, world, "--scores", world / "kge.tsv", "--candidates",
                   world / "odd.tsv")  # fmt: skip
    assert len(said) < 1000


def test_a_map_of_queries_without_names_says_which_header_it_needs(world, hybridkg_command) -> None:
    (world / "named.tsv").write_text("query\tcandidate\tscore\nq1\te1\t0.5\n")
    (world / "queries.tsv").write_text("q1\te0\tr\t?\n")
    said = refused(hybridkg_command, world, "--scores", world / "named.tsv", "--queries",
                   world / "queries.tsv")  # fmt: skip
    assert "queries.tsv:1: " in said
    assert "expected a header line query, head, relation, tail" in said
