"""Closed forms against autograd."""

from __future__ import annotations

import pytest

from hybridkg.training.softmax_gradient import (
    compose_gradient,
    compose_query,
    cubic_gradient,
    distance_gradient_weights,
    distance_scores,
    softmax_residual,
)

torch = pytest.importorskip("torch")

COMPOSITIONS = ("product", "complex_product", "sum")


def draw(*shape: int, seed: int = 0):
    values = torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return values.requires_grad_()


def pairs():
    """Rows, answers and counts of 4 queries over 7 entities; the third query has 3 answers."""
    rows, answers = torch.tensor([0, 1, 2, 2, 2, 3]), torch.tensor([6, 0, 1, 3, 5, 2])
    return rows, answers, torch.tensor([1.0, 1.0, 3.0, 1.0], dtype=torch.float64)


@pytest.mark.parametrize("composition", COMPOSITIONS)
def test_composition_gradient_is_that_of_autograd(composition):
    anchors, relations, upstream = draw(5, 6), draw(5, 6, seed=1), draw(5, 6, seed=2).detach()
    (compose_query(composition, anchors, relations) * upstream).sum().backward()
    found = compose_gradient(composition, anchors.detach(), relations.detach(), upstream)
    torch.testing.assert_close(found[0], anchors.grad)
    torch.testing.assert_close(found[1], relations.grad)


def test_complex_product_is_the_product_of_the_pairs_as_complex_numbers():
    found = compose_query("complex_product", torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 5.0]]))
    product = complex(1, 2) * complex(3, 5)
    assert found.tolist() == [[product.real, product.imag]]


def test_residual_is_the_gradient_of_the_weighted_negative_log_likelihood():
    scores = draw(4, 7)
    rows, answers, counts = pairs()
    expected = -torch.log_softmax(scores, dim=1)[rows, answers].sum()
    expected.backward()
    loss, gradient = softmax_residual(scores.detach().clone(), rows, answers, counts)
    torch.testing.assert_close(loss, expected.detach())
    torch.testing.assert_close(gradient, scores.grad)


def test_residual_survives_scores_whose_exponential_overflows():
    rows, answers, counts = pairs()
    loss, gradient = softmax_residual(torch.full((4, 7), 1e4), rows, answers, counts.float())
    assert loss.item() == pytest.approx(6 * torch.log(torch.tensor(7.0)).item())
    assert torch.isfinite(gradient).all()


def test_distance_weights_give_the_gradients_of_queries_and_candidates():
    queries, entities, scale = draw(4, 3), draw(7, 3, seed=1), 1.7
    rows, answers, counts = pairs()
    distances = (queries[:, None] - entities).pow(2).sum(2).sqrt()
    (-torch.log_softmax(-scale * distances, dim=1)[rows, answers].sum()).backward()
    q, c = queries.detach(), entities.detach()
    scores = distance_scores(q, c, q @ c.T, scale)
    torch.testing.assert_close(scores, -scale * distances.detach())
    _, gradient = softmax_residual(scores.clone(), rows, answers, counts)
    weights = distance_gradient_weights(gradient, scores, scale)
    torch.testing.assert_close(q * weights.sum(1)[:, None] - weights @ c, queries.grad)
    torch.testing.assert_close(c * weights.sum(0)[:, None] - weights.T @ q, entities.grad)


@pytest.mark.parametrize("is_complex", [True, False])
def test_cubic_gradient_is_that_of_the_frequency_weighted_penalty(is_complex):
    table, frequencies = draw(5, 6), torch.tensor([0.1, 0.0, 0.5, 0.2, 0.2], dtype=torch.float64)
    moduli = table.view(5, 3, 2).pow(2).sum(2).sqrt() if is_complex else table.abs()
    (0.3 * (frequencies[:, None] * moduli**3).sum()).backward()
    found = cubic_gradient(table.detach(), frequencies, 0.3, is_complex)
    torch.testing.assert_close(found, table.grad)
