"""Which nominals say more than is followed: by sets, as the definition reads, and many of them."""

from __future__ import annotations

import time

from hypothesis import given, settings
from hypothesis import strategies as st
from knowledge import FACTS, INCLUSIONS, POSITIVE_AXIOMS, TYPES, small_graph

from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.conditional_nominals import nominals_that_say_more
from hybridkg.ontology.document import Ontology
from hybridkg.ontology.load import ontology_of
from hybridkg.ontology.normal_form import TOP

WORLDS = st.lists(st.one_of(INCLUSIONS, INCLUSIONS, POSITIVE_AXIOMS), min_size=6, max_size=16)


def by_sets(closure: Closure) -> set[int]:
    normal, saturation = closure.base.normal, closure.saturation
    nodes = range(saturation.nodes.n_nodes)
    classes = [set(saturation.members.classes_of(node)) for node in nodes]
    links = [
        {tuple(pair) for pair in saturation.pairs(role).tolist()}
        for role in range(len(normal.roles))
        if role != normal.same_role
    ]
    found = set()
    for nominal, individual in normal.nominals:
        inside = [n for n in nodes[saturation.nodes.n_individuals :] if nominal in classes[n]]
        for node in inside:
            if classes[node] - classes[individual] - {TOP, nominal}:
                found.add(nominal)
            for pairs in links:
                ends = {target for source, target in pairs if source == node}
                if ends - set(inside) - {t for source, t in pairs if source == individual}:
                    found.add(nominal)
    return found


@settings(max_examples=60)
@given(WORLDS.map(ontology_of), FACTS, TYPES)
def test_a_nominal_says_more_where_a_node_inside_has_more(
    ontology: Ontology, facts: list[tuple[str, str, str]], types: list[tuple[str, str]]
) -> None:
    closure = close(small_graph(facts, types), ontology)
    found = nominals_that_say_more(closure.base.normal, closure.saturation)
    assert set(found) == by_sets(closure)


def test_many_nominals_over_many_links_are_looked_through_at_once() -> None:
    n = 20_000
    names = [f"e{number}" for number in range(n)]
    facts = [(names[i], "r", names[i * k % n]) for i in range(n) for k in (3, 5, 7)]
    kg = KnowledgeGraph.from_labels({"train": facts}, entities=names)
    leads = [
        ax.SubClassOf(ex.Named(f"C{i}"), ex.Some("s", ex.Nominal(names[i]))) for i in range(1_000)
    ]
    last = ax.Range("t", ex.Named("B"))
    leads += [ax.SubClassOf(ex.Named("C7"), ex.Some("t", ex.Nominal("e7"))), last]
    closure = close(kg, ontology_of(leads))
    started = time.process_time()
    found = nominals_that_say_more(closure.base.normal, closure.saturation)
    assert time.process_time() - started < 2
    nominals = dict(closure.base.normal.nominals)
    assert [closure.base.individuals[nominals[one]] for one in found] == ["e7"]
