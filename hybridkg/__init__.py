"""hybridkg: symbolic and neural knowledge-graph completion on one table.

The names below are loaded on first use, so that ``import hybridkg`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

#: Public name -> module that defines it, and its name there.
_PUBLIC = {
    "KnowledgeGraph": ("hybridkg.graph.knowledge_graph", "KnowledgeGraph"),
    "RankTable": ("hybridkg.evaluation.rank_table", "RankTable"),
    "Scorer": ("hybridkg.scoring.base", "Scorer"),
    "audit": ("hybridkg.training.auditing", "audit"),
    "chance_line": ("hybridkg.evaluation.chance", "chance_line"),
    "closure": ("hybridkg.ontology.choose", "closure"),
    "combine": ("hybridkg.evaluation.joining", "combine"),
    "evaluate": ("hybridkg.evaluation.evaluator", "evaluate"),
    "evaluate_scores": ("hybridkg.evaluation.foreign_scores", "evaluate_scores"),
    "load_scorer": ("hybridkg.training.instance", "load_scorer"),
    "oracle": ("hybridkg.analysis.oracle", "oracle"),
    "read": ("hybridkg.graph.datasets", "load_dataset"),
    "read_ontology": ("hybridkg.ontology.load", "read_ontology"),
    "read_ranks": ("hybridkg.training.stored_ranks", "read_ranks"),
    "read_scores": ("hybridkg.scoring.score_files", "read_scores"),
    "train": ("hybridkg.training.grid", "train_grid"),
}

__all__ = [*sorted(_PUBLIC), "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _PUBLIC[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
