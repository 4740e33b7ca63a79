"""Rules of other tools: counted anew, and how far their files were off."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.files import FileFormat, RuleFile, Unusable, read_rule_file
from hybridkg.rules.rule_set import RuleSet
from hybridkg.rules.statistics import with_statistics
from hybridkg.types import AnyArray, DoubleArray

#: "graph": counted on the training triples; "file": the file's counts; "compare": as "graph",
#: and each rule must have counts to compare with.
Statistics: TypeAlias = Literal["graph", "file", "compare"]
STATISTICS: tuple[Statistics, ...] = get_args(Statistics)


@dataclass(frozen=True, slots=True)
class Difference:
    """How one figure of a file differs from the exact one."""

    #: rules whose figure differs.
    n_changed: int
    #: largest and mean absolute difference, the mean over all compared rules.
    largest: float
    mean: float
    #: row of the rule with the largest difference, None where nothing differs.
    row: int | None


@dataclass(frozen=True, slots=True)
class CountDifferences:
    """Counts of a file beside the exact ones."""

    #: rules whose line has counts.
    n_compared: int
    #: rules with another support or another number of predictions.
    n_changed: int
    support: Difference
    predictions: Difference
    #: support / predictions.
    confidence: Difference

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON-able values."""
        return asdict(self)

    def sentence(self) -> str:
        """Say in one line what was found."""
        if not self.n_changed:
            return f"counts of the file: those of all {self.n_compared:,} rules are exact"
        return (
            f"counts of the file: {self.n_changed:,} of {self.n_compared:,} rules differ from "
            f"the exact counts (largest and mean difference: support {self.support.largest:,.0f} "
            f"and {self.support.mean:.2f}, predictions {self.predictions.largest:,.0f} and "
            f"{self.predictions.mean:.2f}, confidence {self.confidence.largest:.4f} and "
            f"{self.confidence.mean:.4f})"
        )


@dataclass(frozen=True, slots=True)
class ImportedRules:
    """Rules of a file, ready to be applied."""

    #: with the counts that were asked for.
    rules: RuleSet
    #: what the file holds; the same rules in the same order.
    file: RuleFile
    #: None where the file's counts are believed, or it has none.
    differences: CountDifferences | None

    def notes(self) -> list[str]:
        """Say what was left out and what differs, one line each."""
        found = {**self.file.outside, **self.rules.dropped}
        lines = [f"left out, {reason}: {number:,}" for reason, number in found.items()]
        if self.differences is not None:
            lines.append(self.differences.sentence())
        return lines


def import_rules(
    path: str | Path,
    kg: KnowledgeGraph,
    *,
    statistics: Statistics = "graph",
    unusable: Unusable = "refuse",
    file_format: FileFormat | None = None,
) -> ImportedRules:
    """Read the rules of a file and compare its counts with those of the graph.

    Args:
        path: a rule file in any of the formats.
        kg: gives meaning to the names, and the triples to count on.
        statistics: which counts the rules take.
        unusable: "refuse" or "drop" rules with unknown names or of a form that is not covered.
        file_format: of the file; told by its content where None.

    Raises:
        DataError: the file cannot be read; the message names file and line.
        ConfigError: there is no such choice of statistics.
    """
    if statistics not in STATISTICS:
        raise ConfigError(f"statistics {statistics!r}; expected one of {', '.join(STATISTICS)}")
    found = read_rule_file(
        path, kg, unusable=unusable, file_format=file_format, counts=statistics != "graph"
    )
    if statistics == "file":
        return ImportedRules(found.rules, found, None)
    exact = with_statistics(found.rules, kg)
    differences = compare_counts(found, exact) if found.counted.any() else None
    return ImportedRules(exact, found, differences)


def compare_counts(file: RuleFile, exact: RuleSet) -> CountDifferences:
    """Compare the counts of a file with exact ones, over the rules whose line has counts."""
    rows = np.flatnonzero(file.counted)
    theirs, ours = file.rules.select(rows), exact.select(rows)
    changed = (theirs.support != ours.support) | (theirs.body_count != ours.body_count)
    return CountDifferences(
        n_compared=len(rows),
        n_changed=int(changed.sum()),
        support=_difference(theirs.support, ours.support, rows),
        predictions=_difference(theirs.body_count, ours.body_count, rows),
        confidence=_difference(_confidence(theirs), _confidence(ours), rows),
    )


def _confidence(rules: RuleSet) -> DoubleArray:
    return rules.support / np.maximum(rules.body_count, 1)


def _difference(theirs: AnyArray, ours: AnyArray, rows: AnyArray) -> Difference:
    apart = np.abs(theirs.astype(np.float64) - ours)
    if not len(apart) or not apart.any():
        return Difference(0, 0.0, 0.0, None)
    place = int(apart.argmax())
    return Difference(
        int(np.count_nonzero(apart)), float(apart[place]), float(apart.mean()), int(rows[place])
    )
