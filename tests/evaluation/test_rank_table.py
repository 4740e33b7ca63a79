"""Rank tables: written and read back, joined by query, refused when they do not belong together."""

from __future__ import annotations

import tempfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from strategies import TableScorer, scored_graphs

from hybridkg.errors import RankTableError, UnknownNameError
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.metrics import METRICS, get_metric
from hybridkg.evaluation.observers import VerdictObserver
from hybridkg.evaluation.rank_table import RankTable


def random_table(kg, name: str, seed: int) -> RankTable:
    rng = np.random.default_rng(seed)
    shape = (kg.n_entities, kg.n_relations, kg.n_entities)
    scores = rng.normal(size=shape).astype(np.float32)
    return evaluate(TableScorer(scores, scores), kg, name=name, about={"model": "m", "seed": seed})


def same(first: RankTable, second: RankTable) -> bool:
    return (
        first.query_keys() == second.query_keys()
        and first.instances == second.instances
        and first.protocol == second.protocol
        and dict(first.about) == dict(second.about)
        and set(first.columns) == set(second.columns)
        and all(
            v.dtype == second.columns[c].dtype and (v == second.columns[c]).all()
            for c, v in first.columns.items()
        )
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(scored_graphs())
def test_write_then_read_is_the_identity(case) -> None:
    kg, scorer = case
    names = ["a/b", "dot.", "ü %41"]
    table = combine([evaluate(scorer, kg, name=name) for name in names])
    with tempfile.TemporaryDirectory() as folder:
        table.write(folder)
        assert same(RankTable.read(folder), table)


def test_the_same_table_gives_the_same_bytes(academic, tmp_path) -> None:
    table = random_table(academic, "one", 0)
    first, second = table.write(tmp_path / "a"), table.write(tmp_path / "b")
    files = sorted(p.name for p in first.iterdir())
    assert files == ["manifest.json", "one.ranks.parquet", "queries.parquet"]
    for file in files:
        assert (first / file).read_bytes() == (second / file).read_bytes()


def test_changed_or_unfinished_files_are_refused(academic, tmp_path) -> None:
    folder = random_table(academic, "one", 0).write(tmp_path / "ranks")
    ranks = folder / "one.ranks.parquet"
    ranks.write_bytes(ranks.read_bytes()[:-1] + b"x")
    with pytest.raises(RankTableError, match=r"one.ranks.parquet: missing or changed"):
        RankTable.read(folder)
    (folder / "manifest.json").unlink()
    with pytest.raises(RankTableError, match=r"no manifest.json; expected a folder of ranks"):
        RankTable.read(folder)


def test_tables_join_by_query_and_never_by_line(academic) -> None:
    one, two = random_table(academic, "one", 1), random_table(academic, "two", 2)
    order = np.array([3, 0, 5, 1, 4, 2])
    shuffled = replace(
        two,
        heads=[two.heads[i] for i in order],
        relations=[two.relations[i] for i in order],
        tails=[two.tails[i] for i in order],
        targets=[two.targets[i] for i in order],
        columns={c: v[:, order] for c, v in two.columns.items()},
    )
    assert same(combine([one, shuffled]), combine([one, two]))


def test_protocols_do_not_mix(academic) -> None:
    zeros = TableScorer(*(np.zeros((13, 5, 13), np.float32),) * 2)
    first = evaluate(zeros, academic, name="first")
    second = evaluate(zeros, academic, name="second", filter_name="train")
    with pytest.raises(RankTableError, match="filter is 'all' in one and 'train' in the other"):
        combine([first, second])
    with pytest.raises(RankTableError, match=r"stand twice: \['first'\]"):
        combine([first, first])


def test_tables_with_other_queries_or_pools_do_not_combine(academic) -> None:
    one, two = random_table(academic, "one", 1), random_table(academic, "two", 2)
    fewer = replace(
        two,
        heads=two.heads[:4],
        relations=two.relations[:4],
        tails=two.tails[:4],
        targets=two.targets[:4],
        columns={c: v[:, :4] for c, v in two.columns.items()},
    )
    for pair in ([one, fewer], [fewer, one]):
        with pytest.raises(RankTableError, match="answer different queries"):
            combine(pair)
    wider = replace(two, columns={**two.columns, "candidates": two.candidates + 1})
    with pytest.raises(RankTableError, match="pools of different size"):
        combine([one, wider])


def test_the_filter_digest_tells_other_triples_apart(academic) -> None:
    less = academic.with_splits({**academic.splits, "train": academic.train[1:]})
    digests = {kg.filter_digest(f) for kg in (academic, less) for f in ("all", "train", "none")}
    assert len(digests) == 5
    order = academic.with_splits({**academic.splits, "train": academic.train[::-1]})
    assert order.filter_digest("all") == academic.filter_digest("all")


def test_the_order_of_test_rows_does_not_keep_tables_apart(academic) -> None:
    turned = academic.with_splits({**academic.splits, "test": academic.split("test")[::-1]})
    both = combine([random_table(academic, "one", 1), random_table(turned, "two", 1)])
    assert both.optimistic[0].tolist() == both.optimistic[1].tolist()


def test_an_interrupted_rewrite_leaves_no_manifest(academic, tmp_path, monkeypatch) -> None:
    import pyarrow.parquet

    folder = random_table(academic, "one", 0).write(tmp_path / "ranks")

    def full(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(pyarrow.parquet, "write_table", full)
    with pytest.raises(OSError, match="no space left"):
        random_table(academic, "one", 1).write(folder)
    assert not (folder / "manifest.json").exists()


def test_a_rewrite_removes_the_files_of_former_instances(academic, tmp_path) -> None:
    folder = random_table(academic, "old", 0).write(tmp_path / "ranks")
    random_table(academic, "new", 0).write(folder)
    assert [p.name for p in sorted(folder.glob("*.ranks.parquet"))] == ["new.ranks.parquet"]


def test_broken_manifests_are_refused(academic, tmp_path) -> None:
    import json

    from hybridkg.evaluation.rank_table import _digest

    folder = random_table(academic, "one", 0).write(tmp_path / "ranks")
    whole = json.loads((folder / "manifest.json").read_text())
    del whole["digest"]
    for change in ({"protocol": {}}, {"protocol": {**whole["protocol"], "more": 1}},
                   {"instances": [{}]}, {"instances": []}, {"digests": None}):  # fmt: skip
        broken = {**whole, **change}
        broken["digest"] = _digest(broken)
        (folder / "manifest.json").write_text(json.dumps(broken))
        with pytest.raises(RankTableError, match="not a readable rank table"):
            RankTable.read(folder)


def test_impossible_ranks_are_refused(academic) -> None:
    table = random_table(academic, "one", 0)
    with pytest.raises(RankTableError, match="expected 1 <= optimistic <= pessimistic"):
        replace(table, columns={**table.columns, "optimistic": table.optimistic * 0})
    with pytest.raises(UnknownNameError, match="did you mean 'one'"):
        table.select(["onee"])


def test_repeated_test_rows_stay_apart() -> None:
    from hybridkg.graph.knowledge_graph import KnowledgeGraph

    kg = KnowledgeGraph.from_labels({"train": [("a", "r", "b")], "test": [("b", "r", "a")] * 2})
    table = random_table(kg, "one", 0)
    assert [key[4] for key in table.query_keys()] == [0, 0, 1, 1]
    assert same(combine([table]), table)


def test_metrics_state_range_direction_and_source() -> None:
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.source
        low, high = metric.range
        ranks = np.arange(1, 40, dtype=np.int32)
        values = metric.values(ranks, ranks, "optimistic")
        assert ((low <= values) & (values <= high)).all()
        better = np.diff(values) <= 0 if metric.larger_is_better else np.diff(values) >= 0
        assert better.all()
    assert get_metric("hits_at_5").title == "Hits@5"
    with pytest.raises(UnknownNameError, match="unknown metric 'hits_at_0'"):
        get_metric("hits_at_0")
    mrr = (1 / 3 + 1 / 3 + 4) / 6
    ranks = np.array([3, 3, 1, 1, 1, 1], dtype=np.int32)
    assert get_metric("mrr").values(ranks, ranks).mean() == pytest.approx(mrr)
    assert round(mrr, 4) == 0.7778


class Codes:
    """Verdict codes from a dense table."""

    def __init__(self, table) -> None:
        self._table = table

    depends_on_anchor = False

    def codes(self, target, relation, anchor=None):
        return self._table[0 if target == "tail" else 1, relation]


@given(scored_graphs())
def test_verdict_counts_equal_a_sorted_list(case) -> None:
    kg, scorer = case
    rng = np.random.default_rng(len(kg.train))
    codes = rng.integers(0, 4, size=(2, kg.n_relations, kg.n_entities)).astype(np.uint8)
    table = evaluate(scorer, kg, observers=[VerdictObserver(Codes(codes), (1, 2, 4))])
    known = {tuple(t) for rows in kg.splits.values() for t in rows.tolist()}
    row = 0
    for h, r, t in kg.splits["test"].tolist():
        for column, target in enumerate(("tail", "head")):
            anchor, answer = (h, t) if target == "tail" else (t, h)
            made = {e: (h, r, e) if target == "tail" else (e, r, t) for e in range(kg.n_entities)}
            pool = [e for e in made if e == answer or made[e] not in known]
            scores = scorer._tables[target][anchor, r]
            code = codes[column, r]
            for value, verdict in enumerate(("untyped", "unsupported", "impossible"), start=1):
                forbidden = [e for e in pool if e != answer and code[e] == value]
                above = sum(scores[e] > scores[answer] for e in forbidden)
                tied = sum(scores[e] == scores[answer] for e in forbidden)
                assert table.columns[f"{verdict}_above"][0, row] == above
                assert table.columns[f"{verdict}_tied"][0, row] == tied
                assert table.columns[f"{verdict}_candidates"][0, row] == len(forbidden)
                for k in (1, 2, 4):
                    assert table.columns[f"{verdict}_top_{k}"][0, row] == pytest.approx(
                        expected_in_top(pool, scores, code == value, k)
                    )
            assert table.columns["truth_verdict"][0, row] == code[answer]
            row += 1


def expected_in_top(pool, scores, marked, k: int) -> float:
    """Mean over random tie orders of the marked scored candidates in the first k places."""
    total, place = 0.0, 0
    for value in sorted({scores[e] for e in pool if scores[e] > -np.inf}, reverse=True):
        group = [e for e in pool if scores[e] == value]
        room = min(max(k - place, 0), len(group))
        total += sum(marked[e] for e in group) * room / len(group)
        place += len(group)
    return total
