"""Class expressions and axioms of individuals, from Turtle and from functional syntax."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridkg.ontology import axioms as ax
from hybridkg.ontology import expressions as ex
from hybridkg.ontology.load import read_ontology

N = "http://n.example/"
HEAD = f"""@prefix : <{N}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
A, B = ex.Named(N + "A"), ex.Named(N + "B")
SOME_B, R = ex.Some(N + "r", B), f"{N}r"
EXPRESSIONS = [
    (
        "[ owl:oneOf ( :i :j ) ]",
        "ObjectOneOf(:i :j)",
        ex.Or((ex.Nominal(N + "i"), ex.Nominal(N + "j"))),
    ),
    ("[ owl:oneOf ( :i ) ]", "ObjectOneOf(:i)", ex.Nominal(N + "i")),
    (
        "[ owl:onProperty :r ; owl:hasValue :i ]",
        "ObjectHasValue(:r :i)",
        ex.Some(R, ex.Nominal(N + "i")),
    ),
    ("[ owl:onProperty :r ; owl:hasSelf true ]", "ObjectHasSelf(:r)", ex.HasSelf(R)),
    (
        "[ owl:onProperty :r ; owl:minCardinality 1 ]",
        "ObjectMinCardinality(1 :r)",
        ex.Some(R, ex.Top()),
    ),
    (
        "[ owl:onProperty :r ; owl:minQualifiedCardinality 1 ; owl:onClass :B ]",
        "ObjectMinCardinality(1 :r :B)",
        SOME_B,
    ),
    (
        "[ owl:onProperty :r ; owl:maxQualifiedCardinality 0 ; owl:onClass :B ]",
        "ObjectMaxCardinality(0 :r :B)",
        ex.Not(SOME_B),
    ),
    (
        "[ owl:complementOf [ owl:unionOf ( :A :B ) ] ]",
        "ObjectComplementOf(ObjectUnionOf(:A :B))",
        ex.Not(ex.Or((A, B))),
    ),
    (
        "[ owl:onProperty :r ; owl:maxCardinality 2 ]",
        "ObjectMaxCardinality(2 :r)",
        ex.OtherExpression("maxCardinality", f"({R} maxCardinality 2)"),
    ),
    (
        "[ owl:onProperty :r ; owl:qualifiedCardinality 3 ; owl:onClass :B ]",
        "ObjectExactCardinality(3 :r :B)",
        ex.OtherExpression("qualifiedCardinality", f"({R} qualifiedCardinality 3 {N}B)"),
    ),
    (
        "[ owl:onProperty :r ; owl:allValuesFrom :B ]",
        "ObjectAllValuesFrom(:r :B)",
        ex.OtherExpression("allValuesFrom", f"({R} allValuesFrom {N}B)"),
    ),
    (
        "[ owl:onProperty [ owl:inverseOf :r ] ; owl:someValuesFrom :B ]",
        "ObjectSomeValuesFrom(ObjectInverseOf(:r) :B)",
        ex.OtherExpression("someValuesFrom", f"(inverse of {R} someValuesFrom {N}B)"),
    ),
    (
        "[ owl:onProperty :d ; owl:someValuesFrom xsd:int ] . :d a owl:DatatypeProperty",
        "DataSomeValuesFrom(:d <http://www.w3.org/2001/XMLSchema#int>)",
        ex.OtherExpression(
            "someValuesFrom", f"({N}d someValuesFrom http://www.w3.org/2001/XMLSchema#int)"
        ),
    ),
    (
        '[ owl:onProperty :d ; owl:hasValue "x" ] . :d a owl:DatatypeProperty',
        'DataHasValue(:d "x")',
        ex.OtherExpression("hasValue", f'({N}d hasValue "x")', is_whole=True),
    ),
]
AXIOMS = [
    (":i owl:sameAs :j", "SameIndividual(:i :j)", ax.SameIndividuals((N + "i", N + "j"))),
    (
        ":i owl:differentFrom :j",
        "DifferentIndividuals(:i :j)",
        ax.DifferentIndividuals((N + "i", N + "j")),
    ),
    (
        "[] a owl:AllDifferent ; owl:distinctMembers ( :i :j :k )",
        "DifferentIndividuals(:i :j :k)",
        ax.DifferentIndividuals((N + "i", N + "j", N + "k")),
    ),
    (
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :i ; owl:assertionProperty :r ;"
        " owl:targetIndividual :j",
        "NegativeObjectPropertyAssertion(:r :i :j)",
        ax.NegativeFact(N + "i", R, N + "j"),
    ),
    (
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :i ; owl:targetIndividual :j ;"
        " owl:assertionProperty [ owl:inverseOf :r ]",
        "NegativeObjectPropertyAssertion(ObjectInverseOf(:r) :i :j)",
        ax.NegativeFact(N + "j", R, N + "i"),
    ),
    (
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :i ; owl:assertionProperty :d ;"
        ' owl:targetValue "5" . :d a owl:DatatypeProperty',
        'NegativeDataPropertyAssertion(:d :i "5")',
        ax.OtherAxiom("negative assertion", f"not: {N}i {N}d 5"),
    ),
    (
        ":r owl:propertyChainAxiom ( :s :t )",
        "SubObjectPropertyOf(ObjectPropertyChain(:s :t) :r)",
        ax.PropertyChain((N + "s", N + "t"), R),
    ),
    (
        "[] a owl:AllDisjointProperties ; owl:members ( :r :s :t )",
        "DisjointObjectProperties(:r :s :t)",
        ax.DisjointProperties((R, N + "s", N + "t")),
    ),
    (":A owl:hasKey ( :r )", "HasKey(:A (:r) ())", ax.OtherAxiom("hasKey", f"{N}A hasKey {R}")),
    (":r a owl:ReflexiveProperty", "ReflexiveObjectProperty(:r)", ax.Reflexive(R)),
    (
        ":d a owl:DatatypeProperty ; rdfs:subPropertyOf :e . :e a owl:DatatypeProperty",
        "SubDataPropertyOf(:d :e)",
        ax.OtherAxiom("subPropertyOf", f"{N}d subPropertyOf {N}e"),
    ),
    (
        "[ owl:inverseOf :r ] rdfs:subPropertyOf :s",
        "SubObjectPropertyOf(ObjectInverseOf(:r) :s)",
        ax.OtherAxiom("subPropertyOf", f"inverse of {R} subPropertyOf {N}s"),
    ),
    (
        ":i a [ owl:onProperty :r ; owl:someValuesFrom :B ]",
        "ClassAssertion(ObjectSomeValuesFrom(:r :B) :i)",
        ax.Assertion(N + "i", SOME_B),
    ),
    (
        "[] a <http://www.w3.org/2003/11/swrl#Imp> ; <http://www.w3.org/2003/11/swrl#body> ( [ a"
        " <http://www.w3.org/2003/11/swrl#ClassAtom> ; <http://www.w3.org/2003/11/swrl#"
        "classPredicate> :A ] ) ; <http://www.w3.org/2003/11/swrl#head> ( [ a <http://www.w3.org/"
        "2003/11/swrl#ClassAtom> ; <http://www.w3.org/2003/11/swrl#classPredicate> :B ] )",
        "DLSafeRule(Body(ClassAtom(:A Variable(:x))) Head(ClassAtom(:B Variable(:x))))",
        ax.OtherAxiom("SWRL rule", f"SWRL rule {N}A -> {N}B"),
    ),
]


def axioms(folder: Path, text: str, name: str) -> tuple[ax.Axiom, ...]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    found = read_ontology(path)
    assert found.facts == ()
    assert found.report.skipped == {}
    return found.axioms


@pytest.mark.parametrize(("turtle", "functional", "expected"), EXPRESSIONS)
def test_expressions_are_the_same_in_both_syntaxes(
    tmp_path: Path, turtle: str, functional: str, expected: ex.ClassExpression
) -> None:
    wanted = (ax.SubClassOf(A, expected),)
    assert axioms(tmp_path, f"{HEAD}:A rdfs:subClassOf {turtle} .", "one.ttl") == wanted
    text = f"Prefix(:=<{N}>) Ontology(SubClassOf(:A {functional}))"
    assert axioms(tmp_path, text, "one.ofn") == wanted


@pytest.mark.parametrize(("turtle", "functional", "expected"), AXIOMS)
def test_axioms_are_the_same_in_both_syntaxes(
    tmp_path: Path, turtle: str, functional: str, expected: ax.Axiom
) -> None:
    assert axioms(tmp_path, f"{HEAD}{turtle} .", "one.ttl") == (expected,)
    text = f"Prefix(:=<{N}>) Ontology({functional})"
    assert axioms(tmp_path, text, "one.ofn") == (expected,)


def test_an_assertion_with_an_inverse_is_the_fact_turned_round(tmp_path: Path) -> None:
    path = tmp_path / "one.ofn"
    path.write_text(
        f"Prefix(:=<{N}>) Ontology(ObjectPropertyAssertion(ObjectInverseOf(:r) :i :j)"
        ' AnnotationAssertion(:note :i :j) DataPropertyAssertion(:d :i "x"@en)'
        ' SubClassOf(Annotation(:note "why") :A :B) ClassAssertion(:A _:x))'
    )
    found = read_ontology(path)
    assert found.facts == ((N + "j", R, N + "i"),)
    report = found.report
    assert (report.literals, report.annotations) == (1, 1 + 5)
    assert report.skipped == {"type of an anonymous individual": 1}


def test_what_is_said_of_classes_and_the_document_is_no_fact(tmp_path: Path) -> None:
    path = tmp_path / "one.ttl"
    path.write_text(
        HEAD
        + f"""<{N}> a owl:Ontology ; :creator :ada .
:A a owl:Class ; :subset :slim ; :code "x" . :r a owl:ObjectProperty ; :subset :slim .
:note a owl:AnnotationProperty ; rdfs:subPropertyOf rdfs:comment ; rdfs:range :B .
:i :note :j ; :r :j . :punned a owl:Class , :A ; :linked :i .
""",
        encoding="utf-8",
    )
    found = read_ontology(path)
    assert found.facts == ((N + "i", R, N + "j"), (N + "punned", N + "linked", N + "i"))
    assert found.axioms == ()
    assert found.report.annotations == 7
