from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from vieta.paper.baselines import direct_objective, gaussian_moments, stationary_point

TRUTH = [-2.0, 5.0, 8.0]
NUMBERS = st.lists(st.floats(-3, 3), min_size=1, max_size=5)


def naive_value(theta, truth, moments):
    def e(x, d):
        return sum(map(prod, combinations(x, d)))

    return sum(m * (e(theta, d) - e(truth, d)) ** 2 for d, m in enumerate(moments, start=1))


@given(NUMBERS, st.integers(0, 99))
def test_value_is_the_definition(theta, seed):
    rng = np.random.default_rng(seed)
    truth, moments = rng.normal(size=len(theta)), rng.uniform(0.5, 2.0, size=len(theta))
    got = direct_objective(theta, truth, moments)
    assert_allclose(got.value, naive_value(theta, truth, moments), rtol=1e-9, atol=1e-9)


@given(NUMBERS)
def test_derivatives_are_those_of_the_value(theta):
    theta, truth, h = np.array(theta), np.linspace(-1, 1, len(theta)), 1e-5
    here = direct_objective(theta, truth)
    for i, e in enumerate(h * np.eye(len(theta))):
        above, below = direct_objective(theta + e, truth), direct_objective(theta - e, truth)
        scale = 1.0 + abs(here.hessian).max()
        assert_allclose((above.value - below.value) / (2 * h), here.gradient[i], atol=1e-5 * (scale + here.value))
        assert_allclose((above.gradient - below.gradient) / (2 * h), here.hessian[i], atol=1e-5 * scale)


def test_value_is_the_expectation_up_to_a_constant():
    rng, n, sd = np.random.default_rng(0), 400_000, 0.1
    truth, points = np.array([-1.0, 2.0]), np.array([[0.0, 1.0], [-1.0, 1.5], [1.0, 3.0]])
    psi = rng.normal(size=n)
    y = psi[:, None] * truth + sd * rng.normal(size=(n, 2))
    z = np.stack([y.sum(axis=1), y.prod(axis=1)])

    def loss(theta):
        return (z[0] - psi * theta.sum()) ** 2 + (z[1] - psi**2 * theta.prod()) ** 2

    at_truth = loss(truth)
    for theta in points:
        excess = loss(theta) - at_truth
        error = 5 * excess.std() / np.sqrt(n)
        assert abs(excess.mean() - direct_objective(theta, truth).value) < error
        assert abs(excess.mean() - direct_objective(theta, truth, [1.0, 1.0]).value) > error  # the test can fail


def test_the_paper_s_local_minimum_is_a_saddle():
    point = stationary_point([-2.0, 6.3, 6.3], TRUTH)
    assert_allclose(point.theta, [-2.026, 6.284, 6.284], atol=5e-4)
    assert_allclose(point.eigenvalues, [-0.19, 686, 56986], rtol=0.02)
    assert point.is_saddle
    assert not point.is_minimum
    down = np.linalg.eigh(direct_objective(point.theta, TRUTH).hessian)[1][:, 0]
    for side in (-0.02, 0.02):
        assert direct_objective(point.theta + side * down, TRUTH).value < point.value


def test_a_true_local_minimum():
    point = stationary_point([-4.0, -4.0, -4.0], TRUTH)
    assert_allclose(point.theta, [-4.239] * 3, atol=5e-4)
    assert_allclose(point.eigenvalues, [251, 251, 29846], rtol=0.005)
    assert_allclose(point.value, 5560, atol=1)
    assert point.is_minimum
    around = point.theta + 0.05 * np.random.default_rng(0).normal(size=(200, 3))
    assert min(direct_objective(theta, TRUTH).value for theta in around) > point.value


def test_the_truth_is_the_minimum_of_value_zero():
    point = stationary_point([-1.9, 5.1, 7.9], np.array(TRUTH)[:, None])
    assert_allclose(point.theta, TRUTH, rtol=1e-9)
    assert point.value < 1e-15
    assert point.is_minimum


def test_moments_of_a_standard_normal():
    assert_allclose(gaussian_moments(6), [1, 3, 15, 105, 945, 10395])


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"one number a system .* got 2, 3 and 3"):
        direct_objective([1.0, 2.0], TRUTH)
    with pytest.raises(ArithmeticError, match="did not settle within 1 iterations; it last moved by"):
        stationary_point([1.0, 2.0, 3.0], TRUTH, iterations=1)
