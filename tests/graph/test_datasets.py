"""Data sets by name: shipped ones, those of PyKEEN, and the benchmark folder."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path

import pytest

from hybridkg.errors import DataError, MissingExtraError, UnknownNameError
from hybridkg.graph.datasets import list_datasets, load_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.write import write_folder


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, academic: KnowledgeGraph) -> Path:
    """A benchmark folder with one data set at the top, one below, and one that is broken."""
    for name in ("world", "more/world_v1"):
        write_folder(academic, tmp_path / name)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "train.tsv").write_text("a b c\n")
    (tmp_path / "notes").mkdir()
    monkeypatch.setenv("HYBRIDKG_BENCHMARKS", str(tmp_path))
    return tmp_path


def test_the_shipped_academic_world_is_the_written_one(academic: KnowledgeGraph) -> None:
    shipped = load_dataset("academic")
    assert shipped.entities == academic.entities
    for split in ("train", "test"):
        expected = academic.label_triples(academic.split(split))
        assert shipped.label_triples(shipped.split(split)) == expected
    assert shipped.types.tolist() == academic.types.tolist()


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("nations", (14, 55, 1592, 199, 201)),
        ("umls", (135, 46, 5216, 652, 661)),
        ("kinships", (104, 25, 8544, 1068, 1074)),
    ],
)
def test_bundled_data_sets_are_found_without_importing_pykeen(
    name: str, figures: tuple[int, ...]
) -> None:
    if importlib.util.find_spec("pykeen") is None:
        pytest.skip("PyKEEN is not installed")
    before = "pykeen" in sys.modules
    kg = load_dataset(name)
    sizes = [len(kg.split(split)) for split in ("train", "valid", "test")]
    assert (kg.name, kg.n_entities, kg.n_relations, *sizes) == (name, *figures)
    assert ("pykeen" in sys.modules) == before


def test_without_pykeen_its_data_sets_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        MissingExtraError, match=r"data set 'umls': the optional .*hybridkg\[embeddings\]"
    ):
        load_dataset("umls")
    row = next(row for row in list_datasets() if row.name == "umls")
    assert not row.available


def test_benchmarks_go_by_their_path_below_the_folder(shelf: Path) -> None:
    assert load_dataset("world").n_entities == 13
    below = load_dataset("more/world_v1")
    assert below.name == "more/world_v1"
    assert below.sources["folder"] == str(shelf / "more/world_v1")


def test_a_folder_wins_over_a_name(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shelf)
    write_folder(KnowledgeGraph.from_labels({"train": [("a", "r", "b")]}), shelf / "nations")
    assert load_dataset("nations").n_entities == 2


def test_unknown_names_show_the_nearest(shelf: Path) -> None:
    with pytest.raises(UnknownNameError, match="'wrold'; did you mean 'world'"):
        load_dataset("wrold")
    with pytest.raises(DataError, match="is a file"):
        load_dataset(shelf / "broken" / "train.tsv")


@pytest.mark.parametrize("value", [3, None, b"academic"])
def test_what_is_no_name_is_refused_with_its_type(value: object) -> None:
    with pytest.raises(DataError, match=f"is of type {type(value).__name__}; expected the name"):
        load_dataset(value)  # type: ignore[arg-type]


def test_an_empty_name_and_a_link_to_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the name of the data set is empty"):
        load_dataset("")
    (tmp_path / "link").symlink_to(tmp_path / "gone")
    with pytest.raises(DataError, match="is a link to nothing"):
        load_dataset(tmp_path / "link")


def test_listing_counts_small_sets_and_shows_broken_ones(shelf: Path) -> None:
    rows = {row.name: row for row in list_datasets()}
    assert list(rows)[:4] == ["academic", "kinships", "nations", "umls"]
    assert rows["world"].triples == (15, 3)
    assert rows["world"].entities == 13
    assert not rows["broken"].available
    assert "1 column" in rows["broken"].where
    assert "notes" not in rows


def test_listing_leaves_big_sets_uncounted_unless_asked(
    shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hybridkg.graph.datasets.QUICK_BYTES", 10)
    quick = {row.name: row for row in list_datasets()}["world"]
    assert (quick.available, quick.splits, quick.entities) == (True, ("train", "test"), None)
    counted = {row.name: row for row in list_datasets(counts=True)}["world"]
    assert counted.entities == 13


@pytest.mark.slow
def test_listing_all_benchmarks_is_quick(benchmarks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYBRIDKG_BENCHMARKS", str(benchmarks))
    start = time.process_time()
    rows = list_datasets()
    assert time.process_time() - start < 1.0
    assert {"codex-s", "inductive/fb237_v1", "inductive/nell_v4_ind"} <= {row.name for row in rows}
