"""Odd but valid files: marks, line ends, bases, escapes, quoted statements, long texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridkg.errors import OntologyError
from hybridkg.ontology.facts import read_fact_files
from hybridkg.ontology.load import read_ontology

LINE = "<http://o.example/a> <http://o.example/r> <http://o.example/b> .\n"
FACT = ("http://o.example/a", "http://o.example/r", "http://o.example/b")


def odd(folder: Path, text: str | bytes, name: str = "odd.ttl") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("name", ["odd.ttl", "odd.nt", "odd.owl"])
@pytest.mark.parametrize(
    "text",
    [
        LINE,
        "\ufeff" + LINE,
        LINE.replace("\n", "\r\n"),
        LINE.rstrip("\n"),
        LINE.replace(" ", "\t"),
        LINE.replace(" ", "  "),
        LINE.replace("> <", "><"),
        "# a remark\n\n" + LINE + "\n# another\n   \n",
        "  " + LINE.replace("> .", "> . # behind"),
        "<http://o.example/a> <http://o.example/\\u0072> <http://o.example/\\U00000062> .",
        LINE + LINE,
        "\ufeff# remark\r\n\r\n" + LINE.replace("\n", "\r\n"),
    ],
)
def test_spellings_of_one_statement_read_the_same(tmp_path: Path, text: str, name: str) -> None:
    found = read_ontology(odd(tmp_path, text, name))
    assert found.facts == (FACT,)
    report = found.report
    assert report.statements == report.facts + report.skipped.get("repeated statement", 0)


@pytest.mark.parametrize(
    "text",
    [
        "@base <http://o.example/x/y> . <../a> <../r> <../b> .",
        "BASE <http://o.example/> <a> <r> <b> .",
        "@prefix : <http://o.example/> . :a :r :b .",
        "PREFIX : <http://o.example/>\n:a :r :b.",
        "@prefix o: <http://o.example/> . o:a o:r o:b ; .",
        "<http://o.example/g> { <http://o.example/a> <http://o.example/r> <http://o.example/b> }",
        "[] <http://o.example/p> 'x' . " + LINE,
    ],
)
def test_turtle_and_trig_are_told_from_each_other_and_from_lines(tmp_path: Path, text: str) -> None:
    assert read_ontology(odd(tmp_path, text)).facts == (FACT,)


def test_a_relative_name_is_read_from_the_place_of_the_file(tmp_path: Path) -> None:
    found = read_ontology(odd(tmp_path, "<#a> <http://r> <b> ."))
    here = tmp_path.resolve().as_uri()
    assert found.facts == ((f"{here}/odd.ttl#a", "http://r", f"{here}/b"),)


def test_remarks_alone_are_no_error_and_hold_nothing(tmp_path: Path) -> None:
    found = read_ontology(odd(tmp_path, "# one\n# two\n"))
    assert (found.report.statements, found.axioms, found.facts) == (0, (), ())


def test_escapes_and_letters_beyond_ascii_are_code_points(tmp_path: Path) -> None:
    text = "<http://o.example/\\u00e9> <http://o.example/r> <http://o.example/é> .\n"
    expected = (("http://o.example/é", "http://o.example/r", "http://o.example/é"),)
    assert read_ontology(odd(tmp_path, text)).facts == expected
    assert read_ontology(odd(tmp_path, text, "odd.nt")).facts == expected


def test_quoted_and_reified_statements_are_set_aside_together(tmp_path: Path) -> None:
    text = f"""@prefix : <http://o.example/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
:a :r :b . << :a :r :b >> :saidBy :c .
:note a rdf:Statement ; rdf:subject :a ; rdf:predicate :r ; rdf:object :b ; :sure "0.9" .
[] rdf:subject :a . {LINE}"""
    found = read_ontology(odd(tmp_path, text))
    assert found.facts == (FACT,)
    assert found.report.skipped == {"reified statement": 8, "repeated statement": 1}
    assert "http://o.example/note" not in found.individuals


def test_a_very_long_literal_is_counted_as_one(tmp_path: Path) -> None:
    text = LINE + f'<http://o.example/a> <http://o.example/t> "{"x y" * 400_000}" .\n' + LINE
    for name in ("odd.nt", "odd.ttl"):
        report = read_ontology(odd(tmp_path, text, name)).report
        assert (report.facts, report.literals, report.statements) == (1, 1, 3)


def test_iris_that_only_bend_the_rules_are_read_as_they_stand(tmp_path: Path) -> None:
    names = ("http://o.example/##a", "http://o.example/100%", "http://o.example/[b]")
    line = " ".join(f"<{name}>" for name in names) + " .\n"
    for text, name in ((line, "odd.nt"), (line + "# x\n<http://a> a <http://b> .", "odd.ttl")):
        assert read_ontology(odd(tmp_path, text, name)).facts == (names,)


@pytest.mark.parametrize("bad", [" ", "|", "{", "^", "`", '"', "\\\\", "\\u0020", "\\u007c"])
@pytest.mark.parametrize("name", ["odd.nt", "odd.ttl"])
def test_iris_with_what_the_grammar_forbids_are_refused_with_their_line(
    tmp_path: Path, bad: str, name: str
) -> None:
    path = odd(tmp_path, f"{LINE}# x\n<http://o.example/a{bad}b> <http://r> <http://b> .\n", name)
    with pytest.raises(OntologyError, match=rf"{name}:3: "):
        read_ontology(path)


def test_lines_that_turn_into_turtle_are_read(tmp_path: Path) -> None:
    later = "@prefix : <http://o.example/> .\n:c :r :d .\n"
    found = read_ontology(odd(tmp_path, LINE * 2_000 + later, "odd.nt"))
    assert len(found.facts) == 2
    path = odd(tmp_path, LINE * 2_000 + later + ":e :r .\n", "odd.nt")
    with pytest.raises(OntologyError, match=r"odd\.nt:2003: expected Turtle"):
        read_ontology(path)


def test_names_of_labels_prefer_english_then_none(tmp_path: Path) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    texts = f"<http://o.example/a> {label} 'z' , 'Haus'@de , 'house'@en-GB ."
    found = read_fact_files([odd(tmp_path, LINE + texts + f"<http://o.example/b> {label} 'q' .")])
    assert found.kg.readable["entity"] == {FACT[0]: "house", FACT[2]: "q"}
