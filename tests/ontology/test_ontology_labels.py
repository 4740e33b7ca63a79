"""Labels meet IRIs by stated rules and never by their last part."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest

from hybridkg.errors import ConfigError, MalformedRowsError, OntologyError
from hybridkg.graph.datasets import load_dataset
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.read import read_folder
from hybridkg.ontology.axioms import Domain, PropertyChain, Range, SubClassOf, Symmetric
from hybridkg.ontology.choose import ontology_for
from hybridkg.ontology.expressions import Named
from hybridkg.ontology.label_rules import namespaces_by_kind
from hybridkg.ontology.labels import join_ontology, match_words, read_iri_map
from hybridkg.ontology.load import ontology_of, read_ontology, read_schema_table
from hybridkg.ontology.namespaces import with_namespaces

X = "http://example.org/x#"
ONTOLOGY = ontology_of(
    [
        Domain(X + "owns", Named(X + "Person")),
        Range(X + "owns", Named(X + "Thing")),
        SubClassOf(Named(X + "Owner"), Named(X + "Person")),
        PropertyChain((X + "owns", X + "owns"), X + "ownsVia"),
    ]
)


def graph(*, relation: str = "owns", cls: str = "Person") -> KnowledgeGraph:
    return KnowledgeGraph.from_labels({"train": [("a", relation, "b")]}, types=[("a", cls)])


def test_equality_drops_angle_brackets() -> None:
    joined = join_ontology(ONTOLOGY, graph(relation=f"<{X}owns>", cls=f"<{X}Person>"))
    assert joined.matches["relation"].matched == 1
    assert joined.matches["relation"].rules == ("equality",)
    assert Domain(f"<{X}owns>", Named(f"<{X}Person>")) in joined.ontology.axioms


def test_a_last_part_in_common_is_no_match() -> None:
    with pytest.raises(OntologyError, match="no class of the graph") as caught:
        join_ontology(ONTOLOGY, graph())
    assert "'Person'" in str(caught.value)
    assert f"'{X}Owner'" in str(caught.value)
    with pytest.raises(OntologyError, match="no class"):
        join_ontology(ONTOLOGY, graph(), namespaces=["http://example.org/y#"])


def test_a_namespace_also_spells_names_that_the_graph_lacks() -> None:
    joined = join_ontology(ONTOLOGY, graph(), namespaces=[X])
    assert PropertyChain(("owns", "owns"), "ownsVia") in joined.ontology.axioms
    assert (joined.matches["class"].matched, joined.matches["class"].share) == (1, 1.0)
    apart = join_ontology(ONTOLOGY, graph(), namespaces=[f"class={X}", f"relation={X}"])
    assert apart.ontology == joined.ontology
    with pytest.raises(ConfigError, match="klass"):
        join_ontology(ONTOLOGY, graph(), namespaces=[f"klass={X}"])


def test_one_kind_of_name_has_one_namespace() -> None:
    assert namespaces_by_kind([X, "class=http://c/", X]) == {
        "entity": X,
        "class": "http://c/",
        "relation": X,
    }
    for two in ([X, "http://y/"], ["class=http://a/", "class=http://b/"]):
        with pytest.raises(ConfigError, match="expected one; give each kind its own"):
            namespaces_by_kind(two)
        with pytest.raises(ConfigError, match="expected one"):
            with_namespaces(graph(), two)
        with pytest.raises(ConfigError, match="expected one"):
            join_ontology(ONTOLOGY, graph(), namespaces=two)
    for empty in ("", "class="):
        with pytest.raises(ConfigError, match="expected an IRI for all names"):
            namespaces_by_kind([empty])


def test_a_namespace_through_which_nothing_meets_is_refused_where_others_meet() -> None:
    kg = graph(relation=X + "owns", cls=X + "Person")
    assert ontology_for(kg, ONTOLOGY).matches["class"].matched == 1
    with pytest.raises(OntologyError, match="'http://wrong/' brings no name of the graph"):
        ontology_for(kg, ONTOLOGY, namespaces=["http://wrong/"])
    with pytest.raises(OntologyError, match="'http://wrong/' brings no name of the graph"):
        ontology_for(load_dataset("academic"), namespaces=["http://wrong/"])
    # The ontology has no individuals, so nothing can be said against their namespace.
    ontology_for(graph(), ONTOLOGY, namespaces=[f"class={X}", f"relation={X}", "entity=http://e/"])


def test_names_that_the_ontology_lacks_altogether_are_no_failed_share() -> None:
    joined = join_ontology(ONTOLOGY, graph(), namespaces=[X])
    said = [match_words(kind, asdict(match)) for kind, match in joined.matches.items()]
    assert said == [
        "entity none (the ontology names no individual)",
        "class 1 of 1",
        "relation 1 of 1",
    ]


def test_the_table_beside_the_triples_may_be_named_as_ontology(tmp_path: Path) -> None:
    (tmp_path / "train.tsv").write_text("a\towns\tb\n")
    (tmp_path / "schema.tsv").write_text("symmetric\towns\t\n")
    kg = read_folder(tmp_path)
    joined = ontology_for(kg, tmp_path / "schema.tsv")
    assert joined == ontology_for(kg)
    assert joined.ontology.axioms == (Symmetric("owns"),)


def test_a_map_joins_any_spelling(tmp_path: Path) -> None:
    path = tmp_path / "map.tsv"
    path.write_text(f"besitzt\t{X}owns\nMensch\t<{X}Person>\n", encoding="utf-8")
    joined = join_ontology(
        ONTOLOGY, graph(relation="besitzt", cls="Mensch"), iri_map=read_iri_map(path)
    )
    assert Domain("besitzt", Named("Mensch")) in joined.ontology.axioms
    path.write_text("one\nb\tI\nb\tJ\n", encoding="utf-8")
    with pytest.raises(MalformedRowsError) as caught:
        read_iri_map(path)
    assert [number for number, _ in caught.value.rows] == [1, 3]


def test_two_labels_for_one_iri_are_refused() -> None:
    kg = KnowledgeGraph.from_labels(
        {"train": [("a", X + "owns", "b"), ("a", f"<{X}owns>", "b")]}, types=[("a", X + "Person")]
    )
    with pytest.raises(OntologyError, match="both mean"):
        join_ontology(ONTOLOGY, kg)


def test_the_folders_table_shows_the_rule() -> None:
    table = ontology_of(
        [Domain("/x/owns", Named("x/Person")), SubClassOf(Named("x/Owner"), Named("x/Person"))]
    )
    dotted = ontology_of(
        [
            Domain("http://ns/x.owns", Named("http://ns/x.Person")),
            SubClassOf(Named("http://ns/x.Owner"), Named("http://ns/x.Person")),
        ]
    )
    kg = graph(relation="/x/owns", cls="x/Person")
    assert join_ontology(dotted, kg, schema_table=table).ontology.axioms == table.axioms
    with pytest.raises(OntologyError, match="expected one"):
        join_ontology(ONTOLOGY, kg, schema_table=table)


def test_a_table_with_an_axiom_the_ontology_lacks_is_refused() -> None:
    table = ontology_of([Range("owns", Named("Person"))])
    with pytest.raises(OntologyError, match="0 rules"):
        join_ontology(ONTOLOGY, graph(), schema_table=table)


@pytest.mark.parametrize(
    "folder", ["codex-s", "dbpedia77k", "fb15k-237", "nell-995", "yago4-19k", "kg20c", "edukg"]
)
def test_tables_and_ontologies_of_real_folders_say_the_same(benchmarks: Path, folder: str) -> None:
    table = read_schema_table(benchmarks / folder / "schema.tsv.xz")
    name = "educonto.owl" if folder == "edukg" else "schema.ttl"
    kg = KnowledgeGraph.from_labels(
        {"train": [("a", relation, "b") for relation in table.relations]},
        types=[("a", cls) for cls in table.classes],
    )
    joined = join_ontology(read_ontology(benchmarks / folder / name), kg, schema_table=table)
    assert set(joined.ontology.axioms) == set(table.axioms)
    assert joined.matches["relation"].share == 1.0
