"""``hybridkg candidates``: drawn lists and sets by types, written for ``evaluate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridkg.evaluation.candidates import make_task
from hybridkg.graph.datasets import load_dataset


def test_drawn_lists_are_written_with_how_they_were_made(tmp_path, hybridkg_command) -> None:
    out = tmp_path / "lists.tsv"
    code, text, _ = hybridkg_command("candidates", "academic", "--out", out, "--sample", 4)
    assert code == 0
    assert "6 lists, one a query; 24 candidates in all, 4.0 on average (4 to 4) of 13" in text
    about = json.loads(Path(f"{out}.json").read_text())
    assert {key: about[key] for key in ("kind", "split", "filter", "targets", "n", "seed")} == {
        "kind": "queries", "split": "test", "filter": "all", "targets": "both", "n": 4, "seed": 0,
    }  # fmt: skip
    task = make_task(load_dataset("academic"), candidates=out)
    assert task.protocol.candidates == "4 sampled candidates a query, seed 0"
    assert task.protocol.candidates_digest == about["digest"]


def test_the_same_seed_writes_the_same_bytes(tmp_path, hybridkg_command) -> None:
    names = {"a.tsv": 0, "b.tsv": 0, "c.tsv": 1}
    for name, seed in names.items():
        hybridkg_command(
            "candidates", "academic", "--out", tmp_path / name, "--sample", 4, "--seed", seed
        )
    one, again, other = ((tmp_path / name).read_bytes() for name in names)
    assert one == again
    assert one != other
    document = (tmp_path / "a.tsv.json").read_bytes()
    assert document == (tmp_path / "b.tsv.json").read_bytes()


def test_lists_may_be_drawn_from_fewer_entities(tmp_path, hybridkg_command) -> None:
    (tmp_path / "people.tsv").write_text("alice\nbob\ncarol\ndave\nerin\n")
    out = tmp_path / "lists.tsv"
    code, stdout, _ = hybridkg_command(
        "candidates", "academic", "--out", out, "--sample", 5, "--pool", tmp_path / "people.tsv",
        "--targets", "head", "--json",
    )  # fmt: skip
    assert code == 0
    document = json.loads(stdout)
    # Neither the known heads nor the true one are drawn, so no list is whole.
    assert (document["queries"], document["n_shorter"]) == (3, 3)
    assert document["greatest_size"] < 5
    assert document["words"].startswith("5 sampled candidates a query, seed 0, of people.tsv (few")
    people = {"alice", "bob", "carol", "dave", "erin"}
    assert {line.split("\t")[4] for line in out.read_text().splitlines()[1:]} <= people


def test_sets_by_types_are_what_the_ontology_allows(tmp_path, hybridkg_command) -> None:
    out = tmp_path / "sets.tsv"
    code, text, _ = hybridkg_command("candidates", "academic", "--out", out, "--by", "types")
    assert code == 0
    assert "10 sets per relation and target" in text
    assert "true answers outside their set: 0; they compete" in text
    assert "ontology: " in text
    rows = [line.split("\t") for line in out.read_text().splitlines()]
    assert [row[2] for row in rows if row[:2] == ["affiliated", "tail"]] == ["cmu", "mit"]
    about = json.loads(Path(f"{out}.json").read_text())
    assert (about["kind"], about["untyped"], about["words"]) == (
        "relations", "keep", "types of academic.ttl",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "expected one of --sample N and --by types"),
        (["--sample", 3, "--by", "types"], "expected one of --sample N and --by types"),
        (["--by", "classes"], "--by 'classes'; expected types"),
        (["--by", "types", "--seed", 1], "--seed changes nothing here"),
        (["--sample", 3, "--untyped", "out"], "--untyped changes nothing here"),
        (["--sample", 3, "--seed", -1], "--seed -1; expected 0 or more"),
        (["--sample", 0], "a sample of 0 candidates; expected 1 or more"),
        (["--sample", 3, "--pool", "nothing"], "expected 'all', 'train' or a file of candidates"),
        (["--by", "types", "--untyped", "some"], "untyped 'some'; expected 'keep' or 'out'"),
        (["--sample", 3, "--filter", "some"], "filter 'some'; expected one of"),
        (["--sample", 3, "--split", "valid"], "no split 'valid'"),
    ],
)
def test_what_cannot_be_made_is_refused_and_nothing_is_written(
    tmp_path, hybridkg_command, options, message
) -> None:
    code, _, err = hybridkg_command("candidates", "academic", "--out", tmp_path / "c.tsv", *options)
    assert code == 2
    assert message in err
    assert not list(tmp_path.iterdir())


def test_facts_that_contradict_the_ontology_stop_sets_by_types(
    benchmarks, tmp_path, hybridkg_command
) -> None:
    if not (benchmarks / "codex-s").is_dir():
        pytest.skip(f"no codex-s in {benchmarks}")
    options = ["candidates", "codex-s", "--out", tmp_path / "c.tsv", "--by", "types"]
    code, _, _ = hybridkg_command(*options)
    assert code == 3
    assert not list(tmp_path.iterdir())
    code, text, _ = hybridkg_command(*options, "--set-aside-culprits")
    assert code == 0
    assert "set aside as contradictory: 5 triples" in text
    assert "true answers outside their set: 6; they compete" in text
