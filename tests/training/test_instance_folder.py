"""Folders of instances: one process at a time, nobody else's files, checked before training."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from hybridkg.errors import TrainingError
from hybridkg.graph.write import write_folder
from hybridkg.training.grid import train_grid
from hybridkg.training.instance import read_manifest, train_instance
from hybridkg.training.instance_folder import LOCK, claim_folder, refuse_unwritable
from hybridkg.training.spec import Spec, parse_spec

HOLDER = """
import sys, time
from pathlib import Path
from hybridkg.training.instance_folder import claim_folder
with claim_folder(Path(sys.argv[1])):
    print("claimed", flush=True)
    time.sleep(60)
"""


def spec(out: Path, *names: str, seeds=(0, 1), dataset: object = "rings") -> Spec:
    models = [{"name": name} for name in names or ("random",)]
    return parse_spec(
        {"dataset": str(dataset), "out": str(out), "seeds": list(seeds), "models": models}
    )


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_claimed_folder_is_refused_with_the_process_that_has_it(tmp_path):
    with claim_folder(tmp_path):
        words = f"in use by process {os.getpid()} on "
        with pytest.raises(TrainingError, match=words), claim_folder(tmp_path):
            pass
        assert names_in(tmp_path) == [LOCK]
    assert names_in(tmp_path) == []
    with claim_folder(tmp_path):
        pass


def test_a_claim_ends_with_its_process_however_that_ends(tmp_path):
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "claimed\n"
        words = f"in use by process {process.pid} on "
        with pytest.raises(TrainingError, match=words), claim_folder(tmp_path):
            pass
        os.kill(process.pid, signal.SIGKILL)
    assert names_in(tmp_path) == [LOCK]
    with claim_folder(tmp_path):
        pass
    assert names_in(tmp_path) == []


def test_of_many_threads_one_at_a_time_has_the_folder(tmp_path):
    inside, most, claims = [], [], []

    def claim() -> None:
        # A thread that finds the folder taken tries again: every thread gets its fifty turns.
        turns = 0
        while turns < 50:
            try:
                with claim_folder(tmp_path):
                    inside.append(1)
                    most.append(len(inside))
                    claims.append(1)
                    inside.pop()
                    turns += 1
            except TrainingError:
                time.sleep(0.0001)

    threads = [threading.Thread(target=claim) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    assert len(claims) == 4 * 50


def test_an_instance_in_use_costs_only_itself(rings, tmp_path):
    with claim_folder(tmp_path / "random-s0"):
        with pytest.raises(TrainingError, match=r"1 of 2 instances failed.*random-s0.*in use by"):
            train_grid(spec(tmp_path), kg=rings)
        assert names_in(tmp_path / "random-s0") == [LOCK]
    assert read_manifest(tmp_path / "random-s1")["seed"] == 1
    lines: list[str] = []
    train_grid(spec(tmp_path), kg=rings, progress=lines.append)
    assert lines[:2] == ["random-s1: finished before, left alone", "random-s0: training"]


def test_what_another_process_finished_meanwhile_is_left_alone(rings, tmp_path):
    lines: list[str] = []

    def other_process(folder, _):
        if folder.name == "random-s0":
            train_instance(spec(tmp_path).instances()[1], rings, tmp_path / "random-s1")

    train_grid(spec(tmp_path), kg=rings, progress=lines.append, after=other_process)
    assert "random-s1: finished by another process, left alone" in lines


def test_a_foreign_file_is_refused_before_anything_is_said_or_trained(rings, tmp_path):
    (tmp_path / "random-s1").mkdir()
    (tmp_path / "random-s1" / "thesis.txt").write_text("years of work", encoding="utf-8")
    lines: list[str] = []
    with pytest.raises(TrainingError, match=r"random-s1: holds 'thesis\.txt'.*choose another out"):
        train_grid(spec(tmp_path), kg=rings, progress=lines.append)
    assert lines == []
    assert names_in(tmp_path) == ["random-s1"]
    assert names_in(tmp_path / "random-s1") == ["thesis.txt"]


@pytest.mark.parametrize("below", ["", "deep/er"])
def test_an_out_that_is_a_file_or_below_one_is_refused_before_any_training(rings, tmp_path, below):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    lines: list[str] = []
    with pytest.raises(TrainingError, match=r"cannot be written \(.*file is a file, and not a"):
        train_grid(spec(tmp_path / "file" / below), kg=rings, progress=lines.append)
    assert lines == []


def test_an_instance_whose_folder_is_a_file_is_refused_before_any_training(rings, tmp_path):
    (tmp_path / "random-s1").write_text("x", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"random-s1 is a file, and not a folder"):
        train_grid(spec(tmp_path), kg=rings)
    assert names_in(tmp_path) == ["random-s1"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_folder_without_the_right_to_write_is_refused(rings, tmp_path, mode):
    (tmp_path / "out").mkdir()
    (tmp_path / "out").chmod(mode)
    try:
        with pytest.raises(TrainingError, match=r"out: cannot be written \(.*Permission denied"):
            train_grid(spec(tmp_path / "out"), kg=rings)
    finally:
        (tmp_path / "out").chmod(0o700)


def test_what_the_system_says_of_an_unwritable_place_is_handed_on(tmp_path, monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    with pytest.raises(TrainingError, match="No space left on device"):
        refuse_unwritable(tmp_path)


def test_a_finished_grid_needs_no_right_to_write(rings, tmp_path, monkeypatch):
    folders = train_grid(spec(tmp_path), kg=rings)
    monkeypatch.setattr(
        "hybridkg.training.grid.refuse_unwritable", lambda folder: pytest.fail(str(folder))
    )
    assert train_grid(spec(tmp_path), kg=rings) == folders


def test_without_locks_the_training_goes_on_and_says_so(rings, tmp_path, monkeypatch):
    monkeypatch.setattr("hybridkg.training.instance_folder.fcntl", None)
    lines: list[str] = []
    folders = train_grid(spec(tmp_path, seeds=[0]), kg=rings, progress=lines.append)
    assert any("no file locks" in line for line in lines)
    assert names_in(folders[0]) == ["manifest.json"]


@pytest.mark.slow
def test_two_trainings_of_one_spec_at_once_share_the_work(rings, tmp_path):
    write_folder(rings, tmp_path / "data")
    text = (
        f'dataset = "{tmp_path / "data"}"\nout = "{tmp_path / "runs"}"\nseeds = [0, 1]\n'
        '[[models]]\nname = "chapter_transe"\nepochs = 2000\n'
    )
    (tmp_path / "spec.toml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "hybridkg", "train", str(tmp_path / "spec.toml")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as first:
        assert "chapter_transe-s0: training" in first.stderr.readline()
        # Stopped, the first holds its instance until the second is through.
        first.send_signal(signal.SIGSTOP)
        second = subprocess.run(command, capture_output=True, text=True)
        first.send_signal(signal.SIGCONT)
        said = first.stderr.read()
    assert first.returncode == 0, said
    assert second.returncode == 2
    assert f"chapter_transe-s0: in use by process {first.pid}" in second.stderr
    assert "chapter_transe-s1: finished in" in second.stderr
    assert "chapter_transe-s1: finished by another process, left alone" in said
    assert "Traceback" not in second.stderr
    for name in ("chapter_transe-s0", "chapter_transe-s1"):
        assert names_in(tmp_path / "runs" / name) == [
            "manifest.json",
            "ranks",
            "weights.safetensors",
        ]
