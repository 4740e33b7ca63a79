"""Cardinality classes of relations."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from hypothesis import given
from strategies import graphs

from hybridkg.evaluation.cardinality import CARDINALITIES, relation_cardinality
from hybridkg.graph.knowledge_graph import KnowledgeGraph


def classes(train, test=()) -> dict[str, str]:
    kg = KnowledgeGraph.from_labels({"train": train, "test": test})
    codes = relation_cardinality(kg)
    return {r: CARDINALITIES[codes[i]] for i, r in enumerate(kg.relations)}


def test_each_class_by_its_plainest_example() -> None:
    train = [("a", "one", "b"), ("c", "one", "d")]
    train += [("a", "many tails", t) for t in "bcd"]
    train += [(h, "many heads", "a") for h in "bcd"]
    train += [(h, "many", t) for h in "ab" for t in "cd"]
    assert classes(train, [("a", "never trained", "b")]) == {
        "one": "1-1",
        "many tails": "1-n",
        "many heads": "n-1",
        "many": "n-n",
        "never trained": "unseen",
    }


def test_the_threshold_itself_is_many_and_repeats_do_not_count() -> None:
    # Two heads with three distinct tails: exactly 1.5 tails a head.
    train = [("a", "r", "x"), ("a", "r", "y"), ("b", "r", "z")]
    assert classes(train) == {"r": "1-n"}
    assert classes([*train[:2], *train[:1] * 9, ("b", "r", "z"), ("c", "r", "w")]) == {"r": "1-1"}


@given(graphs())
def test_classes_equal_a_plain_count(kg) -> None:
    tails, heads = defaultdict(set), defaultdict(set)
    for h, r, t in kg.train.tolist():
        tails[r, h].add(t)
        heads[r, t].add(h)
    codes = relation_cardinality(kg)
    assert codes.shape == (kg.n_relations,)
    for r in range(kg.n_relations):
        sides = []
        for sets in (heads, tails):
            sizes = [len(found) for (relation, _), found in sets.items() if relation == r]
            many = sizes and Fraction(sum(sizes), len(sizes)) >= Fraction(3, 2)
            sides.append("n" if many else "1")
        expected = "-".join(sides) if sizes else "unseen"
        assert CARDINALITIES[codes[r]] == expected


def test_wordnet_relations_fall_where_the_literature_has_them(benchmarks) -> None:
    from hybridkg.graph.datasets import load_dataset

    kg = load_dataset(str(benchmarks / "wn18rr"))
    codes = relation_cardinality(kg)
    found = {r: CARDINALITIES[codes[i]] for i, r in enumerate(kg.relations)}
    assert (found["_hypernym"], found["_has_part"]) == ("n-1", "1-n")
