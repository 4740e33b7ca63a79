"""Models by name: their options, how they are fitted, stored and loaded.

Here stand the models that need no trainer; :mod:`hybridkg.training.models`
adds the trained embeddings and what other packages register.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hybridkg.errors import ConfigError, DataError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.apply import Aggregation, check_aggregation
from hybridkg.rules.files import write_rules
from hybridkg.rules.mine import MiningConfig, Mode, mine_rules
from hybridkg.rules.rule_set import Measure, RuleWeights
from hybridkg.rules.store import load_rule_set, save_rule_set
from hybridkg.scoring.base import Scorer
from hybridkg.scoring.baselines import (
    ConstantScorer,
    FrequencyScorer,
    TranslationScorer,
    random_scorer,
)
from hybridkg.scoring.chapter_transe import ChapterTransEConfig, train_chapter_transe
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


@dataclass(frozen=True, slots=True)
class RulesConfig:
    """Options of the rule miner and of how rules score; see :class:`MiningConfig`."""

    #: least number of right predictions.
    min_support: int = 2
    #: least support / body count; zero rules are exempt.
    min_confidence: float = 0.01
    #: longest body of closed rules: 0 (none), 1, 2 or 3 atoms; those with 3 are found on samples.
    max_length: int = 2
    #: mine rules with constants.
    constants: bool = True
    #: least support of zero rules.
    min_support_zero: int = 1
    #: constant and dangling rules kept per directed head relation; 0 for all.
    cap_per_head: int = 20_000
    #: unseen wrong predictions that are added to every body.
    unseen: float = 5.0
    #: factor of dangling rules' confidence.
    dangling: float = 0.1
    #: factor of zero rules' confidence.
    zero: float = 0.01
    #: "maxplus", "max", "noisyor" or "noisyor_top5".
    aggregation: Aggregation = "maxplus"
    #: "amie" mines closed rules only, by head coverage and PCA confidence.
    mode: Mode = "anyburl"
    #: least support / pairs of the head relation in mode "amie".
    min_head_coverage: float = 0.0
    #: least support / PCA body in mode "amie".
    min_pca_confidence: float = 0.0
    #: the confidence that orders rules: "standard" or "pca".
    measure: Measure = "standard"
    #: closed rules kept per head relation; 0 for all.
    cap_closed: int = 0

    def __post_init__(self) -> None:
        check_aggregation(self.aggregation)
        self.mining()

    def weights(self) -> RuleWeights:
        """Return how counts become confidences."""
        return RuleWeights(self.unseen, self.dangling, self.zero, self.measure)

    def mining(self, seed: int = 0) -> MiningConfig:
        """Return the miner's options; three atoms are sampled with the seed."""
        return MiningConfig(
            min_support=self.min_support,
            min_confidence=self.min_confidence,
            max_length=self.max_length,
            constants=self.constants,
            min_support_zero=self.min_support_zero,
            cap_per_head=self.cap_per_head or None,
            weights=self.weights(),
            seed=seed,
            mode=self.mode,
            min_head_coverage=self.min_head_coverage,
            min_pca_confidence=self.min_pca_confidence,
            cap_closed=self.cap_closed or None,
        )


@dataclass(frozen=True, slots=True)
class SampledRulesConfig(RulesConfig):
    """Options of the rule miner that finds what a sampler finds, another set for each seed."""

    #: right predictions that are drawn; see :func:`hybridkg.rules.mine.sampled_rules`.
    samples: int = 100_000

    def mining(self, seed: int = 0) -> MiningConfig:
        """Return the miner's options with the seed of the samples."""
        return replace(RulesConfig.mining(self, seed), samples=self.samples)


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
