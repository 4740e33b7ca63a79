"""The stored instance of the model `rules`: columns for the machine, text for people."""

from __future__ import annotations

import time

import numpy as np
import pytest

from hybridkg.errors import DataError
from hybridkg.graph.queries import QueryList
from hybridkg.graph.read import read_folder
from hybridkg.rules.files import read_rules
from hybridkg.rules.rule_set import EXACT
from hybridkg.scoring.registry import KINDS
from hybridkg.scoring.rule_configs import RulesConfig

KIND = KINDS["rules"]
CONFIG = RulesConfig(min_support=1, cap_per_head=10)


@pytest.fixture
def stored(academic, tmp_path):
    """Mined scorer and the folder that it is stored in."""
    scorer = KIND.fit(academic, CONFIG, 0, lambda line: None).scorer
    KIND.save(scorer, tmp_path)
    return scorer, tmp_path


@pytest.mark.parametrize("target", ["tail", "head"])
def test_a_loaded_instance_has_the_mined_rules_and_scores(academic, stored, target):
    scorer, folder = stored
    loaded = KIND.load(folder, academic, CONFIG, 0)
    assert loaded.rules.digest == scorer.rules.digest
    assert loaded.rules.dropped == scorer.rules.dropped
    assert (loaded.rules.provenance == EXACT).all()
    queries = QueryList.from_triples(academic.split("test")).distinct(target)[0]
    np.testing.assert_array_equal(loaded.score(queries), scorer.score(queries))


def test_the_text_for_people_holds_the_same_rules_and_is_not_read(academic, stored):
    scorer, folder = stored
    assert sorted(path.name for path in folder.iterdir()) == ["rules.npy", "rules.txt"]
    text = read_rules(folder / "rules.txt", academic)
    assert text.digest == scorer.rules.best_first().digest
    (folder / "rules.txt").unlink()
    assert len(KIND.load(folder, academic, CONFIG, 0).rules) == len(text)


def test_an_instance_without_columns_says_to_train_again(academic, stored):
    _, folder = stored
    (folder / "rules.npy").unlink()
    with pytest.raises(DataError, match=r"no rules\.npy; .*Remove the folder and train again"):
        KIND.load(folder, academic, CONFIG, 0)


@pytest.mark.slow
def test_codex_s_rules_load_in_less_than_a_third_of_a_second(benchmarks, tmp_path):
    kg = read_folder(benchmarks / "codex-s")
    scorer = KIND.fit(kg, RulesConfig(), 0, lambda line: None).scorer
    KIND.save(scorer, tmp_path)
    start = time.process_time()
    loaded = KIND.load(tmp_path, kg, RulesConfig(), 0)
    seconds = time.process_time() - start
    assert loaded.rules.digest == scorer.rules.digest
    assert len(loaded.rules) > 200_000
    assert seconds <= 0.3
