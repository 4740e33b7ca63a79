"""Metrics by stratum: they add up to the whole, and equal a plain selection of queries."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import scored_graphs

from hybridkg.analysis.breakdown import breakdown, chance_breakdown, macro_over_relations
from hybridkg.analysis.strata import strata_by, strata_by_triple
from hybridkg.errors import ConfigError, RankTableError
from hybridkg.evaluation.cardinality import CARDINALITIES, relation_cardinality
from hybridkg.evaluation.chance import chance_line
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.evaluation.joining import combine
from hybridkg.evaluation.rank_table import RankTable

KEYS = st.sampled_from(
    [("relation",), ("cardinality",), ("target",), ("cardinality", "target"),
     ("target", "relation")]
)  # fmt: skip


def with_classes(kg, table: RankTable) -> RankTable:
    """Store the cardinality class of each query's relation in the table."""
    codes = relation_cardinality(kg)[[kg.relations.id_of(r) for r in table.relations]]
    column = np.tile(codes, (len(table.instances), 1))
    return replace(table, columns={**table.columns, "cardinality": column})


def part(table: RankTable, rows: np.ndarray) -> RankTable:
    """Return the table of some queries."""
    return replace(
        table,
        **{key: [getattr(table, key)[row] for row in rows]
           for key in ("heads", "relations", "tails", "targets")},
        columns={column: values[:, rows] for column, values in table.columns.items()},
    )  # fmt: skip


@st.composite
def tables(draw) -> RankTable:
    kg, scorer = draw(scored_graphs())
    turned = type(scorer)(scorer._tables["head"], scorer._tables["tail"])
    return with_classes(
        kg, combine([evaluate(scorer, kg, name="a"), evaluate(turned, kg, name="b")])
    )


@given(tables(), KEYS, st.sampled_from(["expected", "pessimistic", "absent_zero_realistic"]))
def test_each_stratum_has_the_metrics_of_its_queries_alone(table, by, ties) -> None:
    names = ("mrr", "hits_at_1", "mean_rank", "amri", "z_mrr")
    frame = breakdown(table, by, ties=ties, metrics=names)
    strata = strata_by(table, by)
    assert len(frame) == 2 * len(strata.labels)
    chance = chance_breakdown(table, by, metrics=names)
    for number, label in enumerate(strata.labels):
        rows = np.flatnonzero(strata.codes == number)
        alone = part(table, rows)
        expected = alone.metrics(ties, names=names)
        for instance in table.instances:
            found = frame.loc[(instance, *label)]
            assert found["queries"] == len(rows)
            for name in (*names, "tied", "coverage"):
                assert found[name] == pytest.approx(expected.loc[instance, name], nan_ok=True)
        for name in ("mrr", "hits_at_1", "mean_rank"):
            found = chance.loc[label if len(by) > 1 else label[0], name]
            assert found == pytest.approx(chance_line(alone.candidates[0])[name])


@given(tables(), KEYS)
def test_strata_weighted_by_their_queries_give_the_whole(table, by) -> None:
    frame = breakdown(table, by)
    whole = table.metrics()
    for instance, rows in frame.groupby("instance"):
        assert rows["queries"].sum() == table.n_queries
        for name in ("mrr", "hits_at_10", "mean_rank", "tied", "coverage"):
            mean = np.average(rows[name], weights=rows["queries"])
            assert mean == pytest.approx(whole.loc[instance, name])


@given(tables())
def test_macro_counts_each_relation_once(table) -> None:
    macro = macro_over_relations(table)
    frame = breakdown(table, ("relation",))
    for instance, rows in frame.groupby("instance"):
        assert macro.loc[instance, "relations"] == len(set(table.relations)) == len(rows)
        assert macro.loc[instance, "mrr"] == pytest.approx(rows["mrr"].mean())


@given(tables(), st.randoms(use_true_random=False))
def test_strata_do_not_depend_on_the_order_of_the_queries(table, random) -> None:
    order = list(range(table.n_queries))
    random.shuffle(order)
    shuffled = part(table, np.array(order))
    by = ("cardinality", "relation", "target")
    first, second = breakdown(table, by), breakdown(shuffled, by)
    assert first.index.tolist() == second.index.tolist()
    assert np.allclose(first, second)


def test_strata_stand_in_a_fixed_order(academic) -> None:
    from hybridkg.scoring.baselines import ConstantScorer

    table = with_classes(academic, evaluate(ConstantScorer(academic.n_entities), academic))
    assert strata_by(table, ["target"]).labels == (("tail",), ("head",))
    assert [label for (label,) in strata_by(table, ["relation"]).labels] == [
        "advises", "affiliated", "authored",
    ]  # fmt: skip
    classes = [label for (label,) in strata_by(table, ["cardinality"]).labels]
    # Three advises, three authored, two students at each of two institutions.
    assert classes == ["1-1", "n-1"]
    assert classes == sorted(classes, key=CARDINALITIES.index)


def test_both_queries_of_a_triple_are_one_stratum_and_repeats_two() -> None:
    from hybridkg.graph.knowledge_graph import KnowledgeGraph
    from hybridkg.scoring.baselines import ConstantScorer

    kg = KnowledgeGraph.from_labels(
        {"train": [("a", "r", "b")], "test": [("b", "r", "a"), ("a", "r", "a"), ("b", "r", "a")]}
    )
    table = evaluate(ConstantScorer(kg.n_entities), kg)
    for rows in ([0, 1, 2, 3, 4, 5], [1, 3, 5, 4, 2, 0]):
        strata = strata_by_triple(part(table, np.array(rows)))
        assert strata.labels == (("a", "r", "a", "0"), ("b", "r", "a", "0"), ("b", "r", "a", "1"))
        assert strata.sizes.tolist() == [2, 2, 2]


def test_unknown_keys_and_absent_classes_are_refused(academic) -> None:
    from hybridkg.scoring.baselines import ConstantScorer

    table = evaluate(ConstantScorer(academic.n_entities), academic)
    bare = replace(
        table, columns={c: v for c, v in table.columns.items() if c != "cardinality"}
    )  # fmt: skip
    for by in ([], ["colour"], ["target", "target"]):
        with pytest.raises(ConfigError, match="expected some of relation, cardinality, target"):
            breakdown(bare, by)
    with pytest.raises(RankTableError, match="carry no cardinality classes"):
        breakdown(bare, ["cardinality"])
    strange = np.full_like(table.optimistic, len(CARDINALITIES))
    with pytest.raises(RankTableError, match="or are no codes of such classes"):
        breakdown(replace(bare, columns={**bare.columns, "cardinality": strange}), ["cardinality"])
    with pytest.raises(RankTableError, match="no query; expected one or more"):
        breakdown(part(bare, np.array([], dtype=int)))


def test_chance_is_not_known_where_pools_are_not(academic) -> None:
    from hybridkg.scoring.baselines import ConstantScorer

    table = evaluate(ConstantScorer(academic.n_entities), academic)
    unknown = replace(table, columns={**table.columns, "candidates": table.candidates * 0})
    assert chance_breakdown(unknown) is None
    frame = breakdown(unknown, metrics=["mrr", "amri"])
    assert frame["amri"].isna().all()
    assert frame["mrr"].notna().all()
