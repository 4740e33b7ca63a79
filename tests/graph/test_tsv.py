"""Labels of tab-separated files survive byte for byte."""

from __future__ import annotations

import bz2
import gzip
import lzma
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hybridkg.errors import DataError, MalformedRowsError
from hybridkg.graph.read import graph_of
from hybridkg.graph.tsv import read_table, read_tsv, write_tsv

#: Labels that spreadsheet-minded readers change: missing-value words, numbers, quotes, commas.
DELICATE = (
    b"\xef\xbb\xbfNA\tnextTo\tZM\r\n"
    b"ZM\tnextTo\tNA\n"
    b"nan\tkindOf\tflatbread\r\n"
    b"flatbread\tkindOf\tnull\r\n"
    b'3" bolt\tpartOf\tcrane\r\n'
    b"crane\tbuiltBy\tHill & Co., Inc.\n"
    b"#1\tusedIn\tgate 9\r\n"
    b"042\tkindOf\tcode\r\n"
    b"42\tkindOf\tcount\r\n"
    b"2e3\tkindOf\tcount\r\n"
    b"False\tkindOf\tNone\r\n"
    b"\xc5\x81\xc3\xb3d\xc5\xba\tnextTo\tZM\n"
    b'"Low"\tkindOf\talbum\r\n'
    b'"cut\tkindOf\talbum\n'
    b"\n"
)

labels = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0"), min_size=1
).filter(lambda label: not label.startswith("\ufeff"))


def test_labels_survive_missing_value_words_numbers_quotes_and_byte_order_mark(
    tmp_path: Path,
) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(DELICATE)
    rows = read_tsv(path)
    kg, _ = graph_of({"train": rows}, name="delicate")  # type: ignore[dict-item]
    assert len(rows) == 14
    assert (kg.n_entities, kg.n_relations) == (21, 5)
    assert set(kg.entities) == {
        *("NA", "ZM", "nan", "flatbread", "null", '3" bolt', "crane", "Hill & Co., Inc."),
        *("#1", "gate 9", "042", "code", "42", "count", "2e3", "False", "None", "Łódź"),
        *('"Low"', "album", '"cut'),
    }


def test_stray_quotes_never_join_rows(tmp_path: Path) -> None:
    path = tmp_path / "quotes.tsv"
    path.write_text('a\tr\tb\n"cut\tr\tc\nd\tr\te\nf"\tr\tx\ng\tr\th\n')
    rows = read_tsv(path)
    assert rows == [
        ("a", "r", "b"),
        ('"cut', "r", "c"),
        ("d", "r", "e"),
        ('f"', "r", "x"),
        ("g", "r", "h"),
    ]


def test_every_malformed_row_is_listed_in_one_error(tmp_path: Path) -> None:
    path = tmp_path / "bad.tsv"
    rows = ["u\tr\tv"] * 10
    rows[3], rows[6], rows[8] = "w\tr", "x\tr\ty\tmore", "z\tr\t"
    path.write_text("\n".join(rows) + "\n")
    with pytest.raises(MalformedRowsError) as caught:
        read_tsv(path)
    assert [number for number, _ in caught.value.rows] == [4, 7, 9]
    message = str(caught.value)
    assert "line 4: 2 columns, the line is 'w\\tr'" in message
    assert "line 7: 4 columns" in message
    assert "line 9: empty tail" in message


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"\tr\tb", "empty head"),
        (b"a\t\tb", "empty relation"),
        (b"a\tr\tb\0", "NUL"),
        (b"a\tr\rr\tb", "carriage return"),
        (b"a\tr\tb\r\r", "carriage return"),
        (b"\xef\xbb\xbfa\tr\tb", "byte order mark"),
        (b"  ", "1 column"),
        (b"a r b", "1 column"),
    ],
)
def test_a_row_that_cannot_be_meant_is_refused(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(b"a\tr\tb\n" + line + b"\na\tr\tc\n")
    with pytest.raises(MalformedRowsError, match=f"line 2: .*{reason}"):
        read_tsv(path)


def test_inner_byte_order_mark_and_spaces_stay_part_of_a_label(tmp_path: Path) -> None:
    path = tmp_path / "train.tsv"
    path.write_text(" a\tr\tb\ufeffc \n", encoding="utf-8")
    assert read_tsv(path) == [(" a", "r", "b\ufeffc ")]


def test_blank_lines_are_counted_between_rows_and_ignored_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(b"a\tr\tb\n\r\n\nc\tr\td\r\n\n\n")
    table = read_table(path)
    assert table.rows == [("a", "r", "b"), ("c", "r", "d")]
    assert table.blank_lines == (2, 3)


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\n\n", "\r"])
def test_the_end_of_the_last_line_makes_no_difference(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(f"a\tr\tb{ending}".encode())
    assert read_tsv(path) == [("a", "r", "b")]


def test_line_numbers_and_line_ends_hold_across_blocks(tmp_path: Path) -> None:
    path = tmp_path / "long.tsv"
    rows = [(f"head {n}", "r", "x" * (n % 97 + 1)) for n in range(20_000)]
    lines = ["\t".join(row) + "\r\n" for row in rows]
    path.write_bytes("".join(lines).encode())
    assert path.stat().st_size > 2**20
    assert read_tsv(path) == rows
    lines[15_000] = "torn\r\n"
    path.write_bytes("".join(lines).encode())
    with pytest.raises(MalformedRowsError, match="line 15001: 1 column, the line is 'torn'"):
        read_tsv(path)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_packing_is_told_by_bytes_and_not_by_name(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(pack(DELICATE))  # type: ignore[operator]
    plain = tmp_path / "plain.gz"
    plain.write_bytes(DELICATE)
    assert read_tsv(path) == read_tsv(plain)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, bz2.compress])
def test_a_cut_archive_is_named_and_not_half_read(tmp_path: Path, pack: object) -> None:
    rows = b"".join(b"entity%d\tr\tentity%d\n" % (n * 7919, n * 104729) for n in range(5000))
    packed = pack(rows)  # type: ignore[operator]
    path = tmp_path / "train.tsv.packed"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    with pytest.raises(DataError, match=r"train\.tsv\.packed: cannot be read .* pack it again"):
        read_tsv(path)


def test_undecodable_bytes_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.tsv"
    path.write_bytes(b"a\tr\tb\n" * 3000 + b"caf\xe9\tr\tb\n")
    with pytest.raises(DataError, match=r"latin\.tsv:3001: bytes b'\\xe9' are not UTF-8"):
        read_tsv(path)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("a\tr\tb\n".encode("utf-16"), "UTF-16 text"),
        (b"PK\x03\x04rest", "a zip archive"),
        (b"\x28\xb5\x2f\xfdrest", "a zstd archive"),
    ],
)
def test_a_foreign_format_is_called_by_its_name(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"this is {what}"):
        read_tsv(path)


def test_missing_file_and_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_tsv(tmp_path / "none.tsv")
    with pytest.raises(DataError, match="is a folder"):
        read_tsv(tmp_path)


@given(st.lists(st.tuples(labels, labels, labels)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_write_then_read_is_identity(tmp_path: Path, rows: list[tuple[str, str, str]]) -> None:
    path = tmp_path / "any.tsv"
    write_tsv(path, rows)
    assert read_tsv(path) == rows


@pytest.mark.parametrize("label", ["", "a\tb", "a\nb", "a\rb", "a\0b", "\ufeffa", "\ud800"])
def test_a_label_that_would_not_come_back_is_refused_by_name(tmp_path: Path, label: str) -> None:
    path = tmp_path / "any.tsv"
    with pytest.raises(DataError) as caught:
        write_tsv(path, [("h", "r", label)])
    assert repr(label)[1:-1] in str(caught.value)
    assert not path.exists()


@pytest.mark.slow
def test_fb15k_237_is_read_within_one_second(benchmarks: Path) -> None:
    seconds = []
    for _ in range(3):
        start = time.process_time()
        rows = [read_tsv(benchmarks / f"fb15k-237/{s}.tsv.xz") for s in ("train", "valid", "test")]
        seconds.append(time.process_time() - start)
    # The least of three, because a busy machine only ever adds time.
    assert min(seconds) < 1.0
    assert [len(one) for one in rows] == [272_115, 17_535, 20_466]


@pytest.mark.slow
def test_one_long_label_does_not_widen_all_others(tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "long.tsv"
    path.write_text(
        "".join(f"e{n % 1000}\tr\t{'x' * 2000 if n == 7 else 'y'}\n" for n in range(10**5))
    )
    tracemalloc.start()
    rows = read_tsv(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(rows) == 10**5
    # 100,000 rows of fixed-width text as wide as the longest label would take 2.4 GB.
    assert peak < 30e6
