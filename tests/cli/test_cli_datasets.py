"""``datasets``: what goes by a name, and what is missing for the rest."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from hybridkg.cli.datasets import dataset_listing, datasets
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.write import write_folder

app = typer.Typer()
app.command()(datasets)


def test_names_counts_and_splits_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, academic: KnowledgeGraph
) -> None:
    write_folder(academic, tmp_path / "small")
    monkeypatch.setenv("HYBRIDKG_BENCHMARKS", str(tmp_path))
    document = json.loads(CliRunner().invoke(app, ["--json"]).stdout)
    rows = {row["name"]: row for row in document["datasets"]}
    assert document["benchmarks"] == str(tmp_path)
    for name in ("academic", "small"):
        assert (rows[name]["entities"], rows[name]["relations"]) == (13, 5)
        assert rows[name]["triples"] == [15, 3]
    lines = CliRunner().invoke(app).stdout.splitlines()
    line = next(line for line in lines if line.startswith("small"))
    assert line.split() == ["small", "benchmarks", "13", "5", "train", "15,", "test", "3"]


def test_what_is_absent_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYBRIDKG_BENCHMARKS", str(tmp_path / "none"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    text = CliRunner().invoke(app).stdout
    place = tmp_path / "none"
    assert f"no folder of benchmarks at {place}; name one in HYBRIDKG_BENCHMARKS" in text
    assert "not available: needs the extra 'embeddings'" in text


def test_an_empty_variable_counts_as_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HYBRIDKG_BENCHMARKS", "")
    document = dataset_listing()
    assert (document["benchmarks"], document["looked_for"]) == (None, "../shared/data")
