"""Empty classes and relations, and classes that are called like OWL's own."""

from __future__ import annotations

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.close import close
from hybridkg.ontology.empty import find_empty
from hybridkg.ontology.knowledge_base import assemble
from hybridkg.ontology.load import ontology_of
from hybridkg.ontology.names import Names

A, D = ex.Named("A"), ex.Named("D")


def test_what_needs_a_member_of_nothing_is_empty() -> None:
    nothing = ex.Some("r", ex.Bottom())
    ontology = ontology_of([ax.SubClassOf(A, nothing), ax.SubClassOf(D, A), ax.Domain("s", A)])
    found = find_empty(close(ontology.to_graph(), ontology).base)
    assert [one.name for one in found.classes] == ["A", "D"]
    assert [one.name for one in found.relations] == ["s"]
    assert all(one.axioms for one in (*found.classes, *found.relations))


def test_a_class_called_thing_is_not_the_class_of_everything() -> None:
    thing, rel = ex.Named("Thing"), ex.Named("Rel")
    ontology = ontology_of([ax.DisjointClasses((thing, rel)), ax.Range("r", rel)])
    kg = KnowledgeGraph.from_labels({"train": [("a", "r", "f")]})
    closure = close(kg, ontology)
    names = Names(closure, {})
    assert closure.verdict(names.fact("f", "type", "Thing")) == "inconsistent"
    assert closure.verdict(names.fact("f", "type", "owl:Thing")) == "entailed"
    assert ("f", "Thing") not in closure.types(new_only=False)


def test_ten_thousand_different_individuals_take_no_time() -> None:
    names = [f"n{number}" for number in range(10_000)]
    kg = KnowledgeGraph.from_labels({"train": [("n1", "r", "n2")]}, entities=names)
    repeated = ontology_of([ax.DifferentIndividuals((*names, "n7"))])
    assert len(close(kg, ontology_of([ax.DifferentIndividuals(tuple(names))])).facts()) == 0
    assert assemble(kg, repeated).saturate().clashing().tolist() == [kg.entities.id_of("n7")]


def test_a_chain_without_links_is_listed_and_not_used() -> None:
    ontology = ontology_of([ax.PropertyChain((), "r")])
    kg = KnowledgeGraph.from_labels({"train": [("a", "r", "b")]})
    assert [str(one.axiom) for one in close(kg, ontology).unused] == [" subPropertyOf r"]
