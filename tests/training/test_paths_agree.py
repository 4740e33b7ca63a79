"""Every registered model ranks alike through factors, sparse scores and plain scores."""

from __future__ import annotations

import numpy as np
import pytest

from hybridkg.evaluation.evaluator import evaluate
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.training.models import find_model, model_names
from hybridkg.training.spec import make_config

QUICK = {
    name: {"dimension": 8, "epochs": 3}
    for name in ("complex", "distmult", "transe", "rotate", "chapter_transe")
}


class OnlyScore:
    """Hides every way but ``score``."""

    name = "only"

    def __init__(self, scorer) -> None:
        self.score = scorer.score


@pytest.fixture(scope="module")
def graph() -> KnowledgeGraph:
    """A graph whose test asks for an entity and a relation that training has not seen."""
    rng = np.random.default_rng(4)
    train = {(f"e{h}", f"r{r}", f"e{t}") for h, r, t in rng.integers(0, (30, 3, 30), (120, 3))}
    test = [("e1", "r0", "new"), ("e2", "other", "e3"), ("new", "r1", "e4"),
            *sorted({("e5", "r0", "e6"), ("e7", "r2", "e8")} - train)]  # fmt: skip
    return KnowledgeGraph.from_labels({"train": sorted(train), "test": test}, name="unseen")


@pytest.mark.parametrize("name", model_names())
def test_all_paths_and_batches_give_the_same_ranks(graph, name: str) -> None:
    kind = find_model(name)
    config = make_config(kind.config, QUICK.get(name, {}), name)
    scorer = kind.fit(graph, config, 0, lambda line: None).scorer
    whole = evaluate(scorer, graph)
    for other in (
        evaluate(OnlyScore(scorer), graph),
        evaluate(scorer, graph, batch_size=1),
        evaluate(OnlyScore(scorer), graph, batch_size=3),
    ):
        for column in ("optimistic", "pessimistic", "scored"):
            np.testing.assert_array_equal(other.columns[column], whole.columns[column])


@pytest.mark.parametrize("name", ["complex", "distmult", "transe", "rotate"])
def test_what_training_has_not_seen_is_not_scored_when_ranked(graph, name: str) -> None:
    kind = find_model(name)
    config = make_config(kind.config, QUICK[name], name)
    table = evaluate(kind.fit(graph, config, 0, lambda line: None).scorer, graph)
    unseen_truth_or_query = [
        "new" in (h, t) or r == "other"
        for h, r, t in zip(table.heads, table.relations, table.tails, strict=True)
    ]
    assert (~table.scored[0]).tolist() == unseen_truth_or_query
