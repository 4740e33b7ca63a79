"""Training of embedding models: 1-to-all softmax over distinct queries, Adam, N3.

The budget is a number of epochs, so that the same spec, seed and number of
threads give the same weights on any day.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hybridkg.errors import MissingExtraError, TrainingError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.scoring.embedding import EmbeddingScorer, embedding_scorer
from hybridkg.scoring.embedding_kinds import EmbeddingKind, find_kind, model_tables, pykeen_model
from hybridkg.training.directed import DirectedQueries, Validation, directed_queries
from hybridkg.training.one_vs_all_config import OneVsAllConfig
from hybridkg.training.softmax_gradient import (
    compose_gradient,
    compose_query,
    cubic_gradient,
    pair_gradients,
    pair_scores,
    sampled_residual,
    softmax_residual,
    table_gradients,
    table_scores,
)
from hybridkg.types import FloatArray, LongArray

if TYPE_CHECKING:
    from torch import Generator, Tensor


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

        batch = tuple(torch.from_numpy(part) for part in self._queries.batch(rows))
        anchors, relations = batch[0], batch[1]
        composition = self._kind.composition
        anchor_vectors = self._entities.detach()[anchors]
        relation_vectors = self._relations.detach()[relations]
        queries = compose_query(composition, anchor_vectors, relation_vectors)
        mask = self._dropout_mask(queries)
        queries = queries if mask is None else queries * mask
        score = self._score_sample if self._config.sample else self._score_all
        loss, by_query, by_entity = score(queries, *batch[2:])
        by_query = by_query if mask is None else by_query * mask
        by_anchor, by_relation = compose_gradient(
            composition, anchor_vectors, relation_vectors, by_query / pairs_per_step
        )
        by_entity /= pairs_per_step
        by_entity.index_add_(0, anchors, by_anchor)
        by_table = torch.zeros_like(self._relations).index_add_(0, relations, by_relation)
        self._apply(by_entity, by_table)
        return float(loss)

    def _score_all(
        self, queries: Tensor, rows: Tensor, answers: Tensor, counts: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return loss, query and entity gradients of the softmax over all entities."""
        form, scale, entities = self._kind.form, self._config.scale, self._entities.detach()
        scores = table_scores(form, queries, entities, scale, self._format)
        kept = scores if form == "dot" else scores.clone()
        loss, gradient = softmax_residual(scores, rows, answers, counts)
        return loss, *table_gradients(form, queries, entities, kept, gradient, scale, self._format)

    def _score_sample(
        self, queries: Tensor, rows: Tensor, answers: Tensor, _: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return loss and gradients of the softmax over a sample and the own answer."""
        import torch

        form, scale, entities = self._kind.form, self._config.scale, self._entities.detach()
        n_entities = len(entities)
        size = min(self._config.sample, n_entities)
        drawn = torch.randperm(n_entities, generator=self._generator)[:size]
        sample, own, asked = entities[drawn], entities[answers], queries[rows]
        scores = table_scores(form, queries, sample, scale, self._format)
        kept = scores if form == "dot" else scores.clone()
        positives = pair_scores(form, asked, own, scale)
        loss, gradient, by_positive = sampled_residual(scores, positives, rows, n_entities / size)
        by_query, by_sample = table_gradients(
            form, queries, sample, kept, gradient, scale, self._format
        )
        by_asked, by_own = pair_gradients(form, asked, own, positives, by_positive, scale)
        by_query.index_add_(0, rows, by_asked)
        by_entity = torch.zeros_like(entities)
        by_entity.index_add_(0, drawn, by_sample).index_add_(0, answers, by_own)
        return loss, by_query, by_entity

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
        scores = table_scores(self._kind.form, queries, entities, 1.0, torch.float32)
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
