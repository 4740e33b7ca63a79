"""Expressions that the normal form cannot say are names: what leads into one leads out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.close import close
from hybridkg.ontology.closure import Closure
from hybridkg.ontology.engines import EngineName
from hybridkg.ontology.load import ontology_of, read_ontology

A, B, C, D = map(ex.Named, "ABCD")


def classified(*axioms: ax.Axiom) -> Closure:
    ontology = ontology_of(list(axioms))
    return close(ontology.to_graph(), ontology)


@pytest.mark.parametrize("expression", [ex.Or((B, C)), ex.Not(B), ex.Or((B, ex.Not(C)))])
def test_what_is_below_an_expression_is_below_what_is_above_it(
    expression: ex.ClassExpression,
) -> None:
    into, out = ax.SubClassOf(A, expression), ax.SubClassOf(expression, D)
    for order in ([into, out], [out, into]):
        closure = classified(*order)
        assert ("A", "D") in closure.subsumptions()
        assert not closure.complete


def test_a_union_or_complement_is_not_more_than_a_name() -> None:
    # Below a union is not below its operands, nor is a class below the union of others.
    closure = classified(ax.SubClassOf(A, ex.Or((B, C))), ax.SubClassOf(D, ex.Not(B)))
    assert closure.subsumptions() == []
    # Either operand is below the union.
    closure = classified(ax.SubClassOf(A, ex.Or((B, C))), ax.SubClassOf(ex.Or((B, C)), D))
    assert closure.subsumptions() == [("A", "D"), ("B", "D"), ("C", "D")]


def test_a_complement_still_excludes() -> None:
    closure = classified(ax.SubClassOf(A, ex.Not(B)), ax.SubClassOf(A, B))
    assert closure.unsatisfiable_classes() == ("A",)


def test_values_of_data_properties_are_names_with_their_datatype(tmp_path: Path) -> None:
    path = tmp_path / "values.ttl"
    head = (
        "@prefix : <http://e.org/#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        ":age a owl:DatatypeProperty . :A a owl:Class . :B a owl:Class . :C a owl:Class .\n"
    )
    value = "[ a owl:Restriction ; owl:onProperty :age ; owl:hasValue {} ]"
    path.write_text(
        head
        + f":A rdfs:subClassOf {value.format('1')} .\n"
        + f"{value.format('1')} rdfs:subClassOf :B .\n"
        + value.format('"1"')
        + " rdfs:subClassOf :C .\n"
    )
    ontology = read_ontology(path).without_namespace("http://e.org/#")
    closure = close(ontology.to_graph(), ontology)
    assert closure.subsumptions() == [("A", "B")]


def test_the_empty_property_empties_what_needs_it() -> None:
    nothing = "http://www.w3.org/2002/07/owl#bottomObjectProperty"
    closure = classified(
        ax.SubPropertyOf("r", nothing),
        ax.SubClassOf(A, ex.Some("r", ex.Top())),
        ax.SubClassOf(B, ex.Some(nothing, ex.Top())),
        ax.SubClassOf(ex.Some(nothing, ex.Top()), C),
    )
    assert closure.unsatisfiable_classes() == ("A", "B")


@pytest.mark.parametrize("engine", ["matrix", "nemo"])
def test_what_everything_belongs_to_stands_above_thing(engine: EngineName) -> None:
    ontology = ontology_of([ax.SubClassOf(ex.Top(), A), ax.SubClassOf(A, B), ax.Domain("r", C)])
    found = close(ontology.to_graph(), ontology, engine=engine).subsumptions()
    assert {("Thing", "A"), ("Thing", "B"), ("C", "A"), ("B", "A")} <= set(found)
    assert ("Thing", "C") not in found
