"""AMIE's table, JSON lines, safe ids and packed files: the same rules in every dress."""

import bz2
import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.amie_files import quote_amie
from hybridkg.rules.files import (
    FILE_FORMATS,
    format_for,
    names_of_file,
    read_rule_file,
    read_rules,
    rule_texts,
    write_rules,
)
from hybridkg.rules.imports import import_rules
from hybridkg.rules.mine import MiningConfig, mine_rules
from hybridkg.rules.rule_set import RULE_KINDS
from hybridkg.rules.safe_ids import ids_path, read_safe_ids, write_safe_triples
from hybridkg.rules.statistics import rule_statistics
from hybridkg.scoring.rule_scorer import RuleScorer

AWKWARD = [
    "X", "a", "", " ", "A1", "Washington, D.C.", "x <= y", "foo_(film)", "f(X,Y)", '"quoted"@en',
    "tab\there", "line\nbreak", "a), b(X", "#hash", "?a", "?x y", "two  spaces", "p => q", "e0",
    "r0", "me_myself_i", "<iri>", "é", " lead", "trail ", ")", "(", '"', "{", "Rule", "=>",
    "\ufeff", "\r", "\u2028",
]  # fmt: skip
names = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.text('XYab,"? <=()#\\\t', max_size=6),
)


@st.composite
def graphs(draw):
    entities = draw(st.lists(names, min_size=2, max_size=5, unique=True))
    relations = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    entity, relation = st.sampled_from(entities), st.sampled_from(relations)
    triples = draw(st.lists(st.tuples(entity, relation, entity), min_size=3, max_size=12))
    return KnowledgeGraph.from_labels({"train": triples})


@pytest.mark.parametrize("safe_ids", [False, True])
@pytest.mark.parametrize("file_format", FILE_FORMATS)
@given(kg=graphs())
@settings(max_examples=30)
def test_rules_over_awkward_names_survive_every_format(tmp_path_factory, file_format, safe_ids, kg):
    rules = mine_rules(kg, MiningConfig(min_support=1)).best_first()
    path = tmp_path_factory.mktemp("rules") / "all"
    write_rules(rules, path, kg, file_format=file_format, safe_ids=safe_ids)
    found = read_rule_file(path, kg)
    assert found.file_format == (file_format if len(rules) else found.file_format)
    assert read_rules(path, kg).digest == rules.digest
    np.testing.assert_array_equal(found.rules.support, rules.support)
    np.testing.assert_array_equal(found.rules.body_count, rules.body_count)
    assert found.counted.all()
    if file_format != "anyburl" and len(rules):
        np.testing.assert_array_equal(found.further.pca_body, rule_statistics(rules, kg).pca_body)
    # Read without the graph, the file still tells its rules and names.
    bare = names_of_file(path)
    assert sorted(rule_texts(read_rules(path, bare, statistics="file"), bare)) == sorted(
        rule_texts(rules, kg)
    )


def test_rules_score_the_same_after_a_file(academic, tmp_path):
    rules = mine_rules(academic, MiningConfig(min_support=1))
    triple = tuple(academic.split("test")[2].tolist())
    expected = [one.text for one in RuleScorer(rules, academic).explain(triple)]
    for file_format in FILE_FORMATS:
        path = tmp_path / f"rules.{file_format}"
        write_rules(rules, path, academic, file_format=file_format, safe_ids=True)
        read = RuleScorer(read_rules(path, academic), academic)
        assert [one.text for one in read.explain(triple)] == expected


AMIE = (
    "Assuming 1 as the number of threads\n"
    "Std Confidence\tRule\tPositive Examples\tPCA Body size\tBody size\tHead Coverage\n"
    "0.5\t?g  advises  ?a  ?g  affiliated  ?b   => ?a  affiliated  ?b\t1\t2\t9\t0.25\n"
    "\n"
    "Mining done in 0.1 s\n"
)


def test_amie_columns_are_found_by_name_and_log_lines_counted(academic, tmp_path):
    path = tmp_path / "amie.txt"
    path.write_text(AMIE)
    found = read_rule_file(path, academic)
    assert found.file_format == "amie"
    assert found.outside == {"lines outside AMIE's table": 2}
    assert list(rule_texts(found.rules, academic)) == [
        "affiliated(X,Y) <= advises(A,X), affiliated(A,Y)"
    ]
    assert (found.rules.support[0], found.rules.body_count[0]) == (1, 9)
    assert (found.further.pca_body[0], found.further.head_size[0]) == (2, 4)
    imported = import_rules(path, academic)
    assert (imported.rules.support[0], imported.rules.body_count[0]) == (1, 3)
    assert imported.differences.predictions.largest == 6
    assert imported.differences.confidence.largest == pytest.approx(1 / 3 - 1 / 9)
    assert "1 of 1 rules differ" in imported.differences.sentence()


@pytest.mark.parametrize(
    ("rule", "same"),
    [
        ("?a advises ?b => ?b affiliated ?c", False),
        ("?g advises ?a ?g affiliated ?b => ?a affiliated ?b", True),
        ("?b  <affiliated>  ?x   => ?a  affiliated  ?b", False),
        ("?g  <advises>  ?a  ?g  affiliated  ?b   => ?a  <affiliated>  ?b", True),
    ],
)
def test_single_spaces_and_brackets_are_read(academic, tmp_path, rule, same):
    path = tmp_path / "amie.tsv"
    path.write_text(f"{rule}\n")
    if not same:
        with pytest.raises(DataError, match=r"amie\.tsv:1: the body is no chain"):
            read_rules(path, academic)
    else:
        (text,) = rule_texts(read_rules(path, academic), academic)
        assert text == "affiliated(X,Y) <= advises(A,X), affiliated(A,Y)"


def test_names_with_spaces_stand_as_they_are_in_amie_tables(tmp_path):
    kg = KnowledgeGraph.from_labels({"train": [("New York", "is in", "the USA")]})
    rules = mine_rules(kg, MiningConfig(min_support=1))
    write_rules(rules, tmp_path / "a.tsv", kg)
    assert "   => ?a  is in  the USA\t" in (tmp_path / "a.tsv").read_text()
    assert read_rules(tmp_path / "a.tsv", kg).digest == rules.best_first().digest
    assert quote_amie("New York") == "New York"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("?a  p  => ?a  q  ?b\t1", "2 terms in"),
        ("?a  advises  ?b   => ?a  affiliated  ?b   => ?a  about  ?b\t1", "2 times ' => '"),
        ("?a  advises  ?b   => ?a  affiliated  ?b\tmany", "Positive Examples 'many'"),
        ("?a  advises  ?b   => ?a  affiliated  ?b\t1\t2\t3", "4 columns, expected 2"),
        ("?a  advises  ?b   => ?a  affiliated  ?b\t1.5", "Positive Examples '1.5'"),
        ("?a  advises  ?b   => ?a  affiliated  nowhere\t1", "unknown entity 'nowhere'"),
    ],
)
def test_bad_lines_of_amie_are_refused_by_line(academic, tmp_path, line, words):
    path = tmp_path / "bad.tsv"
    path.write_text(f"Rule\tPositive Examples\n{line}\n")
    with pytest.raises(DataError) as caught:
        read_rules(path, academic, unusable="refuse")
    assert f"{path}:2: " in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{}", "expected the rule in 'rule'"),
        ('{"rule": "affiliated(X,Y) <= advises(X,Y)", "support": -1}', "support -1"),
        ('{"rule": "affiliated(X,Y) <= advises(X,Y)", "support": 3, "predictions": 1}', "more"),
        ('{"rule": "affiliated(X,Y)"}', "0 times ' <= '"),
        ('{"head": {"relation": "about"}, "body": []}', "term"),
        ('{"head": 3, "body": []}', "atom '3'"),
        ('{"rule": "about(X,Y) <= cites(X,Y)", "semantics": "open"}', "semantics 'open'"),
        ("{broken}", "Expecting property name"),
        ("{" * 5000 + "}", "expected one JSON object"),
    ],
)  # fmt: skip
def test_bad_json_lines_are_refused_by_line(academic, tmp_path, line, words):
    path = tmp_path / "bad.json"
    path.write_text('{"rule": "affiliated(X,Y) <= advises(X,Y)"}\n' + line + "\n")
    with pytest.raises(DataError) as caught:
        read_rules(path, academic)
    assert f"{path}:2: " in str(caught.value)
    assert words in str(caught.value)


def test_a_json_line_whose_atoms_contradict_its_rule_is_refused(academic, tmp_path):
    rules = mine_rules(academic, MiningConfig(min_support=1, constants=False))
    path = tmp_path / "one.json"
    write_rules(rules.select(np.array([0])), path, academic)
    document = json.loads(path.read_text())
    assert document["head_coverage"] == document["support"] / document["head_size"]
    document["head"]["relation"] = "cites"
    path.write_text(json.dumps(document))
    with pytest.raises(DataError, match=r"one\.json:1: .*different rules"):
        read_rules(path, academic)


def test_loops_parse_where_they_can_be_used(academic, tmp_path):
    path = tmp_path / "loop.rules"
    # The second line is how AnyBURL writes such a head.
    path.write_text(
        "5\t1\t0.2\tadvises(X,X) <= about(X,logic)\nadvises(me_myself_i,Y) <= about(Y,A)\n"
    )
    if "loop_constant" not in RULE_KINDS:
        with pytest.raises(DataError, match=r"loop\.rules:1: .*one variable in both places"):
            read_rules(path, academic)
        return
    rules = read_rules(path, academic)
    assert list(rule_texts(rules, academic)) == [
        "advises(X,X) <= about(X,logic)",
        "advises(X,X) <= about(X,A)",
    ]
    for file_format in FILE_FORMATS:
        write_rules(rules, tmp_path / "again", academic, file_format=file_format)
        assert read_rules(tmp_path / "again", academic).digest == rules.best_first().digest


def test_ids_beside_a_file_are_the_only_names_in_it(academic, tmp_path):
    path = tmp_path / "safe.rules"
    rules = mine_rules(academic, MiningConfig(min_support=1))
    write_rules(rules, path, academic, safe_ids=True)
    assert read_safe_ids(path).entities["e0"] == academic.entities.labels[0]
    with pytest.raises(ConfigError, match=r"safe\.rules\.ids\.tsv lies beside"):
        write_rules(rules, path, academic)
    path.write_text("affiliated(X,Y) <= advises(X,Y)\n")
    with pytest.raises(DataError, match=r"safe\.rules:1: unknown relation id 'affiliated'"):
        read_rules(path, academic)
    ids_path(path).write_text("entity\te0\n")
    with pytest.raises(DataError, match=r"ids\.tsv:1: expected 'entity' or 'relation'"):
        read_rules(path, academic)
    ids_path(path).write_text("entity\te0\tbob\nentity\te0\tdave\n")
    with pytest.raises(DataError, match=r"ids\.tsv:2: the id 'e0' stands twice"):
        read_rules(path, academic)


def test_safe_triples_spell_the_graph_in_the_ids_of_the_rules(academic, tmp_path):
    write_rules(mine_rules(academic), tmp_path / "r", academic, safe_ids=True)
    ids = read_safe_ids(tmp_path / "r")
    (path,) = write_safe_triples(academic, tmp_path, ["test"])
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    spelled = [(ids.entities[h], ids.relations[r], ids.entities[t]) for h, r, t in rows]
    assert spelled == academic.label_triples(academic.split("test"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
def test_packed_files_bom_and_crlf_are_read(academic, tmp_path, pack, start):
    path = tmp_path / "rules"
    lines = b"# note\r\n\r\n3\t1\t0.3\taffiliated(X,Y) <= advises(A,X), affiliated(A,Y)\r\n"
    path.write_bytes(pack(start + lines + b"affiliated(X,cmu) <="))
    assert list(rule_texts(read_rules(path, academic), academic)) == [
        "affiliated(X,Y) <= advises(A,X), affiliated(A,Y)",
        "affiliated(X,cmu) <= ",
    ]


def test_a_huge_line_is_refused_in_one_short_sentence(academic, tmp_path):
    path = tmp_path / "huge.rules"
    path.write_text("affiliated(X,Y) <= " + "advises(X,A), " * 300_000 + "advises(A,Y)\n")
    with pytest.raises(DataError, match=r"huge\.rules:1: the body has 300001 atoms") as caught:
        read_rules(path, academic)
    assert len(str(caught.value)) < 1000
    path.write_text("x" * 5_000_000)
    with pytest.raises(DataError) as caught:
        read_rules(path, academic)
    assert len(str(caught.value)) < 1000
    path.write_text("9" * 5000 + "\t1\t1\taffiliated(X,Y) <= advises(X,Y)")
    with pytest.raises(DataError, match="whole number below"):
        read_rules(path, academic)


def test_damaged_archives_and_foreign_bytes_are_refused(academic, tmp_path):
    whole = gzip.compress(b"affiliated(X,Y) <= advises(X,Y)\n" * 99)
    (tmp_path / "cut.gz").write_bytes(whole[:-12])
    with pytest.raises(DataError, match="cannot be read"):
        read_rules(tmp_path / "cut.gz", academic)
    (tmp_path / "wide").write_bytes("affiliated(X,Y) <= advises(X,Y)".encode("utf-16"))
    with pytest.raises(DataError, match="not UTF-8"):
        read_rules(tmp_path / "wide", academic)
    with pytest.raises(DataError, match="folder"):
        read_rules(tmp_path, academic)


def test_counts_are_compared_with_the_graph(academic, tmp_path):
    path = tmp_path / "off.rules"
    path.write_text(
        "6\t2\t0.3\taffiliated(X,Y) <= advises(A,X), affiliated(A,Y)\n"
        "2\t1\t0.5\taffiliated(X,Y) <= advises(X,A), affiliated(A,Y)\n"
        "affiliated(X,cmu) <= \n"
    )
    found = import_rules(path, academic)
    assert (found.differences.n_compared, found.differences.n_changed) == (2, 1)
    assert found.differences.support.largest == 1
    assert found.differences.predictions.mean == 3 / 2
    assert found.differences.predictions.row == 0
    assert found.differences.confidence.n_changed == 0
    with pytest.raises(DataError, match=r"off\.rules:3: the rule has no counts"):
        import_rules(path, academic, statistics="compare")
    with pytest.raises(ConfigError, match="statistics 'guess'"):
        import_rules(path, academic, statistics="guess")
    believed = import_rules(
        path.rename(tmp_path / "b"), academic, statistics="graph", unusable="drop"
    )
    assert believed.rules.body_count.tolist() == [3, 2, 4]


def test_the_suffix_tells_the_format_to_write(academic, tmp_path):
    assert [format_for(f"a.{end}") for end in ("rules", "txt", "tsv", "JSON", "jsonl")] == [
        "anyburl", "anyburl", "amie", "json", "json",
    ]  # fmt: skip
    with pytest.raises(ConfigError, match="rule file format 'xml'"):
        write_rules(mine_rules(academic), tmp_path / "x", academic, file_format="xml")
