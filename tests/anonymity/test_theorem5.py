"""Theorem 5 of the paper, statement by statement: what holds, and a counter-example to what does not.

The paper orders two laws of observations, B and B̄, by Blackwell dominance (A1: B̄ = BM) with zero-mean noise in both (A2).
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from vieta import symmetric, theory
from vieta.anonymity import Decision, blackwell_dominates, map_error, noise_dominates
from vieta.laws import inputs
from vieta.laws.noise import Finite


def least(matrix):
    return np.linalg.eigvalsh(matrix).min() / abs(matrix).max()


def random_covariances(rng, L, p):
    A = rng.normal(size=(L, p, p))
    return A @ A.swapaxes(1, 2)


# --- Statement 1: the covariance of the symmetric transform grows with that of the noise -----------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.integers(1, 3))
def test_larger_noise_covariance_means_larger_covariance_of_the_transform(seed, L, D):
    rng = np.random.default_rng(seed)
    theta, noise, added = rng.normal(size=(L, D)), random_covariances(rng, L, D), random_covariances(rng, L, D)
    transform = (symmetric.elementary(L) if D == 1 else symmetric.tensor(L, D, D)).readings
    before, after = (transform.covariance(theta, C) for C in (noise, noise + added))
    assert least(after - before) > -1e-9
    assert least(before - after) < -1e-6  # the test can fail


def test_the_covariance_of_the_transform_is_not_diagonal_as_in_the_papers_proof():
    y = np.array([1.0, 3.0]) + np.random.default_rng(0).normal(size=(200_000, 2))
    sampled = np.cov(np.stack([y.sum(axis=1), y.prod(axis=1)]))
    found = symmetric.elementary(2).readings.covariance(np.array([[1.0], [3.0]]), np.array([[1.0]]))
    assert_allclose(found, [[2.0, 4.0], [4.0, 11.0]])
    assert_allclose(sampled, found, rtol=0.03)  # and not diag(2, 1)


def test_it_needs_equal_means():
    """Cov(y) is smaller on the left, where the means are 10, and the product varies a hundred times as much."""
    transform = symmetric.elementary(2).readings
    small = transform.covariance(np.array([[10.0], [10.0]]), np.array([[0.5]]))
    large = transform.covariance(np.zeros((2, 1)), np.array([[1.0]]))
    assert_allclose([small[1, 1], large[1, 1]], [100.25, 1.0])
    assert least(large - small) < -0.1


# --- Statement 2: dominated observations make the best guess err more often -----------------------------------------


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 6))
def test_the_best_guess_errs_more_often_after_a_kernel(seed, states):
    rng = np.random.default_rng(seed)
    B, M, prior = rng.dirichlet(np.ones(5), states), rng.dirichlet(np.ones(4), 5), rng.dirichlet(np.ones(states))
    guess = Decision(prior, 1.0 - np.eye(states))
    assert guess.risk(B) <= guess.risk(B @ M) + 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_the_best_guess_of_the_permutation_errs_more_often_with_added_noise(seed):
    rng = np.random.default_rng(seed)
    theta, prior = rng.normal(size=(3, 2)), rng.dirichlet(np.ones(6))
    noise, added = 0.3 * random_covariances(rng, 1, 2)[0], 0.3 * random_covariances(rng, 1, 2)[0]
    assert noise_dominates(noise, noise + added).holds
    before, after = (map_error(theta, C, prior=prior, draws=6000, seed=seed) for C in (noise, noise + added))
    error = np.hypot(before.mc_error, after.mc_error)
    assert after.probability > before.probability + 3 * error


# --- Statement 3: "and the covariances are ordered" -----------------------------------------------------------------


def of_two_orders(theta, noise):
    """Channel (2, outcomes) and its values (outcomes, 2) for both orders of two numbers with noise on a finite set."""
    v, w = noise
    outcomes, rows = {}, np.zeros((2, 4 * len(v) ** 2))
    for state, order in enumerate([(0, 1), (1, 0)]):
        for (a, p), (b, q) in product(zip(v, w), repeat=2):
            y = (theta[order[0]] + a, theta[order[1]] + b)
            rows[state, outcomes.setdefault(y, len(outcomes))] += p * q
    return rows[:, : len(outcomes)], np.array(list(outcomes))


THETA = (-1.0, 1.0)
FAIR = (0.5, 0.5)


def test_dominance_and_zero_means_do_not_order_covariances():
    """theta = (-1, 1). B: noise ±10, which leaves the order plain to see. B̄: decode it, then show the means ±0.1."""
    B, y = of_two_orders(THETA, ((-10.0, 10.0), FAIR))
    B_bar, y_bar = of_two_orders(THETA, ((-0.1, 0.1), FAIR))
    found = blackwell_dominates(B, B_bar, values=y, values_bar=y_bar)
    assert found.holds  # A1
    assert_allclose(B @ y, B_bar @ y_bar)  # A2: both have the means
    assert_allclose(B @ y, [THETA, THETA[::-1]])
    variances = [(channel @ values**2 - (channel @ values) ** 2)[0] for channel, values in ((B, y), (B_bar, y_bar))]
    assert_allclose(variances, [[100.0, 100.0], [0.01, 0.01]])  # yet the dominated one varies less
    assert found.mean_preserving is False  # because no kernel keeps the means
    louder, quieter = (np.trace(theory.lms_covariance(THETA, v, inputs.Sign()).covariance) for v in (100.0, 0.01))
    assert louder > 1000 * quieter  # and with it the analyst's covariance
    assert map_error(THETA, Finite(100.0), draws=200).probability == 0.0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 2))
def test_a_kernel_that_keeps_means_orders_covariances(seed, p):
    """The repair: assume E[ȳ | y] = y."""
    rng = np.random.default_rng(seed)
    B, M, y_bar = rng.dirichlet(np.ones(4), 3), rng.dirichlet(np.ones(5), 4), rng.normal(size=(5, p))
    y = M @ y_bar
    for row in B:
        covariances = [np.atleast_2d(np.cov(v.T, aweights=w, ddof=0)) for v, w in ((y, row), (y_bar, row @ M))]
        assert least(covariances[1] - covariances[0]) > -1e-9


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.floats(0.05, 2.0), st.floats(0.05, 2.0))
def test_added_noise_raises_the_analysts_covariances(seed, L, variance, added):
    theta = np.cumsum(np.random.default_rng(seed).uniform(0.5, 2.0, size=L))
    for covariance in (theory.lms_covariance, theory.least_squares_covariance):
        before, after = (covariance(theta, v, inputs.Gaussian()).covariance for v in (variance, variance + added))
        assert least(after - before) > -1e-9
        assert least(before - after) < 0
