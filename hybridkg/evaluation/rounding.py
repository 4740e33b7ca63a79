"""Ties that only rounding made: scores that differ as float64 and are equal as float32."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hybridkg.evaluation.blocks import Block
from hybridkg.types import BoolArray, DoubleArray, FloatArray


@dataclass(slots=True)
class RoundingTies:
    """Counts over all blocks of an evaluation."""

    #: true answers that tie with a candidate through rounding alone.
    n_queries: int = 0
    #: candidates that tie with a true answer through rounding alone.
    n_candidates: int = 0

    def add(self, block: Block) -> None:
        """Count the true answers of a block; nothing to do where float32 held its scores."""
        if block.wide is None:
            return
        offsets = block.truths.offsets
        for i in range(len(block)):
            part = slice(block.start[i], block.stop[i])
            competes = np.ones(part.stop - part.start, dtype=np.bool_)
            competes[block.known.entities[block.known.start[i] : block.known.stop[i]]] = False
            for j in range(offsets[i], offsets[i + 1]):
                self.count(
                    block.scores[part] == block.truth[j],
                    block.wide.scores[part] == block.wide.truth[j],
                    competes,
                )

    def count(self, narrow: BoolArray, wide: BoolArray, competes: BoolArray) -> None:
        """Count for one true answer.

        Args:
            narrow: (candidates,) True where a score equals its own as float32.
            wide: the same as float64.
            competes: (candidates,) False where a candidate is filtered out.
        """
        made = narrow & ~wide & competes
        self.n_queries += bool(made.any())
        self.n_candidates += int(made.sum())

    def note(self) -> str | None:
        """Say what rounding did, None where it made no tie."""
        if not self.n_queries:
            return None
        return (
            f"{self.n_queries} true answers tie with {self.n_candidates} candidates only because "
            "float64 scores were rounded to float32"
        )


def lost_by_rounding(wide: DoubleArray, narrow: FloatArray) -> bool:
    """Tell whether float32 holds some of the scores only approximately."""
    return bool((wide != narrow).any())
