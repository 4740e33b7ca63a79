"""Closed-form gradients of 1-to-all softmax scoring; torch tensors in and out, no autograd.

The gradient of the loss with respect to the scores is known as soon as the
scores are, so one forward product and two backward ones make a step. Tests
hold these forms equal to autograd.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridkg.scoring.embedding_kinds import Composition

if TYPE_CHECKING:
    from torch import Tensor


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


def distance_scores(queries: Tensor, entities: Tensor, product: Tensor, scale: float) -> Tensor:
    """Return (n, entities) -scale * ||q - c||, from the inner products ``product``."""
    squares = (queries * queries).sum(1)[:, None] + (entities * entities).sum(1) - 2 * product
    # The gradient divides by the distance; the floor keeps it finite where q = c.
    return squares.clamp_(min=1e-9).sqrt_().mul_(-scale)


def distance_gradient_weights(gradient: Tensor, scores: Tensor, scale: float) -> Tensor:
    """Return (n, entities) weights w with d loss / d q = sum w (q - c), d / d c = sum w (c - q).

    Args:
        gradient: (n, entities) gradient by the scores.
        scores: (n, entities) -scale * distance.
        scale: factor of the distance.
    """
    return gradient.div_(scores).mul_(scale * scale)


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
