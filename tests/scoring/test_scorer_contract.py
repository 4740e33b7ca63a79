"""What every registered model's scorer must do, whoever wrote it."""

from __future__ import annotations

import numpy as np
import pytest

from hybridkg.graph.queries import Queries
from hybridkg.scoring.base import Scorer
from hybridkg.training.models import find_model, model_names
from hybridkg.training.spec import make_config

#: Options that make a model's fit a matter of a moment.
QUICK = {
    name: {"dimension": 8, "epochs": 3}
    for name in ("complex", "distmult", "transe", "rotate", "chapter_transe")
}
# Enough samples would find every rule of the small graph, whatever the seed.
QUICK["sampled_rules"] = {"samples": 50}
NAMES = model_names()
TRAINED_ON_SEEN = ("complex", "distmult", "transe", "rotate")


@pytest.fixture(scope="module", params=NAMES)
def fitted(request, small):
    kind = find_model(request.param)
    config = make_config(kind.config, QUICK.get(request.param, {}), request.param)
    return kind, config, kind.fit(small, config, 0, lambda line: None).scorer


@pytest.mark.parametrize("target", ["tail", "head"])
def test_scores_have_the_shape_the_type_and_no_nan(fitted, small, block, target):
    _, _, scorer = fitted
    assert isinstance(scorer, Scorer)
    for n in (0, 1, 33):
        scores = scorer.score(block(target, n))
        assert scores.shape == (n, small.n_entities)
        assert scores.dtype == np.float32
        assert not np.isnan(scores).any()
        assert not np.isposinf(scores).any()


@pytest.mark.parametrize("target", ["tail", "head"])
def test_a_query_has_the_same_scores_in_any_block(fitted, block, target):
    _, _, scorer = fitted
    queries = block(target, 150)
    whole = scorer.score(queries)
    generator = np.random.default_rng(2)
    cuts = np.sort(generator.choice(np.arange(1, 150), size=12, replace=False))
    parts = [
        scorer.score(queries.rows(slice(int(a), int(b))))
        for a, b in zip([0, *cuts], [*cuts, 150], strict=True)
    ]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    order = generator.permutation(150)
    shuffled = Queries(target, queries.anchors[order], queries.relations[order])
    np.testing.assert_array_equal(scorer.score(shuffled), whole[order])


@pytest.mark.parametrize("target", ["tail", "head"])
def test_scores_handed_out_are_the_callers(fitted, block, target):
    _, _, scorer = fitted
    queries = block(target, 10)
    first = scorer.score(queries)
    kept = first.copy()
    scorer.score(block(target, 10, seed=9))
    np.testing.assert_array_equal(first, kept)
    first.fill(7.0)
    np.testing.assert_array_equal(scorer.score(queries), kept)


def test_fitting_twice_gives_the_same_scores_and_leaves_the_graph_alone(fitted, small, block):
    kind, config, scorer = fitted
    before = {name: rows.copy() for name, rows in small.splits.items()}
    again = kind.fit(small, config, 0, lambda line: None).scorer
    for name, rows in before.items():
        np.testing.assert_array_equal(small.split(name), rows)
    for target in ("tail", "head"):
        np.testing.assert_array_equal(
            again.score(block(target, 40)), scorer.score(block(target, 40))
        )


def test_the_seed_matters_exactly_where_the_model_says_so(fitted, small, block):
    kind, config, scorer = fitted
    other = kind.fit(small, config, 1, lambda line: None).scorer
    same = np.array_equal(other.score(block("tail", 40)), scorer.score(block("tail", 40)))
    assert same != kind.seeded


def test_saving_and_loading_gives_the_same_scores(fitted, small, block, tmp_path):
    kind, config, scorer = fitted
    kind.save(scorer, tmp_path)
    loaded = kind.load(tmp_path, small, config, 0)
    for target in ("tail", "head"):
        np.testing.assert_array_equal(
            loaded.score(block(target, 40)), scorer.score(block(target, 40))
        )
    assert not list(tmp_path.glob("*.pkl"))


@pytest.mark.parametrize("name", TRAINED_ON_SEEN)
def test_a_trained_model_does_not_score_an_entity_without_a_training_triple(name, small, block):
    kind = find_model(name)
    config = make_config(kind.config, QUICK[name], name)
    scores = kind.fit(small, config, 0, lambda line: None).scorer.score(block("tail", 20))
    assert np.isneginf(scores[:, small.entities.id_of("new")]).all()


def test_every_builtin_model_is_registered():
    expected = {"chapter_transe", "complex", "constant", "distmult", "frequency"}
    assert expected | {"random", "rotate", "rules", "transe"} <= set(NAMES)
