"""``closure`` and ``explain`` on small worlds whose answers are worked out here, and by hand."""

from __future__ import annotations

import json
import shutil
from itertools import product
from pathlib import Path

import pytest

HEAD = """@prefix : <http://w.example/t#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""
NAMESPACE = "http://w.example/t#"

# A workshop: two masters, of whom one teaches a master only.
WORKSHOP = (
    HEAD
    + """
:Master a owl:Class ; rdfs:subClassOf :Maker ,
  [ a owl:Restriction ; owl:onProperty :teaches ; owl:someValuesFrom :Apprentice ] .
:Apprentice a owl:Class . :Maker a owl:Class . :Bowl a owl:Class .
:teaches a owl:ObjectProperty .
:made a owl:ObjectProperty ; rdfs:domain :Maker ; rdfs:range :Bowl .
:grandTeacher a owl:ObjectProperty ; owl:propertyChainAxiom ( :teaches :teaches ) .
"""
)
TAUGHT = "ada teaches bea; bea teaches cleo; cleo teaches dora; ada made b1; cleo made b2"
KINDS = "ada Master; bea Master; cleo Apprentice; dora Apprentice; b1 Bowl; b2 Bowl"


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    (tmp_path / "workshop.ttl").write_text(WORKSHOP)
    table(tmp_path / "facts.tsv", TAUGHT)
    table(tmp_path / "kinds.tsv", KINDS)
    table(tmp_path / "asked.tsv", "bea made b1; ada grandTeacher cleo; b1 teaches zed")
    return tmp_path


def table(path: Path, text: str) -> None:
    path.write_text("".join("\t".join(row.split()) + "\n" for row in text.split(";")))


def inputs(folder: Path) -> list[object]:
    types = ["--types-file", folder / "kinds.tsv", "--namespace", NAMESPACE]
    return [folder / "workshop.ttl", folder / "facts.tsv", *types]


def rows(text: str) -> set[tuple[str, ...]]:
    return {tuple(row.split()) for row in text.split(";")}


def test_closure_adds_what_a_reader_of_the_axioms_would_add(
    hybridkg_command, workshop: Path
) -> None:
    code, out, _ = hybridkg_command(
        "closure", *inputs(workshop), "--held-out", workshop / "asked.tsv", "--json",
        "--out", workshop / "out",
    )  # fmt: skip
    assert code == 0
    document = json.loads(out)
    facts, kinds = rows(TAUGHT), rows(KINDS)
    grand = {
        (a, "grandTeacher", d)
        for (a, r, b), (c, s, d) in product(facts, facts)
        if b == c and r == s == "teaches"
    }
    makers = {a for a, r, _ in facts if r == "made"} | {a for a, k in kinds if k == "Master"}
    written = {
        name: [
            tuple(line.split("\t")) for line in (workshop / "out" / name).read_text().splitlines()
        ]
        for name in ("entailed_facts.tsv", "entailed_types.tsv", "held_out.tsv")
    }
    assert set(written["entailed_facts.tsv"]) == grand
    assert set(written["entailed_types.tsv"]) == {(one, "Maker") for one in makers}
    assert document["entailed_facts"] == {"entailed": len(facts | grand), "new": len(grand)}
    assert document["classes"]["Maker"]["new"] == len(makers)
    assert document["complete"] is True
    held = document["held_out"][0]
    verdicts = {tuple(row[:3]): tuple(row[4:6]) for row in written["held_out.tsv"][1:]}
    assert verdicts == {
        ("bea", "made", "b1"): ("undetermined", ""),
        ("ada", "grandTeacher", "cleo"): ("entailed", "chain"),
        ("b1", "teaches", "zed"): ("undetermined", ""),
    }
    assert held["unknown_names"] == ["entity 'zed'"]
    assert "proof 1: ada grandTeacher cleo is entailed" in (workshop / "out/proofs.txt").read_text()
    assert {one["filler"]: one["anonymous_examples"] for one in document["witnesses"]} == {
        "Apprentice": ["ada"]
    }
    assert sorted(Path(path).name for path in document["written"]) == sorted(
        path.name for path in (workshop / "out").iterdir()
    )


def test_a_second_run_leaves_nothing_of_the_first(hybridkg_command, workshop: Path) -> None:
    out = workshop / "out"
    asked = ["--held-out", workshop / "asked.tsv"]
    hybridkg_command("closure", *inputs(workshop), *asked, "--out", out)
    assert {"held_out.tsv", "proofs.txt"} < {path.name for path in out.iterdir()}
    (out / "notes.md").write_text("mine")
    _, text, _ = hybridkg_command("closure", *inputs(workshop), "--out", out, "--json")
    written = {Path(path).name for path in json.loads(text)["written"]}
    assert not {"held_out.tsv", "proofs.txt"} & written
    assert {path.name for path in out.iterdir()} == {*written, "notes.md"}


def test_tables_list_what_is_new_and_who_bears_it_out(hybridkg_command, tmp_path: Path) -> None:
    (tmp_path / "t.ttl").write_text(
        HEAD
        + """:near a owl:SymmetricProperty . :Oak rdfs:subClassOf :Tree ,
  [ a owl:Restriction ; owl:onProperty :near ; owl:someValuesFrom :Tree ] .
:b a :Oak ; :near :c , :a . :a a :Oak . :c a :Oak . :d a :Oak ."""
    )
    code, _, _ = hybridkg_command("closure", tmp_path / "t.ttl", "--namespace", NAMESPACE,
                                  "--out", tmp_path / "out")  # fmt: skip
    assert code == 0
    lines = {
        name: (tmp_path / "out" / f"{name}.tsv").read_text().splitlines()
        for name in ("entailed_facts", "entailed_types", "witnesses")
    }
    assert lines["entailed_facts"] == ["a\tnear\tb", "c\tnear\tb"]
    assert lines["entailed_types"] == [f"{one}\tTree" for one in "abcd"]
    assert lines["witnesses"] == [
        "entity\trelation\tfiller\tstatus\tnamed witnesses",
        "a\tnear\tTree\tnamed\tb",
        "b\tnear\tTree\tnamed\ta, c",
        "c\tnear\tTree\tnamed\tb",
        "d\tnear\tTree\tanonymous\t",
    ]


def test_the_text_names_things_in_the_promised_order(hybridkg_command, workshop: Path) -> None:
    code, out, _ = hybridkg_command(
        "closure", *inputs(workshop), "--held-out", workshop / "asked.tsv"
    )
    assert code == 0
    parts = [
        "facts.tsv: 5 rows",
        "names of the graph that the ontology has too: ",
        "unsatisfiable classes: none",
        "empty relations: none",
        "engine: matrix engine: ",
        "entailed types: 9, 3 of them new",
        "entailed facts: 7, 2 of them new",
        "3 rows = 0 asserted + 1 entailed + 0 inconsistent + 2 undetermined; leaks: 1 chain",
        "existential witnesses",
        "axioms not used: none",
    ]
    assert [out.find(part) for part in parts] == sorted(out.find(part) for part in parts)
    assert all(part in out for part in parts)


def test_what_was_derived_can_be_read_again_and_adds_nothing(
    hybridkg_command, workshop: Path
) -> None:
    hybridkg_command("closure", *inputs(workshop), "--out", workshop / "out")
    again = [
        workshop / "workshop.ttl", workshop / "facts.tsv", workshop / "out/entailed_facts.tsv",
        "--types-file", workshop / "kinds.tsv", "--namespace", NAMESPACE, "--json",
    ]  # fmt: skip
    _, out, _ = hybridkg_command("closure", *again)
    assert json.loads(out)["entailed_facts"]["new"] == 0


@pytest.mark.parametrize(
    ("statement", "sets"),
    [
        ("ada grandTeacher cleo", [{"ada teaches bea", "bea teaches cleo",
                                    "teaches o teaches subPropertyOf grandTeacher"}]),
        ("ada type Maker", [{"ada made b1", "made domain Maker"},
                            {"ada type Master", "Master subClassOf Maker"}]),
        ("bea rdf:type Maker", [{"bea type Master", "Master subClassOf Maker"}]),
        ("cleo a Maker", [{"cleo made b2", "made domain Maker"}]),
    ],
)  # fmt: skip
def test_explain_gives_a_tree_and_all_minimal_justifications(
    hybridkg_command, workshop: Path, statement: str, sets: list[set[str]]
) -> None:
    arguments = [*inputs(workshop), *statement.split(), "--all"]
    code, out, _ = hybridkg_command("explain", *arguments, "--json")
    assert code == 0
    document = json.loads(out)
    assert document["verdict"] == "entailed"
    assert sorted(map(sorted, document["justifications"])) == sorted(map(sorted, sets))
    code, out, _ = hybridkg_command("explain", *arguments)
    lines = out.splitlines()
    assert lines[0].endswith(": entailed")
    assert lines[2].endswith("workshop.ttl)]")
    assert all(line.startswith("  ") and "[asserted, " in line for line in lines[3:4])


@pytest.mark.parametrize(
    ("who", "status"), [("ada", "anonymous"), ("bea", "named"), ("cleo", "named"), ("b1", "none")]
)
def test_a_witness_is_named_or_anonymous_or_none(
    hybridkg_command, workshop: Path, who: str, status: str
) -> None:
    arguments = [*inputs(workshop), who, "teaches", "some Apprentice", "--json"]
    code, out, _ = hybridkg_command("explain", *arguments)
    assert code == 0
    assert json.loads(out)["witness"]["status"] == status


def test_explain_says_what_is_missing_and_asks_the_rules(hybridkg_command, workshop: Path) -> None:
    (workshop / "rules.txt").write_text("made(X,Y) <= teaches(X,A), made(A,Y)\n")
    code, out, _ = hybridkg_command(
        "explain", *inputs(workshop), "bea", "made", "b2", "--rules", workshop / "rules.txt"
    )
    assert code == 0
    assert "bea made b2: undetermined" in out
    assert "(exact)" in out
    assert "no axiom that is used concludes it" in out
    assert "through bea teaches cleo; cleo made b2" in out
    _, out, _ = hybridkg_command("explain", *inputs(workshop), "ada", "grandTeacher", "dora")
    assert "teaches o teaches subPropertyOf grandTeacher" in out
    assert "missing: something that is in both places" in out
    _, out, _ = hybridkg_command("explain", *inputs(workshop), "dora", "type", "Maker")
    assert "missing: dora type Master" in out
    assert "missing: dora made something" in out


def test_unknown_names_are_refused_with_close_ones(hybridkg_command, workshop: Path) -> None:
    for statement, said in (
        ("adda teaches bea", "unknown entity 'adda'; did you mean 'ada'?"),
        ("ada teaxhes bea", "unknown relation 'teaxhes'; did you mean 'teaches'?"),
        ("ada type Mister", "unknown class 'Mister'; did you mean 'Master'?"),
    ):
        code, out, err = hybridkg_command("explain", *inputs(workshop), *statement.split())
        assert (code, out) == (2, "")
        assert said in err
    table(workshop / "other.tsv", "ada likes bea; bea likes ada")
    code, _, err = hybridkg_command(
        "closure", *inputs(workshop), "--held-out", workshop / "other.tsv"
    )
    assert code == 2
    assert "unknown relation 'likes'" in err
    assert "no row of" in err
    code, _, err = hybridkg_command("explain", workshop / "workshop.ttl", "ada", "teaches")
    assert code == 2
    assert "expected ONTOLOGY" in err


def test_full_iris_and_labels_name_the_same(hybridkg_command, workshop: Path) -> None:
    spelled = [f"{NAMESPACE}ada", f"<{NAMESPACE}grandTeacher>", "cleo"]
    code, out, _ = hybridkg_command("explain", *inputs(workshop), *spelled, "--json")
    assert code == 0
    assert json.loads(out)["statement"] == "ada grandTeacher cleo"


# Kitchen staff: an inverse, a symmetric, a sub- and a transitive relation, and disjoint classes.
STAFF = (
    HEAD
    + """
:hires owl:inverseOf :worksAt . :marriedTo a owl:SymmetricProperty .
:leads rdfs:subPropertyOf :worksAt . :within a owl:TransitiveProperty .
:worksAt rdfs:domain :Cook ; rdfs:range :Inn . :Cook owl:disjointWith :Inn .
"""
)


def test_each_held_out_row_has_its_verdict_and_kind_of_leak(
    hybridkg_command, tmp_path: Path
) -> None:
    (tmp_path / "staff.ttl").write_text(STAFF)
    data = tmp_path / "staff"
    data.mkdir()
    table(
        data / "train.tsv",
        "una worksAt mill; vid marriedTo una; wil leads dock; bay within cove; cove within sea;"
        "mill hires vid; una worksAt mill",
    )
    table(
        data / "test.tsv",
        "mill hires una; una marriedTo vid; wil worksAt dock; bay within sea; una worksAt mill;"
        "mill worksAt dock; vid worksAt dock; xen worksAt dock",
    )
    arguments = ["closure", tmp_path / "staff.ttl", data, "--namespace", NAMESPACE]
    code, out, _ = hybridkg_command(*arguments, "--json", "--out", tmp_path / "out")
    assert code == 0
    held = json.loads(out)["held_out"][0]
    kinds = {" ".join(one["triple"]): one["kind"] for one in held["entailed_rows"]}
    assert kinds == {
        "mill hires una": "inverse",
        "una marriedTo vid": "symmetric",
        "wil worksAt dock": "sub-relation",
        "bay within sea": "transitive",
    }
    assert [held[v] for v in ("asserted", "entailed", "inconsistent", "undetermined")] == [
        1, 4, 1, 2,
    ]  # fmt: skip
    assert held["inconsistent_rows"] == [["mill", "worksAt", "dock"]]
    assert "mill is contradictory" in (tmp_path / "out/proofs.txt").read_text()
    _, out, _ = hybridkg_command(*arguments, "--profile", "el", "--json")
    unused = {(one["kind"], one["reason"]) for one in json.loads(out)["unused"]["kinds"]}
    assert unused == {
        ("InverseOf", "outside the profile el"),
        ("Symmetric", "outside the profile el"),
    }
    assert json.loads(out)["complete"] is False
    _, text, _ = hybridkg_command("explain", tmp_path / "staff.ttl", data, "--namespace",
                                  NAMESPACE, "mill", "worksAt", "dock")  # fmt: skip
    assert "inconsistent; assumed, and every rule applied (exact)" in text
    assert "mill worksAt dock  [assumed]" in text


def test_the_ontology_file_may_be_the_only_one_with_individuals(
    hybridkg_command, tmp_path: Path
) -> None:
    path = tmp_path / "ward.ttl"
    path.write_text(
        HEAD
        + """:Nurse rdfs:subClassOf :Person . :Person owl:disjointWith :Pill .
:gives rdfs:domain :Nurse ; rdfs:range :Pill . :kim a :Nurse . :pill1 a :Pill . :lee a :Person ."""
    )
    table(
        tmp_path / "asked.tsv", "kim gives pill1; kim gives lee; lee gives pill1; pill1 gives kim"
    )
    code, out, _ = hybridkg_command("closure", path, "--held-out", tmp_path / "asked.tsv",
                                    "--namespace", NAMESPACE, "--json")  # fmt: skip
    assert code == 0
    document = json.loads(out)
    assert document["classes"]["Person"]["new"] == 1
    assert document["held_out"][0]["inconsistent_rows"] == [
        ["kim", "gives", "lee"],
        ["pill1", "gives", "kim"],
    ]


def test_empty_classes_and_relations_come_first_with_a_reason(
    hybridkg_command, tmp_path: Path
) -> None:
    path = tmp_path / "empty.ttl"
    path.write_text(
        HEAD
        + """:Cat owl:disjointWith :Dog . :CatDog rdfs:subClassOf :Cat , :Dog .
:Odd rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :has ; owl:someValuesFrom :CatDog ] .
:feeds rdfs:domain :Cat . :walks rdfs:subPropertyOf :feeds ; rdfs:domain :Dog . :tom a :Cat ."""
    )
    code, out, _ = hybridkg_command("closure", path, "--json", "--namespace", NAMESPACE)
    assert code == 0
    document = json.loads(out)
    reasons = {one["name"]: set(one["axioms"]) for one in document["unsatisfiable_classes"]}
    twice = {"CatDog subClassOf Cat", "CatDog subClassOf Dog", "Cat disjointWith Dog"}
    assert reasons == {"CatDog": twice, "Odd": {*twice, "Odd subClassOf (has some CatDog)"}}
    assert [one["name"] for one in document["empty_relations"]] == ["walks"]
    assert set(document["empty_relations"][0]["axioms"]) == {
        "walks subPropertyOf feeds",
        "feeds domain Cat",
        "walks domain Dog",
        "Cat disjointWith Dog",
    }


CLASH = (
    HEAD
    + """:Fish owl:disjointWith :Bird . :swims rdfs:domain :Fish .
:pip a :Bird . :pip :swims :pond . :pip :swims :lake . :flo a :Fish , :Bird . :sam a :Fish ."""
)


def test_contradictory_data_end_with_3_and_a_way_on(hybridkg_command, tmp_path: Path) -> None:
    path = tmp_path / "zoo.ttl"
    path.write_text(CLASH)
    code, out, err = hybridkg_command("closure", path, "--namespace", NAMESPACE)
    assert code == 3
    assert out.index("unsatisfiable classes: none") < out.index("directly clashing individuals: 2")
    assert "one minimal culprit set:\n  flo type Bird\n  flo type Fish\n" in out
    assert "--set-aside-culprits" in err
    assert "Traceback" not in err
    code, out, _ = hybridkg_command("closure", path, "--namespace", NAMESPACE, "--all-culprits")
    assert code == 3
    assert out.count("culprit set at pip") == 2
    code, out, _ = hybridkg_command("closure", path, "--namespace", NAMESPACE, "--json")
    document = json.loads(out)
    assert (code, document["exit_code"], document["clashing"]) == (3, 3, ["flo", "pip"])
    one_set = ["flo type Bird", "flo type Fish", "Fish disjointWith Bird"]
    assert document["culprit_sets"] == [one_set]
    assert (len(document["triples"]), len(document["types_to_blame"])) == (2, 3)
    assert "culprits_of" not in document
    _, out, _ = hybridkg_command("closure", path, "--namespace", NAMESPACE, "--json",
                                 "--all-culprits")  # fmt: skip
    document = json.loads(out)
    assert {k: len(v) for k, v in document["culprits_of"].items()} == {"flo": 1, "pip": 2}
    assert document["culprits_complete"] is True
    code, out, _ = hybridkg_command("closure", path, "--namespace", NAMESPACE,
                                    "--set-aside-culprits", "--json")  # fmt: skip
    document = json.loads(out)
    assert code == 0
    assert document["set_aside_culprits"]["types"] == [
        ["flo", "Bird"], ["flo", "Fish"], ["pip", "Bird"],
    ]  # fmt: skip
    code, _, err = hybridkg_command("explain", path, "--namespace", NAMESPACE, "sam", "a", "Bird")
    assert code == 3
    assert "one minimal culprit set" in err
    assert "to blame over all minimal sets: 2 triples and 3 types" in err


def test_typed_individuals_without_a_triple_have_entailed_types(
    hybridkg_command, tmp_path: Path
) -> None:
    (tmp_path / "t.ttl").write_text(
        HEAD + ":Oak rdfs:subClassOf :Tree . :near a owl:ObjectProperty ."
    )
    (tmp_path / "a.ttl").write_text(HEAD + ":o1 a :Oak . :o2 a :Oak ; :near :o3 .")
    (tmp_path / "b.ttl").write_text(HEAD + ":o4 a :Oak .")
    for files, found in ((["a.ttl"], 2), (["a.ttl", "b.ttl"], 3), (["b.ttl"], 1)):
        code, out, _ = hybridkg_command("closure", tmp_path / "t.ttl",
                                        *(tmp_path / name for name in files), "--json")  # fmt: skip
        assert code == 0
        assert json.loads(out)["classes"][f"{NAMESPACE}Tree"]["new"] == found


def test_labels_and_iris_of_one_name_are_one_individual(hybridkg_command, tmp_path: Path) -> None:
    (tmp_path / "t.ttl").write_text(HEAD + ":near a owl:TransitiveProperty .")
    (tmp_path / "a.ttl").write_text(HEAD + ":o1 :near :o2 .")
    table(tmp_path / "b.tsv", "o2 near o3")
    code, out, _ = hybridkg_command(
        "explain", tmp_path / "t.ttl", tmp_path / "a.ttl", tmp_path / "b.tsv",
        "--namespace", NAMESPACE, "o1", "near", "o3", "--json",
    )  # fmt: skip
    assert (code, json.loads(out)["verdict"]) == (0, "entailed")


def test_restrictions_and_anonymous_individuals_are_no_entities(
    hybridkg_command, tmp_path: Path
) -> None:
    path = tmp_path / "mill.ttl"
    path.write_text(
        HEAD
        + """:Gear rdfs:subClassOf :Part . [] a owl:Axiom ; owl:annotatedSource :Gear ;
  owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :Part ; rdfs:comment "checked" .
:Tooth rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :of ; owl:someValuesFrom
  [ owl:intersectionOf ( :Part [ a owl:Restriction ; owl:onProperty :of ;
    owl:someValuesFrom :Part ] ) ] ] .
:Driven owl:equivalentClass [ owl:intersectionOf ( :Part [ a owl:Restriction ;
  owl:onProperty :drivenBy ; owl:someValuesFrom :Gear ] ) ] .
:drivenBy a owl:ObjectProperty ; owl:inverseOf :drives . :of a owl:ObjectProperty .
:g1 a :Gear ; :drives :p1 . :p1 a :Part ; :of [ a :Part ] . :t1 a :Tooth ; :of :g1 ."""
    )
    runs = [hybridkg_command("closure", path, "--namespace", NAMESPACE, "--json") for _ in range(2)]
    assert runs[0] == runs[1]
    document = json.loads(runs[0][1])
    assert (document["entities"], document["facts"], document["types"]) == (3, 2, 3)
    skipped = document["files"][0]["skipped"]
    assert skipped["fact with an anonymous individual"] == 1
    counts = ("facts", "types", "axioms", "declarations", "literals", "annotations")
    entry = document["files"][0]
    assert entry["statements"] == sum(entry[c] for c in counts) + sum(skipped.values())
    assert document["classes"]["Driven"]["examples"] == ["p1"]
    assert document["relations"]["drivenBy"]["examples"] == [["p1", "drivenBy", "g1"]]
    assert "(Part and (of some Part))" in {one["filler"] for one in document["witnesses"]}
    _, out, _ = hybridkg_command("explain", path, "--namespace", NAMESPACE, "p1", "a", "Driven")
    assert "_:" not in out
    assert "p1 type (drivenBy some Gear)" in out


def test_inherited_domains_forbid_only_what_contradicts(hybridkg_command, tmp_path: Path) -> None:
    path = tmp_path / "pond.ttl"
    path.write_text(
        HEAD
        + """:Frog rdfs:subClassOf :Animal . :Algae owl:equivalentClass :Weed .
:Weed rdfs:subClassOf :Plant . :Place owl:disjointWith :Animal , :Plant .
:growsOn rdfs:domain :Plant ; rdfs:range :Animal . :covers rdfs:subPropertyOf :growsOn .
:carries owl:inverseOf :growsOn .
:fay a :Frog . :alg a :Algae . :pond a :Place ."""
    )
    inside = "alg growsOn fay; alg covers fay; fay carries alg; fay growsOn fay"
    against = "pond growsOn fay; alg covers pond; pond carries alg"
    table(tmp_path / "asked.tsv", f"{inside}; {against}")
    code, out, _ = hybridkg_command("closure", path, "--namespace", NAMESPACE, "--json",
                                    "--held-out", tmp_path / "asked.tsv")  # fmt: skip
    assert code == 0
    held = json.loads(out)["held_out"][0]
    assert {" ".join(row) for row in held["inconsistent_rows"]} == set(against.split("; "))
    for statement in against.split("; "):
        _, out, _ = hybridkg_command("explain", path, "--namespace", NAMESPACE, *statement.split())
        assert "growsOn" in out
        assert "disjointness: " in out


def test_labels_cannot_steer_the_terminal(hybridkg_command, tmp_path: Path) -> None:
    (tmp_path / "t.ttl").write_text(HEAD + ":r a owl:SymmetricProperty .")
    (tmp_path / "f.tsv").write_text(f"a\x1b[31m\t{NAMESPACE}r\tb\u202e\n", encoding="utf-8")
    code, out, _ = hybridkg_command("closure", tmp_path / "t.ttl", tmp_path / "f.tsv")
    assert code == 0
    assert "\x1b" not in out
    assert "b\\u202e a\\x1b[31m" in out
    _, out, _ = hybridkg_command("closure", tmp_path / "t.ttl", tmp_path / "f.tsv", "--json")
    assert "a\x1b[31m" in json.loads(out)["relations"][f"{NAMESPACE}r"]["examples"][0]


def test_a_size_limit_stops_with_a_sentence(hybridkg_command, tmp_path: Path) -> None:
    (tmp_path / "t.ttl").write_text(HEAD + ":r a owl:TransitiveProperty .")
    table(tmp_path / "ring.tsv", "; ".join(f"n{i} {NAMESPACE}r n{(i + 1) % 50}" for i in range(50)))
    code, out, err = hybridkg_command(
        "closure", tmp_path / "t.ttl", tmp_path / "ring.tsv", "--max-pairs", 1000
    )
    assert (code, out) == (2, "")
    assert "at most 1,000; allow more with --max-pairs" in err
    code, _, err = hybridkg_command(
        "closure", tmp_path / "t.ttl", tmp_path / "ring.tsv", "--engine", "abacus"
    )
    assert code == 2
    assert "engine 'abacus'; expected one of auto, matrix, nemo, hermit" in err


def test_an_ontology_without_individuals_is_classified(hybridkg_command, tmp_path: Path) -> None:
    path = tmp_path / "classes.ofn"
    path.write_text(
        "Prefix(:=<urn:c#>) Ontology(SubClassOf(:A :B) SubClassOf(:B :C) "
        "DisjointClasses(:C :D) SubClassOf(:E :C) SubClassOf(:E :D))",
        encoding="utf-8",
    )
    code, out, _ = hybridkg_command("closure", path, "--out", tmp_path / "out")
    assert code == 0
    assert "unsatisfiable classes: 1" in out
    assert "superclasses of named classes: 5 pairs" in out
    rows = (tmp_path / "out" / "subsumptions.tsv").read_text(encoding="utf-8").splitlines()
    assert "urn:c#A\turn:c#C" in rows
    assert "urn:c#E\tNothing" in rows


def test_a_file_without_axioms_and_individuals_is_refused(hybridkg_command, tmp_path: Path) -> None:
    path = tmp_path / "nothing.ttl"
    path.write_text('<urn:a> <http://www.w3.org/2000/01/rdf-schema#label> "a" .', encoding="utf-8")
    code, _, err = hybridkg_command("closure", path)
    assert code == 2
    assert "neither an axiom nor an individual" in err


@pytest.mark.skipif(shutil.which("java") is None, reason="HermiT needs Java")
def test_what_hermit_alone_finds_is_listed_judged_and_explained(
    hybridkg_command, tmp_path: Path
) -> None:
    path, asked = tmp_path / "union.ofn", tmp_path / "asked.tsv"
    path.write_text(
        "Prefix(:=<urn:u#>) Ontology(ClassAssertion(ObjectUnionOf(:A :B) :x) SubClassOf(:A :C) "
        "SubClassOf(:B :C) FunctionalObjectProperty(:f) ObjectPropertyAssertion(:f :x :y) "
        "ObjectPropertyAssertion(:f :x :z) ObjectPropertyAssertion(:g :y :w))",
        encoding="utf-8",
    )
    asked.write_text("urn:u#z\turn:u#g\turn:u#w\n", encoding="utf-8")
    options = ("--held-out", asked, "--json")
    documents = {
        engine: json.loads(hybridkg_command("closure", path, *options, "--engine", engine)[1])
        for engine in ("matrix", "hermit")
    }
    assert documents["matrix"]["entailed_types"]["new"] == 0
    assert documents["hermit"]["classes"]["urn:u#C"]["examples"] == ["urn:u#x"]
    assert documents["matrix"]["held_out"][0]["undetermined"] == 1
    assert documents["hermit"]["held_out"][0]["entailed"] == 1
    code, out, _ = hybridkg_command(
        "explain", path, "urn:u#x", "type", "urn:u#C", "--engine", "hermit"
    )
    assert code == 0
    assert "HermiT finds that it follows; it shows no proof" in out
