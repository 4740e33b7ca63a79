"""Minimal justifications against all subsets; proofs of deep chains; verdicts by table or not."""

from __future__ import annotations

import json
from itertools import combinations, pairwise
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge import CLASH_AXIOMS, FACTS, POSITIVE_AXIOMS, ROLES, TYPES, small_graph

from hybridkg.errors import InconsistentOntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.explanation import all_justifications, explain
from hybridkg.ontology.held_out import contradictions
from hybridkg.ontology.load import ontology_of
from hybridkg.ontology.minimal import _closed
from hybridkg.ontology.names import Names
from hybridkg.ontology.proof_checker import check_proof
from hybridkg.ontology.proof_steps import Fact, Link, Member
from hybridkg.ontology.proofs import smallest_proof
from hybridkg.ontology.sources import Sources
from hybridkg.report.explanations import explanation_text

_roles = st.sampled_from(ROLES)
#: Axioms under which a path can be put together in many orders.
PATH_AXIOMS = st.one_of(
    st.builds(ax.Transitive, _roles),
    st.builds(ax.Transitive, _roles),
    st.builds(ax.InverseOf, _roles, _roles),
    st.builds(ax.Symmetric, _roles),
    st.builds(ax.SubPropertyOf, _roles, _roles),
    st.builds(lambda a, b, c: ax.PropertyChain((a, b), c), _roles, _roles, _roles),
)


def every_minimal_set(closure: Closure, goal: Fact) -> set[frozenset[object]]:
    """Try all subsets of all statements, each by closing it anew."""
    base = closure.base
    leaves: list[object] = [
        *range(len(base.normal.axioms)),
        *(Member(e, c) for e, c in base.types.tolist()),
        *(Link(r, h, t) for h, r, t in base.facts.tolist()),
    ]
    sound: list[frozenset[object]] = []
    for size in range(len(leaves) + 1):
        for part in combinations(leaves, size):
            one = frozenset(part)
            if not any(other <= one for other in sound) and _closed(base.normal, set(part)).holds(
                goal
            ):
                sound.append(one)
    return set(sound)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.one_of(PATH_AXIOMS, PATH_AXIOMS, POSITIVE_AXIOMS), min_size=1, max_size=3),
    FACTS,
    TYPES,
    st.data(),
)
def test_justifications_are_all_minimal_sets(
    axioms: list[ax.Axiom],
    facts: list[tuple[str, str, str]],
    types: list[tuple[str, str]],
    data: st.DataObject,
) -> None:
    closure = close(small_graph(facts[:5], types[:2]), ontology_of(axioms))
    new = [closure.link(*triple) for triple in closure.facts()]
    new += [closure.membership(*pair) for pair in closure.types()]
    if not new:
        return
    goal = data.draw(st.sampled_from(new))
    found = all_justifications(closure, goal, limit=10_000)
    assert found.complete
    assert set(found.sets) == every_minimal_set(closure, goal)
    closure.checked(smallest_proof(closure.derivations, goal), goal)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.one_of(POSITIVE_AXIOMS, CLASH_AXIOMS, CLASH_AXIOMS), max_size=6).map(ontology_of),
    FACTS,
    TYPES,
)
def test_many_facts_are_judged_as_each_by_itself(
    ontology: Ontology, facts: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> None:
    try:
        closure = close(small_graph(facts, types), ontology)
    except InconsistentOntologyError:
        return
    size = closure.kg.n_entities
    asked = [
        Link(role, h, t)
        for role in closure.base.role_of.tolist()
        for h in range(size)
        for t in range(size)
        if not closure.derivations.has_link(role, h, t)
    ]
    one_by_one = contradictions(closure, asked, table_from=10_000)
    assert contradictions(closure, asked, table_from=1) == one_by_one


N = 1_000
PATH = [(f"n{i:04}", "r", f"n{i + 1:04}") for i in range(N)]
NAMES = [ex.Named(f"C{i:04}") for i in range(N + 1)]
SUBCLASSES = [ax.SubClassOf(a, b) for a, b in pairwise(NAMES)]
EXISTENTIALS = [ax.SubClassOf(a, ex.Some("r", b)) for a, b in pairwise(NAMES)]
LAST = f"n{N:04}"


@pytest.mark.parametrize(
    ("axioms", "facts", "types", "triple", "steps"),
    [
        ([ax.Transitive("r")], PATH, [], ("n0000", "r", LAST), 2 * N - 1),
        (
            [ax.Transitive("s"), ax.SubPropertyOf("r", "s")],
            PATH,
            [],
            ("n0000", "s", LAST),
            3 * N - 1,
        ),
        ([ax.Transitive("s"), ax.InverseOf("r", "s")], PATH, [], (LAST, "s", "n0000"), 3 * N - 1),
        (
            [ax.PropertyChain(("p", "r"), "p")],
            [*PATH, ("a", "p", "n0000")],
            [],
            ("a", "p", LAST),
            2 * N + 1,
        ),
        (SUBCLASSES, [], [("e0", "C0000")], ("e0", "type", f"C{N:04}"), N + 1),
        (
            [ax.SubClassOf(ex.Some("r", ex.Named("A")), ex.Named("A")), ax.Transitive("r")],
            PATH[:500],
            [("n0500", "A")],
            ("n0000", "type", "A"),
            1_001,
        ),
    ],
    ids=["transitive", "below transitive", "inverse", "right chain", "classes", "existential left"],
)
def test_a_chain_of_depth_1000_is_explained_within_a_second(
    axioms: list[ax.Axiom],
    facts: list[tuple[str, str, str]],
    types: list[tuple[str, str]],
    triple: tuple[str, str, str],
    steps: int,
) -> None:
    kg, ontology = KnowledgeGraph.from_labels({"train": facts}, types=types), ontology_of(axioms)
    closure = close(kg, ontology)
    started = process_time()
    found = explain(closure, Names(closure, {}), Sources(kg, ontology, ontology, None), triple)
    text = explanation_text(found)
    document = json.loads(json.dumps(found.as_document()))
    assert process_time() - started < 1
    assert (found.verdict, len(found.tree)) == ("entailed", steps)
    assert text.splitlines()[-1].startswith(f"... cut after 200 of {steps:,} steps")
    assert len(document["proof"]) == steps


def test_a_chain_of_existentials_has_an_anonymous_witness_at_its_end() -> None:
    kg = KnowledgeGraph.from_labels({"train": []}, types=[("e0", "C0000")])
    ontology = ontology_of([*EXISTENTIALS, ax.Transitive("r")])
    closure = close(kg, ontology)
    names, sources = Names(closure, {}), Sources(kg, ontology, ontology, None)
    started = process_time()
    found = explain(closure, names, sources, ("e0", "r", f"some C{N:04}"))
    assert process_time() - started < 1
    assert found.witness is not None
    assert found.witness.status == "anonymous"
    assert len(found.witness_trees[0]) == 2 * N


def test_all_justifications_of_a_long_path_are_its_links() -> None:
    kg, ontology = KnowledgeGraph.from_labels({"train": PATH}), ontology_of([ax.Transitive("r")])
    closure = close(kg, ontology)
    found = all_justifications(closure, closure.link("n0000", "r", LAST))
    assert found.complete
    assert [len(one) for one in found.sets] == [N + 1]


def test_a_wrong_step_would_not_pass_the_checker() -> None:
    """The checker is what the other tests rely on: it must refuse a proof with a step taken out."""
    kg = KnowledgeGraph.from_labels({"train": PATH[:3]})
    closure = close(kg, ontology_of([ax.Transitive("r")]))
    proof = closure.prove(closure.link("n0000", "r", "n0003"))
    assert proof is not None
    broken = type(proof)(proof.steps[1:])
    with pytest.raises(Exception, match="not concluded yet"):
        check_proof(
            broken,
            proof.conclusion,
            closure.base.normal,
            closure.saturation.nodes,
            closure.derivations.is_asserted,
        )
