"""Small worlds and random knowledge bases for the tests of the ontology layer."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from hybridkg._io import packaged_file
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.labels import Joined, join_ontology
from hybridkg.ontology.load import ontology_of, read_ontology

ACADEMIC = "http://example.org/academic#"
FIXTURES = Path(__file__).parent.parent / "fixtures" / "ontology"

#: The six queries of the academic test split, as (target, relation, anchor).
QUERIES = [
    ("tail", "advises", "bob"),
    ("head", "advises", "dave"),
    ("tail", "authored", "bob"),
    ("head", "authored", "p1"),
    ("tail", "affiliated", "erin"),
    ("head", "affiliated", "cmu"),
]


def academic_ontology(kg: KnowledgeGraph) -> Joined:
    ontology = read_ontology(packaged_file("ontologies", "academic.ttl"))
    return join_ontology(ontology, kg, namespaces=[ACADEMIC])


def with_axioms(ontology: Ontology, *more: ax.Axiom) -> Ontology:
    return ontology_of([*ontology.axioms, *more])


def without_kind(ontology: Ontology, kind: type) -> Ontology:
    return ontology_of([a for a in ontology.axioms if not isinstance(a, kind)])


def read_fixture(name: str, namespace: str) -> tuple[Ontology, KnowledgeGraph]:
    ontology = read_ontology(FIXTURES / name).without_namespace(namespace)
    return ontology, ontology.to_graph()


ENTITIES = [f"e{number}" for number in range(5)]
CLASSES = [ex.Named(name) for name in "ABCD"]
ROLES = ["r", "s", "t"]

_classes = st.sampled_from(CLASSES)
_roles = st.sampled_from(ROLES)
_entities = st.sampled_from(ENTITIES)
_nominals = st.builds(ex.Nominal, _entities)
_fillers = st.one_of(_classes, _classes, _nominals, st.just(ex.Top()))
_existentials = st.builds(ex.Some, _roles, _fillers)
_selves = st.builds(ex.HasSelf, _roles)
_simple = st.one_of(_classes, _classes, _existentials, _existentials, _nominals, _selves)
_left = st.one_of(
    _simple, st.builds(lambda a, b: ex.And((a, b)), _simple, _simple), st.just(ex.Top())
)
_right = _simple

INCLUSIONS = st.builds(ax.SubClassOf, _left, _right)
POSITIVE_AXIOMS = st.one_of(
    st.builds(ax.SubClassOf, _left, _right),
    st.builds(ax.Domain, _roles, _classes),
    st.builds(ax.Range, _roles, _classes),
    st.builds(ax.SubPropertyOf, _roles, _roles),
    st.builds(ax.InverseOf, _roles, _roles),
    st.builds(ax.Symmetric, _roles),
    st.builds(ax.Transitive, _roles),
    st.builds(lambda a, b, c: ax.PropertyChain((a, b), c), _roles, _roles, _roles),
    st.builds(ax.Reflexive, _roles),
    st.builds(ax.Assertion, _entities, st.one_of(_right, _existentials)),
    st.builds(lambda a, b: ax.SameIndividuals((a, b)), _entities, _entities),
)
#: Axioms whose effect on a candidate the audit's table follows in full.
SLOT_AXIOMS = st.one_of(
    st.builds(ax.SubClassOf, _classes, _classes),
    st.builds(lambda a, b, c: ax.SubClassOf(ex.And((a, b)), c), _classes, _classes, _classes),
    st.builds(ax.Domain, _roles, _classes),
    st.builds(ax.Range, _roles, _classes),
    st.builds(ax.SubPropertyOf, _roles, _roles),
    st.builds(ax.InverseOf, _roles, _roles),
    st.builds(ax.Symmetric, _roles),
    st.builds(lambda a, b: ax.DisjointClasses((a, b)), _classes, _classes),
)
CLASH_AXIOMS = st.one_of(
    st.builds(lambda a, b: ax.DisjointClasses((a, b)), _classes, _classes),
    st.builds(lambda a, b: ax.SubClassOf(ex.And((a, b)), ex.Bottom()), _classes, _classes),
    st.builds(ax.Irreflexive, _roles),
    st.builds(ax.Asymmetric, _roles),
    st.builds(lambda a, b: ax.DisjointProperties((a, b)), _roles, _roles),
    st.builds(ax.NegativeFact, _entities, _roles, _entities),
    st.builds(lambda a, b: ax.DifferentIndividuals((a, b)), _entities, _entities),
    st.builds(ax.Functional, _roles),
    st.builds(ax.InverseFunctional, _roles),
)
FACTS = st.lists(
    st.tuples(st.sampled_from(ENTITIES), _roles, st.sampled_from(ENTITIES)), max_size=6
)
TYPES = st.lists(st.tuples(st.sampled_from(ENTITIES), st.sampled_from("ABCD")), max_size=5)


def small_graph(facts: list[tuple[str, str, str]], types: list[tuple[str, str]]) -> KnowledgeGraph:
    """A graph over all entities and roles, whatever the facts use."""
    vocabulary = [("e0", role, "e0") for role in ROLES]
    return KnowledgeGraph.from_labels(
        {"train": facts, "names": vocabulary}, types=types, entities=ENTITIES
    )
