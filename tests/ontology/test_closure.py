"""The closure: the academic golden values, laws, and a second, set-based implementation."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge import (
    ACADEMIC,
    CLASH_AXIOMS,
    CLASSES,
    ENTITIES,
    FACTS,
    POSITIVE_AXIOMS,
    QUERIES,
    TYPES,
    academic_ontology,
    small_graph,
    with_axioms,
)

from hybridkg.errors import (
    ClosureSizeError,
    ConfigError,
    InconsistentOntologyError,
    UnknownNameError,
)
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.read import read_folder
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.consistency import steps_of
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.knowledge_base import assemble
from hybridkg.ontology.load import ontology_of, read_ontology, read_schema_table
from hybridkg.ontology.proof_steps import Link, Member
from hybridkg.ontology.what_if import WhatIf


@pytest.fixture(scope="module")
def academic_closure(academic: KnowledgeGraph) -> Closure:
    return close(academic, academic_ontology(academic))


def test_academic_closure_adds_two_facts_and_no_held_out_one(
    academic: KnowledgeGraph, academic_closure: Closure
) -> None:
    assert academic_closure.facts() == [
        ("alice", "grandAdvisor", "carol"),
        ("bob", "grandAdvisor", "erin"),
    ]
    assert academic_closure.n_facts() == 15 + 2
    assert academic_closure.verdicts(academic.split("test")) == ["undetermined"] * 3
    assert academic_closure.complete
    assert academic_closure.unused == ()


def test_academic_closure_equals_the_values_found_by_hermit(academic: KnowledgeGraph) -> None:
    person, paper = ex.Named("Person"), ex.Named("Paper")
    ontology = with_axioms(
        academic_ontology(academic).ontology,
        ax.SubClassOf(paper, ex.Some("about", ex.Named("Topic"))),
        ax.EquivalentClasses((ex.Named("Advisor"), ex.And((person, ex.Some("advises", person))))),
    )
    closure = close(academic, ontology)
    assert len(closure.types(new_only=False)) == 21
    assert closure.n_facts() == 17
    assert len(closure.subsumptions()) == 4
    assert closure.unsatisfiable_classes() == ()


def test_verdicts_tell_asserted_entailed_and_inconsistent_apart(academic_closure: Closure) -> None:
    asked = {
        ("alice", "advises", "bob"): "asserted",
        ("alice", "grandAdvisor", "carol"): "entailed",
        ("bob", "advises", "logic"): "inconsistent",
        ("bob", "advises", "bob"): "undetermined",
    }
    assert {triple: academic_closure.verdict(triple) for triple in asked} == asked
    with pytest.raises(UnknownNameError, match="relation 'teaches'"):
        academic_closure.verdict(("alice", "teaches", "bob"))
    with pytest.raises(UnknownNameError, match="class 'Profesor'; did you mean 'Professor'"):
        academic_closure.membership("alice", "Profesor")


def test_only_an_anonymous_student_is_advised_by_alice(academic_closure: Closure) -> None:
    (alice,), (bob,) = academic_closure.witnesses("alice"), academic_closure.witnesses("bob")
    assert (alice.status, alice.named) == ("anonymous", ())
    assert (bob.status, bob.named) == ("named", ("carol",))
    assert academic_closure.witnesses("erin") == ()
    assert academic_closure.witness("erin", "advises", "Student").status == "none"
    assert academic_closure.witness("alice", "advises", "Person").named == ("bob",)


def test_the_engine_finds_the_53_impossible_candidates_one_by_one(
    academic: KnowledgeGraph, academic_closure: Closure
) -> None:
    counts = []
    for target, relation, anchor in QUERIES:
        clashes = 0
        for entity in academic.entities:
            triple = (anchor, relation, entity) if target == "tail" else (entity, relation, anchor)
            more = KnowledgeGraph.from_labels(
                {"train": [*academic.label_triples(academic.train), triple]},
                types=[(academic.entities[e], academic.classes[c]) for e, c in academic.types],
            )
            clash = bool(len(assemble(more, academic_ontology(more)).saturate().clashing()))
            assert clash == (academic_closure.verdict(triple) == "inconsistent")
            clashes += clash
        counts.append(clashes)
    assert counts == [8, 8, 10, 8, 11, 8]


CASE = """@prefix : <http://example.org/academic#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Professor rdfs:subClassOf :Researcher ,
  [ a owl:Restriction ; owl:onProperty :advises ; owl:someValuesFrom :Student ] .
:authored a owl:ObjectProperty ; rdfs:domain :Researcher ; rdfs:range :Paper .
:grandAdvisor a owl:ObjectProperty ; owl:propertyChainAxiom ( :advises :advises ) .
"""


@pytest.fixture
def why(academic: KnowledgeGraph, tmp_path: Path) -> Closure:
    path = tmp_path / "why.ttl"
    path.write_text(CASE, encoding="utf-8")
    return close(academic, read_ontology(path).without_namespace(ACADEMIC))


def test_minimal_justifications_are_all_found_and_no_more(why: Closure) -> None:
    assert why.facts() == [("alice", "grandAdvisor", "carol"), ("bob", "grandAdvisor", "erin")]
    assert [e for e, c in why.types() if c == "Researcher"] == ["alice", "bob", "carol", "dave"]
    chain = "advises o advises subPropertyOf grandAdvisor"
    assert why.justifications(why.link("alice", "grandAdvisor", "carol")) == [
        ("alice advises bob", "bob advises carol", chain)
    ]
    assert sorted(why.justifications(why.membership("alice", "Researcher"))) == [
        ("alice authored p1", "authored domain Researcher"),
        ("alice type Professor", "Professor subClassOf Researcher"),
    ]
    assert len(why.justifications(why.membership("carol", "Researcher"))) == 1
    assert len(why.justifications(why.membership("bob", "Researcher"))) == 1
    assert why.justifications(why.membership("erin", "Researcher")) == []


def test_strict_el_lists_what_it_leaves_out() -> None:
    kg = KnowledgeGraph.from_labels(
        {
            "train": [("ann", "worksFor", "acme"), ("ann", "marriedTo", "bo")],
            "names": [("acme", "employs", "ann")],
        }
    )
    ontology = ontology_of([ax.InverseOf("employs", "worksFor"), ax.Symmetric("marriedTo")])
    assert close(kg, ontology).facts() == [("acme", "employs", "ann"), ("bo", "marriedTo", "ann")]
    strict = close(kg, ontology, profile="el")
    assert strict.facts() == []
    assert not strict.complete
    assert {str(one) for one in strict.unused} == {
        "employs inverseOf worksFor (outside the profile el)",
        "marriedTo is symmetric (outside the profile el)",
    }
    with pytest.raises(ConfigError, match="ell"):
        close(kg, ontology, profile="ell")  # type: ignore[arg-type]


def test_axioms_that_are_not_used_are_listed_and_make_the_answer_incomplete() -> None:
    a, b, c = map(ex.Named, "ABC")
    left_out = {
        ax.Functional("r"): "unique names",
        ax.SubClassOf(a, ex.Or((b, c))): "union",
        ax.OtherAxiom("hasKey", "A hasKey r"): "hasKey",
        ax.SubClassOf(a, ex.OtherExpression("allValuesFrom", "(r allValuesFrom B)")): "allValues",
    }
    closure = close(small_graph([], []), ontology_of([*left_out, ax.SubClassOf(a, b)]))
    assert {one.axiom for one in closure.unused} == set(left_out)
    assert all(left_out[one.axiom] in one.reason for one in closure.unused)
    assert ("A", "B") in closure.subsumptions()


def test_an_inverse_that_would_act_on_anonymous_witnesses_is_said_to_be_partly_used() -> None:
    a, b, c = map(ex.Named, "ABC")
    axioms = [ax.SubClassOf(a, ex.Some("r", b)), ax.InverseOf("r", "s"), ax.Range("s", c)]
    closure = close(small_graph([("e0", "r", "e1")], []), ontology_of(axioms))
    assert [str(one.axiom) for one in closure.unused] == ["r inverseOf s"]
    assert ("e1", "s", "e0") in closure.facts()


@pytest.mark.parametrize(
    ("axioms", "expected"),
    [
        # The range of a super-role reaches the witness, and what follows from it comes back.
        (
            [
                ax.SubClassOf(ex.Named("A"), ex.Some("r", ex.Top())),
                ax.SubPropertyOf("r", "s"),
                ax.Range("s", ex.Named("B")),
                ax.SubClassOf(ex.Some("s", ex.Named("B")), ex.Named("C")),
            ],
            ("e0", "C"),
        ),
        # Witnesses of witnesses, through a chain.
        (
            [
                ax.SubClassOf(ex.Named("A"), ex.Some("r", ex.Some("r", ex.Named("B")))),
                ax.PropertyChain(("r", "r"), "s"),
                ax.SubClassOf(ex.Some("s", ex.Named("B")), ex.Named("D")),
            ],
            ("e0", "D"),
        ),
        # An equivalence works both ways; the intersection has three parts.
        (
            [
                ax.SubClassOf(ex.Named("A"), ex.And((ex.Named("B"), ex.Named("C")))),
                ax.EquivalentClasses(
                    (ex.Named("D"), ex.And((ex.Named("A"), ex.Named("B"), ex.Named("C"))))
                ),
            ],
            ("e0", "D"),
        ),
        # A union on the left is one inclusion for each part.
        ([ax.SubClassOf(ex.Or((ex.Named("A"), ex.Named("B"))), ex.Named("C"))], ("e0", "C")),
    ],
)
def test_rules_work_together(axioms: list[ax.Axiom], expected: tuple[str, str]) -> None:
    assert expected in close(small_graph([], [("e0", "A")]), ontology_of(axioms)).types()


def test_a_long_chain_is_followed_to_its_end() -> None:
    ontology = ontology_of([ax.PropertyChain(("r", "s", "t"), "r")])
    kg = small_graph([("e0", "r", "e1"), ("e1", "s", "e2"), ("e2", "t", "e3")], [])
    assert close(kg, ontology).facts() == [("e0", "r", "e3")]


def test_a_class_that_nothing_belongs_to_makes_nothing_inconsistent() -> None:
    a, b, c = map(ex.Named, "ABC")
    axioms = [ax.SubClassOf(a, ex.Some("r", b)), ax.Range("r", c), ax.DisjointClasses((b, c))]
    closure = close(small_graph([("e0", "r", "e1")], []), ontology_of(axioms))
    assert closure.unsatisfiable_classes() == ("A",)
    with pytest.raises(InconsistentOntologyError) as caught:
        close(small_graph([], [("e0", "A")]), ontology_of(axioms))
    assert caught.value.n_clashing == 1
    assert set(caught.value.culprits[0]) == {"e0 type A", *map(str, axioms)}


def test_too_large_a_closure_is_refused_before_it_is_made() -> None:
    star = [("e0", "r", "e1"), ("e1", "r", "e2"), ("e3", "r", "e1"), ("e1", "r", "e4")]
    kg, axioms = small_graph(star, []), ontology_of([ax.Transitive("r")])
    with pytest.raises(ClosureSizeError, match="at least 8 pairs, expected at most 7"):
        close(kg, axioms, max_pairs=7)
    assert close(kg, axioms, max_pairs=8).n_facts() == 8


def test_a_ring_is_closed_through_its_component_and_announced() -> None:
    names = [f"n{number:04d}" for number in range(2000)]
    ring = [(h, "r", t) for h, t in itertools.pairwise([*names, names[0]])]
    told: list[str] = []
    start = time.process_time()
    closure = close(
        KnowledgeGraph.from_labels({"train": ring}),
        ontology_of([ax.Transitive("r")]),
        announce=told.append,
    )
    assert closure.n_facts() == 2000 * 2000
    assert time.process_time() - start < 5
    assert told == ["the transitive closure of r relates 4,000,000 pairs"]
    assert closure.prove(closure.link("n0000", "r", "n0000")) is not None


def test_a_proof_of_a_long_path_is_found_in_time() -> None:
    names = [f"n{number:04d}" for number in range(1001)]
    facts = [(h, "before", t) for h, t in itertools.pairwise(names)]
    closure = close(
        KnowledgeGraph.from_labels({"train": facts}), ontology_of([ax.Transitive("before")])
    )
    assert closure.n_facts() == 1001 * 1000 // 2
    start = time.process_time()
    proof = closure.prove(closure.link(names[0], "before", names[-1]))
    assert proof is not None
    assert len(proof.leaves) == 1000 + 1
    assert time.process_time() - start < 1


ONTOLOGIES = st.lists(POSITIVE_AXIOMS, max_size=6).map(ontology_of)


@settings(deadline=None, max_examples=60)
@given(ONTOLOGIES, FACTS, TYPES, FACTS, TYPES)
def test_more_facts_never_entail_less(
    ontology: Ontology,
    facts: list[tuple[str, str, str]],
    types: list[tuple[str, str]],
    more_facts: list[tuple[str, str, str]],
    more_types: list[tuple[str, str]],
) -> None:
    less = close(small_graph(facts, types), ontology)
    more = close(small_graph(facts + more_facts, types + more_types), ontology)
    assert set(less.facts(new_only=False)) <= set(more.facts(new_only=False))
    assert set(less.types(new_only=False)) <= set(more.types(new_only=False))


@settings(deadline=None, max_examples=60)
@given(ONTOLOGIES, FACTS, TYPES)
def test_closing_a_closure_adds_nothing(
    ontology: Ontology, facts: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> None:
    once = close(small_graph(facts, types), ontology)
    twice = close(small_graph(once.facts(new_only=False), once.types(new_only=False)), ontology)
    assert twice.facts() == []
    assert twice.types() == []


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.one_of(POSITIVE_AXIOMS, CLASH_AXIOMS), max_size=7).map(ontology_of),
    FACTS,
    TYPES,
    st.booleans(),
)
def test_matrices_and_sets_derive_the_same(
    ontology: Ontology,
    facts: list[tuple[str, str, str]],
    types: list[tuple[str, str]],
    unique_names: bool,
) -> None:
    """The what-if rules start from an empty graph and are told everything as an assumption."""
    full = assemble(small_graph(facts, types), with_names(ontology), unique_names=unique_names)
    saturation = full.saturate()
    bare = assemble(small_graph([], []), with_names(ontology), unique_names=unique_names)
    if len(bare.saturate().clashing()):
        return
    told = [Link(r, h, t) for h, r, t in full.facts.tolist()]
    told_types = [Member(e, c) for e, c in full.types.tolist()]
    found = WhatIf(steps_of(bare, bare.saturate())).assume([*told, *told_types])
    assert (found.clash is not None) == bool(len(saturation.clashing()))
    if found.clash is not None:
        return
    base = steps_of(bare, bare.saturate())
    for node in range(len(ENTITIES)):
        for cls in range(full.normal.n_classes):
            held = Member(node, cls) in found.steps or base.holds(Member(node, cls))
            assert held == saturation.members.has(cls, node)
    for role in range(len(full.normal.roles)):
        pairs = {
            (f.source, f.target) for f in found.steps if isinstance(f, Link) and f.role == role
        }
        named = {pair for pair in pairs if max(pair) < len(ENTITIES)}
        named |= set(map(tuple, base.saturation.named_pairs(role).tolist()))
        assert named == set(map(tuple, saturation.named_pairs(role).tolist()))


def with_names(ontology: Ontology) -> Ontology:
    """Give every knowledge base of a test the same class and role ids."""
    trivial: list[ax.Axiom] = [ax.SubClassOf(cls, ex.Top()) for cls in CLASSES]
    return ontology_of([*ontology.axioms, *trivial])


@settings(deadline=None, max_examples=60)
@given(ONTOLOGIES, FACTS, TYPES)
def test_every_entailed_fact_has_a_proof_that_the_checker_accepts(
    ontology: Ontology, facts: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> None:
    closure = close(small_graph(facts, types), ontology)
    for triple in closure.facts():
        proof = closure.prove(closure.link(*triple))
        assert proof is not None
        assert set(closure.wording.leaves(proof.leaves)) <= sentences(closure, ontology)
    for entity, cls in closure.types():
        assert closure.prove(closure.membership(entity, cls)) is not None


def sentences(closure: Closure, ontology: Ontology) -> set[str]:
    kg = closure.kg
    facts = {" ".join(triple) for triple in kg.label_triples(kg.train)}
    types = {f"{kg.entities[e]} type {kg.classes[c]}" for e, c in kg.types.tolist()}
    return facts | types | set(map(str, ontology.axioms))


@settings(deadline=None, max_examples=40)
@given(st.lists(POSITIVE_AXIOMS, max_size=4).map(ontology_of), FACTS, TYPES)
def test_justifications_entail_and_lose_it_with_any_statement_gone(
    ontology: Ontology, facts: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> None:
    closure = close(small_graph(facts, types), ontology)
    for triple in closure.facts()[:3]:
        for leaves in closure.justifications(closure.link(*triple))[:3]:
            assert entails(closure, ontology, set(leaves), triple)
            for leaf in leaves:
                assert not entails(closure, ontology, set(leaves) - {leaf}, triple)


def entails(
    closure: Closure, ontology: Ontology, kept: set[str], triple: tuple[str, str, str]
) -> bool:
    kg = closure.kg
    facts = [t for t in kg.label_triples(kg.train) if " ".join(t) in kept]
    types = [(kg.entities[e], kg.classes[c]) for e, c in kg.types.tolist()]
    rest = ontology_of([a for a in ontology.axioms if str(a) in kept])
    kept_types = [(e, c) for e, c in types if f"{e} type {c}" in kept]
    return triple in close(small_graph(facts, kept_types), rest).facts(new_only=False)


def test_symmetry_entails_real_held_out_triples(benchmarks: Path) -> None:
    folder = benchmarks / "codex-s"
    table = read_schema_table(folder / "schema.tsv.xz")
    closure = close(read_folder(folder), table, set_aside=True)
    for split, expected in (("test", 254), ("valid", 285)):
        verdicts = closure.verdicts(closure.kg.split(split))
        assert verdicts.count("entailed") == expected
        assert verdicts.count("asserted") == 0
    spouses = closure.role_pairs("P26")
    assert set(map(tuple, spouses.tolist())) == set(map(tuple, spouses[:, ::-1].tolist()))
