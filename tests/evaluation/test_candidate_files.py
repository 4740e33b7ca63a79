"""Files of candidates: read by labels, written so that reading gives them back."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from hybridkg.errors import DataError, MalformedRowsError, UnknownNameError
from hybridkg.evaluation import label_columns
from hybridkg.evaluation.candidate_documents import document_path
from hybridkg.evaluation.candidate_files import COLUMNS, read_candidates, write_candidates
from hybridkg.evaluation.candidate_sets import EntitySet, QueryLists, RelationSets
from hybridkg.evaluation.candidates import make_task
from hybridkg.evaluation.label_columns import read_columns
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.types import TARGETS

LISTS = "head\trelation\ttail\ttarget\tcandidate\n"
SETS = "relation\ttarget\tcandidate\n"
FORMS = list(COLUMNS.values())


def read(path: Path, kg: KnowledgeGraph, **options):
    return make_task(kg, candidates=path, **options)


def lists_of_each_query(kg: KnowledgeGraph, targets=TARGETS, leave_out=()) -> list[str]:
    """Lines with the candidates alice and logic for every test query."""
    return [
        "\t".join((*triple, target, candidate)) + "\n"
        for triple in kg.label_triples(kg.split("test"))
        for target in targets
        if (triple[1], target) not in leave_out
        for candidate in ("alice", "logic")
    ]


@given(graphs(), st.sampled_from(["entities", "relations", "queries"]), st.integers(0, 99))
def test_what_is_written_is_read_back(kg, kind, seed) -> None:
    rng = np.random.default_rng(seed)
    drawn = [np.flatnonzero(rng.random(kg.n_entities) < 0.5).astype(np.int32) for _ in range(99)]
    queries = make_task(kg).queries
    if kind == "entities":
        sets = EntitySet.build(kg, [0, *drawn[0]], "some entities")
    elif kind == "relations":
        slots = [(t, r) for t in TARGETS for r in range(kg.n_relations)]
        members = {slot: np.union1d(drawn[n], [0]) for n, slot in enumerate(slots)}
        sets = RelationSets.build(kg, members, "some sets")
    else:
        # A triple that stands twice has the same list twice.
        keys = [(*t, bool(a)) for t, a in zip(queries.triples.tolist(), queries.asks_tail,
                                              strict=True)]  # fmt: skip
        members = dict(zip(keys, drawn, strict=False))
        parts = [np.setdiff1d(members[k], a) for k, a in zip(keys, queries.answers, strict=True)]
        sizes = np.array([len(part) for part in parts], dtype=np.int64)
        joined = np.concatenate([*parts, np.zeros(0, np.int32)]).astype(np.int32)
        sets = QueryLists.build(kg, queries, sizes, joined, "some lists")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "candidates.tsv")
        write_candidates(path, sets, kg, split="test", filter_name="all", about={"seed": seed})
        found = read_candidates(path, kg, queries, split="test", filter_name="all")
        about = json.loads(document_path(path).read_text())
        first = path.read_bytes()
        write_candidates(path, found, kg, split="test", filter_name="all", about={"seed": seed})
        assert path.read_bytes() == first
    assert type(found) is type(sets)
    assert (found.digest, found.words) == (sets.digest, sets.words)
    assert found.entities.tolist() == sets.entities.tolist()
    if not isinstance(sets, EntitySet):
        assert found.offsets.tolist() == sets.offsets.tolist()
    assert (about["kind"], about["seed"], about["dataset"]) == (kind, seed, "random")


@pytest.mark.parametrize("pack", [None, gzip.compress, lzma.compress, bz2.compress])
def test_one_entity_a_line_competes_everywhere(academic, tmp_path, pack) -> None:
    content = b"bob\n\ndave\nlogic\n"
    path = tmp_path / "some.tsv"
    path.write_bytes(pack(content) if pack else content)
    task = read(path, academic)
    assert [academic.entities[e] for e in np.flatnonzero(task.pool)] == ["bob", "dave", "logic"]
    assert task.protocol.candidates == "the entities of some.tsv"
    assert read(str(path), academic).protocol == task.protocol


def test_sets_per_relation_part_head_and_tail(academic, tmp_path) -> None:
    lines = [
        f"{r}\t{target}\t{e}\n"
        for r in ("advises", "authored", "affiliated")
        for target in TARGETS
        for e in ("erin", "alice", "p3" if target == "tail" else "dave")
    ]
    path = tmp_path / "sets.tsv"
    path.write_text(SETS + "".join(lines))
    sets = read(path, academic).sets
    relation = academic.relations.id_of("authored")
    assert [academic.entities[e] for e in sets.of("tail", relation)] == ["alice", "erin", "p3"]
    assert [academic.entities[e] for e in sets.of("head", relation)] == ["alice", "dave", "erin"]
    shuffled = tmp_path / "again.tsv"
    rows = [line.strip().split("\t") for line in reversed(lines)]
    shuffled.write_text(
        "candidate\trelation\ttarget\n" + "".join(f"{e}\t{r}\t{t}\n" for r, t, e in rows)
    )
    assert read(shuffled, academic).sets.digest == sets.digest


def test_lists_belong_to_queries_whatever_the_order_of_lines(academic, tmp_path) -> None:
    lines = lists_of_each_query(academic)
    path = tmp_path / "lists.tsv"
    path.write_text(LISTS + "".join(lines))
    task = read(path, academic)
    both = academic.entities.ids_of(["alice", "logic"]).tolist()
    assert [task.sets.of(row).tolist() for row in range(6)] == [both] * 6
    path.write_text(LISTS + "".join(lines[::-1]))
    assert read(path, academic).protocol == task.protocol
    assert task.protocol.candidates == "lists per query of lists.tsv"
    # Tails alone are asked: the lists of the heads are left out, and that is said.
    tails = read(path, academic, targets=("tail",))
    assert len(tails.sets) == 3
    assert "(lists of 3 more queries are not asked)" in tails.protocol.sentence()


def test_a_truth_in_its_own_list_changes_nothing(academic, tmp_path) -> None:
    lines = lists_of_each_query(academic)
    path = tmp_path / "lists.tsv"
    path.write_text(LISTS + "".join(lines))
    without = read(path, academic)
    path.write_text(LISTS + "".join(lines) + "bob\tadvises\tdave\ttail\tdave\n")
    assert read(path, academic).protocol == without.protocol


def test_a_query_whose_list_holds_its_truth_alone_has_no_competitor(academic, tmp_path) -> None:
    lines = lists_of_each_query(academic, leave_out=[("advises", "tail")])
    path = tmp_path / "lists.tsv"
    path.write_text(LISTS + "".join(lines) + "bob\tadvises\tdave\ttail\tdave\n")
    assert read(path, academic).sets.sizes.tolist() == [0, 2, 2, 2, 2, 2]


def test_a_query_without_a_list_is_named(academic, tmp_path) -> None:
    path = tmp_path / "lists.tsv"
    path.write_text(LISTS + "".join(lists_of_each_query(academic, leave_out=[("advises", "head")])))
    with pytest.raises(DataError, match=r"1 of 6 queries have no list, for example the head of "
                                        r"\(bob, advises, dave\)"):  # fmt: skip
        read(path, academic)
    assert len(read(path, academic, targets=("tail",)).sets) == 3


WRONG = {
    "unknown entity": (
        LISTS + "bob\tadvises\tdave\ttail\talice\n\nbob\tadvises\tdave\ttail\talicia\n",
        UnknownNameError,
        r"unknown entity 'alicia'; did you mean 'alice'\?.*candidate in .*:4",
    ),
    "unknown relation": (SETS + "advised\ttail\tbob\n", UnknownNameError, r"relation in .*:2"),
    "two unknown": ("bobby\nalicia\n", UnknownNameError, r":1, and 1 more unknown labels"),
    "target": (SETS + "\nadvises\tboth\tbob\n", DataError, r":3: target is 'both', expected tail"),
    "repeat": (
        SETS + "advises\ttail\tbob\nadvises\thead\tbob\n\nadvises\ttail\tbob\n",
        DataError,
        r"c\.tsv:5: the same row as .*c\.tsv:2",
    ),
    "repeated entity": ("bob\nalice\nbob\n", DataError, r"c\.tsv:3: the same row as .*c\.tsv:1"),
    "header": ("relation\tcandidate\nadvises\tbob\n", DataError, r"c\.tsv:1: .*expected one en"),
    "no header": ("advises\ttail\tbob\n", DataError, r"line that names the columns relation, t"),
    "short row": (SETS + "advises\ttail\n", MalformedRowsError, r"line 2: 2 columns"),
    "empty field": (SETS + "advises\ttail\t\n", MalformedRowsError, r"line 2: empty candidate"),
    "lone return": (
        SETS + "advises\ttail\tbob\radvises\ttail\tdave\n", MalformedRowsError, r"line 2: 5 col"
    ),
    "NUL": (SETS + "advises\ttail\tb\0b\n", MalformedRowsError, r"line 2: a NUL character"),
    "only a header": (SETS, DataError, "a header line and no candidate; expected one"),
    "nothing": ("", DataError, "the file is empty; expected one candidate a line"),
    "a header of a list": ("candidate\nbob\n", UnknownNameError, "has no header line"),
    "a web page": ("<!DOCTYPE html>\n", DataError, "this is a web page"),
    "a zip": ("PK\x03\x04\tx", DataError, "this is a zip archive"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_with_its_line(academic, tmp_path, case) -> None:
    content, error, message = WRONG[case]
    path = tmp_path / "c.tsv"
    path.write_bytes(content.encode())
    with pytest.raises(error, match=message):
        read(path, academic)


def test_text_in_another_encoding_is_refused(academic, tmp_path) -> None:
    path = tmp_path / "c.tsv"
    path.write_bytes(SETS.encode() + "advises\ttail\tjosé\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"c\.tsv:2: bytes .* are not UTF-8"):
        read(path, academic)


#: Labels that a less careful reader changes.
ODD = ['"quoted"', '"', "NA", "null", "nan", "1.50", "true", " ", "\\N", "a,b", "'", "é", "#x"]


@given(st.lists(st.sampled_from(ODD) | st.text("ab \"'\\", min_size=1), min_size=1, max_size=9),
       st.sampled_from(["\n", "\r\n"]), st.booleans(), st.integers(0, 2))  # fmt: skip
def test_the_quick_reader_reads_as_the_careful_one(labels, end, marked, blanks) -> None:
    rows = [f"{label}\ttail\t{label}{number % 3}" for number, label in enumerate(labels)]
    text = ("\ufeff" if marked else "") + end.join([SETS.strip(), *[""] * blanks, *rows]) + end
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "c.tsv")
        path.write_bytes(text.encode())
        quick = read_columns(path, FORMS)
        assert quick.place(0).endswith(f":{2 + blanks}")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(label_columns, "_quick", lambda content, names: None)
            careful = read_columns(path, FORMS)
        assert label_columns._quick(text.encode().removeprefix(b"\xef\xbb\xbf")
                                    .replace(b"\r\n", b"\n"), quick.names)  # fmt: skip
    for found in (quick, careful):
        spelled = zip(*(
            [found.labels[name][number] for number in found.numbers[name]] for name in found.names
        ), strict=True)  # fmt: skip
        assert [tuple(row.split("\t")) for row in rows] == list(spelled)


def drawn_file(academic: KnowledgeGraph, folder: Path) -> Path:
    path = folder / "lists.tsv"
    path.write_text(LISTS + "".join(lists_of_each_query(academic)))
    write_candidates(path, read(path, academic).sets, academic, split="test", filter_name="all")
    return path


def test_candidates_made_for_something_else_are_refused(academic, tmp_path) -> None:
    path = drawn_file(academic, tmp_path)
    assert read(path, academic).protocol.candidates == "lists per query of lists.tsv"
    splits = {s: academic.label_triples(rows) for s, rows in academic.splits.items()}
    splits["train"].append(("alice", "advises", "erin"))
    more = KnowledgeGraph.from_labels(splits, name="other")
    with pytest.raises(DataError, match="made for data set 'academic'; expected 'other, of other"):
        read(path, more)
    with pytest.raises(DataError, match="made for filter 'all'; expected 'none'"):
        read(path, academic, filter_name="none")
    with pytest.raises(DataError, match="made for split 'test'; expected 'train'"):
        read(path, academic, split="train")
    path.write_text(path.read_text() + "bob\tadvises\tdave\ttail\tp2\n")
    with pytest.raises(DataError, match=r"changed since lists\.tsv\.json was written"):
        read(path, academic)
    document_path(path).unlink()
    assert read(path, academic).sets.sizes.tolist() == [3, 2, 2, 2, 2, 2]


@pytest.mark.parametrize("content", ["[]", '{"format": "hybridkg-ranks-1"}', "no JSON"])
def test_a_foreign_document_beside_the_file_is_refused(academic, tmp_path, content) -> None:
    path = drawn_file(academic, tmp_path)
    document_path(path).write_text(content)
    with pytest.raises(DataError, match=r"lists\.tsv\.json: expected"):
        read(path, academic)


def test_an_incomplete_document_is_refused(academic, tmp_path) -> None:
    path = drawn_file(academic, tmp_path)
    about = json.loads(document_path(path).read_text())
    del about["words"]
    document_path(path).write_text(json.dumps(about))
    with pytest.raises(DataError, match="words missing"):
        read(path, academic)


def test_packed_names_and_unwritable_labels_are_refused_before_anything_is_written(
    tmp_path,
) -> None:
    kg = KnowledgeGraph.from_labels({"train": [("a\tb", "r", "c")], "test": [("c", "r", "c")]})
    sets = EntitySet.build(kg, range(2), "w")
    with pytest.raises(DataError, match=r"packed candidate files are read, but not written"):
        write_candidates(tmp_path / "c.tsv.gz", sets, kg, split="test", filter_name="all")
    with pytest.raises(DataError, match="holds a tab"):
        write_candidates(tmp_path / "c.tsv", sets, kg, split="test", filter_name="all")
    assert not list(tmp_path.iterdir())
