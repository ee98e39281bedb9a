"""Vectors without the correlation that a shock makes; EM against an enumeration of permutations."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal

from tests.weighted.vector_shocks import OWN, SHOCK, THETA, draw
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.sum_regression import regress
from vieta.weighted.vector_decorrelation import (
    decorrelate_vectors,
    decorrelated_vectors,
    maximized_vectors,
    removed,
    within_covariance,
)


@pytest.mark.parametrize("inputs", ["identity", "scalars", "matrices"])
def test_noises_are_uncorrelated_afterwards(inputs):
    made = draw(0.8, 20_000, 0, inputs)
    data = as_data(made.sets, made.inputs)
    regression = regress(in_memory(data))
    assert_allclose(regression.noise / 3, made.shock + OWN / 3, atol=0.2)
    share = removed(OWN, regression.noise)
    found = decorrelate_vectors(data, regression.solution, share)
    (again,) = decorrelated_vectors(in_memory(data), regression.solution, share).blocks()
    assert_allclose(again.sets, found.sets)
    noise = found.sets - np.einsum("npd,d->np", _matrices(data), regression.solution / 3)[:, None]
    total = noise.sum(axis=1)  # its covariance would be 3 times as large under a shock, and more
    assert_allclose(total.T @ total / len(total), 3.0 * OWN, atol=5.0 * 3.0 * 0.5 * np.sqrt(2.0 / 20_000))
    within = data.sets - data.sets.mean(axis=1, keepdims=True)
    assert_allclose(found.sets - found.sets.mean(axis=1, keepdims=True), within, atol=1e-12)  # differences stay


def _matrices(data):
    from vieta.weighted.sum_regression import as_matrices

    return as_matrices(data)


def log_density(sets, means, own, shock):
    """Of sets with noise covariance I ⊗ own + 11' ⊗ shock, by brute force."""
    n, L, p = sets.shape
    law = multivariate_normal(np.zeros(L * p), np.kron(np.eye(L), own) + np.kron(np.ones((L, L)), shock))
    orders = itertools.permutations(range(L))
    every = [law.pdf((sets[:, list(order)] - means).reshape(n, -1)) for order in orders]
    return float(np.log(np.mean(every, axis=0)).sum())


def test_the_likelihood_is_that_of_a_shared_shock_up_to_the_means(monkeypatch):
    """Solutions with the same mean parameter and R differ by as much as their densities do."""
    monkeypatch.setattr("vieta.weighted.vector_decorrelation.ITERATIONS", 1)
    made = draw(0.5, 40, 1)
    R, ways = SHOCK + OWN / 3, []
    for spread, own in ((1.0, OWN), (0.8, 0.7 * OWN + 0.1 * np.eye(2))):
        theta = THETA.mean(axis=0) + spread * (THETA - THETA.mean(axis=0))
        found = maximized_vectors(as_data(made.sets, None), theta, own)
        ways.append(
            (found.likelihood, log_density(made.sets, np.broadcast_to(theta, made.means.shape), own, R - own / 3))
        )
    assert_allclose(ways[0][0] - ways[1][0], ways[0][1] - ways[1][1], rtol=1e-9)


def test_em_never_lowers_the_likelihood():
    made = draw(0.5, 300, 2)
    data = as_data(made.sets, None)
    end = maximized_vectors(data, THETA, OWN)
    again = maximized_vectors(data, end.theta, end.covariance)
    assert -1e-9 <= again.likelihood - end.likelihood < 0.1


@pytest.mark.parametrize("inputs", ["identity", "matrices"])
@pytest.mark.parametrize("seed", range(2))
def test_the_own_noise_is_found_from_a_start_that_is_far_off(inputs, seed):
    made = draw(0.8, 800, seed, inputs)
    data = as_data(made.sets, made.inputs)
    regression = regress(in_memory(data))
    found = within_covariance(data, regression, THETA + np.array([[2.0, 0.0], [0.0, -1.0], [-1.0, 1.0]]))
    assert_allclose(found.covariance, OWN, atol=5.0 * 0.5 * np.sqrt(2.0 / 1600))
    assert np.trace(regression.noise) > 4.0 * np.trace(found.covariance)
