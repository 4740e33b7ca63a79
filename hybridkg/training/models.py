"""All models that a spec can name: scorers without a trainer, embeddings, plugins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from hybridkg.errors import ConfigError, UnknownNameError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.base import Scorer
from hybridkg.scoring.embedding import EmbeddingScorer, embedding_scorer
from hybridkg.scoring.embedding_kinds import (
    EMBEDDING_KINDS,
    find_kind,
    model_tables,
    pykeen_model,
)
from hybridkg.scoring.registry import KINDS, WEIGHTS, Fitted, ModelKind, Report
from hybridkg.scoring.weights import load_arrays, save_arrays
from hybridkg.training.one_vs_all import EpochRecord, train_embedding
from hybridkg.training.one_vs_all_config import (
    DistanceConfig,
    OneVsAllConfig,
    RotationConfig,
)

#: Entry-point group in which other packages register a :class:`ModelKind`.
ENTRY_POINTS = "hybridkg.scorers"

_SUMMARIES = {
    "complex": "ComplEx, 1-to-all softmax, N3; the best single model on CPU",
    "distmult": "DistMult, 1-to-all softmax, N3",
    "transe": "TransE (L2), 1-to-all softmax",
    "rotate": "RotatE (p = 2), 1-to-all softmax",
}
#: Models whose defaults are not those of ComplEx.
_CONFIGS = {"transe": DistanceConfig, "rotate": RotationConfig}


def model_names() -> tuple[str, ...]:
    """Return the names that a spec can use, sorted."""
    return tuple(sorted({*KINDS, *EMBEDDING_KINDS, *_plugins()}))


def find_model(name: str) -> ModelKind:
    """Return the model of a name.

    Raises:
        UnknownNameError: there is none.
        ConfigError: another package registered something else than a model.
    """
    if name in KINDS:
        return KINDS[name]
    if name in EMBEDDING_KINDS:
        return _embedding_model(name)
    plugin = _plugins().get(name)
    if plugin is None:
        raise UnknownNameError("model", name, model_names())
    found = plugin.load()
    if not isinstance(found, ModelKind):
        raise ConfigError(
            f"entry point {plugin.value!r} of {ENTRY_POINTS!r} is a {type(found).__name__}; "
            "expected a hybridkg.scoring.registry.ModelKind"
        )
    return found


def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def _embedding_model(name: str) -> ModelKind:
    return ModelKind(
        name,
        _SUMMARIES[name],
        _CONFIGS.get(name, OneVsAllConfig),
        True,
        _fit_embedding(name),
        _save_embedding,
        _load_embedding(name),
        check=_check_embedding(name),
        prepare=_prepare_embedding,
    )


def _fit_embedding(name: str) -> Callable[[KnowledgeGraph, OneVsAllConfig, int, Report], Fitted]:
    def fit(kg: KnowledgeGraph, config: OneVsAllConfig, seed: int, report: Report) -> Fitted:
        def tell(record: EpochRecord) -> None:
            if record.validation_mrr is not None:
                report(
                    f"epoch {record.epoch} of {config.epochs}: loss {record.loss:.3f}, "
                    f"validation MRR {record.validation_mrr:.4f}"
                )

        trained = train_embedding(kg, name, config, seed, progress=tell)
        return Fitted(
            trained.scorer,
            tuple(asdict(record) for record in trained.curve),
            {"kept_epoch": trained.kept_epoch},
        )

    return fit


def _check_embedding(name: str) -> Callable[[OneVsAllConfig], None]:
    def check(config: OneVsAllConfig) -> None:
        find_kind(name).check_dimension(config.dimension)

    return check


def _prepare_embedding() -> None:
    """Load torch, PyKEEN and what torch's optimisers load when the first one is made."""
    tables = model_tables(pykeen_model(find_kind("distmult"), 1, 1, 1))
    import torch

    torch.optim.Adam(list(tables), fused=True)


def _save_embedding(scorer: EmbeddingScorer, folder: Path) -> None:
    arrays = {"entities": scorer.entities, "relations": scorer.relations}
    save_arrays(folder / WEIGHTS, arrays)


def _load_embedding(name: str) -> Callable[[Path, KnowledgeGraph, Any, int], Scorer]:
    def load(folder: Path, kg: KnowledgeGraph, _: Any, __: int) -> Scorer:
        entities, relations = load_arrays(folder / WEIGHTS, ("entities", "relations"))
        return embedding_scorer(
            find_kind(name), entities, relations, kg.seen_entities(), kg.seen_relations()
        )

    return load
