"""Fixtures that several test modules share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

import hybridkg
from hybridkg.errors import MissingExtraError
from hybridkg.graph.knowledge_graph import KnowledgeGraph

# Compiling a kernel in the first example would break any deadline.
settings.register_profile("hybridkg", deadline=None)
settings.load_profile("hybridkg")

FACTS = [
    ("alice", "advises", "bob"),
    ("bob", "advises", "carol"),
    ("carol", "advises", "erin"),
    ("alice", "authored", "p1"),
    ("carol", "authored", "p2"),
    ("dave", "authored", "p3"),
    ("alice", "affiliated", "mit"),
    ("bob", "affiliated", "mit"),
    ("carol", "affiliated", "cmu"),
    ("dave", "affiliated", "cmu"),
    ("p2", "cites", "p1"),
    ("p3", "cites", "p2"),
    ("p1", "about", "logic"),
    ("p2", "about", "nesy"),
    ("p3", "about", "ml"),
]
HELD_OUT = [("bob", "advises", "dave"), ("bob", "authored", "p1"), ("erin", "affiliated", "cmu")]
TYPES = {
    "Professor": ["alice", "bob"],
    "Student": ["carol", "dave", "erin"],
    "Paper": ["p1", "p2", "p3"],
    "Institution": ["cmu", "mit"],
    "Topic": ["logic", "ml", "nesy"],
}


@contextmanager
def _skipping_what_needs_an_absent_extra() -> Iterator[None]:
    try:
        yield
    except MissingExtraError as error:
        # With the libraries present this error would be a defect, and no reason to skip.
        if all(find_spec(library) for library in ("torch", "pykeen", "safetensors")):
            raise
        pytest.skip(str(error))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    with _skipping_what_needs_an_absent_extra():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    with _skipping_what_needs_an_absent_extra():
        return (yield)


@pytest.fixture(scope="session")
def academic() -> KnowledgeGraph:
    """The academic world, written out here so that it witnesses the shipped one."""
    return KnowledgeGraph.from_labels(
        {"train": FACTS, "test": HELD_OUT},
        name="academic",
        types=[(entity, name) for name, members in TYPES.items() for entity in members],
    )


@pytest.fixture(scope="session")
def benchmarks() -> Path:
    """Folder of the real benchmarks, or a skip that says how to name one."""
    folder = Path(os.environ.get("HYBRIDKG_BENCHMARKS", "../shared/data"))
    if not folder.is_dir():
        pytest.skip(f"no benchmark folder at {folder}; set HYBRIDKG_BENCHMARKS to one")
    return folder


def pytest_configure() -> None:
    """Forget compiled kernels that are older than one of the files they may take code from.

    The cache looks only at the file of a kernel itself, and not at those it calls.
    """
    for folder in ("evaluation", "rules"):
        place = Path(hybridkg.__file__).parent / folder
        newest = max(file.stat().st_mtime for file in place.glob("*kernels.py"))
        for index in place.glob("__pycache__/*.nbi"):
            if index.stat().st_mtime < newest:
                index.unlink()


@pytest.fixture
def hybridkg_command(monkeypatch, capsys):
    """Run the command line in this process; gives (exit code, standard output, standard error)."""

    def call(*arguments: object) -> tuple[int, str, str]:
        from hybridkg.cli.main import run

        monkeypatch.setattr("sys.argv", ["hybridkg", *map(str, arguments)])
        try:
            run()
            code = 0
        except SystemExit as leaving:
            code = int(leaving.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call
