"""From a spec to trained, ranked, compared and audited instances, on the academic world."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SPEC = """
dataset = "academic"
out = "{out}"
seeds = [0, 1]

[[models]]
name = "random"

[[models]]
name = "rules"
min_support = 1

[[models]]
name = "constant"
"""


@pytest.fixture
def trained(tmp_path: Path, hybridkg_command) -> Path:
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC.format(out=tmp_path / "runs"))
    code, _, _ = hybridkg_command("train", spec)
    assert code == 0
    return tmp_path / "runs"


def folders(runs: Path) -> list[Path]:
    return sorted(path for path in runs.iterdir() if path.is_dir())


def test_train_ranks_every_instance_and_repeats_nothing(trained, hybridkg_command) -> None:
    assert [f.name for f in folders(trained)] == ["constant", "random-s0", "random-s1", "rules"]
    before = {p: p.stat().st_mtime_ns for p in trained.rglob("*") if p.is_file()}
    code, out, err = hybridkg_command("train", trained.parent / "spec.toml", "--json")
    assert code == 0
    assert err.count("finished before, left alone") == 4
    document = json.loads(out)
    (evaluation,) = document["evaluations"]
    assert evaluation["chance"]["mrr"] == pytest.approx(0.254269, abs=5e-7)
    by_name = {one["name"]: one for one in evaluation["instances"]}
    assert by_name["constant"]["mrr"] == pytest.approx(evaluation["chance"]["mrr"])
    assert by_name["rules"]["mrr"] == pytest.approx(11 / 12)
    assert {p: p.stat().st_mtime_ns for p in trained.rglob("*") if p.is_file()} == before


def test_models_are_listed_with_their_options(hybridkg_command) -> None:
    code, out, _ = hybridkg_command("train", "--models")
    assert code == 0
    for name in ("complex", "distmult", "rotate", "transe", "rules", "random", "constant",
                 "frequency", "chapter_transe"):  # fmt: skip
        assert f"{name}: " in out
    assert "    n3 = 0.01" in out
    code, out, _ = hybridkg_command("train", "--models", "--json")
    assert code == 0
    options = {one["name"]: one["options"] for one in json.loads(out)["models"]}
    assert (options["complex"]["n3"], options["transe"]["n3"]) == (0.01, 0.0)
    code, _, err = hybridkg_command("train")
    assert code == 2
    assert "no spec; expected a TOML file" in err


def test_evaluate_writes_ranks_under_the_asked_protocol(trained, hybridkg_command) -> None:
    code, out, _ = hybridkg_command(
        "evaluate", *folders(trained), "--filter", "none", "--targets", "tail", "--ties", "all"
    )
    assert code == 0
    assert "filter none; candidates all (13 entities)" in out
    assert out.count("\nties: ") == 4
    assert "optimistic ranks flatter ties" in out
    code, out, _ = hybridkg_command("compare", *folders(trained))
    assert code == 0
    assert "targets tail; filter none" in out
    code, _, err = hybridkg_command("evaluate", folders(trained)[0], "--filter", "everything")
    assert code == 2
    assert "filter 'everything'; expected one of all, train+valid, train, none" in err
    assert "Traceback" not in err


def test_ranks_of_other_protocols_do_not_stand_in_one_table(trained, hybridkg_command) -> None:
    first, second = folders(trained)[:2]
    assert hybridkg_command("evaluate", first, "--filter", "train")[0] == 0
    code, _, err = hybridkg_command("compare", first, second)
    assert code == 2
    assert "filter is 'train' in one and 'all' in the other" in err


def test_evaluating_again_keeps_the_instance_whole(trained, hybridkg_command) -> None:
    assert hybridkg_command("evaluate", *folders(trained), "--unseen", "drop")[0] == 0
    code, _, err = hybridkg_command("train", trained.parent / "spec.toml")
    assert code == 0
    assert err.count("left alone") == 4


def test_training_again_ranks_anew_what_followed_another_protocol(
    trained, hybridkg_command
) -> None:
    assert hybridkg_command("evaluate", trained / "rules", "--filter", "train")[0] == 0
    code, out, err = hybridkg_command("train", trained.parent / "spec.toml")
    assert code == 0
    assert err.count(": ranked") == 1
    assert "filter train+valid+test" in out


def test_training_again_makes_missing_ranks(trained, hybridkg_command) -> None:
    (trained / "rules" / "ranks" / "manifest.json").unlink()
    code, out, err = hybridkg_command("train", trained.parent / "spec.toml")
    assert code == 0
    assert "rules: ranked" in err
    assert "0.9167" in out


def test_a_data_set_without_test_triples_is_trained_and_not_ranked(
    tmp_path, hybridkg_command
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.tsv").write_text("a\tr\tb\nb\tr\tc\n")
    spec = tmp_path / "spec.toml"
    spec.write_text(
        f'dataset = "{tmp_path / "data"}"\nout = "{tmp_path / "runs"}"\n'
        '[[models]]\nname = "frequency"\n'
    )
    code, out, _ = hybridkg_command("train", spec)
    assert code == 0
    assert "no test split to rank" in out
    code, _, err = hybridkg_command("evaluate", tmp_path / "runs" / "frequency")
    assert code == 2
    assert "no split 'test'" in err


def test_ranks_of_another_instance_are_noticed(trained, hybridkg_command) -> None:
    for file in (trained / "rules" / "ranks").iterdir():
        (trained / "constant" / "ranks" / file.name).write_bytes(file.read_bytes())
    code, _, err = hybridkg_command("compare", *folders(trained))
    assert code == 2
    assert "these ranks were made of another instance" in err
    manifest = trained / "rules" / "ranks" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"split": "test"', '"split": "valid"'))
    code, _, err = hybridkg_command("compare", trained / "rules")
    assert code == 2
    assert "changed since it was written" in err


def test_nothing_is_ranked_before_the_folders_are_checked(
    tmp_path, trained, hybridkg_command
) -> None:
    ranks = trained / "rules" / "ranks" / "manifest.json"
    before = ranks.read_bytes()
    code, _, err = hybridkg_command(
        "evaluate", trained / "rules", trained / ".." / "runs" / "rules", "--filter", "none"
    )
    assert code == 2
    assert "are the same; name it once" in err
    (tmp_path / "data").mkdir()
    for split in ("train", "test"):
        (tmp_path / "data" / f"{split}.tsv").write_text("a\tr\tb\n")
    other = tmp_path / "other.toml"
    other.write_text(
        f'dataset = "{tmp_path / "data"}"\nout = "{tmp_path / "other"}"\n'
        '[[models]]\nname = "constant"\n'
    )
    assert hybridkg_command("train", other)[0] == 0
    code, _, err = hybridkg_command(
        "evaluate", trained / "rules", tmp_path / "other" / "constant", "--filter", "none"
    )
    assert code == 2
    assert "expected instances of one data set" in err
    assert ranks.read_bytes() == before


def test_oracle_prints_pessimistic_beside_the_default(trained, hybridkg_command) -> None:
    code, out, _ = hybridkg_command("oracle", *folders(trained), "--json")
    assert code == 0
    document = json.loads(out)
    assert [study["ties"] for study in document["oracles"]] == ["expected", "pessimistic"]
    for study in document["oracles"]:
        everything = study["groups"][-1]
        assert everything["name"] == "all"
        assert everything["oracle"]["mrr"] >= everything["best"]["mrr"]["value"]
    # Two seeds of one model make a group of their own.
    assert [g["name"] for g in document["oracles"][0]["groups"]] == ["random", "all"]
    code, out, _ = hybridkg_command("oracle", *folders(trained), "--group", "two=rules,constant")
    assert code == 0
    assert "upper bound" in out
    assert "two" in out


def test_audit_counts_verdicts_and_names_axioms(trained, hybridkg_command) -> None:
    code, out, _ = hybridkg_command("audit", *folders(trained), "--json", "--by", "relation,target")
    assert code == 0
    document = json.loads(out)
    by_name = {one["instance"]: one for one in document["instances"]}
    assert by_name["rules"]["impossible_top_10"] == 0
    assert by_name["random-s1"]["impossible_top_10"] > 5
    assert by_name["constant"]["impossible_top_1"] == pytest.approx(
        (8 / 12 + 8 / 13 + 10 / 13 + 8 / 12 + 11 / 13 + 8 / 11) / 6
    )
    assert all(one["truth_impossible"] == 0 for one in document["instances"])
    assert len(document["details"]) == 4 * 3 * 2
    example = document["examples"][0]
    assert example["verdict"] == "impossible"
    assert any("pairwise disjoint" in a for r in example["reasons"] for a in r["axioms"])
    code, _, err = hybridkg_command("audit", *folders(trained), "--fail-over", "1")
    assert code == 1
    assert "violations, more than --fail-over 1" in err
    rules = trained / "rules"
    assert hybridkg_command("audit", rules, "--fail-over", "0")[0] == 0


def test_absurd_candidates_are_shown_with_readable_names() -> None:
    from hybridkg.report.audits import example_lines

    example = {
        "instance": "one", "candidate": "Q1", "rank": 2, "query": "(Q2, P3, ?)",
        "reasons": [{"axioms": axioms} for axioms in
                    (["P3 range Q9", "Q1 type Q8"], ["Q1 type Q8", "P3 range Q9"])],
        "readable": {"Q1": "French", "P3": "ethnic group"},
    }  # fmt: skip
    assert example_lines([example])[2:] == [
        "one: Q1 [French] at rank 2 of (Q2, P3 [ethnic group], ?)",
        "    P3 [ethnic group] range Q9",
        "    Q1 [French] type Q8",
    ]


def test_audit_stops_at_inconsistent_data_and_goes_on_when_told(
    tmp_path, trained, hybridkg_command
) -> None:
    schema = tmp_path / "narrow.ttl"
    schema.write_text(
        "@prefix : <http://example.org/academic#> .\n"
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":advises a owl:ObjectProperty ; rdfs:range :Student .\n"
        ":Professor a owl:Class ; owl:disjointWith :Student .\n"
    )
    arguments = ("audit", *folders(trained), "--ontology", schema)
    arguments += ("--namespace", "http://example.org/academic#")
    code, out, err = hybridkg_command(*arguments)
    assert code == 3
    assert out == ""
    # alice advises bob, a professor.
    for word in ("bob", "alice advises bob", "advises range Student", "--set-aside-culprits"):
        assert word in err
    code, out, _ = hybridkg_command(*arguments, "--json")
    assert code == 3
    assert json.loads(out)["clashing"] == ["bob"]
    code, out, _ = hybridkg_command(*arguments, "--set-aside-culprits")
    assert code == 0
    assert "set aside as contradictory: 1 triples and 1 types at bob" in out


def test_bad_input_gives_one_sentence_and_exit_code_2(tmp_path, trained, hybridkg_command) -> None:
    spec = tmp_path / "bad.toml"
    spec.write_text(SPEC.format(out=tmp_path / "x").replace("random", "randon"))
    cases = [
        (("train", spec), "did you mean 'random'"),
        (("train", tmp_path / "absent.toml"), "absent.toml"),
        (("evaluate", tmp_path), "expected the folder of a finished instance"),
        (("compare", tmp_path), "holds no ranks; evaluate the instance first"),
        (("oracle", tmp_path / "none.tsv"), "none.tsv"),
        (("audit", folders(trained)[0], "--k", "0"), "expected whole numbers from 1"),
        (("audit", folders(trained)[0], "--by", "colour"), "expected relation, target"),
        (("audit", folders(trained)[0], "--k", "9" * 20), "whole numbers from 1 to 10000"),
        (("audit", folders(trained)[0], "--fail-over", "nan"), "expected a number from 0"),
        (("audit", folders(trained)[0], "--fail-over", "-1"), "expected a number from 0"),
        (("audit", folders(trained)[0], "--examples", "-1"), "expected 0 or more"),
        (("audit", "academic", "--by", "relation"), "goes with folders of trained instances"),
        (("compare", folders(trained)[0], "--ties", "fair"), "expected all or one of expected"),
        (("evaluate", folders(trained)[0], "--targets", "middle"), "expected both, tail or head"),
        (
            ("evaluate", folders(trained)[0], "--dataset", "nowhere"),
            "name its folder with --dataset",
        ),
    ]
    for arguments, words in cases:
        code, out, err = hybridkg_command(*arguments)
        assert code == 2, (arguments, err)
        assert words in err
        assert "Traceback" not in err
        assert out == ""


def test_rank_files_can_be_compared(tmp_path, hybridkg_command) -> None:
    for name, rank in (("one", 1), ("two", 2)):
        (tmp_path / f"{name}.tsv").write_text(
            f"head\trelation\ttail\ttarget\trank\nh\tr\tt\ttail\t{rank}\nh\tr\tt\thead\t4\n"
        )
    code, out, _ = hybridkg_command("compare", tmp_path / "one.tsv", tmp_path / "two.tsv")
    assert code == 0
    assert "0.6250" in out  # (1 + 1/4) / 2
    assert "(chance)" not in out
    assert "protocol: unstated" in out
    code, _, err = hybridkg_command(
        "compare", tmp_path / "one.tsv", tmp_path / ".." / tmp_path.name / "one.tsv"
    )
    assert code == 2
    assert "are the same; name it once" in err
    (tmp_path / "none.tsv").write_text("head\trelation\ttail\ttarget\trank\n")
    code, _, err = hybridkg_command("compare", tmp_path / "none.tsv")
    assert code == 2
    assert "a header and no row" in err


def test_a_closed_pipe_is_no_error_and_a_full_disk_is_one_sentence(tmp_path) -> None:
    command = f"{shlex.quote(sys.executable)} -m hybridkg datasets"
    script = f"{command} | head -1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("0", "")
    if Path("/dev/full").exists():
        done = subprocess.run(
            ["bash", "-c", f"{command} --json >/dev/full"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "standard output cannot be written" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.7, 1.5, 2.5])
def test_a_killed_training_costs_only_the_unfinished_instance(tmp_path, delay: float) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(
        f'dataset = "academic"\nout = "{tmp_path / "runs"}"\nseeds = [0, 1, 2, 3]\n'
        '[[models]]\nname = "chapter_transe"\n'
    )
    command = [sys.executable, "-m", "hybridkg", "train", str(spec)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    finished = {
        p: p.read_bytes()
        for manifest in (tmp_path / "runs").glob("*/manifest.json")
        for p in manifest.parent.rglob("*")
        if p.is_file()
    }
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    n_finished = sum(path.name == "manifest.json" and path.parent.parent.name == "runs"
                     for path in finished)  # fmt: skip
    assert done.stderr.count("left alone") == n_finished
    assert done.stderr.count("finished in") == 4 - n_finished
    assert {path: path.read_bytes() for path in finished} == finished
    assert len(list((tmp_path / "runs").glob("*/ranks/manifest.json"))) == 4


@pytest.mark.slow
def test_an_interrupt_is_one_sentence_and_exit_code_130(tmp_path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(
        f'dataset = "academic"\nout = "{tmp_path / "runs"}"\nseeds = [0, 1, 2, 3]\n'
        '[[models]]\nname = "chapter_transe"\nepochs = 20000\n'
    )
    command = [sys.executable, "-m", "hybridkg", "train", str(spec)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "error: interrupted; what was finished before is kept"
    assert "Traceback" not in err
