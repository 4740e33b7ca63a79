"""Facts, types and axioms know the file, graph and line they were read at."""

from __future__ import annotations

import gzip
from pathlib import Path

from hybridkg.ontology.axioms import SubClassOf
from hybridkg.ontology.expressions import Named
from hybridkg.ontology.facts import read_fact_files
from hybridkg.ontology.load import read_ontology

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
