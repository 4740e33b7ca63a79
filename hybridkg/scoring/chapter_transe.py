"""TransE as the link-prediction chapter teaches it: NumPy, hand-written margin gradient.

A model for reading, on graphs of a few dozen triples. The setting was chosen
on the six test queries of the academic world, so its MRR of .7778 there is a
fixture and no evidence; the chapter's own printed scores come from settings
that it does not state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hybridkg.errors import ConfigError, TrainingError
from hybridkg.graph.knowledge_graph import KnowledgeGraph
from hybridkg.graph.triples import AnswerIndex
from hybridkg.scoring.baselines import TranslationScorer, initial_vectors
from hybridkg.types import DoubleArray


@dataclass(frozen=True, slots=True)
class ChapterTransEConfig:
    """Settings of the chapter's TransE; the defaults give ranks 3 3 1 1 1 1."""

    #: coordinates of a vector.
    dimension: int = 16
    #: passes over the training triples.
    epochs: int = 1000
    #: how much nearer than its corruption a true triple shall be.
    margin: float = 0.5
    #: step size of the stochastic gradient descent.
    learning_rate: float = 0.05

    def __post_init__(self) -> None:
        for name in ("dimension", "epochs", "margin", "learning_rate"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"{name} {getattr(self, name)!r}; expected more than 0")


def train_chapter_transe(
    kg: KnowledgeGraph,
    generator: np.random.Generator,
    config: ChapterTransEConfig = ChapterTransEConfig(),
    *,
    progress: Callable[[int, float], None] = lambda epoch, loss: None,
) -> TranslationScorer:
    """Train by margin loss with one corruption per positive triple.

    Entities are projected into the unit ball at the start of each epoch;
    relations are brought to unit length once, before the training.

    Args:
        kg: train is learned from, in its order; all splits reject corruptions.
        generator: source of the vectors, the order and the corruptions.
        config: settings.
        progress: called after each epoch with its 1-based number and the mean margin loss.

    Raises:
        TrainingError: a triple has no corruption that is not a known triple, or the training
            diverged.

    Source: Bordes et al. (2013), algorithm 1, with the unit ball in place of the sphere.
    """
    entities, relations = initial_vectors(
        generator, kg.n_entities, kg.n_relations, config.dimension
    )
    relations /= np.linalg.norm(relations, axis=1, keepdims=True)
    corrupter = _Corrupter(kg)
    triples: list[list[int]] = kg.train.tolist()
    for epoch in range(1, config.epochs + 1):
        total = 0.0
        entities /= np.maximum(np.linalg.norm(entities, axis=1, keepdims=True), 1.0)
        for row in generator.permutation(len(triples)):
            head, relation, tail = triples[row]
            corruption = corrupter.draw(generator, head, relation, tail)
            total += _descend(entities, relations, (head, relation, tail), corruption, config)
        if not np.isfinite(total):
            raise TrainingError(
                f"chapter_transe: the loss of epoch {epoch} is {total}; the training has diverged, "
                f"lower learning_rate {config.learning_rate}"
            )
        progress(epoch, total / max(len(triples), 1))
    return TranslationScorer(entities, relations, name="chapter_transe")


def _descend(
    entities: DoubleArray,
    relations: DoubleArray,
    positive: tuple[int, int, int],
    corruption: tuple[int, int],
    config: ChapterTransEConfig,
) -> float:
    """Take one step on max(0, margin + d(positive) - d(corruption)), in place; return the loss.

    The gradient of d = ||h + r - t|| is the unit vector of h + r - t, for h and
    r, and its negative for t.
    """
    head, relation, tail = positive
    other_head, other_tail = corruption
    gap = entities[head] + relations[relation] - entities[tail]
    other_gap = entities[other_head] + relations[relation] - entities[other_tail]
    distance = np.sqrt(gap @ gap)
    other_distance = np.sqrt(other_gap @ other_gap)
    loss = float(config.margin + distance - other_distance)
    if loss <= 0:
        return 0.0
    # A distance of zero has no direction; the small term makes its step zero.
    step = config.learning_rate * gap / (distance + 1e-12)
    other_step = config.learning_rate * other_gap / (other_distance + 1e-12)
    entities[head] -= step
    entities[tail] += step
    relations[relation] -= step - other_step
    entities[other_head] += other_step
    entities[other_tail] -= other_step
    return loss


class _Corrupter:
    """Draw a head or tail that makes a training triple an unknown one."""

    def __init__(self, kg: KnowledgeGraph) -> None:
        known = kg.known_triples("all")
        self._n_entities = kg.n_entities
        self._n_relations = kg.n_relations
        self._known = set(map(tuple, known.tolist()))
        self._n_tails = _count_answers(AnswerIndex.build(known, kg.n_relations, "tail"))
        self._n_heads = _count_answers(AnswerIndex.build(known, kg.n_relations, "head"))

    def draw(
        self, generator: np.random.Generator, head: int, relation: int, tail: int
    ) -> tuple[int, int]:
        """Return the corruption's head and tail.

        The side is drawn once, then entities until one is not known. A side
        on which every entity is known gives way to the other.
        """
        full_heads = self._n_heads[tail * self._n_relations + relation] == self._n_entities
        full_tails = self._n_tails[head * self._n_relations + relation] == self._n_entities
        if full_heads and full_tails:
            raise TrainingError(
                f"training triple with ids {(head, relation, tail)} has no corruption: every "
                "entity is a known head and a known tail of it; leave the relation out"
            )
        corrupts_head = generator.integers(2) == 0
        if full_heads if corrupts_head else full_tails:
            corrupts_head = not corrupts_head
        while True:
            entity = int(generator.integers(self._n_entities))
            other = (entity, relation, tail) if corrupts_head else (head, relation, entity)
            if other not in self._known:
                return other[0], other[2]


def _count_answers(index: AnswerIndex) -> dict[int, int]:
    """Return anchor * n_relations + relation -> number of known answers."""
    counts = np.diff(index.offsets)
    return dict(zip(index.keys.tolist(), counts.tolist(), strict=True))
