"""Candidates that the ontology does not forbid."""

from __future__ import annotations

import numpy as np
import pytest

from hybridkg.analysis.reasoning import Reasoning
from hybridkg.errors import ConfigError, DataError
from hybridkg.evaluation.candidates import make_task
from hybridkg.evaluation.type_sets import type_candidates
from hybridkg.graph.datasets import load_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.types import TARGETS, VERDICTS


@pytest.fixture(scope="module")
def masks():
    return Reasoning.over(load_dataset("academic")).masks


def names(kg: KnowledgeGraph, ids) -> set[str]:
    return {kg.entities[e] for e in ids}


def test_a_slot_holds_what_is_of_its_type(masks) -> None:
    kg, sets = masks.closure.kg, type_candidates(masks)
    people = {"alice", "bob", "carol", "dave", "erin"}
    papers = {"p1", "p2", "p3"}
    expected = {
        "advises": (people, people),
        "authored": (people, papers),
        "affiliated": (people, {"cmu", "mit"}),
        "cites": (papers, papers),
        "about": (papers, {"logic", "ml", "nesy"}),
    }
    for relation, (heads, tails) in expected.items():
        number = kg.relations.id_of(relation)
        assert names(kg, sets.of("head", number)) == heads
        assert names(kg, sets.of("tail", number)) == tails
    task = make_task(kg, candidates=sets)
    assert task.protocol.candidates == "types of academic.ttl"
    assert task.protocol.n_outside == 0


def test_sets_are_the_entities_without_a_violation(masks) -> None:
    kg = masks.closure.kg
    for untyped, allowed in (("keep", ("ok", "untyped")), ("out", ("ok",))):
        sets = type_candidates(masks, untyped=untyped)
        for target in TARGETS:
            for relation in range(kg.n_relations):
                verdicts = [VERDICTS[code] for code in masks.codes(target, relation)]
                fit = [e for e, verdict in enumerate(verdicts) if verdict in allowed]
                assert sets.of(target, relation).tolist() == fit


@pytest.fixture(scope="module")
def partly_typed():
    """The academic world with a person and a paper of whom no type is known."""
    academic = load_dataset("academic")
    types = [
        (academic.entities[e], academic.classes[c])
        for e, c in academic.types.tolist()
        if academic.entities[e] not in ("erin", "p3")
    ]
    kg = KnowledgeGraph.from_labels(
        {split: academic.label_triples(rows) for split, rows in academic.splits.items()},
        types=types,
        sources=academic.sources,
    )
    return Reasoning.over(kg, academic.sources["schema.ttl"],
                          namespaces=[academic.sources["namespace"]]).masks  # fmt: skip


def test_untyped_entities_compete_unless_they_are_left_out(partly_typed) -> None:
    kg = partly_typed.closure.kg
    cites = kg.relations.id_of("cites")
    kept, out = (type_candidates(partly_typed, untyped=u) for u in ("keep", "out"))
    without = names(kg, kept.of("head", cites)) - names(kg, out.of("head", cites))
    assert "p3" in without
    assert without <= {"p3", "erin"}
    assert out.words == "types of academic.ttl, untyped entities out"
    assert out.digest != kept.digest
    with pytest.raises(ConfigError, match="untyped 'drop'; expected 'keep' or 'out'"):
        type_candidates(partly_typed, untyped="drop")


def test_a_slot_that_nobody_fits_is_an_error_once_it_is_asked() -> None:
    academic = load_dataset("academic")
    kg = KnowledgeGraph.from_labels(
        {split: academic.label_triples(rows) for split, rows in academic.splits.items()},
        types=[(e, "Paper") for e in ("p1", "p2", "p3")],
    )
    masks = Reasoning.over(kg, academic.sources["schema.ttl"],
                           namespaces=[academic.sources["namespace"]]).masks  # fmt: skip
    sets = type_candidates(masks, untyped="out")
    assert np.diff(sets.offsets).min() == 0
    with pytest.raises(DataError, match="keep untyped entities"):
        make_task(kg, candidates=sets)
    assert make_task(kg, candidates=type_candidates(masks)).protocol.n_outside == 0
