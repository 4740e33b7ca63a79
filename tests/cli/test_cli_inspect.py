"""``inspect``: counts, leaks and exit codes, on a staff register and on real benchmarks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from hybridkg.cli.inspect import inspect, inspection
from hybridkg.errors import (
    ConfigError,
    DataError,
    InconsistentOntologyError,
    MalformedRowsError,
    OntologyError,
    UnknownNameError,
)

STAFF = "http://staff.example/terms#"
SPLITS = {
    "train": "uma worksFor mill; vic worksFor mill; wes worksFor dock; xia worksFor dock;"
    "uma marriedTo vic; wes marriedTo xia; mill locatedIn bern; dock locatedIn lyon;"
    "bern partOf swiss; lyon partOf france; dock employs yan; yan knows uma;"
    "uma worksFor mill; bern partOf swiss",
    "valid": "yan worksFor mill; xia knows wes; mill employs vic; vic knows yan",
    "test": "wes worksFor dock; vic knows yan; vic marriedTo uma; mill employs uma;"
    "zoe worksFor mill; abe worksFor zoe; zoe knows xia; uma likes wes; xia knows uma",
}
SCHEMA = f"""@prefix : <{STAFF}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
:employs a owl:ObjectProperty ; owl:inverseOf :worksFor . :worksFor a owl:ObjectProperty .
:marriedTo a owl:ObjectProperty , owl:SymmetricProperty .
"""

app = typer.Typer()
app.command()(inspect)


@pytest.fixture
def staff(tmp_path: Path) -> Path:
    for split, text in SPLITS.items():
        rows = ["\t".join(part.split()) for part in text.split(";")]
        (tmp_path / f"{split}.tsv").write_text("\n".join(rows) + "\n")
    (tmp_path / "terms.ttl").write_text(SCHEMA)
    return tmp_path


def files(folder: Path) -> list[str]:
    return [str(folder / f"{split}.tsv") for split in SPLITS]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


def test_leaks_by_overlap_and_by_entailment_are_found(staff: Path) -> None:
    code, text = run(
        *files(staff), "--ontology", str(staff / "terms.ttl"), "--namespace", STAFF, "--json"
    )
    document = json.loads(text)
    assert code == 1
    train = document["sizes"][0]
    assert (train["rows"], train["distinct"], train["repeated"]) == (14, 12, 2)
    shared = {(o["split"], o["other"]): o["triples"] for o in document["overlaps"]}
    assert shared == {("valid", "train"): 0, ("test", "train"): 1, ("test", "valid"): 1}
    unseen = document["unseen"][1]
    keys = ("entities", "entity_triples", "entity_positions", "relations", "relation_triples")
    assert [unseen[key] for key in keys] == [2, 3, 4, 1, 1]
    valid, test = document["entailed"]
    assert valid["derived_triples"] == [["mill", "employs", "vic"]]
    assert (test["asserted"], test["derived"], test["outside"]) == (1, 2, 6)
    assert sorted(test["derived_triples"]) == [
        ["mill", "employs", "uma"],
        ["vic", "marriedTo", "uma"],
    ]
    assert (document["clean"][1]["triples"], document["clean"][1]["underivable"]) == (3, 1)
    assert document["leaks"] == 5


def test_a_strict_profile_lists_what_it_ignores(staff: Path) -> None:
    arguments = (*files(staff), "--ontology", str(staff / "terms.ttl"), "--namespace", STAFF)
    _, text = run(*arguments, "--profile", "el")
    assert "not used in reasoning, so more may follow:" in text
    assert "marriedTo is symmetric" in text
    assert "employs inverseOf worksFor" in text
    # The pattern check still names them: both have a reversed pair in train.
    assert "test             9         9         0             2 (22.2 %)" in text
    with pytest.raises(ConfigError, match="profile 'owl'"):
        run(*arguments, "--profile", "owl")


def test_text_says_what_was_read_and_what_leaks(staff: Path) -> None:
    code, text = run(*files(staff))
    assert code == 1
    assert "train.tsv: 14 rows (tsv)" in text
    assert "test also in train: 1 triples (wes worksFor dock)" in text
    assert "2 entities unseen in train, in 3 triples at 4 positions" in text
    assert text.rstrip().endswith("leaks: 2")


def test_a_folder_and_its_files_give_the_same_counts(staff: Path) -> None:
    from_folder, from_files = inspection([str(staff)]), inspection(files(staff))
    for key in ("entities", "relations", "splits", "overlaps", "unseen", "reversed", "clean"):
        assert from_folder[key] == from_files[key]


def test_a_sound_data_set_ends_with_zero() -> None:
    code, text = run("academic")
    assert code == 0
    assert text.startswith("academic: 13 entities, 5 relations; 13 types in 5 classes")
    assert text.rstrip().endswith("leaks: none")


def test_bad_input_is_an_error_of_ours(staff: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'academic'"):
        run("academc")
    with pytest.raises(DataError, match="no such file"):
        run(str(staff / "train.tsv"), str(staff / "none.tsv"))
    bad = tmp_path / "bad.tsv"
    bad.write_text("a\tr\tb\nc\td\n")
    with pytest.raises(MalformedRowsError, match="line 2: 2 columns"):
        run(str(bad))


def test_an_undeclared_prefix_in_turtle_is_no_malformed_row(tmp_path: Path) -> None:
    path = tmp_path / "plain.ttl"
    path.write_text(":uma :knows :vic .\n")
    with pytest.raises(
        OntologyError, match=r"plain\.ttl:1: expected Turtle; the prefix ':' is not"
    ):
        run(str(path))


@pytest.mark.parametrize(
    "options",
    [
        {"namespaces": [STAFF]},
        {"iri_map": Path("map.tsv")},
        {"set_aside": True},
        {"profile": "el"},
    ],
)
def test_options_of_reasoning_are_refused_without_an_ontology(
    staff: Path, options: dict[str, object]
) -> None:
    with pytest.raises(ConfigError, match="without an ontology would change nothing"):
        inspection(files(staff), **options)  # type: ignore[arg-type]


def test_the_profile_is_checked_without_an_ontology_too(staff: Path, hybridkg_command) -> None:
    code, _, said = hybridkg_command("inspect", staff, "--profile", "owl")
    assert (code, said) == (2, "error: profile 'owl'; expected 'el+' or 'el'\n")


def test_a_table_of_types_goes_with_files_only(staff: Path) -> None:
    table = staff / "kinds.tsv"
    table.write_text("uma\tPerson\n")
    for data in ("academic", str(staff)):
        with pytest.raises(ConfigError, match=f"goes with files of facts; {data!r} is a data set"):
            inspection([data], types_file=table)
    with pytest.raises(DataError, match="no such file"):
        inspection([str(staff / "none.tsv")], types_file=table)


def test_a_schema_beside_the_triples_is_pointed_out(staff: Path) -> None:
    assert inspection([str(staff)])["schema_beside"] is None
    schema = staff / "schema.ttl"
    (staff / "terms.ttl").rename(schema)
    for data in ([str(staff)], files(staff)):
        assert inspection(data)["schema_beside"] == str(schema)
        _, text = run(*data)
        assert f"{schema} lies beside the triples; name it with --ontology to find" in text
        _, text = run(*data, "--ontology", str(schema), "--namespace", STAFF)
        assert "lies beside" not in text
    assert inspection([*files(staff), str(schema)])["schema_beside"] is None


def test_an_ontology_without_individuals_is_no_failed_share(staff: Path) -> None:
    arguments = (*files(staff), "--ontology", str(staff / "terms.ttl"), "--namespace", STAFF)
    assert "entity none (the ontology names no individual)" in run(*arguments)[1]


def test_an_empty_name_is_refused_and_not_the_folder_one_stands_in(
    staff: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(staff)
    with pytest.raises(DataError, match="the name of the data set is empty"):
        inspection([""])


def test_types_of_files_count(staff: Path) -> None:
    (staff / "kinds.tsv").write_text("uma\tPerson\nstranger\tPerson\n")
    document = inspection(files(staff), types_file=staff / "kinds.tsv")
    assert (document["types"], document["classes"]) == (1, 1)
    assert document["set_aside"]["types_set_aside"] == 1


def test_the_published_leak_of_yago4_is_found(benchmarks: Path) -> None:
    code, text = run(str(benchmarks / "yago4-19k"), "--json")
    document = json.loads(text)
    assert code == 1
    shared = {(o["split"], o["other"]): o["triples"] for o in document["overlaps"]}
    assert shared == {("valid", "train"): 439, ("test", "train"): 411, ("test", "valid"): 0}
    assert document["clean"][1]["triples"] == 463 - 411


@pytest.mark.slow
def test_codex_s_contradicts_its_schema_and_goes_on_without_the_culprits(benchmarks: Path) -> None:
    folder = benchmarks / "codex-s"
    arguments = (str(folder), "--ontology", str(folder / "schema.ttl"))
    with pytest.raises(InconsistentOntologyError, match=r"Q15, Q161806, Q37"):
        run(*arguments)
    code, text = run(*arguments, "--set-aside-culprits", "--json")
    document = json.loads(text)
    assert code == 1
    assert document["ontology"]["set_aside_culprits"]["triples"] == [
        ["Q148", "P530", "Q15"],
        ["Q161806", "P101", "Q150"],
        ["Q161806", "P1412", "Q150"],
        ["Q161806", "P37", "Q150"],
        ["Q76686", "P1412", "Q37"],
    ]
    # The four symmetric relations make nearly every reversed pair a derived triple.
    assert document["entailed"][1]["derived"] <= document["reversed"][1]["triples"]
