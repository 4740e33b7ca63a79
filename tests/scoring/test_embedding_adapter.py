"""Our scores against PyKEEN's own, masks for what training has not seen, factors."""

from __future__ import annotations

import logging
import warnings

import numpy as np
import pytest

from hybridkg.errors import ConfigError, MissingExtraError, ScoreError, UnknownNameError
from hybridkg.graph.queries import Queries
from hybridkg.scoring.embedding import embedding_scorer
from hybridkg.scoring.embedding_kinds import (
    EMBEDDING_KINDS,
    find_kind,
    model_tables,
    pykeen_model,
    quiet_pykeen,
)


def tables(name: str, n_entities: int, n_relations: int, width: int = 12, seed: int = 0):
    generator = np.random.default_rng(seed)
    entities = generator.normal(size=(n_entities, width)).astype(np.float32)
    relations = generator.normal(size=(2 * n_relations, width)).astype(np.float32)
    return find_kind(name), entities, relations


def scorer_of(name: str, kg, **options):
    kind, entities, relations = tables(name, kg.n_entities, kg.n_relations, **options)
    return embedding_scorer(kind, entities, relations, kg.seen_entities(), kg.seen_relations())


@pytest.mark.parametrize("name", sorted(EMBEDDING_KINDS))
@pytest.mark.parametrize("target", ["tail", "head"])
def test_scores_equal_those_of_pykeen(name, target):
    torch = pytest.importorskip("torch")
    pytest.importorskip("pykeen")
    kind, entities, relations = tables(name, 30, 4)
    model = pykeen_model(kind, 30, 4, 12)
    entity_table, relation_table = model_tables(model)
    with torch.no_grad():
        entity_table.copy_(torch.from_numpy(entities))
        relation_table.copy_(torch.from_numpy(relations))
        model.post_parameter_update()
    scorer = embedding_scorer(
        kind,
        entity_table.detach().numpy().copy(),
        relation_table.detach().numpy().copy(),
        np.ones(30, dtype=bool),
        np.ones(4, dtype=bool),
    )
    generator = np.random.default_rng(1)
    anchors, asked = generator.integers(30, size=70), generator.integers(4, size=70)
    with quiet_pykeen(), torch.no_grad():
        if target == "tail":
            expected = model.predict_t(torch.from_numpy(np.column_stack([anchors, asked])))
        else:
            expected = model.predict_h(torch.from_numpy(np.column_stack([asked, anchors])))
        # predict_* goes through score_t with PyKEEN's own ids of inverse relations.
        rows = np.column_stack([anchors, 2 * asked + (target == "head")])
        assert torch.equal(expected, model.score_t(torch.from_numpy(rows)))
    scores = scorer.score(Queries(target, anchors.astype(np.int32), asked.astype(np.int32)))
    np.testing.assert_allclose(scores, expected.numpy(), atol=1e-4)


@pytest.mark.parametrize("name", sorted(EMBEDDING_KINDS))
@pytest.mark.parametrize("target", ["tail", "head"])
def test_factors_give_the_scores(name, target, small, block):
    queries = block(target, 50)
    scorer = scorer_of(name, small)
    factors = scorer.factor(queries)
    if factors.kind == "dot":
        scores = factors.queries @ factors.candidates.T
    else:
        gaps = factors.queries[:, None] - factors.candidates
        scores = -np.sqrt((gaps.astype(np.float64) ** 2).sum(2))
    scores[:, factors.unscored_entities] = -np.inf
    scores[factors.unscored_queries] = -np.inf
    np.testing.assert_allclose(scores, scorer.score(queries), atol=1e-4)


@pytest.mark.parametrize("target", ["tail", "head"])
def test_what_training_has_not_seen_is_not_scored(target, small):
    scorer = scorer_of("distmult", small)
    new, unheard = small.entities.id_of("new"), small.relations.id_of("unheard")
    queries = Queries(
        target, np.array([0, new, 0], dtype=np.int32), np.array([0, 0, unheard], dtype=np.int32)
    )
    scores = scorer.score(queries)
    assert np.isneginf(scores[0]).nonzero()[0].tolist() == [new]
    assert np.isneginf(scores[1:]).all()


def test_nothing_is_masked_where_training_has_seen_everything(academic):
    factors = scorer_of("complex", academic).factor(
        Queries("tail", np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32))
    )
    assert factors.unscored_entities is None
    assert factors.unscored_queries is None


def test_tables_of_a_wrong_shape_or_with_nan_are_refused(small):
    kind, entities, relations = tables("transe", small.n_entities, small.n_relations)
    seen = small.seen_entities(), small.seen_relations()
    with pytest.raises(ScoreError, match="expected"):
        embedding_scorer(kind, entities, relations[1:], *seen)
    entities[3, 2] = np.nan
    with pytest.raises(ScoreError, match="diverged"):
        embedding_scorer(kind, entities, relations, *seen)


def test_an_odd_dimension_of_complex_vectors_is_refused():
    with pytest.raises(ConfigError, match="even"):
        pykeen_model(find_kind("rotate"), 3, 1, 5)


def test_an_unknown_embedding_model_names_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'complex'"):
        find_kind("complx")


def test_without_torch_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"hybridkg\[embeddings\]"):
        pykeen_model(find_kind("transe"), 3, 1, 4)


def test_building_a_model_leaves_logs_warnings_and_random_states_alone():
    torch = pytest.importorskip("torch")
    pytest.importorskip("pykeen")
    before = torch.random.get_rng_state(), torch.get_num_threads(), list(warnings.filters)
    level, numpy_state = logging.getLogger("pykeen").level, np.random.get_state()[1].tolist()  # noqa: NPY002
    pykeen_model(find_kind("complex"), 5, 2, 4)
    assert torch.equal(before[0], torch.random.get_rng_state())
    assert before[1:] == (torch.get_num_threads(), list(warnings.filters))
    assert logging.getLogger("pykeen").level == level
    assert np.random.get_state()[1].tolist() == numpy_state  # noqa: NPY002
