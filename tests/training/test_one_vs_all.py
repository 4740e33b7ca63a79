"""Training: repeatable, keeps the best epoch, learns, leaves the process alone."""

from __future__ import annotations

import time

import numpy as np
import pytest

from hybridkg.errors import ConfigError, TrainingError, UnknownNameError
from hybridkg.evaluation.evaluator import evaluate
from hybridkg.graph.datasets import load_dataset
from hybridkg.graph.read import read_folder
from hybridkg.training.models import find_model
from hybridkg.training.one_vs_all import train_embedding
from hybridkg.training.one_vs_all_config import OneVsAllConfig

torch = pytest.importorskip("torch")
pytest.importorskip("pykeen")

MODELS = ("complex", "distmult", "transe", "rotate")
QUICK = OneVsAllConfig(dimension=8, epochs=6, batch_size=16, validate_every=2)


def weights(trained) -> bytes:
    return trained.scorer.entities.tobytes() + trained.scorer.relations.tobytes()


@pytest.mark.parametrize("model", MODELS)
def test_the_same_seed_gives_the_same_bytes_whatever_the_global_random_state(model, rings):
    torch.manual_seed(1)
    first = train_embedding(rings, model, QUICK, 0)
    torch.manual_seed(2)
    again = train_embedding(rings, model, QUICK, 0)
    assert weights(first) == weights(again)
    assert first.curve == again.curve
    assert weights(train_embedding(rings, model, QUICK, 1)) != weights(first)


def test_training_leaves_threads_and_global_random_state_alone(rings):
    threads, state = torch.get_num_threads(), torch.random.get_rng_state()
    train_embedding(rings, "complex", QUICK, 0)
    assert torch.get_num_threads() == threads
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.is_grad_enabled()


# A ring wants next to differ from its reverse, which DistMult's symmetric product cannot say, and
# twelve steps that come back to the start, which one translation cannot do.
@pytest.mark.parametrize(
    ("model", "least"), [("complex", 0.95), ("rotate", 0.95), ("distmult", 0.6), ("transe", 0.4)]
)
def test_each_model_learns_of_the_rings_what_it_can_express(model, least, rings):
    config = OneVsAllConfig(dimension=32, epochs=200, learning_rate=0.02, n3=0.0, scale=2.0)
    train_only = rings.with_splits({"train": rings.train})
    trained = train_embedding(train_only, model, config, 0)
    table = evaluate(trained.scorer, train_only, split="train")
    assert table.values("mrr", "pessimistic").mean() > least
    assert trained.curve[-1].loss < 0.7 * trained.curve[0].loss
    assert table.chance()["mrr"] < 0.2


def test_the_weights_of_the_best_validated_epoch_are_kept(rings):
    config = OneVsAllConfig(dimension=16, epochs=60, learning_rate=0.1, n3=0.0, validate_every=3)
    trained = train_embedding(rings, "complex", config, 0)
    validated = {e.epoch: e.validation_mrr for e in trained.curve if e.validation_mrr is not None}
    assert sorted(validated) == list(range(3, 61, 3))
    best = max(validated.values())
    assert trained.kept_epoch == min(e for e, mrr in validated.items() if mrr == best)
    assert trained.kept_epoch < 60
    table = evaluate(trained.scorer, rings, split="valid", filter_name="train+valid")
    assert table.values("mrr", "pessimistic").mean() == pytest.approx(best, abs=1e-6)


def test_without_a_validation_split_the_last_epoch_is_kept_within_two_seconds(academic):
    config = OneVsAllConfig(dimension=32, epochs=200, learning_rate=0.02)
    train_embedding(academic, "complex", QUICK, 0)
    start = time.process_time()
    trained = train_embedding(academic, "complex", config, 0)
    assert time.process_time() - start < 2
    assert trained.kept_epoch == 200
    assert all(record.validation_mrr is None for record in trained.curve)
    assert evaluate(trained.scorer, academic, split="train").values("mrr").mean() > 0.95


def test_repeated_training_triples_change_nothing(rings):
    doubled = rings.with_splits({**rings.splits, "train": np.repeat(rings.train, 2, axis=0)})
    first = train_embedding(rings, "distmult", QUICK, 0)
    assert weights(train_embedding(doubled, "distmult", QUICK, 0)) == weights(first)


def test_dropout_and_the_penalty_each_change_the_result(rings):
    base = weights(train_embedding(rings, "complex", QUICK, 0))
    for options in ({"dropout": 0.3}, {"n3": 0.5}, {"precision": "bfloat16"}):
        other = OneVsAllConfig(
            **{"dimension": 8, "epochs": 6, "batch_size": 16, "validate_every": 2, **options}
        )
        assert weights(train_embedding(rings, "complex", other, 0)) != base


@pytest.mark.parametrize("model", MODELS)
def test_a_sampled_softmax_learns_too_and_is_repeatable(model, rings):
    config = OneVsAllConfig(
        dimension=32, epochs=200, learning_rate=0.02, n3=0.0, scale=2.0, sample=8, batch_size=16
    )
    train_only = rings.with_splits({"train": rings.train})
    trained = train_embedding(train_only, model, config, 0)
    assert weights(train_embedding(train_only, model, config, 0)) == weights(trained)
    table = evaluate(trained.scorer, train_only, split="train")
    assert table.values("mrr", "pessimistic").mean() > 2 * table.chance()["mrr"]


def test_rotations_keep_unit_modulus(rings):
    relations = train_embedding(rings, "rotate", QUICK, 0).scorer.relations
    moduli = np.abs(np.ascontiguousarray(relations).view(np.complex64))
    np.testing.assert_allclose(moduli, 1.0, atol=1e-5)


def test_progress_sees_every_epoch(rings):
    seen = []
    trained = train_embedding(rings, "transe", QUICK, 0, progress=seen.append)
    assert tuple(seen) == trained.curve
    assert [record.epoch for record in seen] == [1, 2, 3, 4, 5, 6]


def test_a_diverged_training_is_an_error(rings):
    config = OneVsAllConfig(dimension=8, epochs=20, learning_rate=1e20, n3=10.0)
    with pytest.raises(TrainingError, match="diverged"):
        train_embedding(rings, "complex", config, 0)


def test_an_empty_training_split_is_an_error(rings):
    with pytest.raises(TrainingError, match="empty"):
        train_embedding(rings.with_splits({"train": rings.train[:0]}), "complex", QUICK, 0)


def test_an_unknown_model_is_an_error(rings):
    with pytest.raises(UnknownNameError, match="did you mean 'rotate'"):
        train_embedding(rings, "rotat", QUICK, 0)


@pytest.mark.parametrize(
    "options",
    [
        {"epochs": 0},
        {"learning_rate": 0.0},
        {"n3": -1.0},
        {"sample": -1},
        {"dropout": 1.0},
        {"precision": "half"},
    ],
)
def test_settings_out_of_range_are_refused(options):
    with pytest.raises(ConfigError, match=next(iter(options))):
        OneVsAllConfig(**options)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "least"), [("complex", 0.45), ("distmult", 0.40)])
def test_codex_s_within_ninety_cpu_seconds(benchmarks, model, least):
    kg = load_dataset(benchmarks / "codex-s")
    start = time.process_time()
    trained = train_embedding(kg, model, OneVsAllConfig(), 0)
    assert time.process_time() - start < 90
    assert evaluate(trained.scorer, kg).values("mrr", "pessimistic").mean() >= least


@pytest.mark.slow
@pytest.mark.parametrize(("model", "floor"), [("transe", 0.34), ("rotate", 0.41)])
def test_distance_models_reach_their_floor_on_codex_s_with_their_defaults(
    benchmarks, model: str, floor: float
) -> None:
    # Floors a little under the single-seed figures: TransE .360, RotatE .430.
    kind = find_model(model)
    kg = read_folder(benchmarks / "codex-s")
    scorer = kind.fit(kg, kind.config(), 0, lambda line: None).scorer
    assert evaluate(scorer, kg).values("mrr", "pessimistic").mean() >= floor
