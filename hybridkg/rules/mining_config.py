"""What the rule miner looks for, and named choices of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.rules.mine_long import LongRuleConfig
from hybridkg.rules.weights import RuleWeights
from hybridkg.types import AnyArray, BoolArray

#: "anyburl": all kinds of rules, kept by support and standard confidence. "amie": closed rules
#: only, kept by support, head coverage and PCA confidence.
Mode: TypeAlias = Literal["anyburl", "amie"]

#: Names that :func:`profile` knows.
Profile: TypeAlias = Literal["fast", "default", "low-memory", "amie"]
PROFILES: tuple[str, ...] = get_args(Profile)


@dataclass(frozen=True, slots=True)
class MiningConfig:
    """What is mined, and what is kept of it."""

    #: least number of right predictions.
    min_support: int = 2
    #: least support / body count in mode "anyburl"; zero rules are exempt.
    min_confidence: float = 0.01
    #: longest body of closed rules: 0 (none), 1, 2 or 3 atoms.
    max_length: int = 2
    #: how bodies with three atoms are looked for.
    long: LongRuleConfig = field(default_factory=LongRuleConfig)
    #: seed of the samples that bodies with three atoms are found on, and of ``samples``.
    seed: int = 0
    #: mine rules with constants or loops (all kinds but closed) in mode "anyburl".
    constants: bool = True
    #: least support of zero rules; 1 lets a query reach every entity seen in its place.
    min_support_zero: int = 1
    #: constant and dangling rules kept per directed head relation, and loop rules; None for all.
    cap_per_head: int | None = 20_000
    #: decides which rules a cap keeps; rules with a constant go by standard confidence always.
    weights: RuleWeights = field(default_factory=RuleWeights)
    #: which kinds and which thresholds count.
    mode: Mode = "anyburl"
    #: least support / pairs of the head relation in mode "amie".
    min_head_coverage: float = 0.0
    #: least support / PCA body in mode "amie".
    min_pca_confidence: float = 0.0
    #: closed rules kept per head relation, None for all.
    cap_closed: int | None = None
    #: keep what a sampler finds that draws so many right predictions, None for all rules;
    #: see :func:`hybridkg.rules.mine.sampled_rules`.
    samples: int | None = None

    def __post_init__(self) -> None:
        if self.min_support < 1 or self.min_support_zero < 1:
            raise ConfigError(
                f"min_support={self.min_support!r}, min_support_zero={self.min_support_zero!r}; "
                "expected at least 1"
            )
        for name in ("min_confidence", "min_head_coverage", "min_pca_confidence"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name}={getattr(self, name)!r}; expected 0 to 1")
        if self.max_length not in (0, 1, 2, 3):
            raise ConfigError(
                f"max_length={self.max_length!r}; closed rules have 1, 2 or 3 body atoms "
                "(0 mines none)"
            )
        for name in ("cap_per_head", "cap_closed", "samples"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError(f"{name}={value!r}; expected at least 1 or None")
        if self.seed < 0:
            raise ConfigError(f"seed={self.seed!r}; expected at least 0")
        if self.mode not in get_args(Mode):
            raise ConfigError(f"mining mode {self.mode!r}; expected 'anyburl' or 'amie'")

    @property
    def draws(self) -> bool:
        """Whether the rules depend on the seed."""
        return self.max_length == 3 or self.samples is not None

    def keeps(
        self, support: AnyArray, body_count: AnyArray, pca_body: AnyArray, head_size: AnyArray
    ) -> BoolArray:
        """(n,) True where counts pass the thresholds of the mode."""
        enough = support >= self.min_support
        if self.mode == "amie":
            enough &= support >= self.min_head_coverage * head_size
            enough &= support >= self.min_pca_confidence * pca_body
        else:
            # Divided as in the kernel, so that a rule on the threshold falls to the same side.
            enough &= support / np.maximum(body_count, 1) >= self.min_confidence
        return np.asarray(enough, dtype=np.bool_)


def profile(name: str, *, seed: int = 0) -> MiningConfig:
    """Return a named choice of what is mined.

    "fast" has closed rules of one and two atoms and rules with constants; "default" adds
    sampled closed rules of three atoms; "low-memory" asks for a support of five; "amie" mines
    closed rules under AMIE's own thresholds, ordered by PCA confidence.

    Args:
        name: one of Profile.
        seed: of the samples that three atoms are found on.

    Raises:
        ConfigError: there is no such profile.
    """
    if name == "fast":
        return MiningConfig(seed=seed)
    if name == "default":
        return MiningConfig(max_length=3, seed=seed)
    if name == "low-memory":
        return MiningConfig(min_support=5, seed=seed)
    if name == "amie":
        return MiningConfig(
            mode="amie",
            min_support=100,
            min_head_coverage=0.01,
            min_pca_confidence=0.1,
            weights=RuleWeights(unseen=0.0, measure="pca"),
            seed=seed,
        )
    raise ConfigError(f"mining profile {name!r}; expected one of {', '.join(PROFILES)}")
