"""``closure`` and ``explain`` on real data, where the folder of benchmarks is there."""

from __future__ import annotations

import json
import lzma
from collections import Counter
from pathlib import Path

import pytest

from hybridkg.graph.read import read_folder
from hybridkg.ontology.choose import ontology_for
from hybridkg.ontology.close import close
from hybridkg.ontology.held_out import contradictions
from hybridkg.ontology.proof_steps import Link

EDUC = "http://purl.org/educonto/"
COUNTS = ("facts", "types", "axioms", "declarations", "literals", "annotations")


def rows_of(path: Path) -> list[tuple[str, ...]]:
    return [tuple(line.rstrip("\n").split("\t")) for line in lzma.open(path, "rt").readlines()]


def test_codex_stops_at_five_triples_and_goes_on(hybridkg_command, benchmarks: Path) -> None:
    folder = benchmarks / "codex-s"
    code, out, err = hybridkg_command(
        "closure", folder / "schema.ttl", folder, "--json", "--all-culprits"
    )
    assert code == 3
    document = json.loads(out)
    assert sorted(document["clashing"]) == ["Q15", "Q161806", "Q37"]
    assert len(document["triples"]) == 5
    assert document["culprits_complete"] is True
    assert "Q148 P530 Q15" in err
    code, out, _ = hybridkg_command(
        "closure", folder / "schema.ttl", folder, "--json", "--set-aside-culprits"
    )
    assert code == 0
    held = {one["name"]: one for one in json.loads(out)["held_out"]}
    symmetric = {"P530", "P451", "P26", "P3373"}
    train = set(rows_of(folder / "train.tsv.xz"))
    aside = {tuple(one) for one in document["triples"]}
    for split, n in (("test", 254), ("valid", 285)):
        follows = [
            (h, r, t)
            for h, r, t in rows_of(folder / f"{split}.tsv.xz")
            if r in symmetric and (t, r, h) in train - aside
        ]
        assert (held[split]["entailed"], held[split]["kinds"]) == (n, {"symmetric": n})
        assert {tuple(one["triple"]) for one in held[split]["entailed_rows"]} == set(follows)


def test_edukg_counts_add_up_and_students_are_persons(hybridkg_command, benchmarks: Path) -> None:
    folder = benchmarks / "edukg"
    code, out, _ = hybridkg_command("closure", folder / "educonto.owl", folder, "--json")
    assert code == 0
    document = json.loads(out)
    entry = document["files"][0]
    parts = sum(entry[name] for name in COUNTS) + sum(entry["skipped"].values())
    assert entry["statements"] == parts == 331
    typed = rows_of(folder / "types.tsv.xz")
    students = {entity for entity, cls in typed if cls == EDUC + "HighSchoolStudent"}
    train = rows_of(folder / "train.tsv.xz")
    # A domain below Person, or Person itself, makes each subject of such a relation a person.
    assert document["classes"][EDUC + "Person"]["new"] == 3_583
    subjects = {h for h, _, _ in train} & students
    code, out, _ = hybridkg_command(
        "explain", folder / "educonto.owl", folder, min(subjects), "type", EDUC + "Person"
    )
    assert code == 0
    assert ": entailed" in out
    assert "[domain: " in out


@pytest.mark.slow
def test_dbpedia_stops_at_666_individuals_and_goes_on(hybridkg_command, benchmarks: Path) -> None:
    folder = benchmarks / "dbpedia77k"
    code, out, err = hybridkg_command("closure", folder / "schema.ttl", folder)
    assert code == 3
    assert "directly clashing individuals: 666" in out
    assert out.count("one minimal culprit set:") == 1
    assert "--set-aside-culprits" in err
    code, out, _ = hybridkg_command(
        "closure", folder / "schema.ttl", folder, "--json", "--all-culprits"
    )
    document = json.loads(out)
    assert (code, len(document["culprits_of"])) == (3, 666)
    assert document["culprits_complete"] is True
    code, out, _ = hybridkg_command(
        "closure", folder / "schema.ttl", folder, "--json", "--set-aside-culprits"
    )
    assert code == 0
    assert len(json.loads(out)["set_aside_culprits"]["clashing"]) == 666


@pytest.mark.slow
def test_the_table_of_verdicts_agrees_with_the_exact_what_if(benchmarks: Path) -> None:
    folder = benchmarks / "codex-s"
    kg = read_folder(folder)
    closure = close(kg, ontology_for(kg), set_aside=True)
    negatives = [
        row for name in ("valid", "test") for row in rows_of(folder / f"{name}_negatives.tsv.xz")
    ]
    turned = [(t, r, h) for h, r, t in negatives]
    role_of = closure.base.role_of.tolist()
    asked = [
        link
        for h, r, t in kg.ids([*negatives, *turned]).tolist()
        if not closure.derivations.holds(link := Link(role_of[r], h, t))
    ]
    found = contradictions(closure, asked)
    assert found == contradictions(closure, asked, table_from=len(asked) + 1)
    assert Counter(found)[True] > 500
