"""The checker accepts no step that is bent, and knows the rules by their shapes only."""

from __future__ import annotations

from dataclasses import replace

import pytest
from knowledge import academic_ontology, small_graph

from hybridkg.errors import OntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.load import ontology_of
from hybridkg.ontology.proof_checker import check_proof
from hybridkg.ontology.proof_steps import Fact, Link, Member, Step
from hybridkg.ontology.proofs import Proof


def check(closure: Closure, proof: Proof, *extra: Fact) -> None:
    asserted = closure.derivations.is_asserted
    check_proof(
        proof,
        closure.base.normal,
        closure.saturation.nodes,
        lambda fact: fact in extra or asserted(fact),
    )


@pytest.fixture
def chained(academic: KnowledgeGraph) -> tuple[Closure, Proof]:
    closure = close(academic, academic_ontology(academic))
    proof = closure.prove(closure.link("alice", "grandAdvisor", "carol"))
    assert proof is not None
    return closure, proof


def test_a_chain_is_proven_from_its_two_facts_and_the_axiom(chained: tuple[Closure, Proof]) -> None:
    closure, proof = chained
    assert closure.wording.proof(proof).splitlines() == [
        "1. alice advises bob  [asserted]",
        "2. bob advises carol  [asserted]",
        "3. alice grandAdvisor carol  "
        "[property chain: advises o advises subPropertyOf grandAdvisor from 1, 2]",
    ]
    check(closure, proof)


def test_a_bent_chain_is_refused(chained: tuple[Closure, Proof]) -> None:
    closure, proof = chained
    first, second, last = proof.steps
    assert isinstance(last.conclusion, Link)
    other = closure.kg.entities.id_of("erin")
    bent = [
        replace(last, conclusion=replace(last.conclusion, target=other)),
        replace(last, premises=last.premises[::-1]),
        replace(last, premises=last.premises[:1]),
        replace(last, axioms=(0,)),
        replace(last, piece=(0, 0, 0)),
        replace(last, rule="sr"),
        replace(last, rule="asserted", premises=()),
        replace(last, rule="no such rule"),
    ]
    for step in bent:
        with pytest.raises(OntologyError, match="step 3"):
            check(closure, Proof((first, second, step)))
    with pytest.raises(OntologyError, match="not concluded yet"):
        check(closure, Proof((last, first, second)))
    with pytest.raises(OntologyError, match="not concluded yet"):
        check(closure, Proof((first, last)))


CLASHES = [
    ax.DisjointClasses((ex.Named("A"), ex.Named("B"))),
    ax.SubClassOf(ex.And((ex.Named("A"), ex.Named("B"))), ex.Bottom()),
]


@pytest.mark.parametrize("axiom", CLASHES)
def test_contradictions_are_proven_from_the_assumed_fact(axiom: ax.Axiom) -> None:
    ontology = ontology_of([axiom, ax.Range("r", ex.Named("B"))])
    closure = close(small_graph([], [("e1", "A")]), ontology)
    link = closure.link("e0", "r", "e1")
    proof = closure.prove_clash(link)
    assert proof is not None
    assert set(closure.wording.leaves(proof.leaves)) == {
        "e0 r e1",
        "e1 type A",
        "r range B",
        str(axiom),
    }
    assert closure.prove_clash(closure.link("e1", "r", "e0")) is None
    with pytest.raises(OntologyError, match="'asserted'"):
        check(closure, proof)


@pytest.mark.parametrize(
    ("axiom", "fact", "assumed"),
    [
        (ax.Irreflexive("r"), None, ("e0", "r", "e0")),
        (ax.Asymmetric("r"), ("e0", "r", "e1"), ("e1", "r", "e0")),
        (ax.Asymmetric("r"), None, ("e0", "r", "e0")),
        (ax.DisjointProperties(("r", "s")), ("e0", "s", "e1"), ("e0", "r", "e1")),
    ],
)
def test_contradictory_pairs_are_proven(
    axiom: ax.Axiom, fact: tuple[str, str, str] | None, assumed: tuple[str, str, str]
) -> None:
    closure = close(small_graph([fact] if fact else [], []), ontology_of([axiom]))
    proof = closure.prove_clash(closure.link(*assumed))
    assert proof is not None
    wanted = {str(axiom), " ".join(assumed)} | ({" ".join(fact)} if fact else set())
    assert set(closure.wording.leaves(proof.leaves)) == wanted
    last = proof.steps[-1]
    moved = replace(last.conclusion, node=3)  # type: ignore[call-arg]
    with pytest.raises(OntologyError, match="no instance"):
        check(
            closure,
            Proof((*proof.steps[:-1], replace(last, conclusion=moved))),
            closure.link(*assumed),
        )


def test_a_range_does_not_reach_a_witness_of_another_role() -> None:
    ontology = ontology_of(
        [ax.SubClassOf(ex.Named("A"), ex.Some("r", ex.Named("B"))), ax.Range("s", ex.Named("C"))]
    )
    closure = close(small_graph([], [("e0", "A")]), ontology)
    normal, nodes = closure.base.normal, closure.saturation.nodes
    role, filler = nodes.witnesses[0]
    member = Member(nodes.witness_node(role, filler), normal.class_ids["C"])
    step = Step("folded range", member, (), (role, normal.class_ids["C"]), (0,))
    with pytest.raises(OntologyError, match="folded range"):
        check(closure, Proof((step,)))
