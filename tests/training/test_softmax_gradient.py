"""Closed forms against autograd."""

from __future__ import annotations

import pytest

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


def scores_by_hand(form, queries, candidates, scale):
    if form == "dot":
        return queries @ candidates.T
    return -scale * (queries[:, None] - candidates).pow(2).sum(2).sqrt()


@pytest.mark.parametrize("form", ["dot", "l2"])
def test_table_gradients_are_those_of_autograd(form):
    queries, entities, scale = draw(4, 3), draw(7, 3, seed=1), 1.7
    rows, answers, counts = pairs()
    by_hand = scores_by_hand(form, queries, entities, scale)
    (-torch.log_softmax(by_hand, dim=1)[rows, answers].sum()).backward()
    q, c = queries.detach().float(), entities.detach().float()
    scores = table_scores(form, q, c, scale, torch.float32)
    torch.testing.assert_close(scores, by_hand.detach().float())
    _, gradient = softmax_residual(scores.clone(), rows, answers, counts.float())
    found = table_gradients(form, q, c, scores, gradient, scale, torch.float32)
    torch.testing.assert_close(found[0], queries.grad.float(), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(found[1], entities.grad.float(), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("form", ["dot", "l2"])
def test_pair_gradients_are_those_of_autograd(form):
    queries, answers, upstream = draw(5, 3), draw(5, 3, seed=1), draw(5, seed=2).detach()
    by_hand = scores_by_hand(form, queries, answers, 1.7).diagonal()
    (by_hand * upstream).sum().backward()
    q, a = queries.detach(), answers.detach()
    scores = pair_scores(form, q, a, 1.7)
    torch.testing.assert_close(scores, by_hand.detach())
    found = pair_gradients(form, q, a, scores, upstream, 1.7)
    torch.testing.assert_close(found[0], queries.grad)
    torch.testing.assert_close(found[1], answers.grad)


def test_sampled_residual_is_the_gradient_of_its_loss():
    sample, positives, weight = draw(4, 5), draw(6, seed=1), 3.5
    rows = pairs()[0]
    denominators = positives.exp() + weight * sample.exp().sum(1)[rows]
    expected = (denominators.log() - positives).sum()
    expected.backward()
    loss, gradient, by_positive = sampled_residual(
        sample.detach().clone(), positives.detach(), rows, weight
    )
    torch.testing.assert_close(loss, expected.detach())
    torch.testing.assert_close(gradient, sample.grad)
    torch.testing.assert_close(by_positive, positives.grad)


@pytest.mark.parametrize("is_complex", [True, False])
def test_cubic_gradient_is_that_of_the_frequency_weighted_penalty(is_complex):
    table, frequencies = draw(5, 6), torch.tensor([0.1, 0.0, 0.5, 0.2, 0.2], dtype=torch.float64)
    moduli = table.view(5, 3, 2).pow(2).sum(2).sqrt() if is_complex else table.abs()
    (0.3 * (frequencies[:, None] * moduli**3).sum()).backward()
    found = cubic_gradient(table.detach(), frequencies, 0.3, is_complex)
    torch.testing.assert_close(found, table.grad)
