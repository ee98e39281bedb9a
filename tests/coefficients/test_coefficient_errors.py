"""LMS and least squares on the coefficients, against subset sums, Lyapunov and numerical derivatives."""

from itertools import combinations
from math import prod

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import solve_continuous_lyapunov

from tests import naive
from vieta.laws import inputs, noise
from vieta.theory import Moments, even_moments, least_squares_covariance, lms_covariance

LAWS = [None, inputs.Gaussian(), inputs.Gaussian(0.5, 0.2), inputs.Uniform(-1.5, 1.5), inputs.Sign()]


def brute_setting(theta, variances, moments):
    """Q, R and d theta / d lambda of numbers: sums over subsets, and the inverse of a numerical Jacobian."""
    L = len(theta)
    mu = np.r_[1.0, moments]  # mu[i] = E psi^2i
    R = np.zeros((L, L))
    for size in range(1, L + 1):
        for chosen in combinations(range(L), size):
            e = np.r_[1.0, naive.elementary(np.delete(theta, chosen))]
            power = prod(variances[i] for i in chosen)
            for l in range(size, L + 1):
                for m in range(size, L + 1):
                    R[l - 1, m - 1] += power * mu[l + m - size] * e[l - size] * e[m - size]
    G = np.linalg.inv(naive.derivative(naive.elementary, theta))
    return np.diag(mu[1 : L + 1]), R, G


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("L", [1, 2, 3, 4])
def test_against_brute_force(L, law):
    rng = np.random.default_rng(L)
    theta, variances = np.cumsum(rng.uniform(0.5, 2.0, size=L)) - 2.0, rng.uniform(0.1, 1.0, size=L)
    Q, R, G = brute_setting(theta, variances, even_moments(law, 2 * L - 1))
    found = lms_covariance(theta, variances, law)
    sigma = solve_continuous_lyapunov(Q, R)
    assert_allclose(found.coefficients, sigma, rtol=1e-9)
    assert_allclose(found.covariance, G @ sigma @ G.T, rtol=1e-6, atol=1e-7 * abs(found.covariance).max())

    found = least_squares_covariance(theta, variances, law)
    sigma = np.linalg.inv(Q) @ R @ np.linalg.inv(Q)
    assert_allclose(found.coefficients, sigma, rtol=1e-9)
    assert_allclose(found.covariance, G @ sigma @ G.T, rtol=1e-6, atol=1e-7 * abs(found.covariance).max())


def test_steps_of_their_own_for_each_degree():
    theta, relative, step = np.array([-1.0, 0.5, 2.0]), np.array([1.0, 0.3, 0.1]), 1e-3
    Q, R, G = brute_setting(theta, np.full(3, 0.2), even_moments(inputs.Gaussian(), 5))
    E = step * np.diag(relative)
    sigma = solve_continuous_lyapunov(E @ Q, E @ R @ E)
    found = lms_covariance(theta, 0.2, inputs.Gaussian(), relative_step=relative)
    assert_allclose(found.at(step), G @ sigma @ G.T, rtol=1e-6)
    assert_allclose(found.stderr(step).ravel() ** 2, np.diag(found.at(step)))
    with pytest.raises(ValueError, match="must be a positive finite number, or 3 of them"):
        lms_covariance(theta, 0.2, relative_step=[1.0, 2.0])


def test_a_law_of_noise_stands_for_its_variance():
    by_law = lms_covariance([1, 2], noise.Skewed(0.3), inputs.Gaussian())
    assert_allclose(by_law.covariance, lms_covariance([1, 2], 0.3, inputs.Gaussian()).covariance, rtol=0)


def test_rows_keep_the_order_given():
    forward = least_squares_covariance([1, 2, 5], [0.1, 0.2, 0.3]).covariance
    backward = least_squares_covariance([5, 2, 1], [0.3, 0.2, 0.1]).covariance
    assert_allclose(forward, backward[::-1, ::-1], rtol=1e-9)


def test_errors_shrink_as_one_over_n():
    found = least_squares_covariance([[1, 2], [3, 5]], 0.1)
    assert found.stderr(100).shape == (2, 2)
    assert_allclose(found.stderr(400), found.stderr(100) / 2)
    assert_allclose(found.after(10), found.covariance / 10)


@pytest.mark.parametrize("transform", ["tensor", "polarized", "convolution"])
def test_inputs_that_are_multiples_of_the_identity_serve_as_numbers_or_matrices(transform):
    theta = [[-2.0, 6.0], [4.0, 5.0]]
    psi = np.random.default_rng(0).uniform(0.5, 1.5, size=200)
    by_moments = lms_covariance(theta, 0.1, Moments(even_moments(psi, 3)), transform=transform)
    by_matrices = lms_covariance(theta, 0.1, psi[:, None, None] * np.eye(2), transform=transform)
    assert_allclose(by_moments.covariance, by_matrices.covariance, rtol=1e-8)


def test_too_many_coefficients_and_unequal_noise_that_cannot_be_undone():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="have 494 coefficients, more than the 400 that are practical here"):
        lms_covariance(rng.normal(size=(4, 8)), 0.1, rng.normal(size=(5, 2, 8)))
    with pytest.raises(ValueError, match="inputs that are undone need one noise for all systems"):
        lms_covariance([[1, 2], [3, 5]], [0.1, 0.2], rng.normal(size=(5, 2, 2)), transform="polarized")
