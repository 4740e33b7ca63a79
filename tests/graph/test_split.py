"""Splitting keeps every label trainable; folders come back as they were written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from hybridkg.errors import ConfigError, DataError, SplitError
from hybridkg.graph.knowledge_graph import KnowledgeGraph, LabelTriple
from hybridkg.graph.read import read_folder
from hybridkg.graph.split import make_split, plan_split
from hybridkg.graph.write import write_folder

#: 6 people who all know each other and 30 likes: 60 triples, most of them free to leave train.
DENSE = [(f"p{a}", "knows", f"p{b}") for a in range(6) for b in range(6) if a != b] + [
    (f"p{a}", "likes", f"t{b}") for a in range(6) for b in range(5)
]

names = st.sampled_from([f"e{n}" for n in range(8)])
graphs = st.lists(st.tuples(names, st.sampled_from("rst"), names), min_size=5, max_size=60)
shares = st.floats(0, 0.5)


def labels_of(kg: KnowledgeGraph, split: str) -> list[LabelTriple]:
    return kg.label_triples(kg.splits[split]) if split in kg.splits else []


def try_split(rows: list[LabelTriple], valid: float, test: float, seed: int = 0) -> KnowledgeGraph:
    try:
        return make_split(rows, valid=valid, test=test, seed=seed)
    except SplitError:
        assume(False)
        raise


@given(graphs, shares, st.floats(0, 0.49), st.integers(0, 5))
def test_every_entity_and_relation_keeps_a_training_triple(
    rows: list[LabelTriple], valid: float, test: float, seed: int
) -> None:
    kg = try_split(rows, valid, test, seed)
    assert kg.seen_entities().all()
    assert kg.seen_relations().all()


@given(graphs, shares, st.floats(0, 0.49))
def test_the_splits_are_disjoint_and_together_the_input(
    rows: list[LabelTriple], valid: float, test: float
) -> None:
    kg = try_split(rows, valid, test)
    together = [t for split in ("train", "valid", "test") for t in labels_of(kg, split)]
    assert sorted(together) == sorted(set(rows))


@given(graphs, st.randoms())
def test_order_and_repeats_of_the_input_make_no_difference(
    rows: list[LabelTriple], random: object
) -> None:
    kg = try_split(rows, 0.2, 0.2, seed=3)
    shuffled = rows + rows[:2]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = make_split(shuffled, valid=0.2, test=0.2, seed=3)
    for split in kg.splits:
        assert labels_of(again, split) == labels_of(kg, split)


@given(graphs, shares, st.floats(0, 0.49))
def test_never_more_than_asked_is_held_out(
    rows: list[LabelTriple], valid: float, test: float
) -> None:
    kg = try_split(rows, valid, test)
    plan = plan_split(KnowledgeGraph.from_labels({"train": rows}), valid=valid, test=test)
    assert plan.asked.keys() == kg.splits.keys() - {"train"}
    assert all(plan.held_out[split] <= plan.asked[split] for split in plan.asked)
    assert (plan.sentence() is None) == (plan.held_out == plan.asked)


def test_each_relation_gives_its_share() -> None:
    kg = make_split(DENSE, valid=0.1, test=0.2, seed=1)
    counts = {s: Counter(r for _, r, _ in labels_of(kg, s)) for s in kg.splits}
    assert counts["valid"] == {"knows": 3, "likes": 3}
    assert counts["test"] == {"knows": 6, "likes": 6}


def test_another_seed_draws_another_split() -> None:
    first, second = (make_split(DENSE, seed=seed) for seed in (1, 2))
    assert labels_of(first, "test") != labels_of(second, "test")
    generator = make_split(DENSE, seed=np.random.default_rng(1))
    assert labels_of(generator, "test") == labels_of(first, "test")


def test_repeated_rows_are_removed_and_counted() -> None:
    kg = KnowledgeGraph.from_labels({"train": DENSE, "test": DENSE[:4]})
    plan = plan_split(kg, valid=0, test=0.1)
    assert plan.repeated == 4
    assert "valid" not in plan.splits


def test_fewer_than_asked_is_said() -> None:
    star = [("hub", "r", f"leaf{n}") for n in range(8)] + [
        ("hub", "s", "leaf0"),
        ("hub", "s", "leaf1"),
    ]
    plan = plan_split(KnowledgeGraph.from_labels({"train": star}), valid=0, test=0.5)
    # Only one of the two triples of leaf0 and of leaf1 can go, and one "s" must stay.
    assert plan.asked == {"test": 5}
    assert plan.held_out == {"test": 2}
    assert plan.sentence() == (
        "3 triple(s) fewer than asked are held out (test 2 of 5); the others are the last "
        "training triple of an entity or relation"
    )


def test_a_star_cannot_be_split_and_says_so() -> None:
    # Each triple of a star is the only one of its leaf.
    star = [("hub", "next", f"leaf{i}") for i in range(4)]
    with pytest.raises(SplitError, match="only 0 can leave train"):
        make_split(star, valid=0, test=0.5)


@pytest.mark.parametrize("valid", [-0.1, 1.0, float("nan")])
def test_an_impossible_share_is_refused(valid: float) -> None:
    with pytest.raises(SplitError, match=r"share of .* for 'valid'; expected a number from 0"):
        make_split(DENSE, valid=valid)


@pytest.mark.parametrize("seed", [-1, 0.5, True, None, np.int64(-3)])
def test_a_seed_below_zero_or_of_another_type_is_refused(seed: object) -> None:
    with pytest.raises(ConfigError, match=r"seed .*; expected a whole number, 0 or more"):
        make_split(DENSE, seed=seed)  # type: ignore[arg-type]


def test_shares_that_leave_nothing_for_train_are_refused() -> None:
    with pytest.raises(SplitError, match="leave nothing for train"):
        make_split(DENSE, valid=0.5, test=0.5)


def test_a_share_below_one_triple_is_refused() -> None:
    with pytest.raises(SplitError, match=r"0\.01 of 4 distinct triples is less than one"):
        make_split(DENSE[:4], valid=0.01, test=0)


label = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0\ufeff"), min_size=1
)


@given(
    st.lists(st.tuples(label, label, label), min_size=1, max_size=5),
    st.lists(st.tuples(label, label), max_size=3),
    st.lists(label, max_size=2),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_write_then_read_of_a_folder_is_identity(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[LabelTriple],
    types: list[tuple[str, str]],
    more: list[str],
) -> None:
    kg = KnowledgeGraph.from_labels(
        {"train": rows, "test": rows[:1]},
        types=types,
        entities=more,
        readable={"entity": {rows[0][0]: "a text"}, "class": {"Thing": "anything"}},
    )
    folder = tmp_path_factory.mktemp("out") / "folder"
    write_folder(kg, folder)
    back = read_folder(folder)
    assert (back.entities, back.relations, back.classes) == (kg.entities, kg.relations, kg.classes)
    assert back.types.tolist() == kg.types.tolist()
    assert {s: labels_of(back, s) for s in back.splits} == {"train": rows, "test": rows[:1]}
    assert back.readable == kg.readable


def test_a_folder_is_written_twice_but_never_over_something_else(
    tmp_path: Path, academic: KnowledgeGraph
) -> None:
    out = tmp_path / "world"
    written = write_folder(academic, out, files={"schema.ttl": b"# none\n"})
    assert sorted(p.name for p in written) == ["schema.ttl", "test.tsv", "train.tsv", "types.tsv"]
    before = {p.name: p.stat().st_mtime_ns for p in out.iterdir()}
    write_folder(academic, out, files={"schema.ttl": b"# none\n"})
    assert {p.name: p.stat().st_mtime_ns for p in out.iterdir()} == before
    with pytest.raises(DataError, match=r"not empty .*different content train\.tsv"):
        write_folder(
            academic.with_splits({**academic.splits, "train": academic.train[:3]}),
            out,
            files={"schema.ttl": b"# none\n"},
        )
    (out / "notes.txt").write_text("mine")
    with pytest.raises(DataError, match=r"other files notes\.txt"):
        write_folder(academic, out, files={"schema.ttl": b"# none\n"})
    with pytest.raises(DataError, match="is a file"):
        write_folder(academic, out / "notes.txt")


def test_a_link_to_nothing_is_no_folder_to_write(tmp_path: Path, academic: KnowledgeGraph) -> None:
    (tmp_path / "link").symlink_to("gone")
    with pytest.raises(DataError, match="is a link to 'gone', which does not exist"):
        write_folder(academic, tmp_path / "link")
    assert not (tmp_path / "gone").exists()


def test_a_label_with_a_tab_is_refused_by_name_and_nothing_is_written(tmp_path: Path) -> None:
    kg = KnowledgeGraph.from_labels({"train": [("a", "r", "b\tc")]})
    with pytest.raises(DataError, match=r"'b\\tc' holds a tab"):
        write_folder(kg, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_loop_counts_once_for_its_entity() -> None:
    loops = [(one, relation, one) for one in "ab" for relation in "rst"]
    plan = plan_split(KnowledgeGraph.from_labels({"train": loops}), valid=0, test=0.5)
    # Each entity has three triples, so that it can lose two and each relation one.
    assert plan.held_out == {"test": 3}
