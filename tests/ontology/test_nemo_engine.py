"""The readable rules, run by Nemo, are held equal to the matrix engine; choice of engine."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge import (
    CLASH_AXIOMS,
    FACTS,
    INCLUSIONS,
    POSITIVE_AXIOMS,
    TYPES,
    academic_ontology,
    small_graph,
)

from hybridkg._io import packaged_file
from hybridkg.errors import OntologyError, UnknownNameError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology import knowledge_base, nemo_engine
from hybridkg.ontology.close import close
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.knowledge_base import KnowledgeBase, assemble, by_role
from hybridkg.ontology.load import ontology_of
from hybridkg.ontology.nemo_engine import classify, run_rules, saturate_with_nemo
from hybridkg.ontology.nemo_tables import COLUMNS, shared_nodes, tables_of
from hybridkg.ontology.normal_form import BOTTOM
from hybridkg.ontology.saturation import Saturation

#: Large enough for rules to meet: of small worlds, few have a range on an existential's role.
WORLDS = st.lists(
    st.one_of(INCLUSIONS, INCLUSIONS, POSITIVE_AXIOMS, POSITIVE_AXIOMS, CLASH_AXIOMS),
    min_size=6,
    max_size=16,
)


def by_nemo(base: KnowledgeBase) -> Saturation:
    return saturate_with_nemo(
        base.normal, base.normal.n_individuals, base.types, by_role(base.facts)
    )


def assert_same(base: KnowledgeBase, one: Saturation, other: Saturation) -> None:
    """Members, clash marks and links of individuals, stand-ins and witnesses."""
    assert one.nodes == other.nodes
    for cls, name in enumerate(base.normal.classes):
        assert np.array_equal(one.members.row(cls), other.members.row(cls)), name
    for role, name in enumerate(base.normal.roles):
        assert np.array_equal(one.edges[role], other.edges[role]), name


@settings(deadline=None, max_examples=40)
@given(WORLDS.map(ontology_of), FACTS, TYPES, st.booleans())
def test_nemo_and_matrices_derive_the_same(
    ontology: Ontology,
    facts: list[tuple[str, str, str]],
    types: list[tuple[str, str]],
    unique_names: bool,
) -> None:
    base = assemble(small_graph(facts, types), ontology, unique_names=unique_names)
    assert_same(base, base.saturate(), by_nemo(base))


@pytest.mark.slow
@settings(deadline=None, max_examples=1_500)
@given(WORLDS.map(ontology_of), FACTS, TYPES, st.booleans())
def test_nemo_and_matrices_derive_the_same_in_many_worlds(
    ontology: Ontology,
    facts: list[tuple[str, str, str]],
    types: list[tuple[str, str]],
    unique_names: bool,
) -> None:
    base = assemble(small_graph(facts, types), ontology, unique_names=unique_names)
    assert_same(base, base.saturate(), by_nemo(base))


@settings(deadline=None, max_examples=40)
@given(WORLDS.map(ontology_of), FACTS, TYPES)
def test_classification_over_shared_nodes_is_that_of_the_stand_ins(
    ontology: Ontology, facts: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> None:
    base = assemble(small_graph(facts, types), ontology)
    closed, normal = base.saturate(), base.normal
    expected, empty = set(), []
    for sub in range(BOTTOM + 1, normal.n_named):
        node = closed.nodes.class_node(sub)
        assert node is not None
        above = closed.members.classes_of(node)
        expected |= {(sub, sup) for sup in above if BOTTOM < sup < normal.n_named and sup != sub}
        if closed.members.has(BOTTOM, node):
            empty.append(sub)
    assert set(map(tuple, base.classification.pairs.tolist())) == expected
    assert list(base.classification.unsatisfiable) == empty


def test_both_engines_give_the_academic_closure(academic: KnowledgeGraph) -> None:
    ontology = academic_ontology(academic)
    matrix, nemo = (close(academic, ontology, engine=name) for name in ("matrix", "nemo"))
    assert (matrix.saturation.engine, nemo.saturation.engine) == ("matrix", "nemo")
    assert matrix.facts() == nemo.facts() != []
    assert matrix.types() == nemo.types() != []
    assert matrix.subsumptions() == nemo.subsumptions()
    proof = nemo.prove(nemo.link("alice", "grandAdvisor", "carol"))
    assert proof is not None
    assert "as asked for" in nemo.engine_note
    assert close(academic, ontology).engine_note.startswith("matrix engine: 13 individuals")


def test_an_engine_that_does_not_exist_is_named(academic: KnowledgeGraph) -> None:
    with pytest.raises(UnknownNameError, match="engine 'nemmo'; did you mean 'nemo'"):
        close(academic, academic_ontology(academic), engine="nemmo")  # type: ignore[arg-type]


def test_superclasses_of_a_large_terminology_are_all_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No entity uses these classes, so that matrices follow none of them."""
    a, b, c, d, e = map(ex.Named, "ABCDE")
    ontology = ontology_of(
        [
            *(ax.SubClassOf(ex.Named(f"X{n}"), ex.Named(f"X{n + 1}")) for n in range(20)),
            ax.SubClassOf(a, ex.Some("r", b)),
            ax.SubClassOf(b, c),
            ax.SubClassOf(ex.Some("r", c), d),
            ax.DisjointClasses((b, c, e)),
        ]
    )
    kg = small_graph([("e0", "r", "e1")], [])
    small = close(kg, ontology)
    monkeypatch.setattr(knowledge_base, "MAX_STAND_INS", 5)
    large = close(kg, ontology)
    assert len(large.base.stand_ins) < large.base.normal.n_classes
    assert ("A", "D") in large.subsumptions()
    assert large.subsumptions() == small.subsumptions()
    assert large.unsatisfiable_classes() == small.unsatisfiable_classes() == ("A", "B")
    assert "Nemo engine for superclasses" in large.engine_note
    assert large.types() == small.types()


def test_a_class_that_leads_to_a_nominal_says_that_superclasses_may_be_missed() -> None:
    a, b, c, d = map(ex.Named, "ABCD")
    e0 = ex.Nominal("e0")
    twice = [
        ax.SubClassOf(a, ex.Some("r", e0)),
        ax.SubClassOf(a, ex.Some("s", e0)),
        ax.Range("r", b),
        ax.Range("s", c),
        ax.DisjointClasses((b, c)),
    ]
    closure = close(small_graph([], []), ontology_of(twice))
    assert closure.unsatisfiable_classes() == ()
    assert {one.axiom for one in closure.unused} == set(twice[:2])
    plain = [ax.SubClassOf(a, ex.Some("r", e0)), ax.SubClassOf(ex.Some("r", b), d)]
    followed = close(small_graph([], [("e0", "B")]), ontology_of(plain))
    assert ("A", "D") in followed.subsumptions()
    assert followed.complete


def test_the_rules_name_the_tables_that_are_written() -> None:
    text = packaged_file("rules", "el.rls").read_text(encoding="utf-8")
    rules = re.sub(r"%.*", "", text)
    used = set(re.findall(r"([a-z_]+)\(", rules))
    heads = set(re.findall(r"^([a-z_]+)\(", rules, re.MULTILINE))
    assert used - heads - {"name", "count"} == set(COLUMNS)
    assert rules.count("#[name(") == len(re.findall(r"#\[name\(\"[a-z ]+\"\)\]\n\w+\(", rules))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ("sc", "read 0 rows of the table 'sc', expected 1"),
        ("told", "rows of the table 'told'"),
    ],
)
def test_a_row_that_nemo_drops_is_an_error(
    monkeypatch: pytest.MonkeyPatch, broken: str, message: str
) -> None:
    ontology = ontology_of([ax.SubClassOf(ex.Named("A"), ex.Named("B"))])
    normal = assemble(small_graph([], [("e0", "A")]), ontology).normal
    nodes = shared_nodes(normal, normal.n_individuals, range(normal.n_named))
    tables = tables_of(normal, nodes, np.array([[0, 2]], dtype=np.int32), {})
    write = nemo_engine._write

    def one_column_more(path: Path, table: np.ndarray) -> None:
        wide = path.name == f"{broken}.csv"
        write(path, np.insert(table, 0, 7, axis=1) if wide else table)

    monkeypatch.setattr(nemo_engine, "_write", one_column_more)
    with pytest.raises(OntologyError, match=message):
        run_rules(tables)


def test_a_panic_of_nemo_becomes_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import nmo_python

    class PanicException(BaseException):
        pass

    def panic(program: object) -> SimpleNamespace:
        raise PanicException("assertion failed")

    monkeypatch.setattr(nmo_python, "NemoEngine", panic)
    with pytest.raises(OntologyError, match="assertion failed; expected a closure"):
        classify(assemble(small_graph([], []), ontology_of([])).normal)
