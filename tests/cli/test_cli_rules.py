"""``hybridkg rules``: from a data set to rules, counts, ranks, other files and evidence."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hybridkg.cli.main import app
from hybridkg.errors import ConfigError, DataError, HybridKGError, UnknownNameError
from hybridkg.evaluation.rank_table import RankTable

MINE = ("mine", "academic", "--min-support", "1", "--max-length", "2")


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, ["rules", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def document(*arguments: str | Path) -> dict:
    return json.loads(run(*arguments, "--json"))


@pytest.fixture
def mined(tmp_path: Path) -> Path:
    run(*MINE, "--out", tmp_path / "academic.rules")
    return tmp_path / "academic.rules"


def test_help_lists_the_rule_commands():
    result = CliRunner().invoke(app, ["--help"])
    assert "rules" in result.stdout
    text = CliRunner().invoke(app, ["rules", "--help"]).stdout
    assert all(name in text for name in ("mine", "stats", "apply", "convert", "explain"))


def test_mining_writes_the_same_bytes_again_and_says_what_it_wrote(tmp_path):
    found = document(*MINE, "--out", tmp_path / "one.rules")
    text = run(*MINE, "--out", tmp_path / "two.rules")
    assert (tmp_path / "one.rules").read_bytes() == (tmp_path / "two.rules").read_bytes()
    assert found["n_rules"] == sum(found["kinds"].values())
    assert f"{found['n_rules']} rules written to {tmp_path / 'two.rules'} (closed 3," in text
    closed = document(*MINE, "--no-constants", "--out", tmp_path / "closed.json")
    assert (closed["n_rules"], closed["format"]) == (3, "json")


def test_applying_prints_the_table_of_evaluate(mined, tmp_path):
    found = document("apply", mined, "academic", "--aggregation", "max,maxplus", "--ties", "all",
                     "--out", tmp_path / "ranks")  # fmt: skip
    pessimistic = next(one for one in found["evaluations"] if one["ties"] == "pessimistic")
    assert [one["name"] for one in pessimistic["instances"]] == ["rules-maxplus", "rules-max"]
    assert pessimistic["n_queries"] == 6
    assert pessimistic["chance"]["mrr"] == pytest.approx(0.254269, abs=1e-6)
    assert found["differences"]["n_changed"] == 0
    assert RankTable.read(tmp_path / "ranks").instances == ("rules-maxplus", "rules-max")
    text = run("apply", mined, "academic")
    assert "protocol: data set academic, split test, targets both" in text
    assert "(chance)" in text
    tails = document("apply", mined, "academic", "--targets", "tail", "--filter", "train")
    assert tails["evaluations"][0]["n_queries"] == 3


def test_statistics_are_those_of_the_graph_beside_those_of_the_file(tmp_path):
    path = tmp_path / "two.rules"
    path.write_text(
        "4\t3\t0.75\taffiliated(X,Y) <= advises(A,X), affiliated(A,Y)\n"
        "authored(X,Y) <= advises(X,A), authored(A,Y)\n"
    )
    found = document("stats", path, "academic", "--out", tmp_path / "all.tsv")
    first, second = found["rules"]
    assert (first["support"], first["predictions"], first["pca_body"]) == (1, 3, 2)
    assert first["confidence"] == pytest.approx(1 / 3)
    assert first["pca_confidence"] == 1 / 2
    assert first["smoothed_confidence"] == 1 / 8
    assert first["head_coverage"] == 1 / 4
    assert (first["file_support"], first["file_predictions"]) == (3, 4)
    assert first["difference"] == pytest.approx(3 / 4 - 1 / 3)
    assert (second["support"], second["predictions"], second["file_support"]) == (0, 1, None)
    assert found["differences"]["confidence"]["largest"] == pytest.approx(3 / 4 - 1 / 3)
    lines = (tmp_path / "all.tsv").read_text().splitlines()
    assert lines[0].split("\t")[:4] == ["rule", "kind", "support", "predictions"]
    assert len(lines) == 3
    text = run("stats", path, "academic", "--top", "1")
    assert "1 of 1 rules differ from the exact counts" in text
    assert "1 more rules" in text


def test_sorting_by_difference_shows_the_worst_line_first(mined, tmp_path):
    lines = mined.read_text().splitlines()
    lines[7] = "9\t1\t0.1\t" + lines[7].split("\t")[3]
    mined.write_text("\n".join(lines) + "\n")
    (worst,) = document("stats", mined, "academic", "--sort", "difference", "--top", "1")["rules"]
    assert worst["rule"] == lines[7].split("\t")[3]


def test_rules_go_from_format_to_format_and_back(mined, tmp_path):
    there = tmp_path / "rules.tsv"
    run("convert", mined, there, "--data", "academic")
    run("convert", there, tmp_path / "rules.json")
    run("convert", tmp_path / "rules.json", tmp_path / "back.rules")
    assert (tmp_path / "back.rules").read_bytes() == mined.read_bytes()
    found = document("convert", mined, tmp_path / "safe.rules", "--data", "academic",
                     "--safe-ids", "--triples", tmp_path / "triples")  # fmt: skip
    assert len(found["triples"]) == 2
    again = document("convert", tmp_path / "safe.rules", tmp_path / "named.rules")
    assert again["n_rules"] == found["n_rules"]
    assert (tmp_path / "named.rules").read_bytes() == mined.read_bytes()


def test_a_held_out_triple_is_explained_by_rule_and_facts(mined):
    found = document("explain", mined, "academic", "erin", "affiliated", "cmu", "--max-rules", "2")
    assert found["splits"] == ["test"]
    first, _ = found["rules"]
    assert first["rule"] == "affiliated(X,Y) <= advises(A,X), affiliated(A,Y)"
    assert first["groundings"] == [[["carol", "advises", "erin"], ["carol", "affiliated", "cmu"]]]
    text = run("explain", mined, "academic", "erin", "affiliated", "cmu")
    assert "because carol advises erin, carol affiliated cmu" in text
    assert "no rule proposes" in run("explain", mined, "academic", "mit", "about", "bob")


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (("apply", "FILE", "academic", "--aggregation", "best"), ConfigError, "'best'"),
        (("apply", "FILE", "academic", "--backend", "other"), ConfigError, "native or pyclause"),
        (("apply", "FILE", "academic", "--statistics", "guess"), ConfigError, "'guess'"),
        (("apply", "FILE", "academic", "--split", "nope"), HybridKGError, "nope"),
        (("apply", "FILE", "academic", "--measure", "best"), ConfigError, "measure"),
        (("apply", "FILE.none", "academic"), DataError, "no such file"),
        (("stats", "FILE", "academic", "--sort", "beauty"), ConfigError, "'beauty'"),
        (("stats", "FILE", "nations"), HybridKGError, "nations"),
        (("convert", "FILE", "FILE.x", "--format", "xml"), ConfigError, "'xml'"),
        (("convert", "FILE", "FILE.x", "--triples", "d"), ConfigError, "--data and --safe-ids"),
        (("explain", "FILE", "academic", "eve", "about", "ml"), UnknownNameError, "'eve'"),
        (("explain", "FILE", "academic", "bob", "about", "ml", "--max-rules", "0"), ConfigError,
         "at least 1"),
        (("mine", "academic", "--out", "FILE.y", "--profile", "all"), ConfigError, "'all'"),
        (("mine", "academic", "--out", "FILE.y", "--max-length", "9"), ConfigError, "max_length=9"),
        (("mine", "academic", "--out", "FILE.y", "--backend", "prolog"), ConfigError, "'prolog'"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_sentence(mined, arguments, kind, words):
    with pytest.raises(kind) as caught:
        run(*(one.replace("FILE", str(mined)) for one in arguments))
    assert words in str(caught.value)


def test_unusable_rules_are_refused_by_line_or_dropped_and_counted(mined):
    mined.write_text(mined.read_text() + "1\t1\t1.0\tadvises(X,Y) <= employs(X,Y)\n")
    with pytest.raises(DataError, match=r"academic\.rules:\d+: unknown relation 'employs'"):
        run("apply", mined, "academic")
    found = document("apply", mined, "academic", "--drop-unusable")
    assert found["dropped"] == {"rules with an unknown name": 1}


def test_what_is_no_plain_file_is_never_replaced(hybridkg_command, tmp_path: Path) -> None:
    pipe, link, real = tmp_path / "pipe", tmp_path / "link.rules", tmp_path / "real.rules"
    os.mkfifo(pipe)
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    for target in (pipe, tmp_path):
        code, _, err = hybridkg_command("rules", "mine", "academic", "--out", target)
        assert code == 2
        assert "expected the path of a file to write" in err
    assert pipe.is_fifo()
    code, _, _ = hybridkg_command("rules", "mine", "academic", "--out", link)
    assert code == 0
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") != "old"


def test_packed_files_and_files_without_rules_are_refused(hybridkg_command, tmp_path: Path) -> None:
    code, _, err = hybridkg_command("rules", "mine", "academic", "--out", tmp_path / "a.rules.gz")
    assert code == 2
    assert "packed rule files are read, but not written" in err
    empty = tmp_path / "empty.rules"
    empty.write_text("# nothing\n", encoding="utf-8")
    for command in ("stats", "apply"):
        code, _, err = hybridkg_command("rules", command, empty, "academic")
        assert code == 2
        assert "no rule that academic can use" in err
    assert hybridkg_command("rules", "stats", empty, "academic", "--top", "-1")[0] == 2
