"""Options of the models that are made of rules."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hybridkg.rules.apply import Aggregation, check_aggregation
from hybridkg.rules.mine import MiningConfig, Mode
from hybridkg.rules.weights import Measure, RuleWeights


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
