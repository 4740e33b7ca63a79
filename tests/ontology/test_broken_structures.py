"""Lists and class expressions that are broken: refused where they run in circles, else counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridkg.errors import OntologyError
from hybridkg.ontology.axioms import DisjointClasses
from hybridkg.ontology.expressions import Named
from hybridkg.ontology.load import read_ontology

N = "http://garden.example/"
HEAD = f"""@prefix : <{N}> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:rose :near :pond .
"""


def garden(folder: Path, text: str) -> Path:
    path = folder / "garden.ttl"
    path.write_text(HEAD + text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            ":Rose rdfs:subClassOf [ owl:unionOf _:l ] . _:l rdf:first :Bed ; rdf:rest _:l .",
            f"a list below '{N}Rose' leads back to itself",
        ),
        (
            "[] a owl:AllDisjointClasses ; owl:members :l . :l rdf:first :Bed ; rdf:rest :l .",
            f"a list at '{N}l' leads back to itself",
        ),
        (
            ":Rose rdfs:subClassOf _:x . _:x owl:onProperty :near ; owl:someValuesFrom _:x .",
            f"a class expression below '{N}Rose' leads back to itself",
        ),
        (
            ":Rose rdfs:subClassOf _:x . _:x owl:onProperty :near ; owl:allValuesFrom _:x .",
            f"a class expression below '{N}Rose' leads back to itself",
        ),
        (
            "_:x owl:complementOf [ owl:complementOf _:x ] ; rdfs:subClassOf :Rose .",
            "a class expression of blank nodes only leads back to itself",
        ),
        (
            ":Rose rdfs:subClassOf _:n0 . "
            + " ".join(f"_:n{n} owl:complementOf _:n{n + 1} ." for n in range(2_000)),
            f"below '{N}Rose' is nested more than 100 deep",
        ),
        (
            ":Rose rdfs:subClassOf " + "[ owl:complementOf " * 2_000 + ":Bed" + " ]" * 2_000 + " .",
            "nested more than 100 deep",
        ),
    ],
)
def test_what_runs_in_a_circle_is_refused_with_file_and_node(
    tmp_path: Path, text: str, words: str
) -> None:
    path = garden(tmp_path, text)
    with pytest.raises(OntologyError) as caught:
        read_ontology(path)
    assert words in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (":Rose owl:disjointUnionOf :Bed .", "disjointUnionOf with something that is no list"),
        ("[] a owl:AllDisjointClasses .", "AllDisjointClasses with something that is no list"),
        (
            ":far owl:propertyChainAxiom [ rdf:first :near ] .",
            "propertyChainAxiom with something that is no list",
        ),
        (
            ":Rose rdfs:subClassOf [ owl:unionOf [ rdf:first :Bed ; rdf:rest :Bed ] ] .",
            "subClassOf with a list that breaks off",
        ),
        (":Rose owl:hasKey :near .", "hasKey with something that is no list"),
    ],
)
def test_an_axiom_over_what_is_no_list_is_skipped_and_counted(
    tmp_path: Path, text: str, reason: str
) -> None:
    ontology = read_ontology(garden(tmp_path, text + " :Rose owl:disjointWith :Pond ."))
    assert ontology.axioms == (DisjointClasses((Named(N + "Rose"), Named(N + "Pond"))),)
    assert ontology.report.skipped == {reason: 1}
    report = ontology.report
    assert report.statements == report.facts + report.axioms + 1


def test_an_expression_that_is_used_twice_is_no_circle(tmp_path: Path) -> None:
    text = """_:x owl:onProperty :near ; owl:someValuesFrom :Pond .
:Rose rdfs:subClassOf [ owl:intersectionOf ( _:x _:x ) ] . :Bed rdfs:subClassOf _:x ."""
    assert read_ontology(garden(tmp_path, text)).kinds == {"SubClassOf": 2}
