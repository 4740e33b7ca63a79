"""Matrices of scores: maps name rows and columns, and nothing is read by position."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkg.errors import DataError, ScoreError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.scoring.query_maps import read_entity_map
from hybridkg.scoring.score_files import read_scores
from hybridkg.scoring.weights import save_arrays

KG = KnowledgeGraph.from_labels({"train": [("a", "r", "b"), ("b", "s", "c"), ("c", "r", "d")]})
ROWS = ["a\tr\t?", "?\ts\tc", "b\ts\t?"]
TAILS = Queries("tail", np.array([1, 0, 3], dtype=np.int32), np.array([1, 0, 0], dtype=np.int32))


def write(folder: Path, matrix, *, stem: str = "m", rows=ROWS, columns="abcd") -> Path:
    """A .npy file with its maps."""
    path = folder / f"{stem}.npy"
    np.save(path, matrix)
    (folder / f"{stem}.queries.tsv").write_text("\n".join(rows) + "\n")
    (folder / f"{stem}.entities.txt").write_text("\n".join(columns) + "\n")
    return path


@pytest.mark.parametrize(
    ("given_type", "read_type"),
    [("f2", "f4"), ("f4", "f4"), ("f8", "f8"), (">f4", "f4"), ("i1", "f4"), ("u2", "f4"),
     ("i4", "f8"), ("i8", "f8"), ("longdouble", "f8")],
)  # fmt: skip
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_of_any_kind_and_order_are_joined_by_label(given_type, read_type, order, tmp_path):
    numbers = np.arange(15).reshape(3, 5)
    # x is no entity of the graph, and b has no column.
    path = write(tmp_path, np.array(numbers, dtype=given_type, order=order), columns="dxcba"[:5])
    scorer = read_scores(path, KG)
    scores = scorer.score(TAILS)
    assert scores.dtype == np.dtype(read_type)
    nothing = [-np.inf] * 4
    assert scores.tolist() == [[14, 13, 12, 10], [4, 3, 2, 0], nothing]
    assert scorer.given(TAILS).tolist() == [[True] * 4, [True] * 4, [False] * 4]
    assert scorer.source.notes == ("1 columns of entities that the data set lacks, as 'x'",)
    assert not hasattr(scorer, "score_sparse")


def test_a_missing_column_is_a_missing_candidate(tmp_path) -> None:
    scorer = read_scores(write(tmp_path, np.ones((3, 2)), columns="db"), KG)
    assert scorer.score(TAILS)[0].tolist() == [-np.inf, 1, -np.inf, 1]
    assert scorer.given(TAILS)[0].tolist() == [False, True, False, True]


def test_a_folder_of_matrices_shares_its_columns(tmp_path) -> None:
    for stem, row, base in (("part2", ROWS[2], 20), ("part1", ROWS[0], 10)):
        write(tmp_path, base + np.arange(4.0)[None], stem=stem, rows=[row])
        (tmp_path / f"{stem}.entities.txt").unlink()
    (tmp_path / "entities.txt").write_text("d\nc\nb\na\n")
    scorer = read_scores(tmp_path, KG)
    assert scorer.name == tmp_path.name
    assert scorer.score(TAILS)[:2].tolist() == [[23, 22, 21, 20], [13, 12, 11, 10]]
    write(tmp_path, np.ones((1, 4)), stem="part3", rows=[ROWS[0]])
    with pytest.raises(DataError, match=r"part1.queries.tsv:1 and .*part3.queries.tsv:1 name the "
                       r"same query \(a, r, \?\)"):  # fmt: skip
        read_scores(tmp_path, KG)
    with pytest.raises(DataError, match="can name the rows of one only"):
        read_scores(tmp_path, KG, queries=tmp_path / "part1.queries.tsv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no matrix in this folder"):
        read_scores(tmp_path / "empty", KG)


def test_a_tensor_reads_as_the_same_matrix(tmp_path) -> None:
    numbers = np.arange(12, dtype=np.float32).reshape(3, 4)
    path = write(tmp_path, numbers)
    expected = read_scores(path, KG).score(TAILS)
    tensor = tmp_path / "m.safetensors"
    save_arrays(tensor, {"anything": numbers})
    np.testing.assert_array_equal(read_scores(tensor, KG).score(TAILS), expected)
    save_arrays(tensor, {"scores": numbers, "other": numbers[:1]})
    np.testing.assert_array_equal(read_scores(tensor, KG).score(TAILS), expected)
    save_arrays(tensor, {"x": numbers, "y": numbers})
    with pytest.raises(DataError, match=r"tensors \['x', 'y'\]; expected one, or one called"):
        read_scores(tensor, KG)
    content = tensor.read_bytes()
    tensor.write_bytes(content[:-4])
    with pytest.raises(DataError, match="expected a whole safetensors file"):
        read_scores(tensor, KG)


def test_without_maps_rows_and_columns_have_no_names(tmp_path) -> None:
    path = write(tmp_path, np.ones((3, 4)))
    rows, columns = tmp_path / "m.queries.tsv", tmp_path / "m.entities.txt"
    elsewhere = rows.rename(tmp_path / "q")
    with pytest.raises(DataError, match=r"m.npy: its rows have no names; expected .*--queries"):
        read_scores(path, KG)
    expected = read_scores(path, KG, queries=elsewhere).score(TAILS)
    other = columns.rename(tmp_path / "e")
    with pytest.raises(DataError, match=r"m.npy: its columns have no names; .*--entity-map"):
        read_scores(path, KG, queries=elsewhere)
    found = read_scores(path, KG, queries=elsewhere, entity_map=other)
    np.testing.assert_array_equal(found.score(TAILS), expected)
    other.write_text("w\nx\ny\nz\n")
    with pytest.raises(DataError, match="no label is an entity"):
        read_scores(path, KG, queries=elsewhere, entity_map=other)
    elsewhere.write_text("a\tr\t?\n")
    with pytest.raises(DataError, match=r"names 1 queries; .*m.npy has 3 rows"):
        read_scores(path, KG, queries=elsewhere, entity_map=other)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_bad_score_is_named_by_row_and_column(value, tmp_path) -> None:
    numbers = np.zeros((3, 4))
    numbers[2, 1] = value
    scorer = read_scores(write(tmp_path, numbers, columns="dcba"), KG)
    with pytest.raises(ScoreError, match=r"m.npy: row 3, column 2: 'c' as answer of \(b, s, \?\) "
                       f"has score {value}"):  # fmt: skip
        scorer.score(TAILS)


@pytest.mark.parametrize(
    "matrix",
    [np.zeros(4), np.zeros((3, 4, 1)), np.zeros((3, 4), complex), np.zeros((3, 4), bool),
     np.zeros((3, 0)), np.full((3, 4), "x"), np.zeros((3, 4), dtype=[("a", "f4")])],
)  # fmt: skip
def test_what_is_no_matrix_of_numbers_is_refused(matrix, tmp_path) -> None:
    with pytest.raises(DataError, match=r"m.npy: .*expected \(queries, entities\) real numbers"):
        read_scores(write(tmp_path, matrix), KG)


def test_damaged_and_packed_matrices_are_refused(tmp_path) -> None:
    import gzip

    path = write(tmp_path, np.zeros((3, 4)))
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    with pytest.raises(DataError, match=r"not a whole \.npy file"):
        read_scores(path, KG)
    path.write_bytes(gzip.compress(content))
    with pytest.raises(DataError, match="a packed matrix; expected a plain file"):
        read_scores(path, KG)
    np.save(path, np.array([[{}]], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match=r"not a whole \.npy file"):
        read_scores(path, KG)


@given(st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1), st.booleans(),
       st.booleans(), st.randoms())  # fmt: skip
def test_entity_maps_of_all_spellings_agree(labels, counted, label_first, random) -> None:
    import tempfile

    pairs = [(f"{one}", str(i)) for i, one in enumerate(labels)]
    random.shuffle(pairs)
    lines = ["\t".join(pair if label_first else pair[::-1]) for pair in pairs]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "e"
        first = [str(len(labels))] if counted else []
        path.write_text("\n".join(first + lines) + "\n")
        assert read_entity_map(path, len(labels)) == labels
        path.write_text("\n".join(first + labels) + "\n")
        assert read_entity_map(path, len(labels)) == labels


@pytest.mark.parametrize(
    ("text", "message"),
    [("a\nb\n", "names 2 columns; the matrix has 3"), ("a\nb\na\n", "'a' stands for two columns"),
     ("0\t2\n1\t1\n2\t0\n", "both columns hold the numbers 0 to 2"),
     ("a\t0\nb\t1\nc\t3\n", "no column holds the numbers 0 to 2"),
     ("a\t0\nb\nc\t2\n", "e:2: 'b'; expected a label and its number"),
     ("a\n\nb\tc\nd\n", "malformed")],
)  # fmt: skip
def test_broken_entity_maps_are_refused(text, message, tmp_path) -> None:
    path = tmp_path / "e"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_entity_map(path, 3)
