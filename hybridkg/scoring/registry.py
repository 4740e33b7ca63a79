"""Models by name: their options, how they are fitted, stored and loaded.

Here stand the models that need no trainer; :mod:`hybridkg.training.models`
adds the trained embeddings and what other packages register.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.files import write_rules
from hybridkg.rules.mine import mine_rules
from hybridkg.rules.store import load_rule_set, save_rule_set
from hybridkg.scoring.base import Scorer
from hybridkg.scoring.baselines import (
    ConstantScorer,
    FrequencyScorer,
    TranslationScorer,
    random_scorer,
)
from hybridkg.scoring.chapter_transe import ChapterTransEConfig, train_chapter_transe
from hybridkg.scoring.rule_configs import RulesConfig, SampledRulesConfig
from hybridkg.scoring.rule_scorer import RuleScorer
from hybridkg.scoring.weights import load_arrays, save_arrays

#: Takes one line about the progress of a fit.
Report = Callable[[str], None]

WEIGHTS = "weights.safetensors"
RULES = "rules.txt"
RULE_SET = "rules.npy"


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fitted model and how it came about."""

    scorer: Scorer
    #: one entry per epoch, JSON values only.
    curve: tuple[Mapping[str, Any], ...] = ()
    #: further facts for the manifest, JSON values only.
    facts: Mapping[str, Any] = field(default_factory=dict)


def _nothing_to_check(_: Any) -> None:
    """Accept any options that their own class accepts."""


def _nothing_to_import() -> None:
    """Import nothing: the model needs no library that is slow to load."""


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A model that a spec can name."""

    name: str
    #: one line for listings.
    summary: str
    #: frozen dataclass of its options; each field has a default.
    config: type[Any]
    #: False where the result is the same for every seed: such a model has one instance.
    seeded: bool
    #: (graph, config, seed, report) -> fitted model.
    fit: Callable[[KnowledgeGraph, Any, int, Report], Fitted]
    #: (fitted scorer, folder): write what :attr:`load` needs; may be nothing.
    save: Callable[[Any, Path], None]
    #: (folder, graph, config, seed) -> scorer.
    load: Callable[[Path, KnowledgeGraph, Any, int], Scorer]
    #: raises ConfigError where options that their class accepts do not suit this model.
    check: Callable[[Any], None] = _nothing_to_check
    #: imports what :attr:`fit` needs, so that the time of the fit is that of the fit alone.
    prepare: Callable[[], None] = _nothing_to_import


@dataclass(frozen=True, slots=True)
class NoConfig:
    """A model without options."""


@dataclass(frozen=True, slots=True)
class RandomConfig:
    """Options of the random baseline."""

    #: coordinates of a vector.
    dimension: int = 16

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise ConfigError(f"dimension {self.dimension!r}; expected at least 1")


def _fit_random(kg: KnowledgeGraph, config: RandomConfig, seed: int, _: Report) -> Fitted:
    return Fitted(random_scorer(kg, np.random.default_rng(seed), dimension=config.dimension))


def _fit_chapter(kg: KnowledgeGraph, config: ChapterTransEConfig, seed: int, _: Report) -> Fitted:
    curve: list[Mapping[str, Any]] = []
    scorer = train_chapter_transe(
        kg,
        np.random.default_rng(seed),
        config,
        progress=lambda epoch, loss: curve.append({"epoch": epoch, "loss": loss}),
    )
    return Fitted(scorer, tuple(curve))


def _save_translation(scorer: TranslationScorer, folder: Path) -> None:
    arrays = {"entities": scorer.entities, "relations": scorer.relations}
    save_arrays(folder / WEIGHTS, arrays)


def _load_chapter(folder: Path, kg: KnowledgeGraph, config: Any, seed: int) -> Scorer:
    entities, relations = load_arrays(folder / WEIGHTS, ("entities", "relations"))
    return TranslationScorer(entities, relations, name="chapter_transe")


def _fit_rules(kg: KnowledgeGraph, config: RulesConfig, _: int, report: Report) -> Fitted:
    return _fit_sampled_rules(kg, config, 0, report)


def _fit_sampled_rules(
    kg: KnowledgeGraph, config: RulesConfig, seed: int, report: Report
) -> Fitted:
    rules = mine_rules(kg, config.mining(seed))
    report(f"{len(rules)} rules")
    for reason, count in rules.dropped.items():
        report(f"left out: {count} {reason}")
    scorer = RuleScorer(rules, kg, aggregation=config.aggregation, weights=config.weights())
    return Fitted(scorer, facts={"rules": rules.counts(), "dropped": dict(rules.dropped)})


def _save_rules(scorer: RuleScorer, folder: Path) -> None:
    save_rule_set(scorer.rules, folder / RULE_SET)
    # For people: nothing reads it back.
    write_rules(scorer.rules, folder / RULES, scorer.kg)


def _load_rules(folder: Path, kg: KnowledgeGraph, config: RulesConfig, _: int) -> Scorer:
    if not (folder / RULE_SET).exists():
        raise DataError(
            f"no {RULE_SET}; expected the rules in columns, which earlier versions did not store. "
            "Remove the folder and train again"
        )
    rules = load_rule_set(folder / RULE_SET, kg)
    return RuleScorer(rules, kg, aggregation=config.aggregation, weights=config.weights())


def _refitted(
    fit: Callable[[KnowledgeGraph, Any, int, Report], Fitted],
) -> Callable[[Path, KnowledgeGraph, Any, int], Scorer]:
    """Load by fitting again: exact, and cheaper than a file for models that learn nothing."""

    def load(_: Path, kg: KnowledgeGraph, config: Any, seed: int) -> Scorer:
        return fit(kg, config, seed, lambda line: None).scorer

    return load


def _save_nothing(_: Any, __: Path) -> None:
    """Write nothing: the graph, the options and the seed say all."""


def _fit_constant(kg: KnowledgeGraph, _: NoConfig, __: int, ___: Report) -> Fitted:
    return Fitted(ConstantScorer(kg.n_entities))


def _fit_frequency(kg: KnowledgeGraph, _: NoConfig, __: int, ___: Report) -> Fitted:
    return Fitted(FrequencyScorer.from_graph(kg))


#: Models that need no trainer, by name.
KINDS: dict[str, ModelKind] = {
    kind.name: kind
    for kind in (
        ModelKind(
            "random",
            "untrained translation vectors",
            RandomConfig,
            True,
            _fit_random,
            _save_nothing,
            _refitted(_fit_random),
        ),
        ModelKind(
            "constant",
            "every candidate alike; the chance line",
            NoConfig,
            False,
            _fit_constant,
            _save_nothing,
            _refitted(_fit_constant),
        ),
        ModelKind(
            "frequency",
            "how often an entity fills the slot in training",
            NoConfig,
            False,
            _fit_frequency,
            _save_nothing,
            _refitted(_fit_frequency),
        ),
        ModelKind(
            "chapter_transe",
            "TransE as the link-prediction chapter teaches it, for tiny graphs",
            ChapterTransEConfig,
            True,
            _fit_chapter,
            _save_translation,
            _load_chapter,
        ),
        ModelKind(
            "rules",
            "mined rules, exhaustive and deterministic",
            RulesConfig,
            False,
            _fit_rules,
            _save_rules,
            _load_rules,
        ),
        ModelKind(
            "sampled_rules",
            "mined rules that a seeded sampler finds",
            SampledRulesConfig,
            True,
            _fit_sampled_rules,
            _save_rules,
            _load_rules,
        ),
    )
}
