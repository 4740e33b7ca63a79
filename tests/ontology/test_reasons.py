"""Reasons: each verdict has one, whether the candidate or only the pair breaks an axiom."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge import CLASH_AXIOMS, FACTS, ROLES, SLOT_AXIOMS, TYPES, small_graph

from hybridkg.errors import InconsistentOntologyError
from hybridkg.ontology import axioms as ax
from hybridkg.ontology.close import close
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.load import ontology_of
from hybridkg.ontology.reasons import reasons
from hybridkg.ontology.schema import build_masks
from hybridkg.types import TARGETS, VERDICTS, Target


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.one_of(SLOT_AXIOMS, CLASH_AXIOMS), min_size=2, max_size=6).map(ontology_of),
    FACTS,
    TYPES,
    st.sampled_from(TARGETS),
)
def test_every_verdict_that_is_not_ok_has_a_reason_also_through_the_anchor(
    ontology: Ontology,
    facts: list[tuple[str, str, str]],
    types: list[tuple[str, str]],
    target: Target,
) -> None:
    try:
        masks = build_masks(close(small_graph(facts, types), ontology))
    except InconsistentOntologyError:
        return
    for role in ROLES:
        relation = masks.closure.kg.relations.id_of(role)
        for anchor in range(3):
            for entity, code in enumerate(masks.codes(target, relation, anchor).tolist()):
                found = reasons(masks, target, relation, entity, anchor)
                assert {one.verdict for one in found} == ({VERDICTS[code]} if code else set())
                assert all(one.statements for one in found)


@pytest.mark.parametrize(
    ("axiom", "target", "anchor", "candidate", "statements"),
    [
        (ax.Irreflexive("r"), "tail", "e0", "e0", {"r is irreflexive"}),
        (ax.Asymmetric("r"), "head", "e0", "e1", {"e0 r e1", "r is asymmetric"}),
        (
            ax.DisjointProperties(("r", "s")),
            "tail",
            "e2",
            "e3",
            {"e2 s e3", "pairwise disjoint properties: r, s"},
        ),
    ],
)
def test_what_only_the_pair_breaks_is_explained_at_the_candidate(
    axiom: ax.Axiom, target: Target, anchor: str, candidate: str, statements: set[str]
) -> None:
    kg = small_graph([("e0", "r", "e1"), ("e2", "s", "e3")], [])
    masks = build_masks(close(kg, ontology_of([axiom])))
    r, entity = kg.relations.id_of("r"), kg.entities.id_of(candidate)
    (reason,) = reasons(masks, target, r, entity, kg.entities.id_of(anchor))
    assert (reason.side, reason.entity, reason.verdict) == (target, candidate, "impossible")
    assert set(reason.statements) == statements
    assert reasons(masks, target, r, entity) == ()
