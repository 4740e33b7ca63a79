"""Inductive data sets: what the training graph may share with the one that is asked about."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hybridkg.errors import DataError, RankTableError, UnknownNameError
from hybridkg.evaluation.candidates import make_task, require_same_protocol
from hybridkg.evaluation.inductive import check_inductive
from hybridkg.graph.datasets import load_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph

TRAINING = [
    ("a1", "likes", "a2"), ("a2", "likes", "a3"), ("a3", "likes", "a4"), ("a4", "sees", "a5"),
    ("a5", "sees", "a6"), ("a6", "likes", "a1"), ("a1", "sees", "a4"),
]  # fmt: skip
INFERENCE = {
    "train": [("b1", "likes", "b2"), ("b2", "likes", "b3"), ("b3", "sees", "b4"),
              ("b4", "sees", "b5"), ("b1", "sees", "b5")],
    "valid": [("b1", "likes", "b4"), ("b3", "likes", "b2")],
    "test": [("b1", "likes", "b3"), ("b2", "sees", "b5")],
}  # fmt: skip
OVERLAPPING = [("b1", "likes", "b2"), ("b2", "likes", "a3"), ("b3", "likes", "b4"),
               ("a5", "sees", "b5")]  # fmt: skip


def write(path: Path, rows, *, blank_first: bool = False) -> Path:
    path.write_text("\n" * blank_first + "".join("\t".join(row) + "\n" for row in rows))
    return path


@pytest.fixture
def training(tmp_path: Path) -> Path:
    return write(tmp_path / "training.tsv", TRAINING)


@pytest.fixture
def inference(tmp_path: Path) -> Path:
    folder = tmp_path / "inference"
    folder.mkdir()
    for split, rows in INFERENCE.items():
        write(folder / f"{split}.tsv", rows)
    return folder


def test_pool_and_filter_are_those_of_the_inference_graph_alone(training, inference) -> None:
    kg = load_dataset(inference)
    task = make_task(kg, trained_on=check_inductive(kg, training))
    assert list(kg.entities) == ["b1", "b2", "b3", "b4", "b5"]
    assert task.pool.all()
    known = set(kg.label_triples(task.known))
    assert known == {row for rows in INFERENCE.values() for row in rows}
    assert not known & set(TRAINING)
    assert task.protocol.trained_on == "training.tsv (no entity is shared)"
    assert task.protocol.sentence().endswith("; trained on training.tsv (no entity is shared)")


def test_entities_of_both_graphs_are_refused_with_their_lines(training, inference) -> None:
    write(inference / "train.tsv", OVERLAPPING)
    kg = load_dataset(inference)
    with pytest.raises(DataError, match=r"2 entities of inference .*train\.tsv: a3 \(line 2\), "
                                        r"a5 \(line 4\); expected none"):  # fmt: skip
        check_inductive(kg, training)
    found = check_inductive(kg, training, allow_overlap=True)
    assert found.shared_entities == ("a3", "a5")
    assert "shared entities: 2" in make_task(kg, trained_on=found).protocol.sentence()
    assert "2 entities stand in the training graph training.tsv too: a3, a5" in found.notes()[0]


def test_lines_are_those_of_the_file_and_of_the_first_occurrence(training, inference) -> None:
    write(inference / "train.tsv", OVERLAPPING[:2], blank_first=True)
    write(inference / "test.tsv", [("b1", "likes", "a3"), ("a6", "likes", "a5")])
    with pytest.raises(DataError, match=r"train\.tsv: a3 \(line 3\); "
                                        r".*test\.tsv: a5 \(line 2\), a6 \(line 2\);"):  # fmt: skip
        check_inductive(load_dataset(inference), training)
    # Of a graph that has no file the triple is counted.
    with pytest.raises(DataError, match=r"train: a3 \(triple 2\), a5 \(triple 4\)"):
        check_inductive(KnowledgeGraph.from_labels({"train": OVERLAPPING}), training)


def test_relations_that_the_training_graph_lacks_are_noted(training) -> None:
    kg = KnowledgeGraph.from_labels(
        {"train": [("b1", "likes", "b2"), ("b1", "knows", "b2")], "test": [("b1", "hates", "b2")]}
    )
    found = check_inductive(kg, training)
    assert found.new_relations == ("hates", "knows")
    assert "2 relations do not stand in the training graph training.tsv" in found.notes()[0]


def test_a_training_graph_may_be_a_file_a_folder_a_name_or_a_graph(
    training, inference, tmp_path
) -> None:
    kg = load_dataset(inference)
    folder = tmp_path / "transductive"
    folder.mkdir()
    shutil.copy(training, folder / "train.tsv")
    graph = KnowledgeGraph.from_labels({"train": TRAINING})
    tasks = [
        make_task(kg, trained_on=check_inductive(kg, source))
        for source in (training, str(folder), graph)
    ]
    for task in tasks[1:]:
        require_same_protocol(tasks[0].protocol, task.protocol)
    named = make_task(kg, trained_on=check_inductive(kg, "academic"))
    with pytest.raises(RankTableError, match="the training graphs differ; trained_on is"):
        require_same_protocol(tasks[0].protocol, named.protocol)
    with pytest.raises(RankTableError, match="the training graphs differ; trained_on is"):
        require_same_protocol(tasks[0].protocol, make_task(kg).protocol)
    with pytest.raises(UnknownNameError):
        check_inductive(kg, "no such data set")
    with pytest.raises(DataError, match="no triple"):
        check_inductive(kg, write(tmp_path / "empty.tsv", []))
    rdf = tmp_path / "graph.ttl"
    rdf.write_text("@prefix : <http://example.org/> .\n:a :b :c .\n")
    with pytest.raises(DataError, match="an RDF file; expected tab-separated"):
        check_inductive(kg, rdf)


def test_entities_of_the_other_splits_of_the_training_graph_count_too(inference, tmp_path) -> None:
    kg = load_dataset(inference)
    graph = KnowledgeGraph.from_labels({"train": TRAINING, "valid": [("a1", "likes", "b4")]})
    with pytest.raises(DataError, match=r"b4 \(line 3\)"):
        check_inductive(kg, graph)


@pytest.mark.parametrize(("name", "shared"), [("nell_v1", 0), ("nell_v3", 3), ("nell_v4", 1)])
def test_the_published_splits_share_few_entities(benchmarks, name, shared) -> None:
    if not (benchmarks / "inductive" / name).is_dir():
        pytest.skip(f"no {name} in {benchmarks}")
    kg = load_dataset(benchmarks / "inductive" / f"{name}_ind")
    found = check_inductive(kg, benchmarks / "inductive" / name, allow_overlap=True)
    assert (len(found.shared_entities), found.new_relations) == (shared, ())
    if shared:
        with pytest.raises(DataError, match=f"{shared} entities of {name}_ind stand in the"):
            check_inductive(kg, benchmarks / "inductive" / name)
