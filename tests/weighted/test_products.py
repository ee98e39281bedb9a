"""Values of the polynomial and their products: moments against enumeration of a finite law, slopes by differences."""

import itertools

import numpy as np
import pytest

from vieta.weighted import products as second
from vieta.weighted.shared_products import accumulate_products

SIGMA = np.array([0.7, 1.3, 0.4])
VALUES, PROBABILITIES = np.array([-1.0, 0.5, 3.0]), np.array([0.6, 0.3, 0.1])
VALUES = VALUES - PROBABILITIES @ VALUES
VALUES = VALUES / np.sqrt(PROBABILITIES @ VALUES**2)
SKEWNESS, KURTOSIS = PROBABILITIES @ VALUES**3, PROBABILITIES @ VALUES**4


def statistics(y, x, scale):
    v = np.prod((y[:, None] - x) * scale, axis=0)
    products = [v[a] * v[b] for a in range(len(x)) for b in range(a + 1)]
    return np.concatenate([v, products])


def enumerated(m, x, scale, sigma):
    """Exact mean and covariance over all outcomes of the finite law."""
    outcomes = list(itertools.product(range(len(VALUES)), repeat=len(m)))
    z = np.array([statistics(m + sigma * VALUES[list(i)], x, scale) for i in outcomes])
    weights = np.array([np.prod(PROBABILITIES[list(i)]) for i in outcomes])
    mean = weights @ z
    return mean, (z - mean).T @ ((z - mean) * weights[:, None])


def pieces(y, m, x, scale, variances):
    L = len(m)
    pairs = second.node_pairs(L)
    A = (m[None, :] - x[:, None]) * scale
    S, F, r = np.empty((len(pairs), L)), np.empty((len(pairs), L)), np.empty(L + len(pairs))
    J, V = np.empty((len(r), 2 * L)), np.zeros((len(r), len(r)))
    s2 = variances * scale**2
    second.residuals_and_slopes(y, x, scale, pairs, A, S, F, s2, np.empty(L), np.empty(L), r, J)
    second.fill_covariance(A, S, F, s2, SKEWNESS * s2**1.5, KURTOSIS * s2**2, V)
    return r, J, np.tril(V) + np.tril(V, -1).T


@pytest.mark.parametrize("L", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_means_and_covariances_are_those_of_a_finite_law(L, seed):
    rng = np.random.default_rng(seed)
    m, x, y, scale, sigma = rng.normal(size=L), rng.normal(size=L), rng.normal(size=L), 0.6, SIGMA[:L]
    r, _, V = pieces(y, m, x, scale, sigma**2)
    mean, covariance = enumerated(m, x, scale, sigma)
    np.testing.assert_allclose(r, statistics(y, x, scale) - mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(V, covariance, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("L", [2, 3])
def test_slopes_are_derivatives_of_the_means(L):
    rng = np.random.default_rng(L)
    m, x, y, scale, variances = rng.normal(size=L), rng.normal(size=L), np.zeros(L), 0.6, SIGMA[:L] ** 2
    _, J, _ = pieces(y, m, x, scale, variances)
    for i in range(2 * L):
        h = 1e-6 * np.eye(2 * L)[i]
        up, _, _ = pieces(y, m + h[:L], x, scale, variances * np.exp(h[L:]))
        down, _, _ = pieces(y, m - h[:L], x, scale, variances * np.exp(-h[L:]))
        np.testing.assert_allclose(J[:, i], (down - up) / 2e-6, rtol=1e-6, atol=1e-8)


def test_values_alone_give_the_first_scores():
    """The cross products of a set's scores with itself through the values alone are those of the first-order kernel."""
    from vieta.weighted.equations import each_score

    rng = np.random.default_rng(0)
    theta, N, L = np.array([[-1.0, 0.5], [0.3, 2.0]]), 30, 2
    rows, sets = rng.normal(size=(N, 2)), rng.normal(size=(N, L))
    variances = np.full(L, 0.5)
    H, g, M, joint = accumulate_products(sets[:1], rows[:1], theta, variances, 0.0, 3.0)
    noise = np.array([[0.5]])
    first = each_score(sets[:1, :, None], rows[:1, None, :], theta, noise)
    np.testing.assert_allclose(joint, np.outer(g, first[0]), rtol=1e-9)
    np.testing.assert_allclose(M, np.outer(g, g), rtol=1e-12)
    whole = accumulate_products(sets, rows, theta, variances, 0.0, 3.0)
    parts = [accumulate_products(sets[i], rows[i], theta, variances, 0.0, 3.0) for i in (slice(0, 11), slice(11, N))]
    for total, *several in zip(whole, *parts):
        np.testing.assert_allclose(total, sum(several), rtol=1e-9, atol=1e-9)
    assert np.linalg.eigvalsh(H).min() > -1e-9
