"""Rows of labels behave as the tuples that they stand for."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.label_rows import LabelRows, Places
from hybridkg.graph.read import graph_of
from hybridkg.graph.row_keys import first_of_each, order_of_rows
from hybridkg.graph.statements import Origin

NAMES = st.sampled_from("abcd")
TRIPLES = st.lists(st.tuples(NAMES, NAMES, NAMES), max_size=8)
PAIRS = st.lists(st.tuples(st.sampled_from("abcdz"), NAMES), max_size=6)


@given(TRIPLES)
def test_rows_are_their_tuples(rows: list[tuple[str, str, str]]) -> None:
    found = LabelRows.of(rows, 3)
    assert found == tuple(rows) == tuple(found)
    assert len(found) == len(rows)
    assert hash(found) == hash(tuple(rows))
    assert found[1:] == rows[1:]
    assert [found[n] for n in range(len(found))] == rows
    assert set(found.used_labels(1)) == {r for _, r, _ in rows}
    for row in [("a", "b", "c"), *rows]:
        assert found.positions(row).tolist() == [n for n, one in enumerate(rows) if one == row]
        assert (row in found) == (row in rows)
    assert found != (*rows, ("q", "q", "q"))


@given(TRIPLES, TRIPLES)
def test_joining_and_renaming_are_those_of_lists(
    first: list[tuple[str, str, str]], second: list[tuple[str, str, str]]
) -> None:
    joined = LabelRows.joined([LabelRows.of(first, 3), second], 3)
    assert joined == first + second
    # Two labels may become one.
    spell = {"a": "x", "b": "x", "c": "a", "d": "d"}.__getitem__
    renamed = joined.renamed(spell, str.upper, spell)
    assert renamed == [(spell(h), r.upper(), spell(t)) for h, r, t in first + second]
    for row in renamed:
        assert row in renamed


@given(TRIPLES)
def test_places_follow_their_rows(rows: list[tuple[str, str, str]]) -> None:
    def placed(file: str) -> LabelRows[tuple[str, str, str]]:
        lines = np.arange(1, len(rows) + 1, dtype=np.int32)
        places = Places((Origin(file),), np.zeros(len(rows), dtype=np.int32), lines)
        return LabelRows.of(rows, 3, places)

    both = LabelRows.joined([placed("one"), placed("two")], 3)
    assert both.places is not None
    for row in rows:
        assert both.source_of(row) == f"one:{rows.index(row) + 1}"
        assert both[len(rows) :].source_of(row) == f"two:{rows.index(row) + 1}"
    assert LabelRows.joined([placed("one"), [("a", "a", "a")]], 3).places is None


@given(TRIPLES, PAIRS)
def test_a_graph_of_rows_is_the_graph_of_their_tuples(
    rows: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> None:
    found, report = graph_of(
        {"train": LabelRows.of(rows, 3)}, name="g", types=LabelRows.of(types, 2)
    )
    names = {name for h, _, t in rows for name in (h, t)}
    kept = [pair for pair in types if pair[0] in names]
    expected = KnowledgeGraph.from_labels({"train": rows}, types=kept)
    assert found.entities == expected.entities
    assert found.relations == expected.relations
    assert found.classes == expected.classes
    assert found.train.tolist() == expected.train.tolist()
    assert found.types.tolist() == expected.types.tolist()
    assert report.types_set_aside == len(set(types) - set(kept))
    assert report.entities_set_aside == len({e for e, _ in types} - names)
    assert report.types_repeated == len(types) - len(set(types))


@given(st.lists(st.tuples(*[st.integers(0, 2**31 - 2)] * 3), max_size=20), st.booleans())
def test_keys_of_rows_order_and_tell_them_apart(
    rows: list[tuple[int, int, int]], small: bool
) -> None:
    if small:
        rows = [tuple(value % 3 for value in row) for row in rows]  # type: ignore[misc]
    columns = [np.array([row[c] for row in rows], dtype=np.int32) for c in range(3)]
    firsts = [n for n, row in enumerate(rows) if row not in rows[:n]]
    assert first_of_each(columns).tolist() == firsts
    assert [rows[n] for n in order_of_rows(columns)] == sorted(rows)
