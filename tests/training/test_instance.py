"""One instance on disk: whole or nothing, bound to its data set, the same bytes twice."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from hybridkg.errors import TrainingError
from hybridkg.graph.queries import Queries
from hybridkg.training.instance import (
    damaged_files,
    discard_instance,
    load_scorer,
    read_manifest,
    stored_instance,
    train_instance,
)
from hybridkg.training.spec import parse_spec

pytest.importorskip("torch")
pytest.importorskip("pykeen")

OPTIONS = {"dimension": 8, "epochs": 4, "batch_size": 16, "validate_every": 2}


def instance(name: str = "complex", seed: int = 0, **options):
    entry = {"name": name, **(OPTIONS if name == "complex" else {}), **options}
    return parse_spec(
        {"dataset": "rings", "out": "x", "seeds": [seed], "models": [entry]}
    ).instances()[0]


@pytest.fixture
def trained(rings, tmp_path):
    return train_instance(instance(), rings, tmp_path / "one", dataset="rings")


def test_the_manifest_says_what_was_trained_on_what_and_how_it_went(trained, rings):
    manifest = read_manifest(trained)
    assert manifest["model"] == "complex"
    assert manifest["seed"] == 0
    assert manifest["config"] | OPTIONS == manifest["config"]
    assert manifest["spec_dataset"] == "rings"
    assert manifest["dataset"]["entity_digest"] == rings.entities.digest
    assert manifest["dataset"]["filter_digest"] == rings.filter_digest("all")
    assert [e["epoch"] for e in manifest["curve"]] == [1, 2, 3, 4]
    assert [e["validation_mrr"] is None for e in manifest["curve"]] == [True, False, True, False]
    assert manifest["facts"]["kept_epoch"] in (2, 4)
    assert set(manifest["versions"]) >= {"hybridkg", "python", "numpy", "torch", "pykeen"}
    assert manifest["cpu_seconds"] >= manifest["fit_cpu_seconds"] > 0
    assert stored_instance(manifest) == instance()


def test_the_chapters_transe_records_a_loss_for_each_epoch(rings, tmp_path):
    folder = train_instance(instance("chapter_transe", epochs=3), rings, tmp_path / "one")
    curve = read_manifest(folder)["curve"]
    assert [record["epoch"] for record in curve] == [1, 2, 3]
    assert all(record["loss"] > 0 for record in curve)


def test_the_folder_holds_weights_and_manifest_and_no_pickle(trained):
    assert sorted(path.name for path in trained.iterdir()) == [
        "manifest.json",
        "weights.safetensors",
    ]
    assert list(read_manifest(trained)["files"]) == ["weights.safetensors"]
    assert (trained / "weights.safetensors").read_bytes()[8:9] == b"{"


def test_the_same_instance_twice_gives_the_same_bytes(trained, rings, tmp_path):
    again = train_instance(instance(), rings, tmp_path / "two")
    other = train_instance(instance(seed=1), rings, tmp_path / "three")
    first = (trained / "weights.safetensors").read_bytes()
    assert (again / "weights.safetensors").read_bytes() == first
    assert (other / "weights.safetensors").read_bytes() != first


@pytest.mark.parametrize("name", ["complex", "rules", "random", "frequency"])
def test_a_loaded_scorer_scores_like_the_fitted_one(name, rings, tmp_path):
    kept = []
    folder = train_instance(
        instance(name, seed=3), rings, tmp_path / name, after=lambda _, scorer: kept.append(scorer)
    )
    queries = Queries("head", np.arange(24, dtype=np.int32), np.arange(24, dtype=np.int32) % 2)
    loaded = load_scorer(folder, rings)
    np.testing.assert_array_equal(loaded.score(queries), kept[0].score(queries))


def test_another_data_set_is_refused_with_what_differs(trained, rings, academic):
    with pytest.raises(TrainingError, match="entity_digest"):
        load_scorer(trained, academic)
    fewer = rings.with_splits({**rings.splits, "train": rings.train[1:]})
    with pytest.raises(TrainingError, match="train_digest") as caught:
        load_scorer(trained, fewer)
    assert "entity_digest" not in str(caught.value)


def test_a_changed_file_is_refused_and_named(trained, rings):
    weights = trained / "weights.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(bytes(content))
    assert damaged_files(trained, read_manifest(trained)) == ["weights.safetensors"]
    with pytest.raises(TrainingError, match=r"weights\.safetensors missing or changed"):
        load_scorer(trained, rings)


def test_files_that_the_caller_adds_are_not_part_of_the_model(rings, tmp_path):
    def after(folder, _):
        (folder / "ranks").mkdir()
        (folder / "ranks" / "ranks.txt").write_text("1\n", encoding="utf-8")

    folder = train_instance(instance(), rings, tmp_path / "one", after=after)
    (folder / "ranks" / "ranks.txt").write_text("2\n", encoding="utf-8")
    assert damaged_files(folder, read_manifest(folder)) == []
    assert load_scorer(folder, rings) is not None


def test_without_a_manifest_there_is_no_instance(trained, rings):
    (trained / "manifest.json").unlink()
    with pytest.raises(TrainingError, match=r"no manifest\.json"):
        load_scorer(trained, rings)


def test_a_manifest_of_something_else_is_refused(tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps({"format": "x"}), encoding="utf-8")
    with pytest.raises(TrainingError, match="no instance's manifest"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(TrainingError, match="expected a JSON document"):
        read_manifest(tmp_path)


def edit_manifest(folder, change) -> None:
    document = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    change(document)
    (folder / "manifest.json").write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["config"].update(dimension=16),
        lambda m: m.update(seed=1),
        lambda m: m.update(model="distmult"),
        lambda m: m.update(label="better"),
        lambda m: m["dataset"].update(entities=25),
        lambda m: m["files"].clear(),
        lambda m: m.pop("config"),
        lambda m: m.pop("digest"),
    ],
)
def test_an_edited_description_is_refused(trained, rings, change):
    edit_manifest(trained, change)
    with pytest.raises(TrainingError, match=r"manifest\.json: was edited.*train again"):
        load_scorer(trained, rings)


def test_a_manifest_may_be_laid_out_anew_and_its_times_are_no_part_of_the_instance(trained, rings):
    edit_manifest(trained, lambda m: m.update(finished="later"))
    assert load_scorer(trained, rings) is not None


def test_the_folder_of_a_grid_is_answered_with_one_of_its_instances(rings, tmp_path):
    for name in ("b", "c"):
        train_instance(instance("random"), rings, tmp_path / name)
    # Ranks and other tables have manifests too, of another kind.
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "manifest.json").write_text("{}", encoding="utf-8")
    with pytest.raises(TrainingError, match="expected the folder of a finished inst") as caught:
        read_manifest(tmp_path)
    assert str(caught.value).endswith(f"such as {tmp_path / 'b'}")


def test_a_folder_without_a_manifest_is_called_what_it_is(trained, tmp_path):
    with pytest.raises(TrainingError, match="no such folder"):
        read_manifest(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(TrainingError, match="as `hybridkg train` makes them"):
        read_manifest(tmp_path / "empty")
    discard_instance(trained)
    with pytest.raises(TrainingError, match="it completes what is unfinished"):
        read_manifest(trained)


def test_a_finished_instance_is_never_overwritten(trained, rings):
    with pytest.raises(TrainingError, match="finished instance"):
        train_instance(instance(), rings, trained)


def test_a_folder_with_other_peoples_files_is_never_cleared(rings, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(TrainingError, match=r"thesis\.txt"):
        train_instance(instance(), rings, tmp_path)
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "years of work"


def test_an_unfinished_folder_is_cleared_and_trained_anew(trained, rings):
    first = (trained / "weights.safetensors").read_bytes()
    discard_instance(trained)
    (trained / "half").mkdir()
    (trained / "half" / "x.part").write_bytes(b"x")
    train_instance(instance(), rings, trained)
    assert (trained / "weights.safetensors").read_bytes() == first
    assert sorted(path.name for path in trained.iterdir()) == [
        "manifest.json",
        "weights.safetensors",
    ]


def test_a_failing_callback_leaves_the_instance_unfinished(rings, tmp_path):
    def after(_, __):
        raise ValueError("no space")

    with pytest.raises(ValueError, match="no space"):
        train_instance(instance(), rings, tmp_path / "one", after=after)
    assert not (tmp_path / "one" / "manifest.json").exists()
    train_instance(instance(), rings, tmp_path / "one")


TWICE = """
import sys
from pathlib import Path
from hybridkg.graph.datasets import load_dataset
from hybridkg.training.grid import train_grid
from hybridkg.training.instance import read_manifest
from hybridkg.training.spec import parse_spec
model = {"name": "complex", "dimension": 4, "epochs": 1}
spec = {"dataset": "academic", "out": sys.argv[1], "seeds": [0, 1], "models": [model]}
for folder in train_grid(parse_spec(spec)):
    manifest = read_manifest(folder)
    print(manifest["fit_cpu_seconds"], manifest["cpu_seconds"])
"""


@pytest.mark.slow
def test_the_time_of_the_first_instance_is_without_the_loading_of_libraries(tmp_path):
    # Loading torch and PyKEEN takes seconds, one epoch on the academic world milliseconds.
    done = subprocess.run(
        [sys.executable, "-c", TWICE, str(tmp_path)], capture_output=True, text=True, check=True
    )
    fits = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    assert len(fits) == 2
    assert all(0 < seconds < 0.5 for pair in fits for seconds in pair)
