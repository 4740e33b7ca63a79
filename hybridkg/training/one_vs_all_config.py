"""Settings of the 1-to-all training, with what each does to cost and result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hybridkg.errors import ConfigError


@dataclass(frozen=True, slots=True)
class OneVsAllConfig:
    """Settings of one embedding model; the defaults are for ComplEx on a CPU."""

    #: real numbers per vector; complex models have half as many coordinates.
    dimension: int = 512
    #: passes over the distinct queries.
    epochs: int = 40
    #: distinct queries per step.
    batch_size: int = 256
    #: Adam's rate at the first step; it falls linearly to zero.
    learning_rate: float = 0.003
    #: weight of the nuclear 3-norm penalty per triple; 0 switches it off.
    n3: float = 0.01
    #: factor of the distance inside the softmax, for distance models only.
    scale: float = 1.0
    #: standard deviation of the initial coordinates.
    initial_scale: float = 0.05
    #: share of a query vector's coordinates that a step leaves out.
    dropout: float = 0.0
    #: entities drawn for the softmax of a step, beside each triple's own answer; 0 for all.
    #: A few thousand make graphs of tens of thousands of entities affordable.
    sample: int = 0
    #: epochs between two validations; the best one's weights are kept.
    validate_every: int = 5
    #: number format of the matrix products while training; scores are always float32.
    precision: Literal["float32", "bfloat16"] = "float32"
    #: threads of torch while training; they are part of what makes a result repeatable.
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("dimension", "epochs", "batch_size", "validate_every", "threads"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} {getattr(self, name)!r}; expected at least 1")
        for name in ("learning_rate", "scale", "initial_scale"):
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} {getattr(self, name)!r}; expected more than 0")
        for name in ("n3", "sample"):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"{name} {getattr(self, name)!r}; expected 0 or more")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout {self.dropout!r}; expected 0 or more and less than 1")
        if self.precision not in ("float32", "bfloat16"):
            raise ConfigError(f"precision {self.precision!r}; expected 'float32' or 'bfloat16'")


@dataclass(frozen=True, slots=True)
class DistanceConfig(OneVsAllConfig):
    """The same settings with defaults for TransE: a sharper softmax, no penalty."""

    n3: float = 0.0
    scale: float = 2.0


@dataclass(frozen=True, slots=True)
class RotationConfig(DistanceConfig):
    """The same settings with defaults for RotatE, which wants a higher rate as well."""

    learning_rate: float = 0.005
