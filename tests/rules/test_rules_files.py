"""Rule files: what is written reads back, and what cannot be read is refused by line."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hybridkg._io import packaged_file
from hybridkg.errors import DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.files import read_rules, rule_texts, write_rules
from hybridkg.rules.mine import MiningConfig, mine_rules
from hybridkg.rules.names import quote, unquote
from hybridkg.rules.rule_set import IMPORTED
from hybridkg.rules.statistics import rule_statistics

AWKWARD = [
    "X", "a", "", " ", "A1", "Washington, D.C.", "x <= y", "foo_(film)", "f(X,Y)", '"quoted"@en',
    "tab\there", "line\nbreak", "bell\x07", "a), b(X", "#hash", 'in "the" middle', "back\\slash",
    "é", "日本", " lead", "trail ", "http://example.org/x#y", "a,b", ")", "(", "end)", '"',
]  # fmt: skip
names = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    st.text('XYab," <=()#\\\t', max_size=6),
)


@pytest.mark.parametrize("relation", [False, True])
@given(name=names)
def test_a_quoted_name_is_read_as_itself(relation, name):
    assert unquote(quote(name, relation=relation)) == name


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_rules_over_awkward_names_survive_a_file(tmp_path_factory, data):
    entities = data.draw(st.lists(names, min_size=2, max_size=5, unique=True))
    relations = data.draw(st.lists(names, min_size=1, max_size=3, unique=True))
    entity, relation = st.sampled_from(entities), st.sampled_from(relations)
    triples = data.draw(st.lists(st.tuples(entity, relation, entity), min_size=3, max_size=12))
    kg = KnowledgeGraph.from_labels({"train": triples})
    rules = mine_rules(kg, MiningConfig(min_support=1)).best_first()
    path = tmp_path_factory.mktemp("rules") / "all.rules"
    write_rules(rules, path, kg)
    assert read_rules(path, kg).digest == rules.digest
    imported = read_rules(path, kg, statistics="file")
    np.testing.assert_array_equal(imported.support, rules.support)
    np.testing.assert_array_equal(imported.body_count, rules.body_count)
    assert (imported.provenance == IMPORTED).all()


def test_plain_names_are_written_as_anyburl_does(academic, tmp_path):
    rules = mine_rules(academic, MiningConfig(min_support=1))
    write_rules(rules, tmp_path / "a.rules", academic)
    lines = (tmp_path / "a.rules").read_text().splitlines()
    assert "1\t1\t1.0\taffiliated(X,mit) <= authored(X,p1)" in lines
    assert "4\t2\t0.5\taffiliated(X,cmu) <= " in lines
    assert "3\t1\t0.3333333333333333\taffiliated(X,cmu) <= advises(A,X)" in lines
    assert not any('"' in line for line in lines)


def test_files_are_the_same_bytes_when_written_again(academic, tmp_path):
    rules = mine_rules(academic, MiningConfig(min_support=1))
    for name in ("one", "two"):
        write_rules(rules, tmp_path / name, academic)
        rules = rules.select(np.arange(len(rules))[::-1])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("advises(Y,X) <= advises(Y,X), advises(X,B)", None),
        ("affiliated(X,Y) <= affiliated(A,Y), advises(A,X)", 0),
        ("affiliated(B,A) <= advises(C,B), affiliated(C,A)", 0),
        ("9\t5\t0.1\taffiliated(X,Y) <= advises(A,X), affiliated(A,Y)", 0),
    ],
)
def test_atom_order_and_variable_letters_do_not_matter(academic, tmp_path, text, same):
    path = tmp_path / "one.rules"
    path.write_text(f"# a comment\n\n{text}\n")
    if same is None:
        with pytest.raises(DataError, match=r"one\.rules:3: .*no chain"):
            read_rules(path, academic)
        return
    rules = read_rules(path, academic)
    assert list(rule_texts(rules, academic)) == ["affiliated(X,Y) <= advises(A,X), affiliated(A,Y)"]
    assert (rules.support[0], rules.body_count[0]) == (1, 3)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("3\t1\taffiliated(X,Y) <= advises(X,Y)", "3 columns"),
        ("three\t1\t0.1\taffiliated(X,Y) <= advises(X,Y)", "count 'three'"),
        ("1\t3\t0.1\taffiliated(X,Y) <= advises(X,Y)", "support 3 is more than the 1"),
        ("affiliated(X,Y)", "0 times ' <= '"),
        ("affiliated(X,Y) <= advises(X,Y) <= advises(X,Y)", "2 times ' <= '"),
        ("affiliated(X,Y <= advises(X,Y)", "atom 'affiliated(X,Y'"),
        ("affiliated(X,New York, NY) <= advises(X,A)", "3 terms, expected 2; a name with a comma"),
        ("affiliated(X,a) <= advises(X,A)", "'a' is neither a variable"),
        ('affiliated(X,"mit) <= advises(X,A)', "starts with a quote"),
        ("affiliated(X,X) <= advises(X,A), advises(A,B)", "one variable in both places"),
        ("affiliated(bob,mit) <= advises(bob,A)", "the head has no variable"),
        ("affiliated(X,mit) <= advises(X,A), advises(A,B)", "one body atom"),
        ("affiliated(X,Y) <= advises(X,A), advises(A,X)", "no chain"),
        ("affiliated(X,Y) <= advises(X,A), advises(X,B)", "no chain"),
        ("affiliated(X,mit) <= advises(X,me_myself_i)", "one body atom with X"),
        ("affiliated(X,eth) <= advises(X,A)", "unknown entity 'eth'"),
        ("employs(X,Y) <= advises(X,Y)", "unknown relation 'employs'"),
    ],
)
def test_a_bad_line_is_refused_by_file_and_line(academic, tmp_path, line, words):
    path = tmp_path / "bad.rules"
    path.write_text(f"advises(X,Y) <= affiliated(X,A), affiliated(Y,A)\n{line}\n")
    with pytest.raises(DataError) as caught:
        read_rules(path, academic)
    assert f"{path}:2: " in str(caught.value)
    assert words in str(caught.value)


def test_dropped_rules_are_counted_by_reason(academic, tmp_path):
    path = tmp_path / "some.rules"
    path.write_text(
        "advises(X,Y) <= affiliated(X,A), affiliated(Y,A)\n"
        "employs(X,Y) <= advises(X,Y)\n"
        "affiliated(X,eth) <= advises(X,A)\n"
        "affiliated(X,X) <= advises(X,A), advises(A,B)\n"
        "advises(X,Y) <= affiliated(Y,B), affiliated(X,B)\n"
    )
    rules = read_rules(path, academic, unusable="drop")
    assert len(rules) == 1
    assert rules.dropped == {
        "rules with an unknown name": 2,
        "rules of a form that is not covered": 1,
        "rules that stand twice": 1,
    }


def test_counts_of_the_file_need_four_columns(academic, tmp_path):
    path = tmp_path / "bare.rules"
    path.write_text("advises(X,Y) <= affiliated(X,A), affiliated(Y,A)\n")
    with pytest.raises(DataError, match=r"bare\.rules:1: the rule has no counts"):
        read_rules(path, academic, statistics="file")


def test_missing_and_binary_files_are_refused(academic, tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_rules(tmp_path / "none.rules", academic)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not UTF-8"):
        read_rules(tmp_path / "binary", academic)


def test_an_empty_file_has_no_rules(academic, tmp_path):
    (tmp_path / "empty").write_text("")
    assert len(read_rules(tmp_path / "empty", academic)) == 0


def test_shipped_academic_rules_have_their_counts(academic):
    rules = read_rules(packaged_file("rules", "academic.rules"), academic)
    counts = rule_statistics(rules, academic)
    np.testing.assert_array_equal(counts.predictions, [3, 2, 1, 4, 1])
    np.testing.assert_array_equal(counts.support, [1, 1, 0, 1, 1])
    np.testing.assert_array_equal(counts.pca_body, [2, 2, 0, 3, 1])
