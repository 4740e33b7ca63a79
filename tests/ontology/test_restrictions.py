"""Restrictions, lists and annotated axioms are axioms; undeclared individuals are entities."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from hybridkg.ontology.axioms import EquivalentClasses, InverseOf, SubClassOf
from hybridkg.ontology.expressions import And, Named, Some
from hybridkg.ontology.load import read_ontology

ENGINE = Path(__file__).parent.parent / "fixtures" / "reading" / "engine.ttl"
E = "http://engine.example/#"


def test_restrictions_lists_and_annotated_axioms_are_no_entities() -> None:
    found = read_ontology(ENGINE)
    assert found.facts == (
        (E + "cam", E + "drives", E + "inlet"),
        (E + "cam", E + "drives", E + "outlet"),
        (E + "coil", E + "inside", E + "inlet"),
    )
    assert found.individuals == tuple(E + n for n in ("cam", "coil", "inlet", "outlet"))
    assert len(found.types) == 4
    assert found.report.skipped == {
        "fact with an anonymous individual": 1,
        "type of an anonymous individual": 1,
    }
    names = (*found.individuals, *found.relations, *found.classes)
    assert not any(name.startswith("_:") or "w3.org" in name for name in names)


def test_nested_expressions_are_one_axiom_each() -> None:
    part = Named(E + "Part")
    inner = And((part, Some(E + "inside", part)))
    assert set(read_ontology(ENGINE).axioms) == {
        SubClassOf(Named(E + "Valve"), part),
        SubClassOf(Named(E + "Spring"), Some(E + "inside", inner)),
        EquivalentClasses((Named(E + "Driven"), And((part, Some(E + "drivenBy", part))))),
        InverseOf(E + "drivenBy", E + "drives"),
    }
    # The comment on an axiom is five statements.
    assert read_ontology(ENGINE).report.annotations == 5


def test_two_runs_print_the_same_bytes() -> None:
    command = [sys.executable, "-m", "hybridkg", "inspect", str(ENGINE), "--json"]
    first, second = (
        subprocess.run(command, capture_output=True, check=True, timeout=120).stdout
        for _ in range(2)
    )
    assert first == second
    reading = json.loads(first)["reading"]
    assert (reading["facts"], reading["types"], reading["skipped_anonymous"]) == (3, 4, 1)
    assert reading["listed"]["entities"] == [E + n for n in ("cam", "coil", "inlet", "outlet")]
    assert reading["listed"]["relations"] == [E + "drives", E + "inside"]
