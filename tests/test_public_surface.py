"""What ``import hybridkg`` offers, and what it must not load."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hybridkg
from hybridkg import errors

HEAVY = ("torch", "pykeen", "matplotlib", "rdflib", "owlready2", "numba", "pandas", "scipy")


def test_import_loads_nothing_heavy() -> None:
    code = f"import hybridkg, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_loads_no_learning_or_rdf_library() -> None:
    code = (
        "import sys; sys.argv = ['hybridkg', '--help']\n"
        "from hybridkg.cli.main import run\n"
        "try:\n    run()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('torch', 'pykeen', 'rdflib', 'pandas', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().splitlines()[-1] == "[]"
    for command in ("demo", "datasets", "inspect", "split", "train", "evaluate", "compare",
                    "oracle", "audit"):  # fmt: skip
        assert f"  {command} " in done.stdout


def test_public_names_are_sorted_and_exist() -> None:
    names = [name for name in hybridkg.__all__ if name != "__version__"]
    assert names == sorted(names)
    for name in names:
        assert getattr(hybridkg, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        hybridkg.nothing  # noqa: B018


def test_every_exception_has_a_docstring_and_a_builtin_base() -> None:
    found = [c for _, c in inspect.getmembers(errors, inspect.isclass)
             if issubclass(c, errors.HybridKGError)]  # fmt: skip
    assert len(found) >= 12
    for exception in found:
        assert exception.__doc__
        if exception is not errors.HybridKGError:
            bases = {b for b in exception.__mro__ if b.__module__ == "builtins"}
            assert bases & {ValueError, LookupError, RuntimeError, ImportError}


def test_the_same_verbs_through_python(academic) -> None:
    kg = hybridkg.read("academic")
    assert kg.entities == academic.entities
    assert kg.label_triples(kg.train) == academic.label_triples(academic.train)
    assert kg.label_triples(kg.split("test")) == academic.label_triples(academic.split("test"))

    class Constant:
        def score(self, queries):
            import numpy as np

            return np.zeros((len(queries), kg.n_entities), np.float32)

    table = hybridkg.audit({"constant": Constant()}, kg)
    assert table.values("mrr").mean() == pytest.approx(table.chance()["mrr"])
    assert hybridkg.oracle(table).groups[-1].gap == 0
    closed = hybridkg.closure(kg)
    assert closed.verdict(("alice", "grandAdvisor", "carol")) == "entailed"
    # The ontology as read is spelled in IRIs; it is joined, never used past the labels.
    ontology = hybridkg.read_ontology(kg.sources["schema.ttl"])
    assert hybridkg.closure(kg, ontology).facts() == closed.facts()
    with pytest.raises(errors.OntologyError, match="name the namespace of the labels"):
        hybridkg.closure(academic, ontology)
    assert hybridkg.evaluate(Constant(), kg).optimistic.tolist() == [[1] * 6]


def test_the_python_code_of_the_readme_runs(capsys) -> None:
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "popularity" in capsys.readouterr().out


def test_the_commands_of_the_readme_exist_and_explain_themselves(hybridkg_command) -> None:
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`?hybridkg ([a-z]+)", text))
    code, listing, _ = hybridkg_command("--help")
    assert code == 0
    listed = set(re.findall(r"^  ([a-z]+)  ", listing, flags=re.MULTILINE))
    assert named >= listed
    for command in listed:
        code, out, _ = hybridkg_command(command, "--help")
        assert code == 0
        assert "--json" in out


def test_the_example_runs_on_the_academic_world(monkeypatch, capsys) -> None:
    example = Path(__file__).parents[1] / "examples" / "foreign_scorer.py"
    monkeypatch.setattr(sys, "argv", [str(example)])
    exec(compile(example.read_text(encoding="utf-8"), str(example), "exec"), {})
    out = capsys.readouterr().out
    for words in ("popularity", "oracle_mrr", "impossible_top_10"):
        assert words in out


@pytest.mark.slow
def test_a_model_of_another_library_is_ranked() -> None:
    pytest.importorskip("pykeen")
    example = Path(__file__).parents[1] / "examples" / "pykeen_model.py"
    done = subprocess.run(
        [sys.executable, str(example)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("data set nations, split test, targets both")
    assert "PyKEEN DistMult" in done.stdout


def test_no_message_holds_the_name_of_a_variable() -> None:
    """Braces around a name in a formatted text are a lost f before one of its pieces."""
    package = Path(hybridkg.__file__).parent
    # LaTeX has braces of its own.
    for path in sorted(set(package.rglob("*.py")) - set(package.glob("report/*.py"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                texts = [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
                found = [text for text in texts if re.search(r"\{[A-Za-z_.]+\}", text)]
                assert not found, f"{path}:{node.lineno}"
