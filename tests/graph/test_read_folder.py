"""Benchmark folders: what is looked for, what is refused, what is set aside."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from hybridkg.errors import DataError
from hybridkg.graph.read import is_rdf, read_folder, report_folder


def write(folder: Path, **parts: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in parts.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return folder


def test_all_parts_of_a_folder_are_read(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "town",
        train__txt="ann\tlivesIn\trome\n",
        test__tsv="bob\tlivesIn\trome\n",
        types__tsv="ann\tPerson\nrome\tCity\n",
        labels__tsv="entity\tann\tAnn A.\nrelation\tlivesIn\tlives in\ntype\tCity\ta city\n",
        entities__txt="eve\n",
        schema__ttl="",
    )
    (folder / "schema.tsv.xz").write_bytes(lzma.compress(b""))
    kg = read_folder(folder)
    assert kg.name == "town"
    assert kg.entities.labels == ("ann", "bob", "eve", "rome")
    assert kg.label_triples(kg.train) == [("ann", "livesIn", "rome")]
    assert kg.label_triples(kg.split("test")) == [("bob", "livesIn", "rome")]
    typed = [(kg.entities[e], kg.classes[c]) for e, c in kg.types.tolist()]
    assert typed == [("ann", "Person"), ("rome", "City")]
    assert kg.readable == {
        "entity": {"ann": "Ann A."},
        "relation": {"livesIn": "lives in"},
        "class": {"City": "a city"},
    }
    assert kg.sources["folder"] == str(folder)
    assert kg.sources["train"] == str(folder / "train.txt")
    assert kg.sources["schema.tsv"] == str(folder / "schema.tsv.xz")
    assert kg.sources["schema.ttl"] == str(folder / "schema.ttl")


def test_entities_without_a_triple_are_set_aside_and_counted(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "g",
        train__tsv="a\tr\tb\n\nb\tr\ta\n",
        types__tsv="a\tC\nz\tC\nz\tD\na\tC\n",
        labels__tsv="entity\tz\tZed\ntype\tSuper\tsuperclass\n",
    )
    kg, report = report_folder(folder)
    assert kg.n_entities == 2
    assert kg.classes.labels == ("C",)
    assert (report.types_set_aside, report.entities_set_aside) == (2, 1)
    assert report.types_repeated == 1
    assert report.labels_set_aside == 1
    assert report.blank_lines == 1
    assert kg.readable["class"] == {"Super": "superclass"}


def test_a_folder_without_train_names_what_was_looked_for(tmp_path: Path) -> None:
    write(tmp_path / "g", training__tsv="a\tr\tb\n")
    with pytest.raises(DataError, match=r"looked for train\.tsv and train\.txt.*training\.tsv"):
        read_folder(tmp_path / "g")
    with pytest.raises(DataError, match="is no folder"):
        read_folder(tmp_path / "none")


def test_a_part_that_exists_twice_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "g", train__tsv="a\tr\tb\n", train__txt="c\tr\td\n")
    with pytest.raises(DataError, match=r"both train\.tsv and train\.txt exist"):
        read_folder(folder)


@pytest.mark.parametrize(
    ("name", "kind"), [("test.tsv", "a link to nothing"), ("types.tsv.gz", "a folder")]
)
def test_a_part_that_is_no_file_is_refused(tmp_path: Path, name: str, kind: str) -> None:
    folder = write(tmp_path / "g", train__tsv="a\tr\tb\n")
    if "link" in kind:
        (folder / name).symlink_to(folder / "gone.tsv")
    else:
        (folder / name).mkdir()
    with pytest.raises(DataError, match=rf"{name} is {kind}; expected a file for"):
        read_folder(folder)


@pytest.mark.parametrize("name", ["test.TSV", "Valid.txt", "LABELS.tsv.XZ"])
def test_a_part_in_capital_letters_is_not_passed_over(tmp_path: Path, name: str) -> None:
    folder = write(tmp_path / "g", train__tsv="a\tr\tb\n")
    (folder / name).write_text("b\tr\ta\n")
    with pytest.raises(DataError, match=rf"{name} is not read; expected {name.lower()}, in small"):
        read_folder(folder)


def test_a_link_to_a_part_is_followed_and_a_copy_in_capitals_stays_aside(tmp_path: Path) -> None:
    folder = write(tmp_path / "g", train__tsv="a\tr\tb\n", kept="b\tr\ta\n")
    (folder / "test.tsv").symlink_to(folder / "kept")
    (folder / "TEST.tsv").write_text("not read")
    assert len(read_folder(folder).split("test")) == 1


def test_an_empty_train_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no triple"):
        read_folder(write(tmp_path / "g", train__tsv="\n"))


def test_two_texts_for_one_label_and_unknown_kinds_are_refused(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "g", train__tsv="a\tr\tb\n", labels__tsv="entity\ta\tx\nentity\ta\ty\n"
    )
    with pytest.raises(DataError, match="'a' has the texts 'x' and 'y'"):
        read_folder(folder)
    write(folder, labels__tsv="node\ta\tx\n")
    with pytest.raises(DataError, match="kind 'node' of 'a'"):
        read_folder(folder)


@pytest.mark.parametrize(
    ("text", "rdf"),
    [
        ("a\tr\tb\n", False),
        ("#tag\tr\tb\n", False),
        ("<http://x/a>\t<http://x/r>\t<http://x/b>\n", False),
        ("acme\towns\tHill Inc.\n", False),
        ("<http://x/a>\t<http://x/r>\t<http://x/b> .\n", True),
        ("<http://x/a> <http://x/r> <http://x/b> .\n", True),
        ("# made by hand\n\n@prefix x: <http://x/> .\n", True),
        ("PREFIX x:\t<http://x/>\n", True),
        ("# made by hand\nx:a x:r x:b .\n", True),
        ("<?xml version='1.0'?>\n", True),
        ("\ufeff<!DOCTYPE html>\n", True),
        ('{"@context": {}}\n', True),
        ("Prefix(:=<http://x/>)\n", True),
        ("a r b\n", False),
        ("", False),
    ],
)
def test_rdf_is_told_from_rows_by_the_first_lines(tmp_path: Path, text: str, rdf: bool) -> None:
    path = tmp_path / "facts"
    path.write_bytes(lzma.compress(text.encode()))
    assert is_rdf(path) is rdf


@pytest.mark.parametrize("suffix", [".ttl", ".NQ", ".owl.xz", ".jsonld"])
def test_a_suffix_of_rdf_decides_where_the_first_row_is_no_triple(
    tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"facts{suffix}"
    for text, rdf in {
        ":a :b :c .\n": True,
        ":a\t:b .\n": True,
        "": True,
        "a\tr\tb\n": False,
    }.items():
        path.write_bytes(text.encode())
        assert is_rdf(path) is rdf
