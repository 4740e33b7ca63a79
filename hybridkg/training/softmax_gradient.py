"""Closed-form gradients of 1-to-all softmax scoring; torch tensors in and out, no autograd.

The gradient of the loss with respect to the scores is known as soon as the
scores are, so one forward product and two backward ones make a step. Tests
hold these forms equal to autograd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridkg.scoring.embedding_kinds import Composition, Form

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_LEAST_SQUARE = 1e-9


def compose_query(composition: Composition, anchors: Tensor, relations: Tensor) -> Tensor:
    """Return (n, d) query vectors of (n, d) anchor and relation vectors."""
    if composition == "sum":
        return anchors + relations
    if composition == "product":
        return anchors * relations
    return _reals(_complex(anchors) * _complex(relations))


def compose_gradient(
    composition: Composition, anchors: Tensor, relations: Tensor, gradient: Tensor
) -> tuple[Tensor, Tensor]:
    """Pull (n, d) query gradients back to (n, d) anchor and (n, d) relation gradients."""
    if composition == "sum":
        return gradient, gradient
    if composition == "product":
        return gradient * relations, gradient * anchors
    step = _complex(gradient)
    return (
        _reals(step * _complex(relations).conj()),
        _reals(step * _complex(anchors).conj()),
    )


def softmax_residual(
    scores: Tensor, rows: Tensor, answers: Tensor, counts: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the summed negative log-likelihood and its gradient by the scores.

    Each (row, answer) pair weighs 1: loss = -sum over pairs of log softmax(scores[row])[answer].

    Args:
        scores: (n, entities); overwritten by the gradient.
        rows: (m,) row of each pair.
        answers: (m,) true answer of each pair.
        counts: (n,) number of pairs of each row.

    Returns:
        Loss (scalar) and gradient (n, entities).
    """
    scores -= scores.amax(dim=1, keepdim=True)
    positive = scores[rows, answers].sum()
    exponentials = scores.exp_()
    totals = exponentials.sum(dim=1)
    loss = (counts * totals.log()).sum() - positive
    exponentials *= (counts / totals)[:, None]
    # Pairs are distinct, so plain indexing subtracts each of them once.
    exponentials[rows, answers] -= 1.0
    return loss, exponentials


def sampled_residual(
    scores: Tensor, positives: Tensor, rows: Tensor, weight: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return loss and gradients where a sample of entities stands for all.

    The denominator of a pair is the exponential of its own answer plus ``weight`` times those of
    the sample: loss = sum over pairs of log(exp(own) + weight * sum exp(sample)) - own.

    Args:
        scores: (n, sample); overwritten by the gradient.
        positives: (m,) score of each pair's own answer.
        rows: (m,) row of each pair.
        weight: entities that one of the sample stands for.

    Returns:
        Loss (scalar), gradient (n, sample), gradient (m,) by the own answers.
    """
    highest = scores.amax(dim=1).scatter_reduce(0, rows, positives, "amax")
    exponentials = (scores.sub_(highest[:, None])).exp_().mul_(weight)
    shifted = positives - highest[rows]
    own = shifted.exp()
    denominators = own + exponentials.sum(dim=1)[rows]
    loss = (denominators.log() - shifted).sum()
    shares = denominators.reciprocal()
    exponentials *= shares.new_zeros(len(scores)).index_add_(0, rows, shares)[:, None]
    return loss, exponentials, own * shares - 1.0


def table_scores(
    form: Form, queries: Tensor, table: Tensor, scale: float, dtype: torch.dtype
) -> Tensor:
    """Return (n, entities) scores of (n, d) queries: inner products, or -scale * distances.

    Args:
        form: "dot" or "l2".
        queries: (n, d) float32.
        table: (entities, d) float32.
        scale: factor of the distance.
        dtype: number format of the product.
    """
    product = (queries.to(dtype) @ table.to(dtype).T).float()
    if form == "dot":
        return product
    squares = (queries * queries).sum(1)[:, None] + (table * table).sum(1) - 2 * product
    # The gradient divides by the distance; the floor keeps it finite where q = c.
    return squares.clamp_(min=_LEAST_SQUARE).sqrt_().mul_(-scale)


def table_gradients(
    form: Form,
    queries: Tensor,
    table: Tensor,
    scores: Tensor,
    gradient: Tensor,
    scale: float,
    dtype: torch.dtype,
) -> tuple[Tensor, Tensor]:
    """Pull (n, entities) score gradients back to (n, d) queries and (entities, d) table.

    Args:
        form: "dot" or "l2".
        queries: (n, d) float32.
        table: (entities, d) float32.
        scores: (n, entities) as :func:`table_scores` gave them; not read for "dot".
        gradient: (n, entities).
        scale: factor of the distance.
        dtype: number format of the products.
    """
    if form == "l2":
        # d(-scale * |q - c|) / dq = scale^2 * (q - c) / score.
        gradient = gradient / scores * (scale * scale)
    low = gradient.to(dtype)
    by_query = (low @ table.to(dtype)).float()
    by_table = (low.T @ queries.to(dtype)).float()
    if form == "l2":
        by_query = queries * gradient.sum(1)[:, None] - by_query
        by_table = table * gradient.sum(0)[:, None] - by_table
    return by_query, by_table


def pair_scores(form: Form, queries: Tensor, answers: Tensor, scale: float) -> Tensor:
    """Return (m,) scores of (m, d) queries with their own (m, d) answer each."""
    if form == "dot":
        return (queries * answers).sum(1)
    return (queries - answers).square().sum(1).clamp_(min=_LEAST_SQUARE).sqrt_().mul_(-scale)


def pair_gradients(
    form: Form, queries: Tensor, answers: Tensor, scores: Tensor, gradient: Tensor, scale: float
) -> tuple[Tensor, Tensor]:
    """Pull (m,) score gradients back to (m, d) queries and (m, d) answers."""
    if form == "dot":
        return gradient[:, None] * answers, gradient[:, None] * queries
    by_query = (gradient / scores * (scale * scale))[:, None] * (queries - answers)
    return by_query, -by_query


def cubic_gradient(table: Tensor, frequencies: Tensor, weight: float, is_complex: bool) -> Tensor:
    """Return (rows, d) gradient of weight * sum f |x|^3, the nuclear 3-norm penalty.

    Args:
        table: (rows, d) weights.
        frequencies: (rows,) share of the training triples that a row stands in.
        weight: weight of the penalty per triple.
        is_complex: whether |x| is a modulus of (real, imaginary) pairs.

    Source: Lacroix, Usunier, Obozinski, "Canonical Tensor Decomposition for Knowledge Base
    Completion" (2018), equation 8, in expectation over the triples of a batch.
    """
    factors = frequencies[:, None] * (3.0 * weight)
    if not is_complex:
        return table.abs().mul_(table).mul_(factors)
    pairs = table.view(len(table), -1, 2)
    # sqrt of the squares: torch's own modulus of complex numbers is several times slower.
    moduli = (pairs[..., 0].square() + pairs[..., 1].square()).sqrt_().mul_(factors)
    return (pairs * moduli[..., None]).view(table.shape)


def _complex(vectors: Tensor) -> Tensor:
    import torch

    return torch.view_as_complex(vectors.view(len(vectors), -1, 2))


def _reals(vectors: Tensor) -> Tensor:
    import torch

    return torch.view_as_real(vectors.resolve_conj()).reshape(len(vectors), -1)
