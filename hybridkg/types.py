"""Array aliases and the closed sets of words that several layers share."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

#: Entity, relation and class ids; triples are (n, 3) of these.
IntArray: TypeAlias = npt.NDArray[np.int32]
#: Offsets, keys and counts that may pass 2**31.
LongArray: TypeAlias = npt.NDArray[np.int64]
#: Scores: larger is better, -inf marks "not scored".
FloatArray: TypeAlias = npt.NDArray[np.float32]
#: Metric values and expectations.
DoubleArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
#: Verdict codes, one byte a candidate.
ByteArray: TypeAlias = npt.NDArray[np.uint8]
AnyArray: TypeAlias = npt.NDArray[Any]

#: What a query asks for: ``(h, r, ?)`` or ``(?, r, t)``.
Target: TypeAlias = Literal["tail", "head"]
TARGETS: tuple[Target, ...] = ("tail", "head")

#: How a tie between the true answer and other candidates is read.
TiePolicy: TypeAlias = Literal[
    "expected",
    "optimistic",
    "pessimistic",
    "realistic",
    "rounded_mean",
    "absent_zero_optimistic",
    "absent_zero_realistic",
    "absent_zero_pessimistic",
]
TIE_POLICIES: tuple[TiePolicy, ...] = ("expected", "optimistic", "pessimistic", "realistic")
#: Rules of other tools, for comparison with their published numbers; see
#: :meth:`hybridkg.evaluation.metrics.Metric.values`.
FOREIGN_TIE_POLICIES: tuple[TiePolicy, ...] = (
    "rounded_mean",
    "absent_zero_optimistic",
    "absent_zero_realistic",
    "absent_zero_pessimistic",
)

#: Name of the chance line among the instances of a table.
CHANCE = "(chance)"

#: Which splits' triples count as known answers.
FilterName: TypeAlias = Literal["all", "train+valid", "train", "none"]
FILTERS: dict[FilterName, tuple[str, ...]] = {
    "all": ("train", "valid", "test"),
    "train+valid": ("train", "valid"),
    "train": ("train",),
    "none": (),
}

#: Audit verdict of a candidate, the worst first; see :mod:`hybridkg.ontology.schema`.
Verdict: TypeAlias = Literal["impossible", "unsupported", "untyped", "ok"]
VERDICTS: tuple[Verdict, ...] = ("ok", "untyped", "unsupported", "impossible")
