"""The block reader of N-Triples and N-Quads says what pyoxigraph says, for any lines."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat, parse

from hybridkg.graph import line_syntax
from hybridkg.graph.line_syntax import add_lines
from hybridkg.graph.statements import StatementBuilder, Statements

IRIS = st.sampled_from(
    [f"<http://x/{tail}>" for tail in ("a", "b", "ü", "a%20b", "a\\u0041", "long/" * 9, "a#b")]
)
OTHERS = st.sampled_from(['"x"', '"a \\"q\\" > <b> ."@en', '"1"^^<http://x/t>', "_:b1", "_:c.d"])
BREAKS = st.sampled_from(["\n", "\n", "\r\n", "\n\n", "\n# <http://x> <y> <z> .\n", " # end\n"])
GAPS = st.sampled_from([" ", " ", "\t", "  ", ""])
LINES = st.lists(
    st.tuples(
        st.one_of(IRIS, IRIS, st.just("_:b1")),
        GAPS,
        IRIS,
        GAPS,
        st.one_of(IRIS, IRIS, OTHERS),
        st.sampled_from(["", "", " <http://x/g>", " _:g"]),
        st.sampled_from([" .", ".", " . "]),
        BREAKS,
    ).map("".join),
    max_size=12,
)


def read(text: bytes) -> Statements:
    builder = StatementBuilder()
    builder.open_document()
    add_lines(builder, io.BytesIO(text), "lines")
    return builder.build()


def as_lists(found: Statements) -> list[tuple[object, ...]]:
    return sorted(
        (found.terms[s], found.terms[p], found.terms[o], str(found.origins[g].graph))
        for s, p, o, g in zip(
            *(c.tolist() for c in (found.subjects, found.predicates, found.objects)),
            found.sources.tolist(),
            strict=True,
        )
    )


@given(LINES, st.sampled_from([64, 200, 1 << 20]))
def test_blocks_hold_what_the_parser_finds(lines: list[str], size: int) -> None:
    text = "".join(lines).encode()
    builder = StatementBuilder()
    builder.open_document()
    builder.add_quads(parse(input=text, format=RdfFormat.N_QUADS), "lines")
    expected = builder.build()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_syntax, "BLOCK", size)
        found = read(text)
    assert as_lists(found) == as_lists(expected)
    numbers = [
        number
        for number, line in enumerate(text.decode().split("\n"), start=1)
        if line.strip() and not line.startswith("#")
    ]
    assert sorted(found.lines.tolist()) == numbers


@pytest.mark.parametrize("size", [40, 1 << 20])
@pytest.mark.parametrize(
    "bad",
    [
        "<http://x> <http://y> .",
        "<a> <http://y> <http://z> .",
        '<http://x> <http://y> "z .',
        "<http://x> <http://y z> <http://z> .",
        "<http://x> <http://y> <http://z>",
        "<http://x>y <http://y> <http://z> .",
        "<http://x> <http://y>y <http://z> .",
        "<http://x> <http://y> <http://z>y .",
        "<http://x> y<http://y> <http://z> .",
        "<http://x> <http://y> <> .",
        "x<http://x> <http://y> <http://z> .",
        "x y z",
        "<http://x> <http://y> <http://z> <http://g> <http://h> .",
    ],
)
def test_broken_lines_are_told_by_their_number(
    bad: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_syntax, "BLOCK", size)
    good = "<http://x/a> <http://x/b> <http://x/c> .\n"
    text = good * 3 + '<http://x> <http://y> "z" .\n# remark\n' + good + bad + "\n" + good
    with pytest.raises(SyntaxError) as caught:
        read(text.encode())
    assert caught.value.lineno == 7


def test_an_unpacker_may_give_less_than_is_asked_for() -> None:
    class Dripping(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(7)

    builder = StatementBuilder()
    builder.open_document()
    add_lines(builder, Dripping(b"<http://a> <http://b> <http://c> .\n" * 5), "lines")
    found = builder.build()
    assert found.lines.tolist() == [1, 2, 3, 4, 5]
    assert found.terms == ["http://a", "http://b", "http://c"]
