"""Means of values and products under noises with something in common: against enumeration of a finite law, and quadrature."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import stands_apart
from tests.weighted.shocks import draw
from vieta.weighted import shared_products as module
from vieta.weighted.decorrelation import independent_law, joint_law
from vieta.weighted.products import node_pairs
from vieta.weighted.shared_products import (
    accumulate_products,
    joint_sums,
    share_noises,
    shared_products,
    sums_over_others,
)

SCALE = 0.7


def standardized(values, probabilities):
    values = np.asarray(values) - probabilities @ values
    return values / np.sqrt(probabilities @ values**2)


P = np.array([0.6, 0.3, 0.1])
U = standardized([-1.0, 0.5, 3.0], P)
Q = np.array([0.7, 0.3])
C = standardized([-1.0, 1.0], Q)


def cumulants(values, probabilities):
    return probabilities @ values**3, probabilities @ values**4 - 3.0


def statistics(y, x):
    v = np.prod((y[..., :, None] - x) * SCALE, axis=-2)
    return np.concatenate([v, *[v[..., a : a + 1] * v[..., b : b + 1] for a, b in node_pairs(len(x))]], axis=-1)


def expected(m, x, variances, law):
    """The kernel's means, and the columns of J that it fills (size, 2 L + 3)."""
    L, pairs = len(m), node_pairs(len(m))
    A = (m - x[:, None]) * SCALE
    s2 = variances * SCALE**2
    a, b = pairs.T
    S, F = A[a] + A[b], A[a] * A[b] + s2
    r, J = np.zeros(L + len(pairs)), np.zeros((L + len(pairs), 2 * L + 3))
    share_noises(A, S, F, s2, law, SCALE, np.empty(L), np.ones(L), np.empty((5, 3)), r, J)
    return np.concatenate([A.prod(axis=1), F.prod(axis=1)]) - r, J


def enumerated(m, x, sd, g, share):
    """Exact means over all outcomes of finite laws of u and c, after decorrelation."""
    L = len(m)
    total = 0.0
    for i in itertools.product(range(3), repeat=L):
        for j in range(2):
            u, c = sd * U[list(i)], np.sqrt(g) * C[j]
            total = total + np.prod(P[list(i)]) * Q[j] * statistics(m + u + c - share * (u.mean() + c), x)
    return total


def case(L, share, seed):
    rng = np.random.default_rng(seed)
    m, x, sd = 2.0 * rng.normal(size=L), 2.0 * rng.normal(size=L), 0.6
    g = sd**2 / L * ((1.0 - share) ** -2 - 1.0)
    own, shock = cumulants(U, P), cumulants(C, Q)
    R = g + sd**2 / L
    third = (shock[0] * g**1.5 + own[0] * sd**3 / L**2) / R**1.5
    fourth = (shock[1] * g**2 + own[1] * sd**4 / L**3) / R**2
    return m, x, sd, g, joint_law(share, L, unequal=True, own=own, mean=(third, fourth))


@pytest.mark.parametrize("share", [0.2, 0.8])
@pytest.mark.parametrize("seed", range(3))
def test_means_of_two_systems_are_exact(share, seed):
    m, x, sd, g, law = case(2, share, seed)
    means, _ = expected(m, x, np.full(2, sd**2), law)
    assert_allclose(means, enumerated(m, x, sd, g, share), rtol=1e-10, atol=1e-12)
    without, _ = expected(m, x, np.full(2, sd**2), independent_law())
    assert not np.allclose(means, without, rtol=1e-4)


@pytest.mark.parametrize("share", [0.2, 0.8])
@pytest.mark.parametrize("seed", range(3))
def test_means_of_three_systems_are_exact_for_values_and_close_for_products(share, seed):
    m, x, sd, g, law = case(3, share, seed)
    exact = enumerated(m, x, sd, g, share)
    means, _ = expected(m, x, np.full(3, sd**2), law)
    without, _ = expected(m, x, np.full(3, sd**2), independent_law())
    assert_allclose(means[:3], exact[:3], rtol=1e-10, atol=1e-12)
    assert np.linalg.norm(means - exact) < 0.3 * np.linalg.norm(without - exact)


def gaussian_means(m, x, covariance):
    """By quadrature, exact for these polynomials."""
    points, weights = np.polynomial.hermite_e.hermegauss(5)
    root, total = np.linalg.cholesky(covariance), 0.0
    for i in itertools.product(range(5), repeat=len(m)):
        weight = np.prod(weights[list(i)]) / (2.0 * np.pi) ** (len(m) / 2)
        total = total + weight * statistics(m + root @ points[list(i)], x)
    return total


@pytest.mark.parametrize("seed", range(3))
def test_the_column_of_a_covariance_is_a_derivative(seed):
    rng = np.random.default_rng(seed)
    m, x, variances, step = rng.normal(size=3), rng.normal(size=3), np.array([0.3, 0.5, 0.2]), 1e-5
    _, J = expected(m, x, variances, independent_law())
    off = step * (1.0 - np.eye(3))
    slope = (gaussian_means(m, x, np.diag(variances) + off) - gaussian_means(m, x, np.diag(variances) - off)) / (
        2 * step
    )
    assert_allclose(J[:, 6], slope, rtol=1e-6, atol=1e-8)


def unequal(m, x, difference, share=0.6):
    """Exact means, those of the kernel, its columns, the variances of v', and the law, for own variances that differ."""
    own = 0.3 + difference * np.array([-0.2, -0.05, 0.25])
    mix = np.eye(3) - share / 3
    g = own.mean() / 3 * ((1.0 - share) ** -2 - 1.0)
    covariance = mix @ np.diag(own) @ mix + (1.0 - share) ** 2 * g
    law = joint_law(share, 3, unequal=True, own=(0.0, 0.0), mean=(0.0, 0.0))
    variances = np.diag(covariance).copy()
    return gaussian_means(m, x, covariance), *expected(m, x, variances, law), variances, law


@pytest.mark.parametrize("seed", range(3))
def test_unequal_variances_are_allowed_for(seed):
    rng = np.random.default_rng(seed)
    m, x = rng.normal(size=3), rng.normal(size=3)
    exact, means, J, variances, law = unequal(m, x, 1.0)
    assert_allclose(means[:3], exact[:3], rtol=1e-10, atol=1e-12)
    half, close, *_ = unequal(m, x, 0.5)
    ratio = np.linalg.norm(means - exact) / np.linalg.norm(close - half)
    assert 3.0 < ratio < 5.5  # what is left in the products is of second order
    without, _ = expected(m, x, variances, independent_law())
    assert not np.allclose(without[:3], exact[:3], rtol=1e-3)
    for j in range(3):  # the columns of the variances hold what the correction adds
        moved = []
        for sign in (1.0, -1.0):
            other = variances.copy()
            other[j] *= np.exp(sign * 1e-5)
            moved.append(expected(m, x, other, law)[0][:3])
        assert_allclose(J[:3, 3 + j], (moved[0] - moved[1]) / 2e-5, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_the_columns_of_skewness_and_excess_are_derivatives(seed):
    rng = np.random.default_rng(seed)
    m, x, variances = rng.normal(size=4), rng.normal(size=4), np.full(4, 0.3)

    def means(third, fourth):
        return expected(m, x, variances, joint_law(0.7, 4, unequal=True, own=(third, fourth), mean=(0.2, 0.4)))

    start, J = means(0.5, 1.0)
    assert_allclose(J[:, 9], means(1.5, 1.0)[0] - start, rtol=1e-9, atol=1e-12)
    assert_allclose(J[:, 10], means(0.5, 2.0)[0] - start, rtol=1e-9, atol=1e-12)


def test_joint_sums_are_sums_over_subsets():
    rng = np.random.default_rng(0)
    f, s, W, rest = rng.normal(size=5), rng.normal(size=5), np.empty((5, 3)), np.empty(5)
    joint_sums(f, s, 0.5, W)
    for a, b in itertools.product(range(5), range(3)):
        total = 0.0
        for first in itertools.combinations(range(5), a):
            for second in itertools.combinations(sorted(set(range(5)) - set(first)), b):
                others = [i for i in range(5) if i not in first and i not in second]
                total += np.prod(s[list(first)]) * 0.5**b * np.prod(f[others])
        assert_allclose(W[a, b], total, rtol=1e-10, atol=1e-12)
    sums_over_others(f, s, rest)
    assert_allclose(rest.sum(), 2.0 * W[2, 0])


@pytest.mark.parametrize("products", [True, False])
def test_scores_add_up_and_those_of_independent_noises_are_known(products):
    theta = np.array([[1.0, 0.5], [3.0, -1.0], [6.0, 2.0]])
    sets, rows, _ = draw(theta, 0.5, 0.3, 60, 0)
    variances = np.array([0.2, 0.3, 0.25])
    H, g, scores = shared_products(sets, rows, theta, variances, (0.4, 3.5), independent_law(), products=products)
    assert_allclose(scores.sum(axis=0), g, rtol=1e-9, atol=1e-9)
    assert_allclose(H, H.T)
    if products:
        alone = accumulate_products(sets, rows, theta, variances, 0.4, 3.5, np.ones(60))
        assert_allclose(H[:10, :10], alone.information, rtol=1e-9)
        assert_allclose(g[:10], alone.score, rtol=1e-9)
        assert_allclose(scores[:, :10].T @ scores[:, :10], alone.meat, rtol=1e-9)
    else:
        assert not H[6:9].any()
    assert not H[10:].any()


@pytest.mark.parametrize("products", [True, False])
def test_information_and_scores_are_those_of_the_moments(products):
    """J'V⁻¹J and J'V⁻¹r with the moments that `products` gives, for two inputs."""
    from vieta.weighted.products import fill_covariance, residuals_and_slopes

    theta, variances = np.array([[1.0, 0.5], [3.0, -1.0], [6.0, 2.0]]), np.array([0.2, 0.3, 0.25])
    sets, rows, _ = draw(theta, 0.5, 0.3, 5, 1)
    for y, row in zip(np.sort(sets, axis=1), rows):
        found = accumulate_products(y[None], row[None], theta, variances, 0.4, 3.5, products=products)
        m = theta @ row
        x, pairs = np.sort(m), node_pairs(3) if products else np.empty((0, 2), np.int64)
        A, size = m - x[:, None], 3 + len(pairs)
        S, F, r, J, V = (np.zeros(shape) for shape in [(len(pairs), 3), (len(pairs), 3), size, (size, 7), (size, size)])
        residuals_and_slopes(y, x, 1.0, pairs, A, S, F, variances, np.empty(3), np.empty(3), r, J)
        fill_covariance(A, S, F, variances, 0.4 * variances**1.5, 3.5 * variances**2, V)
        share_noises(A, S, F, variances, independent_law(), 1.0, np.empty(3), np.ones(3), np.empty((5, 3)), r, J)
        G = np.column_stack([*(np.outer(J[:, l], row) for l in range(3)), J[:, 3:]])
        weights = np.linalg.solve(V + np.tril(V, -1).T, G)
        assert_allclose(found.information, G.T @ weights, rtol=1e-6, atol=1e-7 * abs(found.information).max())
        assert_allclose(found.score, weights.T @ r, rtol=1e-6, atol=1e-6 * abs(found.score).max())


def test_what_the_kernel_writes_for_every_set_is_beside_nothing_that_another_thread_writes(monkeypatch):
    given = []
    monkeypatch.setattr(module, "add_products", lambda *places: given.extend(places))
    accumulate_products(np.zeros((5, 3)), np.ones((5, 1)), np.arange(3.0)[:, None], np.ones(3), 0.0, 3.0)
    written = given[9:]
    assert len(written) == 5 + 9 + 9 + 1
    assert all(map(stands_apart, written))
