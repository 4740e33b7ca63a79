"""How the counts of a rule become the confidence that orders it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.types import DoubleArray

#: What a confidence divides by: all predictions, or those whose X has some value.
Measure: TypeAlias = Literal["standard", "pca"]


@dataclass(frozen=True, slots=True)
class RuleWeights:
    """How counts become the confidence that orders rules.

    The defaults are those of PyClause: support / (body + 5), dangling rules
    weigh a tenth and zero rules a hundredth.
    """

    #: unseen wrong predictions that are added to every body.
    unseen: float = 5.0
    #: factor for dangling rules.
    dangling: float = 0.1
    #: factor for zero rules.
    zero: float = 0.01
    #: "pca" takes the PCA body in place of all predictions.
    measure: Measure = "standard"

    def __post_init__(self) -> None:
        if self.measure not in ("standard", "pca"):
            raise ConfigError(f"rule weight measure={self.measure!r}; expected 'standard' or 'pca'")
        for name in ("unseen", "dangling", "zero"):
            value = getattr(self, name)
            if not 0 <= value < float("inf"):
                raise ConfigError(f"rule weight {name}={value!r}; expected a number >= 0")

    def per_kind(self) -> DoubleArray:
        """(6,) factor of each kind."""
        return np.array([1.0, 1.0, self.dangling, self.zero, 1.0, self.dangling])
