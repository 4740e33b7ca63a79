"""Candidate sets, their digests, and the protocol that keeps ranks among them apart."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TableScorer, graphs

from hybridkg._io import digest_bytes
from hybridkg.errors import ConfigError, DataError, RankTableError
from hybridkg.evaluation.candidate_sets import EntitySet, QueryLists, RelationSets, take_lists
from hybridkg.evaluation.candidates import Protocol, make_task, require_same_protocol
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.rank_table import RankTable
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import QueryList
from hybridkg.types import TARGETS

IDS = {"dtype": np.int32}


def with_more_labels(kg: KnowledgeGraph) -> KnowledgeGraph:
    """The same triples in a graph in which every id is another one."""
    return KnowledgeGraph.from_labels(
        {split: kg.label_triples(rows) for split, rows in kg.splits.items()},
        entities=[*kg.entities, "a first", "zz last"],
        relations=[*kg.relations, "a relation"],
    )


def some_lists(kg: KnowledgeGraph, seed: int) -> QueryLists:
    """Lists that depend on the labels of a query and on nothing else."""
    queries = QueryList.from_triples(kg.split("test"))
    chosen = []
    for triple, asks_tail, answer in zip(
        kg.label_triples(queries.triples), queries.asks_tail, queries.answers, strict=True
    ):
        text = f"{seed} {triple} {asks_tail}"
        rng = np.random.default_rng(list(text.encode()))
        others = [e for e in kg.entities if e.startswith("e") and e != kg.entities[int(answer)]]
        chosen.append([kg.entities.id_of(e) for e in others if rng.random() < 0.5])
    sizes = np.array([len(one) for one in chosen], dtype=np.int64)
    return QueryLists.build(
        kg, queries, sizes, np.array([e for one in chosen for e in one], **IDS), "some lists"
    )


def some_sets(kg: KnowledgeGraph, seed: int) -> RelationSets:
    rng = np.random.default_rng(seed)
    sets = {}
    for target in TARGETS:
        for relation in [r for r in kg.relations if r.startswith("r")]:
            labels = [e for e in kg.entities if e.startswith("e") and rng.random() < 0.7]
            labels = labels or ["e0"]
            sets[target, kg.relations.id_of(relation)] = kg.entities.ids_of(labels)
    return RelationSets.build(kg, sets, "some sets")


@given(graphs(), st.integers(0, 5))
def test_digests_depend_on_labels_and_not_on_ids(kg, seed) -> None:
    other = with_more_labels(kg)
    assert some_lists(kg, seed).digest == some_lists(other, seed).digest
    assert some_sets(kg, seed).digest == some_sets(other, seed).digest
    one, two = (EntitySet.build(g, g.entities.ids_of(["e1", "e0"]), "w") for g in (kg, other))
    assert one.digest == two.digest


@given(graphs(), st.integers(0, 5), st.data())
def test_another_content_has_another_digest(kg, seed, data) -> None:
    lists = some_lists(kg, seed)
    grown = []
    row = data.draw(st.integers(0, len(lists) - 1))
    triple, asks_tail = lists.queries.triples[row], lists.queries.asks_tail[row]
    for number in range(len(lists)):
        mine = set(lists.of(number).tolist())
        if (lists.queries.triples[number] == triple).all() and (
            lists.queries.asks_tail[number] == asks_tail
        ):
            mine ^= {e for e in range(2) if e != lists.queries.answers[row]}
        grown.append(sorted(mine))
    sizes = np.array([len(one) for one in grown], dtype=np.int64)
    changed = QueryLists.build(
        kg, lists.queries, sizes, np.array([e for one in grown for e in one], **IDS), "w"
    )
    assert changed.digest != lists.digest
    sets = some_sets(kg, seed)
    other = {(t, 0): sets.of(t, 0) for t in TARGETS}
    other["head", 0] = np.arange(kg.n_entities, **IDS)
    same = len(sets.of("head", 0)) == kg.n_entities and kg.n_relations == 1
    assert (RelationSets.build(kg, other, "w").digest == sets.digest) == same


def test_the_digest_of_lists_minds_no_order_of_queries(academic) -> None:
    task = make_task(academic)
    rows = np.arange(len(task.queries))

    def lists(order):
        queries = QueryList(task.queries.triples[order], task.queries.asks_tail[order])
        members = [[e for e in (1, 5, 9) if e != a] for a in queries.answers.tolist()]
        sizes = np.array([len(one) for one in members], dtype=np.int64)
        joined = np.array([e for one in members for e in one], **IDS)
        return QueryLists.build(academic, queries, sizes, joined, "w")

    assert lists(rows).digest == lists(rows[::-1]).digest


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=5), st.data())
def test_taken_lists_are_the_lists_one_behind_the_other(lists, data) -> None:
    which = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=6))
    offsets = np.cumsum([0, *map(len, lists)])
    entities = np.array([e for one in lists for e in one], **IDS)
    sizes, joined = take_lists(offsets, entities, np.array(which, dtype=np.int64))
    assert sizes.tolist() == [len(lists[w]) for w in which]
    assert joined.tolist() == [e for w in which for e in lists[w]]


def test_lists_are_refused_where_the_truth_or_a_repeat_stands_in_them(academic) -> None:
    queries = QueryList.from_triples(academic.split("test")[:1], ("tail",))
    truth = int(queries.answers[0])
    for wrong in ([truth], [3, 3], [4, 2]):
        with pytest.raises(DataError, match="not ascending and distinct, or holds its own"):
            QueryLists.build(academic, queries, np.array([len(wrong)]), np.array(wrong, **IDS), "w")
    with pytest.raises(DataError, match="lengths that add up"):
        QueryLists.build(academic, queries, np.array([2]), np.array([2], **IDS), "w")


def test_a_relation_without_a_set_is_an_error_once_it_is_asked(academic) -> None:
    people = academic.entities.ids_of(["bob", "dave"])
    advises, authored = (academic.relations.id_of(r) for r in ("advises", "authored"))
    sets = RelationSets.build(academic, {("tail", advises): people}, "my sets")
    assert sets.of("tail", advises).tolist() == people.tolist()
    for target, relation in (("head", advises), ("tail", authored)):
        with pytest.raises(DataError, match=f"no candidates for the {target} of "):
            sets.of(target, relation)
    with pytest.raises(DataError, match=r"no candidates for the tail of .* \(my sets\)"):
        make_task(academic, candidates=sets, targets=("tail",))
    with pytest.raises(DataError, match="no candidate for any relation"):
        RelationSets.build(academic, {}, "my sets")


def test_truths_outside_their_candidates_are_counted_and_said(academic) -> None:
    everyone = np.arange(academic.n_entities, **IDS)
    sets = {(t, r): everyone for t in TARGETS for r in range(academic.n_relations)}
    advises = academic.relations.id_of("advises")
    sets["tail", advises] = academic.entities.ids_of(["bob", "carol"])
    task = make_task(academic, candidates=RelationSets.build(academic, sets, "my sets"))
    # Asked is (bob, advises, dave), and dave is not in the set.
    assert task.protocol.n_outside == 1
    assert task.pool.all()
    assert "candidates my sets, true answers from outside: 1;" in task.protocol.sentence()
    few = EntitySet.build(academic, academic.entities.ids_of(["bob", "p1"]), "two entities")
    task = make_task(academic, candidates=few)
    assert int(task.pool.sum()) == task.protocol.n_candidates == 2
    # dave, cmu and erin are answers too.
    assert task.protocol.n_outside == 3
    kg = KnowledgeGraph.from_labels({"train": [("a", "r", "b")], "test": [("a", "r", "new")]})
    assert make_task(kg, candidates="train").protocol.n_outside == 1
    assert make_task(kg).protocol.n_outside == 0


def test_lists_stand_for_their_own_queries_only(academic) -> None:
    queries = make_task(academic).queries
    sizes = np.zeros(len(queries), dtype=np.int64)
    lists = QueryLists.build(academic, queries, sizes, np.zeros(0, **IDS), "empty lists")
    assert make_task(academic, candidates=lists).sets is lists
    with pytest.raises(ConfigError, match="lists of 6 queries for an evaluation of 3"):
        make_task(academic, candidates=lists, targets=("tail",))


@pytest.mark.parametrize("wrong", ["trains", "", "no/such/file.tsv", "/"])
def test_a_pool_is_a_name_or_a_file(academic, wrong) -> None:
    with pytest.raises(ConfigError, match="expected 'all', 'train' or a file of candidates"):
        make_task(academic, candidates=wrong)


OTHER = {
    "candidates_digest": "0123",
    "equality": "libkge",
    "trained_on_digest": "4567",
    "split": "valid",
    "filter": "none",
    "filter_digest": "89",
    "candidates": "train",
    "n_candidates": 12,
    "unseen": "drop",
    "n_unseen": 1,
    "targets": "tail",
    "queries_digest": "ab",
}


def test_ranks_of_different_protocols_refuse_to_stand_in_one_table(academic) -> None:
    first = make_task(academic).protocol
    told = {"dataset", "trained_on", "n_outside"}
    assert {field.name for field in fields(Protocol)} == told | set(OTHER)
    for key, value in OTHER.items():
        said = f"{key} is .* in one and"
        if key.endswith("_digest"):
            said = "the .* differ; .* is called .* in both"
        with pytest.raises(RankTableError, match=said):
            require_same_protocol(first, replace(first, **{key: value}))
    for key in told:
        value = 1 if key == "n_outside" else "another name"
        require_same_protocol(first, replace(first, **{key: value}))


def test_the_same_candidates_under_two_names_are_the_same(academic) -> None:
    protocol = make_task(academic).protocol
    one = replace(protocol, candidates="lists of a.tsv", candidates_digest="d")
    require_same_protocol(one, replace(one, candidates="lists of b.tsv"))
    with pytest.raises(RankTableError, match="candidates is"):
        require_same_protocol(one, replace(one, candidates="all", candidates_digest=""))


def test_the_sentence_tells_what_departs_from_the_usual(academic) -> None:
    usual = make_task(academic).protocol
    assert "equal" not in usual.sentence()
    assert "trained" not in usual.sentence()
    said = replace(usual, equality="libkge", trained_on="nell_v1 (no entity is shared)").sentence()
    assert said.endswith(
        "kept; scores equal as in libkge; trained on nell_v1 (no entity is shared)"
    )


def test_ranks_from_before_these_fields_read_as_the_defaults(academic, tmp_path) -> None:
    zeros = np.zeros((13, 5, 13), np.float32)
    table = evaluate(TableScorer(zeros, zeros), academic)
    table.write(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    for key in ("candidates_digest", "n_outside", "equality", "trained_on", "trained_on_digest"):
        del manifest["protocol"][key]
    del manifest["digest"]
    manifest["digest"] = digest_bytes(json.dumps(manifest, sort_keys=True).encode())
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert RankTable.read(tmp_path).protocol == table.protocol


@pytest.mark.parametrize("wrong", [-1, 13])
def test_ids_that_stand_for_no_entity_are_refused(academic, wrong: int) -> None:
    words = rf"some: entity ids .*{wrong}; expected 0 to 12" if wrong > 0 else "ids -1 to "
    with pytest.raises(DataError, match=words):
        EntitySet.build(academic, [0, wrong], "some")
    with pytest.raises(DataError, match=words):
        RelationSets.build(academic, {("tail", 0): np.array([0, wrong], **IDS)}, "some")
    queries = QueryList.from_triples(academic.split("test")[:1], ("tail",))
    with pytest.raises(DataError, match=words):
        QueryLists.build(academic, queries, np.array([1]), np.array([wrong], **IDS), "some")


@pytest.mark.parametrize("slot", [("tail", 5), ("tail", -1), ("tails", 0)])
def test_sets_of_no_slot_of_the_graph_are_refused(academic, slot) -> None:
    sets = {("tail", 0): np.array([1], **IDS), slot: np.array([1], **IDS)}
    with pytest.raises(DataError, match=r"expected tail or head and a relation from 0 to 4"):
        RelationSets.build(academic, sets, "some")
