"""One row a rule: exact counts, what follows from them, and what the rule's file says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hybridkg.errors import ConfigError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.rules.files import RuleFile, rule_texts
from hybridkg.rules.rule_set import RULE_KINDS
from hybridkg.rules.statistics import RuleStatistics, rule_statistics
from hybridkg.rules.write import head_sizes
from hybridkg.types import AnyArray

if TYPE_CHECKING:
    import pandas as pd

#: Columns that a table of rules can be sorted by, the largest value first.
SORT_COLUMNS = (
    "smoothed_confidence", "confidence", "pca_confidence", "head_coverage", "support",
    "predictions", "difference",
)  # fmt: skip


def rule_table(
    file: RuleFile,
    kg: KnowledgeGraph,
    *,
    sort: str = "smoothed_confidence",
    unseen: float = 5.0,
    statistics: RuleStatistics | None = None,
) -> pd.DataFrame:
    """Count every rule of a file on the training triples.

    Args:
        file: rules with the counts of their file.
        kg: its split "train" is counted on.
        sort: one of SORT_COLUMNS; ties keep the order of the file.
        unseen: wrong predictions added by the smoothed confidence.
        statistics: counts of the same rules, of another engine for example; counted where None.

    Returns:
        Columns rule, kind, support, predictions, pca_body, head_size, confidence,
        pca_confidence, smoothed_confidence, head_coverage, file_support, file_predictions,
        file_confidence and difference (file minus exact confidence); NaN where not known.

    Raises:
        ConfigError: there is no such column to sort by.
    """
    import pandas as pd

    if sort not in SORT_COLUMNS:
        raise ConfigError(f"sort by {sort!r}; expected one of {', '.join(SORT_COLUMNS)}")
    rules = file.rules
    counts = statistics or rule_statistics(rules, kg)
    sizes = head_sizes(rules, kg)
    confidence = counts.standard()
    theirs = rules.support / np.maximum(rules.body_count, 1)
    table = pd.DataFrame(
        {
            "rule": list(rule_texts(rules, kg)),
            "kind": [RULE_KINDS[code] for code in rules.kind.tolist()],
            "support": counts.support,
            "predictions": counts.predictions,
            "pca_body": counts.pca_body,
            "head_size": sizes,
            "confidence": confidence,
            "pca_confidence": counts.pca(),
            "smoothed_confidence": counts.smoothed(unseen),
            "head_coverage": counts.support / np.maximum(sizes, 1),
            "file_support": _known(rules.support, file),
            "file_predictions": _known(rules.body_count, file),
            "file_confidence": _known(theirs, file),
            "difference": _known(theirs - confidence, file),
        }
    )
    keys = table[sort].abs() if sort == "difference" else table[sort]
    order = np.argsort(-keys.fillna(-1).to_numpy(dtype=np.float64), kind="stable")
    return table.iloc[order].reset_index(drop=True)


def _known(values: AnyArray, file: RuleFile) -> AnyArray:
    return np.where(file.counted, values, np.nan)
