"""Specs: what they mean, and one clear sentence for each mistake."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from hybridkg.errors import ConfigError
from hybridkg.scoring.rule_configs import RulesConfig
from hybridkg.training.models import find_model, model_names
from hybridkg.training.one_vs_all_config import OneVsAllConfig
from hybridkg.training.spec import make_config, parse_spec, read_spec

TEXT = """
dataset = "umls"
out = "runs/umls"
seeds = [3, 1]

[[models]]
name = "complex"
dimension = 64
learning_rate = 1

[[models]]
name = "complex"
label = "wide"
dimension = 128

[[models]]
name = "rules"
min_support = 5
"""


def spec(**changes):
    return {"dataset": "umls", "out": "runs", "models": [{"name": "rules"}], **changes}


def test_a_spec_is_read_with_all_defaults_written_out(tmp_path):
    (tmp_path / "spec.toml").write_text(TEXT, encoding="utf-8")
    found = read_spec(tmp_path / "spec.toml")
    assert (found.dataset, found.out, found.seeds) == ("umls", "runs/umls", (3, 1))
    assert found.models[0].config == OneVsAllConfig(dimension=64, learning_rate=1.0)
    assert type(found.models[0].config.learning_rate) is float
    assert found.models[2].config == RulesConfig(min_support=5)


def test_each_seeded_model_has_every_seed_and_a_deterministic_one_has_one_instance(tmp_path):
    (tmp_path / "spec.toml").write_text(TEXT, encoding="utf-8")
    found = [(one.name, one.seed) for one in read_spec(tmp_path / "spec.toml").instances()]
    assert found == [
        ("complex-s3", 3),
        ("complex-s1", 1),
        ("wide-s3", 3),
        ("wide-s1", 1),
        ("rules", None),
    ]


@pytest.mark.parametrize("name", ["rules", "constant", "frequency"])
def test_models_without_a_seed_are_those_that_draw_nothing(name):
    assert not find_model(name).seeded
    assert parse_spec(spec(models=[{"name": name}], seeds=[0, 1, 2])).instances()[0].name == name


def test_seeds_default_to_zero():
    assert parse_spec(spec()).seeds == (0,)


def test_the_shipped_example_is_a_valid_spec():
    found = read_spec(Path(__file__).parents[2] / "examples" / "codex_s.toml")
    assert [model.model for model in found.models] == ["complex", "distmult", "rules"]
    assert found.dataset == "codex-s"


@pytest.mark.parametrize("name", model_names())
def test_every_model_can_be_named_without_options(name):
    assert parse_spec(spec(models=[{"name": name}])).models[0].model == name


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sedes": [0]}, "unknown key 'sedes'; did you mean 'seeds'?"),
        ({"dataset": 3}, "dataset = 3; expected a text"),
        ({"out": ""}, "out = ''; expected a text"),
        ({"seeds": []}, r"seeds = \[\]; expected a list of whole numbers"),
        ({"seeds": [True]}, "expected a list of whole numbers"),
        ({"seeds": [-1]}, "expected a list of whole numbers"),
        ({"seeds": 4}, "seeds = 4; expected a list"),
        ({"seeds": [1, 1]}, "expected each seed once"),
        ({"models": []}, "no models"),
        ({"models": ["rules"]}, "expected a table with a name"),
        ({"models": [{"name": "complx"}]}, "unknown model 'complx'; did you mean 'complex'?"),
        (
            {"models": [{"name": "complex", "dimensions": 8}]},
            r"models\[0\] \(complex\): unknown key 'dimensions'; did you mean 'dimension'?",
        ),
        ({"models": [{"name": "constant", "x": 1}]}, "unknown key 'x'; known keys: none"),
        (
            {"models": [{"name": "complex", "epochs": "ten"}]},
            "epochs = 'ten'; expected a whole number",
        ),
        ({"models": [{"name": "complex", "epochs": True}]}, "epochs = True; expected a whole"),
        ({"models": [{"name": "complex", "epochs": 1.5}]}, "epochs = 1.5; expected a whole number"),
        ({"models": [{"name": "complex", "n3": "x"}]}, "n3 = 'x'; expected a finite number"),
        ({"models": [{"name": "complex", "n3": math.nan}]}, "n3 = nan; expected a finite number"),
        ({"models": [{"name": "chapter_transe", "margin": math.inf}]}, "margin = inf; expected a"),
        (
            {"models": [{"name": "complex", "dimension": 7}]},
            r"models\[0\] \(complex\): dimension 7 of 'complex'; expected a positive even number",
        ),
        ({"models": [{"name": "rotate", "dimension": 513}]}, "expected a positive even number"),
        (
            {"models": [{"label": "x"}]},
            r"models\[0\]: name is missing; expected the name of a model",
        ),
        ({"models": [{"name": 3}]}, "name = 3; expected the name of a model"),
        ({"models": [{"name": "complex", "epochs": 0}]}, "epochs 0; expected at least 1"),
        (
            {"models": [{"name": "complex", "precision": "half"}]},
            "expected one of 'float32', 'bfloat16'",
        ),
        ({"models": [{"name": "rules", "constants": 1}]}, "constants = 1; expected true or false"),
        ({"models": [{"name": "rules", "aggregation": "sum"}]}, "aggregation = 'sum'"),
        ({"models": [{"name": "rules", "label": "../x"}]}, "it names folders"),
        ({"models": [{"name": "rules"}, {"name": "rules"}]}, 'label = "..."'),
        (
            {"models": [{"name": "random"}, {"name": "rules", "label": "random-s0"}]},
            "two instances are called 'random-s0'",
        ),
    ],
)
def test_a_mistake_is_named_with_its_place(changes, words):
    with pytest.raises(ConfigError, match=words.replace("?", r"\?")) as caught:
        parse_spec(spec(**changes), where="my.toml")
    assert str(caught.value).startswith("my.toml: ")


def test_a_missing_file_and_broken_toml_are_config_errors(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read"):
        read_spec(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("dataset = ", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad\.toml: expected a TOML file"):
        read_spec(tmp_path / "bad.toml")


@pytest.mark.parametrize("key", ["dataset", "out"])
def test_a_missing_key_is_called_missing(key):
    document = {name: value for name, value in spec().items() if name != key}
    with pytest.raises(ConfigError, match=f'{key} is missing; expected a line {key} = "') as caught:
        parse_spec(document)
    assert "None" not in str(caught.value)


def test_a_byte_order_mark_is_no_part_of_the_spec(tmp_path):
    (tmp_path / "plain.toml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "marked.toml").write_text(TEXT, encoding="utf-8-sig")
    assert read_spec(tmp_path / "marked.toml") == read_spec(tmp_path / "plain.toml")


def test_a_dimension_may_be_odd_where_coordinates_do_not_come_in_pairs():
    models = [{"name": name, "dimension": 7} for name in ("transe", "distmult", "random")]
    assert [one.config.dimension for one in parse_spec(spec(models=models)).models] == [7, 7, 7]


def test_options_of_alternatives_are_checked():
    @dataclass(frozen=True)
    class Options:
        cap: int | None = None
        how: Literal["a", "b"] = "a"

    assert make_config(Options, {"cap": 3, "how": "b"}, "x") == Options(3, "b")
    with pytest.raises(ConfigError, match="x: cap = 'y'; expected a whole number or"):
        make_config(Options, {"cap": "y"}, "x")
