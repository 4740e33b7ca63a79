"""Contradictory data: counted where the clash is, explained, and set aside on request."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge import (
    CLASH_AXIOMS,
    FACTS,
    POSITIVE_AXIOMS,
    TYPES,
    academic_ontology,
    small_graph,
    with_axioms,
)

from hybridkg.errors import InconsistentOntologyError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.read import read_folder
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.close import close
from hybridkg.ontology.consistency import (
    culprit_sets,
    one_culprit_set,
    set_aside_culprits,
    steps_of,
)
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.knowledge_base import KnowledgeBase, assemble
from hybridkg.ontology.load import ontology_of, read_schema_table
from hybridkg.ontology.minimal import _closed, minimal_support
from hybridkg.ontology.proof_steps import Clash, Fact, Link, Member


def test_a_wrong_range_makes_the_academic_facts_contradictory(academic: KnowledgeGraph) -> None:
    ontology = with_axioms(
        academic_ontology(academic).ontology, ax.Range("advises", ex.Named("Student"))
    )
    with pytest.raises(InconsistentOntologyError, match=r"at 1 individual\(s\) \(bob\)") as caught:
        close(academic, ontology)
    assert caught.value.n_clashing == 1
    assert set(caught.value.culprits[0]) == {
        "alice advises bob",
        "bob type Professor",
        "advises range Student",
        "Professor disjointWith Student",
    }


def test_a_long_culprit_set_is_shortened_in_the_message_only() -> None:
    names = [ex.Named(f"C{n:03}") for n in range(300)]
    chain = [ax.SubClassOf(a, b) for a, b in pairwise(names)]
    ontology = ontology_of([*chain, ax.DisjointClasses((names[0], names[-1]))])
    with pytest.raises(InconsistentOntologyError, match=r"; and 289 more\. Mend") as caught:
        close(small_graph([], [("e0", "C000")]), ontology)
    assert len(str(caught.value)) < 1_500
    assert len(caught.value.culprits[0]) == 301


def test_one_culprit_set_of_a_long_chain_is_found_in_time_that_grows_with_its_length() -> None:
    """Listing every set of a chain of 5,000 classes takes over ten CPU seconds."""
    names = [ex.Named(f"C{n:04}") for n in range(5_000)]
    chain = [ax.SubClassOf(a, b) for a, b in pairwise(names)]
    ontology = ontology_of([*chain, ax.DisjointClasses((names[0], names[-1]))])
    started = process_time()
    with pytest.raises(InconsistentOntologyError) as caught:
        close(small_graph([], [("e0", "C0000")]), ontology)
    assert process_time() - started < 2
    assert len(caught.value.culprits[0]) == 5_001
    assert caught.value.types == (("e0", "C0000"),)


def test_culprits_of_a_hub_are_bounded_and_say_so() -> None:
    """Two thousand links on either side make four million minimal sets."""
    a, b = ex.Named("A"), ex.Named("B")
    axioms = [ax.DisjointClasses((a, b)), ax.Domain("r", a), ax.Domain("s", b)]
    facts = [("e0", role, f"t{n}") for role in "rs" for n in range(2_000)]
    kg = KnowledgeGraph.from_labels({"train": facts})
    started = process_time()
    with pytest.raises(InconsistentOntologyError) as caught:
        close(kg, ontology_of(axioms))
    assert process_time() - started < 2
    assert len(caught.value.culprits[0]) == 5
    found = caught.value.all_culprits(100)
    assert len(found.sets["e0"]) == 100
    assert not found.complete


def every_minimal_set(
    base: KnowledgeBase, leaves: set[object], goal: Fact
) -> set[frozenset[object]]:
    """Try all subsets, each by closing it anew."""
    sound = [
        frozenset(part)
        for size in range(len(leaves) + 1)
        for part in combinations(sorted(leaves, key=repr), size)
        if _closed(base.normal, set(part)).holds(goal)
    ]
    return {one for one in sound if not any(other < one for other in sound)}


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.one_of(POSITIVE_AXIOMS, CLASH_AXIOMS, CLASH_AXIOMS), max_size=4).map(ontology_of),
    FACTS,
    TYPES,
)
def test_nothing_can_be_left_out_of_the_one_culprit_set(
    ontology: Ontology, facts: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> None:
    base = assemble(small_graph(facts[:4], types[:4]), ontology)
    saturation = base.saturate()
    steps = steps_of(base, saturation)
    for node in saturation.clashing().tolist():
        support = one_culprit_set(steps, node)
        assert support.minimal
        leaves = set(support.leaves)
        assert every_minimal_set(base, leaves, Clash(node)) == {support.leaves}
        everything = {
            *range(len(base.normal.axioms)),
            *(Member(e, c) for e, c in base.types.tolist()),
            *(Link(r, h, t) for h, r, t in base.facts.tolist()),
        }
        assert minimal_support(base.normal, everything, Clash(node)).leaves in every_minimal_set(
            base, everything, Clash(node)
        )


def test_only_the_direct_clash_is_blamed() -> None:
    """Everything that points at the contradictory individual is empty too, but not to blame."""
    a, b = ex.Named("A"), ex.Named("B")
    kg = small_graph([("e1", "r", "e0"), ("e2", "r", "e0")], [("e0", "A"), ("e0", "B")])
    saturation = assemble(kg, ontology_of([ax.DisjointClasses((a, b))])).saturate()
    assert saturation.clashing().tolist() == [0]


def test_all_culprit_sets_are_given_on_request() -> None:
    a, b, c = map(ex.Named, "ABC")
    axioms = [ax.DisjointClasses((a, b)), ax.SubClassOf(c, b), ax.Domain("r", a)]
    kg = small_graph([("e0", "r", "e1"), ("e0", "r", "e2")], [("e0", "C")])
    base = assemble(kg, ontology_of(axioms))
    sets = culprit_sets(base, base.saturate()).sets
    shared = ("e0 type C", "A disjointWith B", "C subClassOf B", "r domain A")
    assert set(sets) == {"e0"}
    assert {frozenset(one) for one in sets["e0"]} == {
        frozenset({"e0 r e1", *shared}),
        frozenset({"e0 r e2", *shared}),
    }


def test_facts_of_all_minimal_sets_are_set_aside_and_listed() -> None:
    a, b = ex.Named("A"), ex.Named("B")
    axioms = [ax.DisjointClasses((a, b)), ax.Domain("r", a), ax.Range("s", b)]
    facts = [("e0", "r", "e1"), ("e0", "r", "e2"), ("e3", "s", "e4"), ("e1", "s", "e0")]
    kg = small_graph(facts, [("e0", "B"), ("e3", "A")])
    closure = close(kg, ontology_of(axioms), set_aside=True)
    assert closure.set_aside.types == (("e0", "B"),)
    assert closure.set_aside.triples == (("e0", "r", "e1"), ("e0", "r", "e2"))
    assert closure.set_aside.clashing == ("e0",)
    assert closure.set_aside.n_sets == 2
    assert ("e1", "s", "e0") in closure.facts(new_only=False)
    assert len(closure.kg.train) == 4
    _, _, aside = set_aside_culprits(assemble(kg, ontology_of(axioms)), blame_repeats=True)
    assert aside.triples == (("e0", "r", "e1"), ("e0", "r", "e2"), ("e1", "s", "e0"))


def test_what_types_no_longer_say_is_blamed_on_facts_in_a_further_round() -> None:
    a, b = ex.Named("A"), ex.Named("B")
    axioms = [ax.DisjointClasses((a, b)), ax.Domain("r", a), ax.Domain("s", b)]
    facts = [("e0", "r", "e1"), ("e0", "s", "e1")]
    closure = close(
        small_graph(facts, [("e0", "A"), ("e0", "B")]), ontology_of(axioms), set_aside=True
    )
    assert len(closure.set_aside.types) == 2
    assert closure.set_aside.triples == tuple(facts)


def test_axioms_that_contradict_by_themselves_cannot_be_set_aside() -> None:
    top = ax.SubClassOf(ex.Top(), ex.Bottom())
    with pytest.raises(InconsistentOntologyError, match="Thing subClassOf Nothing"):
        close(small_graph([], []), ontology_of([top]), set_aside=True)


@settings(deadline=None, max_examples=80)
@given(
    st.lists(st.one_of(POSITIVE_AXIOMS, CLASH_AXIOMS, CLASH_AXIOMS), max_size=6).map(ontology_of),
    FACTS,
    TYPES,
)
def test_the_rest_is_consistent_and_every_culprit_was_needed(
    ontology: Ontology, facts: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> None:
    kg = small_graph(facts, types)
    base = assemble(kg, ontology)
    if len(base.without(base.facts, base.types).saturate().clashing()):
        # Axioms about individuals may contradict each other without any fact.
        with pytest.raises(InconsistentOntologyError, match="no fact is to blame"):
            set_aside_culprits(base)
        return
    rest, saturation, aside = set_aside_culprits(base)
    assert not len(saturation.clashing())
    assert len(rest.facts) + len(rest.types) + len(aside) == len(base.facts) + len(base.types)
    assert bool(len(aside)) == bool(len(base.saturate().clashing()))
    everything = {
        frozenset(one) for sets in culprit_sets(base, base.saturate()).sets.values() for one in sets
    }
    named = {statement for one in everything for statement in one}
    assert {" ".join(triple) for triple in aside.triples} <= named
    assert {f"{entity} type {cls}" for entity, cls in aside.types} <= named


def test_codex_clashes_at_three_entities_through_five_triples(benchmarks: Path) -> None:
    folder = benchmarks / "codex-s"
    kg, table = read_folder(folder), read_schema_table(folder / "schema.tsv.xz")
    with pytest.raises(InconsistentOntologyError) as caught:
        close(kg, table)
    assert caught.value.n_clashing == 3
    aside = close(kg, table, set_aside=True).set_aside
    assert aside.clashing == ("Q15", "Q161806", "Q37")
    assert aside.triples == (
        ("Q148", "P530", "Q15"),
        ("Q161806", "P101", "Q150"),
        ("Q161806", "P1412", "Q150"),
        ("Q161806", "P37", "Q150"),
        ("Q76686", "P1412", "Q37"),
    )
    assert aside.complete


@pytest.mark.slow
def test_dbpedia_clashes_at_666_entities(benchmarks: Path) -> None:
    folder = benchmarks / "dbpedia77k"
    kg, table = read_folder(folder), read_schema_table(folder / "schema.tsv.xz")
    with pytest.raises(InconsistentOntologyError) as caught:
        close(kg, table)
    assert caught.value.n_clashing == 666
    closure = close(kg, table, set_aside=True)
    assert len(closure.set_aside.clashing) == 666
    assert not len(closure.saturation.clashing())
