"""Grids: safe to repeat, one bad or killed instance costs itself only."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from hybridkg.errors import TrainingError, UnknownNameError
from hybridkg.graph.write import write_folder
from hybridkg.training.grid import train_grid
from hybridkg.training.instance import load_scorer, read_manifest
from hybridkg.training.spec import Spec, parse_spec

pytest.importorskip("torch")
pytest.importorskip("pykeen")

SMALL = {"dimension": 8, "epochs": 3, "batch_size": 16}


def spec(out: Path, *models, seeds=(0, 1), dataset="rings") -> Spec:
    entries = list(models) or [{"name": "complex", **SMALL}, {"name": "rules"}]
    return parse_spec(
        {"dataset": str(dataset), "out": str(out), "seeds": list(seeds), "models": entries}
    )


def stamps(folders) -> dict[Path, int]:
    return {file: file.stat().st_mtime_ns for one in folders for file in one.rglob("*")}


def test_a_grid_has_one_folder_per_instance_in_the_order_of_the_spec(rings, tmp_path):
    lines: list[str] = []
    folders = train_grid(spec(tmp_path), kg=rings, progress=lines.append)
    assert [one.name for one in folders] == ["complex-s0", "complex-s1", "rules"]
    assert all(read_manifest(one)["dataset"]["name"] == "rings" for one in folders)
    assert "rules: deterministic, one instance for all 2 seeds" in lines
    assert sum("validation MRR" in line for line in lines) == 2
    assert all(load_scorer(one, rings) is not None for one in folders)


def test_repeating_a_grid_touches_nothing(rings, tmp_path):
    first = stamps(train_grid(spec(tmp_path), kg=rings))
    called: list[Path] = []
    lines: list[str] = []
    again = train_grid(
        spec(tmp_path), kg=rings, progress=lines.append, after=lambda f, _: called.append(f)
    )
    assert stamps(again) == first
    assert called == []
    assert sum("left alone" in line for line in lines) == 3


def test_a_longer_grid_trains_only_what_is_new(rings, tmp_path):
    first = stamps(train_grid(spec(tmp_path, seeds=[0]), kg=rings))
    called: list[str] = []
    train_grid(spec(tmp_path, seeds=[0, 7]), kg=rings, after=lambda f, _: called.append(f.name))
    assert called == ["complex-s7"]
    assert {file: file.stat().st_mtime_ns for file in first} == first


def test_an_interrupted_instance_is_made_anew_with_the_same_bytes(rings, tmp_path):
    folders = train_grid(spec(tmp_path), kg=rings)
    weights = (folders[0] / "weights.safetensors").read_bytes()
    # As a kill leaves it: the mark stands, the weights are half written, no manifest.
    (folders[0] / "unfinished.json").write_text("{}", encoding="utf-8")
    (folders[0] / "manifest.json").unlink()
    (folders[0] / "weights.safetensors").write_bytes(weights[:50])
    kept = stamps(folders[1:])
    train_grid(spec(tmp_path), kg=rings)
    assert (folders[0] / "weights.safetensors").read_bytes() == weights
    assert stamps(folders[1:]) == kept


def test_a_damaged_instance_is_made_anew(rings, tmp_path):
    folders = train_grid(spec(tmp_path), kg=rings)
    weights = (folders[1] / "weights.safetensors").read_bytes()
    (folders[1] / "weights.safetensors").write_bytes(weights[:-4])
    lines: list[str] = []
    train_grid(spec(tmp_path), kg=rings, progress=lines.append)
    assert "complex-s1: weights.safetensors missing or changed, trained again" in lines
    assert (folders[1] / "weights.safetensors").read_bytes() == weights


def test_other_options_under_the_same_name_are_refused_before_any_training(rings, tmp_path):
    train_grid(spec(tmp_path, {"name": "complex", **SMALL}), kg=rings)
    wider = spec(tmp_path, {"name": "random"}, {"name": "complex", **SMALL, "dimension": 16})
    with pytest.raises(TrainingError, match="dimension 8, asked for 16"):
        train_grid(wider, kg=rings)
    assert not (tmp_path / "random-s0").exists()


def test_another_data_set_under_the_same_name_is_refused(rings, academic, tmp_path):
    train_grid(spec(tmp_path), kg=rings)
    with pytest.raises(TrainingError, match="trained on 'rings' with 24 entities"):
        train_grid(spec(tmp_path), kg=academic)


def test_one_failing_instance_leaves_the_others_finished_and_is_named(rings, tmp_path):
    bad = {
        "name": "complex",
        **SMALL,
        "label": "bad",
        "learning_rate": 1e20,
        "n3": 10.0,
        "epochs": 20,
    }
    grid = spec(tmp_path, bad, {"name": "complex", **SMALL}, {"name": "frequency"}, seeds=[0])
    with pytest.raises(TrainingError, match=r"1 of 3 instances failed.*bad-s0.*diverged"):
        train_grid(grid, kg=rings)
    assert (tmp_path / "complex-s0" / "manifest.json").is_file()
    assert (tmp_path / "frequency" / "manifest.json").is_file()
    assert not (tmp_path / "bad-s0" / "manifest.json").exists()
    train_grid(replace(grid, models=grid.models[1:]), kg=rings)


def test_the_callback_gets_folder_and_scorer_of_each_trained_instance(rings, tmp_path):
    seen = []
    folders = train_grid(spec(tmp_path), kg=rings, after=lambda f, s: seen.append((f, s)))
    assert [folder for folder, _ in seen] == folders
    assert all(hasattr(scorer, "score") for _, scorer in seen)


def test_the_data_set_is_loaded_by_the_name_in_the_spec(rings, tmp_path):
    write_folder(rings, tmp_path / "data")
    grid = spec(tmp_path / "out", {"name": "frequency"}, dataset=tmp_path / "data")
    folder = train_grid(grid)[0]
    assert read_manifest(folder)["dataset"]["filter_digest"] == rings.filter_digest("all")
    with pytest.raises(UnknownNameError, match="nowhere"):
        train_grid(spec(tmp_path / "out", dataset="nowhere"))


PROGRAM = """
import sys
from hybridkg.training.grid import train_grid
from hybridkg.training.spec import read_spec
train_grid(read_spec(sys.argv[1]), progress=lambda line: print(line, flush=True))
"""

LONG = """
dataset = {data!r}
out = {out!r}
seeds = [0, 1]
[[models]]
name = "complex"
dimension = 16
epochs = 4000
validate_every = 100
"""


@pytest.mark.slow
def test_a_killed_grid_goes_on_and_ends_as_if_nothing_had_happened(rings, tmp_path):
    write_folder(rings, tmp_path / "data")
    for out in ("killed", "whole"):
        text = LONG.format(data=str(tmp_path / "data"), out=str(tmp_path / out))
        (tmp_path / f"{out}.toml").write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "killed.toml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("complex-s1: epoch"):
                break
        os.kill(process.pid, signal.SIGKILL)
    first, second = tmp_path / "killed" / "complex-s0", tmp_path / "killed" / "complex-s1"
    assert (first / "manifest.json").is_file()
    assert second.is_dir()
    assert not (second / "manifest.json").exists()
    kept = stamps([first])
    start = time.time()
    train_grid(read_toml(tmp_path / "killed.toml"))
    assert time.time() - start < 120
    assert stamps([first]) == kept
    whole = train_grid(read_toml(tmp_path / "whole.toml"))
    for folder, other in zip((first, second), whole, strict=True):
        assert sorted(p.name for p in folder.iterdir()) == sorted(p.name for p in other.iterdir())
        assert (folder / "weights.safetensors").read_bytes() == (
            other / "weights.safetensors"
        ).read_bytes()


def read_toml(path: Path) -> Spec:
    from hybridkg.training.spec import read_spec

    return read_spec(path)


EVERYTHING = """
import sys
from hybridkg.training.ranking import train_and_rank
from hybridkg.training.models import find_model, model_names
from hybridkg.training.spec import parse_spec
small = {"dimension": 8, "epochs": 2}
models = [
    {"name": name, **{k: v for k, v in small.items() if hasattr(find_model(name).config(), k)}}
    for name in model_names()
]
models.append({"name": "complex", "label": "sampled", **small, "sample": 5, "dropout": 0.2})
document = {"dataset": sys.argv[1], "out": "runs", "seeds": [0, 1], "models": models}
train_and_rank(parse_spec(document))
"""

#: What a manifest says of when, and how long, a training ran.
TIMES = ("started", "finished", "fit_cpu_seconds", "cpu_seconds")


def contents(root: Path) -> dict[str, object]:
    """Relative path -> bytes; of the manifests of instances, all but the times."""
    found: dict[str, object] = {}
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        found[path.relative_to(root).as_posix()] = path.read_bytes()
    for path in root.glob("*/manifest.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        for name in TIMES:
            del document[name]
        found[path.relative_to(root).as_posix()] = json.dumps(document)
    return found


@pytest.mark.slow
def test_all_files_are_the_same_bytes_under_any_hash_seed(rings, tmp_path):
    write_folder(rings, tmp_path / "data")
    found = []
    for seed in ("0", "1"):
        (tmp_path / seed).mkdir()
        subprocess.run(
            [sys.executable, "-c", EVERYTHING, str(tmp_path / "data")],
            cwd=tmp_path / seed,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        found.append(contents(tmp_path / seed / "runs"))
    first, second = found
    assert sum(name.endswith(".safetensors") for name in first) == 12
    assert sum(name.count("/") == 1 and name.endswith("manifest.json") for name in first) == 17
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []
