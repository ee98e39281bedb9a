"""Values and their products of vectors: means, slopes and covariances against simulation and differences."""

from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests import naive
from tests.weighted.cases import close, spread_means, twin
from vieta.weighted import vector_products
from vieta.weighted.vector_products import Law, accumulate_vector_products, node_pairs, weigh_products
from vieta.weighted.vector_refinement import symmetric

GAUSSIAN = 1.0  # a third of the kurtosis


def case(L, p):
    rng = np.random.default_rng([L, p])
    roots = np.eye(p) + 0.3 * rng.normal(size=(L, p, p))
    return 0.8 * spread_means(rng, L, p), roots, roots @ np.swapaxes(roots, 1, 2), rng


def statistics(weights, y):
    """Values and products of sets (N, L, p), by their definitions."""
    v = np.prod((y @ weights.directions.T - weights.nodes) * weights.scale, axis=1)
    return np.concatenate([v, v[:, weights.pairs[:, 0]] * v[:, weights.pairs[:, 1]]], axis=1)


@pytest.mark.parametrize(("L", "p"), [(2, 2), (3, 2), (2, 3)])
def test_means_and_covariances_by_monte_carlo(L, p):
    m, roots, covariances, rng = case(L, p)
    weights, n = weigh_products(m, Law(covariances, GAUSSIAN)), 100_000
    y = m + np.einsum("nlb,lab->nla", rng.normal(size=(n, L, p)), roots)
    z = statistics(weights, y)
    assert abs((z.mean(axis=0) - weights.expected) / (z.std(axis=0) / np.sqrt(n))).max() < 4.5
    scores, first = weights.scores(y)
    scale = np.sqrt(np.diag(weights.information))
    assert abs((np.cov(scores.T) - weights.information) / np.outer(scale, scale)).max() < 0.1
    wrong = weigh_products(m, Law(1.3 * covariances, GAUSSIAN))  # the control
    assert abs((z.mean(axis=0) - wrong.expected) / (z.std(axis=0) / np.sqrt(n))).max() > 4.5
    assert first.shape == (n, L * p)


@pytest.mark.parametrize("kappa", [GAUSSIAN, 2.0])
def test_covariance_of_products_of_one_system_by_its_moments(kappa):
    """One reading in R^1: v = y - x, so that all is in the moments of one number."""
    A, C, pairs = np.array([[0.7], [-0.4]]), np.full((1, 2, 2), 1.0), node_pairs(2)
    law = np.array([-np.sqrt(3.0 * kappa), 0.0, np.sqrt(3.0 * kappa)])  # variance 1, kurtosis 3 kappa
    chance = np.array([1, 6 * kappa - 2, 1]) / (6 * kappa)
    v = A[:, 0] + law[:, None]
    z = np.concatenate([v, v[:, pairs[:, 0]] * v[:, pairs[:, 1]]], axis=1)
    centred = z - chance @ z
    assert_allclose(vector_products.covariance(A, C, kappa, pairs), centred.T @ (centred * chance[:, None]), atol=1e-12)


@pytest.mark.parametrize(("L", "p"), [(2, 2), (3, 2)])
def test_slopes_by_differences(L, p):
    m, _, covariances, rng = case(L, p)
    u, x = rng.normal(size=(4, p)), rng.normal(size=4)
    pairs, upper = node_pairs(4), np.triu_indices(p)

    def both(unknowns):
        means, entries = unknowns[: L * p].reshape(L, p), unknowns[L * p :].reshape(L, -1)
        C = np.einsum("ap,lpq,bq->lab", u, symmetric(entries, p), u)
        return vector_products.expectations((means @ u.T - x).T, u, C, pairs)

    unknowns = np.concatenate([m.ravel(), covariances[:, upper[0], upper[1]].ravel()])
    assert_allclose(both(unknowns)[1], naive.derivative(lambda one: both(one)[0], unknowns), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("L", "p"), [(2, 2), (3, 2), (2, 3)])
def test_the_values_alone_are_those_of_the_tensor(L, p):
    m, _, _, rng = case(L, p)
    weights = weigh_products(m, Law(np.repeat(np.eye(p)[None], L, axis=0), GAUSSIAN))
    y = m + rng.normal(size=(L, p))
    assert close(weights.scores(y[None])[1][0], twin(y, m, np.eye(p))[0], 1e-6)
    assert len(weights.nodes) == comb(L + p, L) - 1


def test_products_add_information():
    m, _, _, _ = case(3, 2)
    weights = weigh_products(m, Law(np.repeat(np.eye(2)[None], 3, axis=0), GAUSSIAN))
    both, alone = np.linalg.inv(weights.information)[:6, :6], np.linalg.inv(twin(m, m, np.eye(2))[1])
    assert np.linalg.eigvalsh(alone - both).min() > -1e-8
    assert np.trace(both) < 0.95 * np.trace(alone)


def test_sums_are_those_of_the_sets():
    m, roots, covariances, rng = case(3, 2)
    psi = rng.normal(size=(2, 2))
    theta = m @ np.linalg.inv(psi).T
    y = m + np.einsum("nlb,lab->nla", rng.normal(size=(30, 3, 2)), roots)
    H, g, M, joint = accumulate_vector_products(y, psi, theta, Law(covariances, GAUSSIAN))
    weights = weigh_products(m, Law(covariances, GAUSSIAN))
    G = np.kron(np.eye(3), psi)
    scores, first = weights.scores(y)
    scores = np.concatenate([scores[:, :6] @ G, scores[:, 6:]], axis=1)
    assert_allclose(g, scores.sum(axis=0), rtol=1e-9, atol=1e-9)
    assert_allclose(M, scores.T @ scores, rtol=1e-9, atol=1e-9)
    assert_allclose(joint, scores.T @ (first @ G), rtol=1e-9, atol=1e-9)
    assert_allclose(H[:6, :6], 30 * G.T @ weights.information[:6, :6] @ G, rtol=1e-9, atol=1e-9)


def test_many_products_are_thinned():
    assert len(node_pairs(5)) == 15
    pairs = node_pairs(34)
    assert len(pairs) == len(np.unique(pairs, axis=0)) == vector_products.MOST
