"""Score files: what is recognised, how labels meet, and the one sentence for what does not fit."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.queries import Queries
from hybridkg.scoring.external import QueryCode
from hybridkg.scoring.score_files import read_scores

KG = KnowledgeGraph.from_labels(
    {
        "train": [("ann", "likes", "bob"), ("bob", "sees", "cid")],
        "test": [("ann", "likes", "cid"), ("ann", "likes", "dora may")],
    },
    name="people",
)
HEADER = "head\trelation\ttail\tcandidate\tscore\n"


def scores_of(path: Path, anchor: str, relation: str, target: str = "tail", **maps) -> dict:
    """Finite scores of one query by label."""
    scorer = read_scores(path, KG, **maps)
    asked = Queries(
        target,
        np.array([KG.entities.id_of(anchor)], dtype=np.int32),
        np.array([KG.relations.id_of(relation)], dtype=np.int32),
    )
    row = scorer.score(asked)[0]
    return {KG.entities[e]: float(row[e]) for e in np.flatnonzero(row > -np.inf)}


@given(st.integers(1, 2_000_000), st.integers(1, 300), st.data())
def test_a_coded_query_decodes_to_itself(n_entities, n_relations, data) -> None:
    code = QueryCode(n_entities, n_relations)
    anchor = data.draw(st.integers(0, n_entities - 1))
    relation = data.draw(st.integers(0, n_relations - 1))
    tail = data.draw(st.booleans())
    keys = code.encode(
        np.array([tail]), np.array([anchor], dtype=np.int32), np.array([relation], dtype=np.int32)
    )
    assert [int(part[0]) for part in code.decode(keys)] == [int(tail), anchor, relation]


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["plain", "gz", "bz2", "xz"]
)
def test_a_packed_table_reads_as_a_plain_one_whatever_its_suffix(pack, tmp_path) -> None:
    path = tmp_path / "scores.npy"
    path.write_bytes(pack(("\ufeff" + HEADER + "ann\tlikes\t?\tcid\t0.25\r\n").encode()))
    assert scores_of(path, "ann", "likes") == {"cid": 0.25}


def test_labels_keep_quotes_blanks_and_words_for_missing_values(tmp_path) -> None:
    odd = ['"quoted', "NA", "null", "nan", "a,b", "dora may", "1"]
    kg = KnowledgeGraph.from_labels({"train": [(one, "NULL", '"quoted') for one in odd]})
    path = tmp_path / "s.tsv"
    path.write_text(HEADER + "".join(f'"quoted\tNULL\t?\t{one}\t1\n' for one in odd))
    scorer = read_scores(path, kg)
    assert scorer.offsets.tolist() == [0, len(odd)]
    assert sorted(kg.entities[e] for e in scorer.entities) == sorted(odd)


def test_confidence_and_rank_stand_for_scores_and_other_columns_are_named(tmp_path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text("model\tconfidence\trank\thead\trelation\ttail\tcandidate\n"
                    "m\t0.5\t7\t?\tlikes\tcid\tann\n")  # fmt: skip
    assert scores_of(path, "cid", "likes", "head") == {"ann": 0.5}
    assert read_scores(path, KG).source.notes == ("columns that are not used: model, rank",)
    rows = [f"{rank}\tann\tlikes\t?\t{one}\n" for rank, one in ((2, "bob"), (1, "cid"), (2, "ann"))]
    path.write_text("rank\thead\trelation\ttail\tcandidate\n" + "".join(rows))
    assert scores_of(path, "ann", "likes") == {"cid": -1, "bob": -2, "ann": -2}
    assert read_scores(path, KG).source.format.startswith("ranking list")


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e-3", 1e-3), ("+5", 5.0), (" 2", 2.0), ("-inf", -np.inf), ("-Infinity", -np.inf),
     ("1E+30", 1e30), ("3", 3.0)],
)  # fmt: skip
def test_numbers_are_read_as_people_spell_them(text, value, tmp_path) -> None:
    path = tmp_path / "s.tsv"
    path.write_text(HEADER + f"ann\tlikes\t?\tcid\t{text}\n")
    scorer = read_scores(path, KG)
    assert scorer.scores.tolist() == [value]
    asked = Queries("tail", np.array([0], dtype=np.int32), np.array([0], dtype=np.int32))
    assert scorer.given(asked)[0].tolist() == [e == "cid" for e in KG.entities]


BROKEN = {
    "unknown entity": (
        HEADER + "ann\tlikes\t?\tcid\t1\n\nann\tlikes\t?\tbbob\t1\nanna\tlikes\t?\tcid\t1\n",
        r"s:4: unknown entity 'bbob'; did you mean 'bob'\?; 2 labels .* among them \['anna'\]",
    ),
    "unknown relation": (
        HEADER + "ann\tlike\t?\tcid\t1\n",
        r"s:2: unknown relation 'like'; did you mean 'likes'\?; expected the labels of data set "
        "'people'",
    ),
    "no end": (HEADER + "\nann\tlikes\tbob\tcid\t1\n", r"s:3: the row asks for no end"),
    "both ends": (HEADER + "?\tlikes\t?\tcid\t1\n", r"s:2: the row asks for both ends"),
    "candidate ?": (HEADER + "ann\tlikes\t?\t?\t1\n", r"s:2: the candidate is '\?'"),
    "twice": (
        HEADER + "ann\tlikes\t?\tcid\t1\nann\tlikes\t?\tbob\t1\n\nann\tlikes\t?\tcid\t1\n",
        r"s: candidate 'cid' of \(ann, likes, \?\) stands in lines 2 and 5",
    ),
    "NaN": (HEADER + "ann\tlikes\t?\tcid\t1\nann\tlikes\t?\tbob\tnan\n", r"s:3: score is 'nan'"),
    "+inf": (HEADER + "\r\nann\tlikes\t?\tcid\tinf\n", r"s:3: score is 'inf'; expected a finite"),
    "no number": (HEADER + "ann\tlikes\t?\tcid\t1,5\n", r"s:2: score is '1,5'"),
    "1_000": (HEADER + "ann\tlikes\t?\tcid\t1_000\n", r"s:2: score is '1_000'"),
    "empty score": (HEADER + "ann\tlikes\t?\tcid\t\n", r"s:2: score is ''"),
    "no column": ("head\trelation\tcandidate\tscore\n", r"s:1: .*; missing: tail\."),
    "no score": ("head\trelation\ttail\tcandidate\n", r"s:1: .*missing: score \(or confidence"),
    "rank alone": ("head\trelation\ttail\trank\n", r"s:1: .*missing: candidate"),
    "column twice": ("head\thead\trelation\ttail\tscore\n", r"s:1: .*distinct column names"),
    "ragged": (HEADER + "ann\tlikes\t?\tcid\t1\nann\tlikes\t?\tcid\n", r"line 3: 4 columns"),
    "no row": (HEADER, "s: a header and no row"),
    "no UTF-8": (HEADER.encode() + b"ann\tlikes\t?\tb\xff\t1\n", r"s:2: bytes b'\\xff'"),
    "empty": ("\n\n", "s is empty"),
    "page": ("\n<!DOCTYPE html>\n<html>", "s: this is a web page"),
    "binary": (b"\x7fELF\x00\x01\x02", "s: binary data"),
    "zip": (b"PK\x03\x04rest", "s: this is a zip archive"),
    "UTF-16": (HEADER.encode("utf-16"), "s: this is UTF-16 text"),
    "plain triples": ("ann\tlikes\tcid\n", "s: the first line is 'ann"),
    "rank 0": ("head\trelation\ttail\trank\tcandidate\nann\tlikes\t?\t0\tcid\n",
               r"s:2: rank is '0'; expected a whole number from 1"),
    "rank 1.5": ("head\trelation\ttail\trank\tcandidate\nann\tlikes\t?\t1.5\tcid\n",
                 r"s:2: rank is '1.5'"),
    "? in triples": ("head\trelation\ttail\tscore\nann\tlikes\tcid\t1\nann\tlikes\t?\t1\n",
                     r"s:3: the row asks a query, but there is no column 'candidate'"),
    "triple twice": ("head\trelation\ttail\tscore\nann\tlikes\tcid\t1\n\nann\tlikes\tcid\t2\n",
                     r"s: candidate 'cid' of \(ann, likes, \?\) stands in lines 2 and 4"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_table_is_refused_with_its_line(what, tmp_path) -> None:
    content, message = BROKEN[what]
    path = tmp_path / "s"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=message):
        read_scores(path, KG)


def test_every_row_of_a_long_table_is_numbered_right(tmp_path) -> None:
    """The library parses parts of megabytes; rows after the first part keep their numbers."""
    kg = KnowledgeGraph.from_labels({"train": [(f"e{i}", "r", "e0") for i in range(60_000)]})
    rows = [f"e{i}\tr\t?\te{j}\t{i}.{j}" for i in range(10) for j in range(60_000)]
    path = tmp_path / "s.tsv"
    path.write_text(HEADER + "\n".join(rows) + "\n")
    scorer = read_scores(path, kg)
    assert len(scorer.entities) == len(rows)
    rows[400_000] = rows[0]
    path.write_text(HEADER + "\n".join(rows) + "\n")
    with pytest.raises(DataError, match="stands in lines 2 and 400002"):
        read_scores(path, kg)
    rows[400_000] = "e1\tr\t?\te2\tx"
    path.write_text(HEADER + "\n".join(rows) + "\n")
    with pytest.raises(DataError, match="tsv:400002: score is 'x'"):
        read_scores(path, kg)


def test_a_graph_with_an_entity_called_as_the_asked_end_is_refused(tmp_path) -> None:
    kg = KnowledgeGraph.from_labels({"train": [("?", "r", "b")]})
    path = tmp_path / "s.tsv"
    path.write_text(HEADER + "b\tr\t?\tb\t1\n")
    with pytest.raises(DataError, match=r"called '\?'"):
        read_scores(path, kg)


def test_lists_of_one_query_in_two_blocks_are_united(tmp_path) -> None:
    path = tmp_path / "ranking"
    # Each block leaves the other's answer out, as filtering tools do; one triple has a blank.
    path.write_text("ann likes cid\nHeads: ann\t0.5\t\nTails: bob\t0.9\tcid\t0.4\t\n"
                    "ann likes dora may\nTails: bob\t0.9\tdora may\t0.2\t\nHeads: \n")  # fmt: skip
    assert scores_of(path, "ann", "likes") == {"bob": 0.9, "cid": 0.4, "dora may": 0.2}
    scorer = read_scores(path, KG)
    assert scorer.source.notes == ()
    # The head query of the second triple is there, with an empty list.
    assert (scorer.n_queries("tail"), scorer.n_queries("head")) == (1, 2)
    assert scorer.source.stated is not None
    assert scorer.source.stated.lines.tolist() == [1, 4]
    assert KG.label_triples(scorer.source.stated.triples) == KG.label_triples(KG.split("test"))


def test_the_order_of_a_list_breaks_no_tie(tmp_path) -> None:
    path = tmp_path / "ranking"
    path.write_text("ann likes cid\nHeads: \nTails: bob\t0.5\tcid\t0.5\t\n")
    assert scores_of(path, "ann", "likes") == {"bob": 0.5, "cid": 0.5}
    assert read_scores(path, KG).source.notes == (
        "lists in which candidates share a score: 1 of 2; these tie, whatever their order in the "
        "list",
    )


def test_a_triple_that_can_be_read_in_two_ways_is_the_one_of_the_data_set(tmp_path) -> None:
    path = tmp_path / "ranking"
    block = "\nHeads: \nTails: \n"
    facts = [("a", "b c", "d"), ("a b", "c", "d")]
    kg = KnowledgeGraph.from_labels({"train": facts[:1]}, entities=["a b"], relations=["c"])
    path.write_text("a b c d" + block)
    assert kg.label_triples(read_scores(path, kg).source.stated.triples) == facts[:1]
    both = KnowledgeGraph.from_labels({"train": facts})
    with pytest.raises(DataError, match="ranking:1: 'a b c d' can be read in 2 ways"):
        read_scores(path, both)
    path.write_text("a b\tc\td" + block)
    assert both.label_triples(read_scores(path, both).source.stated.triples) == facts[1:]


BROKEN_BLOCKS = {
    "cut short": ("ann likes cid\nHeads: ann\t1\t\n", "s:1: the end of the file in the block of"),
    "two heads": ("ann likes cid\nHeads: \nHeads: \n", "s:3: 'Heads: ' in the block of line 1"),
    "no triple": ("Heads: \nTails: \n", "s:1: 'Heads: ' where a triple belongs"),
    "odd fields": ("ann likes cid\nHeads: ann\t\nTails: \n", "s:2: 1 tab-separated fields"),
    "no number": ("ann likes cid\n\nHeads: ann\tx\t\nTails: \n", "s:3: score is 'x'"),
    "NaN": ("ann likes cid\nHeads: ann\tnan\t\nTails: \n", "s:2: score is 'nan'"),
    "unknown": ("ann likes cid\nHeads: an\t1\t\nTails: \n", "s:2: unknown entity 'an'; did you"),
    "unknown triple": ("ann like cid\nHeads: \nTails: \n", "s:1: unknown relation 'like'"),
    "no such triple": ("ann likes dora mae\nHeads: \nTails: \n", "s:1: 'ann likes dora mae' is no"),
    "twice": ("ann likes cid\nHeads: bob\t1\tbob\t1\t\nTails: \n",
              "s:2: candidate 'bob' stands twice in this list"),
    "two scores": ("ann likes cid\nHeads: \nTails: bob\t1\t\nann likes dora may\nHeads: \n"
                   "Tails: bob\t2\t\n",
                   r"s: candidate 'bob' of \(ann, likes, \?\) has score 1.0 in line 3 and 2.0 in "
                   "line 6"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN_BLOCKS)
def test_a_broken_ranking_is_refused_with_its_line(what, tmp_path) -> None:
    content, message = BROKEN_BLOCKS[what]
    path = tmp_path / "s"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        read_scores(path, KG)


@pytest.fixture
def queries(tmp_path) -> Path:
    path = tmp_path / "queries.tsv"
    path.write_text("query\thead\trelation\ttail\nq1\tann\tlikes\t?\nq2\t?\tlikes\tcid\n"
                    "q3\tann\tlikes\t?\n")  # fmt: skip
    return path


def test_the_score_of_a_run_decides_and_not_its_rank(queries, tmp_path) -> None:
    path = tmp_path / "run"
    path.write_text("q1  Q0 bob 1 0.1 x\nq1 Q0 cid 2 0.7 x\n\nq2\tQ0\tann\t1\t-3\tx\n")
    assert scores_of(path, "ann", "likes", queries=queries) == {"bob": 0.1, "cid": 0.7}
    assert scores_of(path, "cid", "likes", "head", queries=queries) == {"ann": -3}


def test_two_names_of_one_query_are_united_unless_they_disagree(queries, tmp_path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("query\tcandidate\tscore\nq1\tbob\t1\nq3\tbob\t1\nq3\tcid\t2\n")
    assert scores_of(path, "ann", "likes", queries=queries) == {"bob": 1, "cid": 2}
    path.write_text("query\tcandidate\tscore\nq1\tbob\t1\nq3\tbob\t1.5\nq3\tcid\t2\n")
    with pytest.raises(DataError, match=r"'bob' of \(ann, likes, \?\) has score 1.0 in line 2 and "
                       "1.5 in line 4"):  # fmt: skip
        read_scores(path, KG, queries=queries)


def test_runs_and_maps_that_do_not_fit_are_refused(queries, tmp_path) -> None:
    run, table, long = tmp_path / "run", tmp_path / "t.tsv", tmp_path / "long.tsv"
    long.write_text(HEADER + "ann\tlikes\t?\tcid\t1\n")
    run.write_text("q1 Q0 bob 1 0.5 x\nq1 Q0 bob 2 0.4 x\n")
    table.write_text("query\tcandidate\tscore\nq4\tbob\t1\n")
    with pytest.raises(DataError, match=r"'bob' of query 'q1' stands in lines 1 and 2"):
        read_scores(run, KG, queries=queries)
    with pytest.raises(
        DataError, match=r"t.tsv:2: unknown query 'q4'; expected one of the 3 names"
    ):
        read_scores(table, KG, queries=queries)
    for path in (run, table):
        with pytest.raises(ConfigError, match="--queries FILE"):
            read_scores(path, KG)
    with pytest.raises(ConfigError, match="spells its queries out"):
        read_scores(long, KG, queries=queries)
    with pytest.raises(ConfigError, match="--entity-map only for matrices"):
        read_scores(long, KG, entity_map=queries)


def test_broken_runs_and_maps_are_refused_with_their_line(queries, tmp_path) -> None:
    run, table = tmp_path / "run", tmp_path / "t.tsv"
    table.write_text("query\tcandidate\tscore\nq1\tbob\t1\n")
    run.write_text("q1 Q0 bob 1 0.5 x\nq1 Q0 dora may 2 0.4 x\n")
    with pytest.raises(DataError, match=r"run:2: 7 fields"):
        read_scores(run, KG, queries=queries)
    run.write_text("q1 Q0 bob 1 0.5 x\nq1 Q0 cod 2 nan x\n")
    with pytest.raises(DataError, match=r"run:2: score is 'nan'"):
        read_scores(run, KG, queries=queries)
    queries.write_text("query\thead\trelation\ttail\nq1\tann\tlikes\t?\nq1\t?\tlikes\tcid\n")
    with pytest.raises(DataError, match=r"queries.tsv: query 'q1' stands in lines 2 and 3"):
        read_scores(table, KG, queries=queries)
    queries.write_text("ann\tlikes\t?\n")
    with pytest.raises(DataError, match=r"queries.tsv: no column 'query'"):
        read_scores(table, KG, queries=queries)
    queries.write_text("query\thead\ttail\nq1\tann\t?\n")
    with pytest.raises(DataError, match=r"queries.tsv:1: .*missing: relation"):
        read_scores(table, KG, queries=queries)
    with pytest.raises(DataError, match="no such file"):
        read_scores(tmp_path / "none", KG)
