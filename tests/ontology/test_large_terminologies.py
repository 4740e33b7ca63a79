"""Of many classes only those that can have a member are worked out: the answers stay the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge import (
    CLASH_AXIOMS,
    CLASSES,
    ENTITIES,
    FACTS,
    POSITIVE_AXIOMS,
    ROLES,
    TYPES,
    small_graph,
)

from hybridkg.errors import InconsistentOntologyError
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology import knowledge_base
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.load import ontology_of
from hybridkg.ontology.schema import build_masks
from hybridkg.types import TARGETS

ONTOLOGIES = st.lists(st.one_of(POSITIVE_AXIOMS, CLASH_AXIOMS), max_size=7).map(
    lambda axioms: ontology_of([*axioms, *(ax.SubClassOf(cls, ex.Top()) for cls in CLASSES)])
)


def both(
    ontology: Ontology, facts: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> tuple[Closure, Closure] | None:
    kg = small_graph(facts, types)
    try:
        whole = close(kg, ontology)
    except InconsistentOntologyError:
        return None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(knowledge_base, "MAX_STAND_INS", 0)
        few = close(kg, ontology)
        assert few.saturation is not None
        few.known_members  # noqa: B018 - worked out while the limit is small
    return whole, few


@settings(deadline=None, max_examples=60)
@given(ONTOLOGIES, FACTS, TYPES)
def test_answers_do_not_depend_on_which_classes_are_worked_out(
    ontology: Ontology, facts: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> None:
    pair = both(ontology, facts, types)
    if pair is None:
        return
    whole, few = pair
    assert few.facts() == whole.facts()
    assert few.types() == whole.types()
    asked = [(h, r, t) for h in ENTITIES[:3] for r in ROLES for t in ENTITIES[:2]]
    asked += [(h, "type", cls.name) for h in ENTITIES[:3] for cls in CLASSES]
    for statement in asked:
        assert few.verdict(statement) == whole.verdict(statement)
    for triple in whole.facts()[:3]:
        link = few.link(*triple)
        assert set(few.justifications(link)) == set(whole.justifications(whole.link(*triple)))
    tables = build_masks(few), build_masks(whole)
    for target in TARGETS:
        few_codes, whole_codes = (masks.all_codes(target) for masks in tables)
        assert (few_codes == whole_codes).all()


def test_a_membership_that_nobody_has_is_judged_in_a_large_terminology(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(knowledge_base, "MAX_STAND_INS", 2)
    a, b, q, x = (ex.Named(one) for one in ("A", "B", "Q", "X"))
    ontology = ontology_of(
        [
            ax.SubClassOf(q, ex.Some("r", x)),
            ax.SubClassOf(ex.Some("r", x), b),
            ax.DisjointClasses((a, b)),
            ax.Domain("s", q),
        ]
    )
    closure = close(small_graph([("e0", "r", "e1")], [("e0", "A")]), ontology)
    assert closure.verdict(("e0", "type", "Q")) == "inconsistent"
    assert closure.verdict(("e1", "type", "Q")) == "undetermined"
    assert closure.verdict(("e0", "s", "e1")) == "inconsistent"
    assert closure.prove_clash(closure.membership("e0", "Q")) is not None
