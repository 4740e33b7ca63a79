"""Facts, types and axioms know the file, graph and line they were read at."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from hybridkg.ontology import premise_data
from hybridkg.ontology.axioms import SubClassOf
from hybridkg.ontology.expressions import Named
from hybridkg.ontology.facts import read_fact_files
from hybridkg.ontology.load import read_ontology
from hybridkg.ontology.premise_data import merged
from hybridkg.ontology.premises import read_premises

N = "http://s.example/"
A, R, B = (N + one for one in "arb")
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
SUB = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"


def test_lines_of_statements_have_numbers(tmp_path: Path) -> None:
    path = tmp_path / "facts.nt.gz"
    lines = [
        f"<{B}> <{R}> <{B}> .",
        f"<{B}> <{R}> <{B}> .",
        "# remark",
        f"<{N}b> <{R}> <{A}> .",
        f'<{A}> <{N}t> "x" .',
        f"<{A}> <{R}> <{B}> .",
    ]
    lines += [f"<{N}C> {SUB} <{N}D> .", f"<{A}> {TYPE} <{N}C> . # here", f"<{A}> <{R}> <{B}> ."]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    found = read_ontology(path)
    assert found.source_of_fact(A, R, B) == f"{path}:6"
    assert found.source_of_fact(B, R, A) == f"{path}:4"
    assert found.source_of_type(A, N + "C") == f"{path}:8"
    assert found.source_of_axiom(SubClassOf(Named(N + "C"), Named(N + "D"))) == f"{path}:7"
    assert found.source_of_fact(A, R, A) is None
    assert found.source_of_fact("nobody", R, A) is None
    short = found.without_namespace(N)
    assert short.source_of_fact("a", "r", "b") == f"{path}:6"
    assert short.source_of_type("a", "C") == f"{path}:8"
    assert short.source_of_axiom(SubClassOf(Named("C"), Named("D"))) == f"{path}:7"


def test_named_graphs_are_united_and_named_as_sources(tmp_path: Path) -> None:
    path = tmp_path / "facts.nq"
    path.write_text(f"<{A}> <{R}> <{B}> <{N}g> .\n<{B}> <{R}> <{A}> .\n<{A}> <{R}> <{A}> _:h .\n")
    found = read_ontology(path)
    assert len(found.facts) == 3
    assert found.report.graphs == ("_:h", N + "g")
    assert found.source_of_fact(A, R, B) == f"{path}:1 (graph {N}g)"
    assert found.source_of_fact(B, R, A) == f"{path}:2"


def test_every_file_of_a_graph_is_a_source(tmp_path: Path) -> None:
    rows, types = tmp_path / "rows.tsv", tmp_path / "types.tsv"
    rows.write_text(f"{A}\t{R}\t{B}\n\n{B}\t{R}\t{A}\n")
    types.write_text(f"{A}\t{N}C\n{B}\t{N}C\n")
    turtle = tmp_path / "more.ttl"
    turtle.write_text(f"<{A}> <{R}> <{A}> ; a <{N}E> . <{N}C> {SUB} <{N}D> .")
    found = read_fact_files([rows, turtle], types_file=types)
    assert found.source_of_fact(B, R, A) == f"{rows}:3"
    assert found.source_of_fact(A, R, A) == str(turtle)
    assert found.source_of_type(B, N + "C") == f"{types}:2"
    assert found.source_of_type(A, N + "E") == str(turtle)
    assert found.source_of_axiom(SubClassOf(Named(N + "C"), Named(N + "D"))) == str(turtle)
    assert found.source_of_axiom(SubClassOf(Named(N + "D"), Named(N + "C"))) is None


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_axioms_of_several_files_keep_their_own_lines(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    axioms = ["Z Y", "M N"], ["A B", "Z Y"], ["A C", "K L", "B D"]
    paths = [tmp_path / f"part{number}.nt" for number in range(3)]
    for path, pairs in zip(paths, axioms, strict=True):
        lines = [f"<{N}{sub}> {SUB} <{N}{over}> ." for sub, over in map(str.split, pairs)]
        path.write_text("\n".join([*lines, f"<{A}> <{R}> <{B}> .", f"<{A}> {TYPE} <{N}A> ."]))
    first, *others = (paths[number] for number in order)
    premises = read_premises(first, others)
    for sub, over in ("ZY", "MN", "AB", "AC", "KL", "BD"):
        holders = [n for n in order if f"{sub} {over}" in axioms[n]]
        line = axioms[holders[0]].index(f"{sub} {over}") + 1
        place = premises.sources.axiom(SubClassOf(Named(N + sub), Named(N + over)))
        assert place == f"{paths[holders[0]]}:{line}"


def test_counts_of_several_files_add_up(tmp_path: Path) -> None:
    paths = [tmp_path / "one.nt", tmp_path / "two.nt"]
    paths[0].write_text(f"<{N}Z> {SUB} <{N}Y> .\n<{A}> <{R}> <{B}> .\n")
    paths[1].write_text(f'<{N}A> {SUB} <{N}B> .\n<{A}> {TYPE} <{N}A> .\n<{A}> <{R}> "x" .\n')
    parts = [read_ontology(path) for path in paths]
    whole = merged(parts)
    assert whole is not None
    report = whole.report
    assert report.statements == 5
    counts = ("facts", "types", "declarations", "axioms", "literals", "annotations")
    assert report.statements == sum(getattr(report, c) for c in counts) + sum(
        report.skipped.values()
    )
    nowhere = merged([parts[0], replace(parts[1], axiom_places=None)])
    assert nowhere is not None
    assert nowhere.axiom_places is None


def test_types_of_individuals_without_a_triple_keep_one_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "facts.nt"
    path.write_text(f"<{A}> <{R}> <{B}> .\n<{N}idle> {TYPE} <{N}A> .\n")

    def refuse(path: Path) -> None:
        raise AssertionError(f"{path} is read again")

    monkeypatch.setattr(premise_data, "read_ontology", refuse)
    found = premise_data.read_data([path], None, None, ())
    assert found.report.types_set_aside == 0
    entities, classes = found.kg.entities.labels, found.kg.classes.labels
    assert [(entities[e], classes[c]) for e, c in found.kg.types.tolist()] == [
        (N + "idle", N + "A")
    ]


def test_a_place_asked_for_does_not_outlive_a_change_of_names(tmp_path: Path) -> None:
    path = tmp_path / "axioms.nt"
    path.write_text(f"<{N}C> {SUB} <{N}D> .\n<{N}A> {SUB} <{N}C> .\n")
    found = read_ontology(path)
    long, short = SubClassOf(Named(N + "C"), Named(N + "D")), SubClassOf(Named("C"), Named("D"))
    assert found.source_of_axiom(long) == f"{path}:1"
    renamed = found.without_namespace(N)
    assert renamed.source_of_axiom(short) == f"{path}:1"
    assert renamed.source_of_axiom(long) is None
    assert replace(found, axioms=()).source_of_axiom(long) is None
    assert found == read_ontology(path)
