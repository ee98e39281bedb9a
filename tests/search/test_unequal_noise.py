"""The likelihood where every system has a noise variance of its own, and its climb."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.search.problems import draw, given, planar
from vieta.search.problem import expect
from vieta.search.unequal_noise import WEIGHT, climb_with_own_noise, step_with_own_noise


def naive_step(one, theta, variances):
    """Log densities, and expected readings and squares, by summing over all permutations."""
    n, L, p = one.sets.shape
    means = one.means(theta)
    logs, readings, squares = np.empty(n), np.zeros((n, L, p)), np.zeros(L)
    for k in range(n):
        weights, orders = [], [list(order) for order in permutations(range(L))]
        for order in orders:  # order[l] is the reading of system l
            gaps = ((one.sets[k, order] - means[k]) ** 2).sum(axis=1)
            weights.append(np.prod(variances ** (-p / 2) * np.exp(-gaps / 2 / variances)))
        logs[k] = np.log(np.sum(weights))
        for order, share in zip(orders, np.array(weights) / np.sum(weights)):
            readings[k] += share * one.sets[k, order]
            squares += share * ((one.sets[k, order] - means[k]) ** 2).sum(axis=1)
    return logs, readings, squares


@pytest.mark.parametrize("make", [lambda: draw("normal", 3, 0.8, 12, 0), lambda: planar(3, 0.8, 12, 1)])
def test_a_step_is_that_of_all_permutations(make):
    sets, psi, theta = make()
    one = given(sets, psi, 0.8)
    variances = np.array([0.5, 1.0, 3.0])
    logs, readings, squares = naive_step(one, theta, variances)
    found = step_with_own_noise(one, theta, variances)
    n, _, p = one.sets.shape
    assert_allclose(found.logs, logs)
    assert_allclose(found.theta, np.einsum("dnp,nlp->ld", one.inverse, readings))
    assert_allclose(found.variances, (WEIGHT + squares) / (WEIGHT + n * p))


@pytest.mark.parametrize("seed", range(3))
def test_with_equal_variances_it_is_the_common_likelihood(seed):
    sets, psi, theta = draw("season", 4, 0.6, 40, seed)
    one = given(sets, psi, 0.6)
    assert_allclose(step_with_own_noise(one, theta, np.ones(4)).logs, expect(one, theta).logs, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_a_climb_ends_higher_where_a_step_gains_nothing_and_finds_the_variances(seed):
    rng = np.random.default_rng(seed)
    n, sds = 1500, np.array([0.3, 0.9])
    rows, theta = np.stack([np.ones(n), rng.normal(size=n)], axis=1), np.array([[0.0, 1.0], [2.0, -0.5]])
    sets = rng.permuted(rows @ theta.T + sds * rng.normal(size=(n, 2)), axis=1)
    one = given(sets[:, :, None], rows[:, None], 1.0)
    found = climb_with_own_noise(one, theta + 0.2, 400, 1e-8)
    assert found.likelihood > step_with_own_noise(one, theta, sds**2).logs.sum()
    again = step_with_own_noise(one, found.theta, found.variances)
    assert_allclose(found.likelihood, again.logs.sum())
    assert_allclose(again.theta, found.theta, atol=1e-4)
    relative = np.log(found.variances / sds**2)
    assert np.all(abs(relative) < 5 * np.sqrt(2 / n) * 2)  # about twice the errors that labels would give
    assert not np.all(abs(relative + 0.5) < 5 * np.sqrt(2 / n) * 2)  # the test can fail


def test_a_curve_through_readings_does_not_make_a_variance_vanish():
    sets, psi, _ = draw("normal", 2, 0.5, 6, 0)
    one = given(sets, psi, 0.5)
    found = climb_with_own_noise(one, np.array([[0.0, 0.0], [1.0, 1.0]]), 200, 0.0)
    assert found.variances.min() >= WEIGHT / (WEIGHT + 6)
