"""EM under a shock: its likelihood against an enumeration of permutations, and the variance that it finds."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from tests.weighted.shocks import draw
from vieta.search.problem import expect, problem
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.sum_regression import regress
from vieta.weighted.within_variance import better_start, maximized, within_likelihood, within_variance

THETA = np.array([[1.0], [2.0], [3.0]])


def log_density(sets, means, variance, g):
    """Of sets with noise covariance variance I + g 11', by brute force."""
    L = sets.shape[1]
    law = multivariate_normal(np.zeros(L), variance * np.eye(L) + g)
    every = [law.pdf(sets[:, list(order)] - means) for order in itertools.permutations(range(L))]
    return float(np.log(np.mean(every, axis=0)).sum())


def test_the_likelihood_is_that_of_a_shared_shock_up_to_the_means():
    """Solutions with the same mean parameter and R differ by as much as their densities do."""
    sets, rows, _ = draw(THETA, 0.4, 0.5, 40, 0)
    given = problem(sets[:, :, None], rows[:, None, :], np.eye(1))
    R, ways = 0.4, []
    for spread, variance in ((1.0, 0.3), (0.7, 0.5)):
        theta = 2.0 + spread * (THETA - 2.0)
        found = maximized(given, theta, variance)
        assert found.likelihood > -np.inf
        means = rows @ theta.T
        shared = 3 * ((sets.mean(axis=1) - means.mean(axis=1)) ** 2).sum()
        ours = expect(given, theta, variance).logs.sum() + 0.5 * shared / variance - 40 * np.log(variance)
        assert_allclose(within_likelihood(given, theta, variance), ours, rtol=1e-12)
        ways.append((ours, log_density(sets, means, variance, R - variance / 3)))
    assert_allclose(ways[0][0] - ways[1][0], ways[0][1] - ways[1][1], rtol=1e-9)


def test_em_never_lowers_the_likelihood():
    sets, rows, _ = draw(THETA, 0.4, 0.5, 300, 1)
    given = problem(sets[:, :, None], rows[:, None, :], np.eye(1))
    end = maximized(given, THETA, 0.16)
    again = maximized(given, end.theta, end.variance)
    assert again.likelihood >= end.likelihood - 1e-9
    assert again.likelihood - end.likelihood < 0.1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("constant", [False, True])
def test_the_own_noise_is_found_under_a_large_shock(seed, constant):
    sets, rows, _ = draw(THETA, 0.3, 0.8, 600, seed, inputs=(lambda rng, n: np.ones((n, 1))) if constant else None)
    data = as_data(sets, rows)
    regression = regress(in_memory(data))
    found = within_variance(data, regression, THETA + 0.8 * np.array([[1.0], [0.0], [-1.0]]))  # a start that is far off
    assert abs(found.variance / 0.09 - 1.0) < 5.0 * np.sqrt(2.0 / 1200)
    assert regression.noise[0, 0] > 10.0 * found.variance
    apart = np.diff(np.sort(found.theta[:, 0]))
    worse = found._replace(likelihood=found.likelihood - 10.0, theta=found.theta + 1.0)
    assert_allclose(better_start(data, regression, worse, found.theta).theta, found.theta, atol=1e-2)
    assert better_start(data, regression, found, 0.0 * THETA + 2.0) is found
    assert_allclose(apart, 1.0, atol=5.0 * 0.3 * np.sqrt(2.0 / 600) * 1.2)
