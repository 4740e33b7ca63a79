"""Training of embedding models: 1-to-all softmax over distinct queries, Adam, N3.

The budget is a number of epochs, so that the same spec, seed and number of
threads give the same weights on any day.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hybridkg.errors import ConfigError, MissingExtraError, TrainingError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.embedding import EmbeddingScorer, embedding_scorer
from hybridkg.scoring.embedding_kinds import EmbeddingKind, find_kind, model_tables, pykeen_model
from hybridkg.training.directed import DirectedQueries, Validation, directed_queries
from hybridkg.training.softmax_gradient import (
    compose_gradient,
    compose_query,
    cubic_gradient,
    distance_gradient_weights,
    distance_scores,
    softmax_residual,
)
from hybridkg.types import FloatArray, LongArray

if TYPE_CHECKING:
    from torch import Generator, Tensor


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
        if not self.n3 >= 0:
            raise ConfigError(f"n3 {self.n3!r}; expected 0 or more")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout {self.dropout!r}; expected 0 or more and less than 1")
        if self.precision not in ("float32", "bfloat16"):
            raise ConfigError(f"precision {self.precision!r}; expected 'float32' or 'bfloat16'")


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """What one epoch came to."""

    #: 1-based.
    epoch: int
    #: mean negative log-likelihood of a training triple, without the penalty.
    loss: float
    #: filtered validation MRR, pessimistic; None in an epoch without validation.
    validation_mrr: float | None


@dataclass(frozen=True, slots=True)
class TrainedEmbedding:
    """A trained model and how it came about."""

    scorer: EmbeddingScorer
    curve: tuple[EpochRecord, ...]
    #: 1-based epoch whose weights were kept: the best validated, or the last without valid.
    kept_epoch: int


def train_embedding(
    kg: KnowledgeGraph,
    model: str,
    config: OneVsAllConfig,
    seed: int,
    *,
    progress: Callable[[EpochRecord], None] | None = None,
) -> TrainedEmbedding:
    """Train one embedding model on the training split.

    Args:
        kg: train is learned from; valid, where there is one, chooses the epoch.
        model: name of an embedding kind.
        config: settings.
        seed: start of the only source of randomness.
        progress: called after each epoch.

    Raises:
        MissingExtraError: torch or PyKEEN is not installed.
        UnknownNameError: no kind has that name.
        TrainingError: there is nothing to train on, or the training diverged.
    """
    kind = find_kind(model)
    if len(kg.train) == 0:
        raise TrainingError(f"{kg.name}: the training split is empty; nothing can be learned")
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("PyKEEN-defined models", "embeddings") from error
    with _threads(config.threads), torch.no_grad():
        return _Run(kg, kind, config, torch.Generator().manual_seed(seed)).train(progress)


@contextlib.contextmanager
def _threads(count: int) -> Iterator[None]:
    """Set torch's thread count inside the block only."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class _Run:
    """One training: tables, optimiser, batches, best weights."""

    def __init__(
        self, kg: KnowledgeGraph, kind: EmbeddingKind, config: OneVsAllConfig, generator: Generator
    ) -> None:
        import torch

        self._kg, self._kind, self._config, self._generator = kg, kind, config, generator
        self._queries: DirectedQueries = directed_queries(kg)
        self._validation = Validation.from_graph(kg)
        self._model = pykeen_model(kind, kg.n_entities, kg.n_relations, config.dimension)
        self._entities, self._relations = model_tables(self._model)
        _initialise(kind, self._entities, self._relations, config.initial_scale, generator)
        self._optimiser = torch.optim.Adam(
            [self._entities, self._relations], lr=config.learning_rate, fused=True
        )
        self._format = torch.bfloat16 if config.precision == "bfloat16" else torch.float32
        n_pairs = len(self._queries.answers)
        # In a pair an entity stands as anchor or as answer, a directed relation once.
        self._entity_share = torch.from_numpy(self._queries.entity_counts(kg.n_entities)) / n_pairs
        self._relation_share = (
            torch.from_numpy(self._queries.relation_counts(2 * kg.n_relations)) / n_pairs
        )

    def train(self, progress: Callable[[EpochRecord], None] | None) -> TrainedEmbedding:
        """Run all epochs and keep the weights of the best validated one."""
        config, curve = self._config, list[EpochRecord]()
        best, kept_epoch, kept = -1.0, config.epochs, None
        for epoch in range(1, config.epochs + 1):
            loss = self._train_epoch(epoch)
            if not np.isfinite(loss):
                raise TrainingError(
                    f"{self._kind.name}: the loss of epoch {epoch} is {loss}; the training has "
                    f"diverged, lower learning_rate {config.learning_rate} or scale {config.scale}"
                )
            mrr = None
            is_due = epoch % config.validate_every == 0 or epoch == config.epochs
            if self._validation is not None and is_due:
                mrr = self._validation.mrr(self._scores)
                if mrr > best:
                    best, kept_epoch = mrr, epoch
                    kept = self._entities.clone(), self._relations.clone()
            curve.append(EpochRecord(epoch, loss, mrr))
            if progress is not None:
                progress(curve[-1])
        entities, relations = kept or (self._entities, self._relations)
        scorer = embedding_scorer(
            self._kind,
            entities.detach().numpy(),
            relations.detach().numpy(),
            self._kg.seen_entities(),
            self._kg.seen_relations(),
        )
        return TrainedEmbedding(scorer, tuple(curve), kept_epoch)

    def _train_epoch(self, epoch: int) -> float:
        """Visit every distinct query once; return the mean loss of a pair."""
        import torch

        size, n_queries = self._config.batch_size, len(self._queries)
        order = torch.randperm(n_queries, generator=self._generator).numpy()
        steps = -(-n_queries // size)
        # The mean over an expected batch, not over this one, keeps each triple's weight equal.
        pairs_per_step = len(self._queries.answers) / steps
        total = 0.0
        for step in range(steps):
            done = ((epoch - 1) * steps + step) / (self._config.epochs * steps)
            self._optimiser.param_groups[0]["lr"] = self._config.learning_rate * (1 - done)
            total += self._step(order[step * size : (step + 1) * size], pairs_per_step)
        return total / len(self._queries.answers)

    def _step(self, rows: LongArray, pairs_per_step: float) -> float:
        """Take one step on some distinct queries; return their summed loss."""
        import torch

        batch = [torch.from_numpy(part) for part in self._queries.batch(rows)]
        anchors, relations, pair_rows, answers, counts = batch
        kind, scale = self._kind, self._config.scale
        entities = self._entities.detach()
        anchor_vectors, relation_vectors = entities[anchors], self._relations.detach()[relations]
        queries = compose_query(kind.composition, anchor_vectors, relation_vectors)
        mask = self._dropout_mask(queries)
        queries = queries if mask is None else queries * mask
        short = entities.to(self._format)
        scores = (queries.to(self._format) @ short.T).float()
        if kind.form == "l2":
            scores = distance_scores(queries, entities, scores, scale)
            distances = scores.clone()
        loss, gradient = softmax_residual(scores, pair_rows, answers, counts)
        gradient /= pairs_per_step
        if kind.form == "l2":
            gradient = distance_gradient_weights(gradient, distances, scale)
        low = gradient.to(self._format)
        by_query = (low @ short).float()
        by_entity = (low.T @ queries.to(self._format)).float()
        if kind.form == "l2":
            by_query = queries * gradient.sum(1)[:, None] - by_query
            by_entity = entities * gradient.sum(0)[:, None] - by_entity
        by_query = by_query if mask is None else by_query * mask
        by_anchor, by_relation = compose_gradient(
            kind.composition, anchor_vectors, relation_vectors, by_query
        )
        by_entity.index_add_(0, anchors, by_anchor)
        self._apply(
            by_entity, torch.zeros_like(self._relations).index_add_(0, relations, by_relation)
        )
        return float(loss)

    def _apply(self, by_entity: Tensor, by_relation: Tensor) -> None:
        """Add the penalty, let Adam step, and restore what the definition constrains."""
        weight, is_complex = self._config.n3, self._kind.is_complex
        if weight:
            by_entity += cubic_gradient(
                self._entities.detach(), self._entity_share, weight, is_complex
            )
            by_relation += cubic_gradient(
                self._relations.detach(), self._relation_share, weight, is_complex
            )
        self._entities.grad, self._relations.grad = by_entity, by_relation
        self._optimiser.step()
        self._model.post_parameter_update()

    def _dropout_mask(self, queries: Tensor) -> Tensor | None:
        import torch

        rate = self._config.dropout
        if not rate:
            return None
        keep = torch.rand(queries.shape, generator=self._generator) >= rate
        return keep.float().div_(1.0 - rate)

    def _scores(self, anchors: LongArray, relations: LongArray) -> FloatArray:
        """Return (n, entities) float32 scores with the weights of now, for validation."""
        import torch

        entities = self._entities.detach()
        queries = compose_query(
            self._kind.composition,
            entities[torch.from_numpy(anchors)],
            self._relations.detach()[torch.from_numpy(relations)],
        )
        scores = queries @ entities.T
        if self._kind.form == "l2":
            scores = distance_scores(queries, entities, scores, 1.0)
        values: FloatArray = scores.numpy()
        return values


def _initialise(
    kind: EmbeddingKind, entities: Tensor, relations: Tensor, scale: float, generator: Generator
) -> None:
    """Draw initial values from the generator, entities first."""
    import torch

    entities.normal_(0.0, scale, generator=generator)
    if kind.pykeen_class == "RotatE":
        phases = torch.rand((len(relations), relations.shape[1] // 2), generator=generator)
        angles = phases * (2 * torch.pi)
        relations.copy_(torch.stack([angles.cos(), angles.sin()], dim=2).reshape(relations.shape))
    else:
        relations.normal_(0.0, scale, generator=generator)
