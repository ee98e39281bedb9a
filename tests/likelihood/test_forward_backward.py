"""Smoothing against a sum over all paths of the chain."""

from itertools import pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from vieta.likelihood.forward_backward import log_sum, predict
from vieta.likelihood.markov_em import smooth


def enumerated(logs, P):
    """Likelihood, smoothed probabilities, by a sum over all paths of the chain."""
    N, S = logs.shape
    total, gamma = 0.0, np.zeros((N, S))
    for path in product(range(S), repeat=N):
        weight = np.prod([P[a, b] for a, b in pairwise(path)]) / S
        weight *= np.exp(sum(logs[k, x] for k, x in enumerate(path)))
        total += weight
        for k, x in enumerate(path):
            gamma[k, x] += weight
    return np.log(total), gamma / total


def sticky(S, stay):
    return stay * np.eye(S) + (1 - stay) / S


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("N", "S"), [(1, 2), (6, 2), (4, 6)])
def test_smoothing_is_the_sum_over_paths(N, S, seed):
    rng = np.random.default_rng(seed)
    logs = 2.0 * rng.normal(size=(N, S))
    P = rng.dirichlet(np.ones(S), size=S)
    for matrix, got in ((P, smooth(logs, P, np.nan)), (sticky(S, 0.7), smooth(logs, None, 0.7))):
        likelihood, gamma = enumerated(logs, matrix)
        assert_allclose(got[0], likelihood, rtol=1e-12)
        assert_allclose(got[1], gamma, atol=1e-12)


def test_expected_stays_are_the_derivative_by_the_log_odds():
    """d log p / d q = stays / q - (N - 1 - stays) / (1 - q): Fisher's identity for the sticky chain."""
    logs, q, h = np.random.default_rng(0).normal(size=(7, 6)), 0.6, 1e-6
    slope = (smooth(logs, None, q + h)[0] - smooth(logs, None, q - h)[0]) / (2 * h)
    stays = smooth(logs, None, q)[2]
    assert_allclose(stays / q - (6 - stays) / (1 - q), slope, rtol=1e-7)


@pytest.mark.parametrize("chain", [{"stay": 1.0}, {"transition": [[0, 1], [1, 0]]}, {"stay": 0.999}])
def test_far_densities_do_not_underflow(chain):
    """A chain that must stay, or must change, against evidence of thousands for the other order now and then."""
    rng = np.random.default_rng(0)
    logs = -1e3 * rng.random((6, 2)) ** 4 - 1e5 * rng.random((6, 1))
    logs[2, 0], logs[4, 1] = -3e5, -4e5
    stay, P = chain.get("stay", np.nan), chain.get("transition")
    matrix = sticky(2, stay) if P is None else np.array(P, dtype=float)
    with np.errstate(divide="ignore"):
        log_P = np.log(matrix)
    paths = list(product(range(2), repeat=6))
    terms = [sum(log_P[a, b] for a, b in pairwise(x)) + sum(logs[np.arange(6), x]) - np.log(2) for x in paths]
    likelihood = logsumexp(terms)
    gamma = np.array(
        [[np.exp(logsumexp(terms, b=[x[k] == s for x in paths]) - likelihood) for s in (0, 1)] for k in range(6)]
    )
    got = smooth(logs, None if P is None else matrix, stay)
    assert_allclose(got[0], likelihood, rtol=1e-12)
    assert_allclose(got[1], gamma, atol=1e-9)


def test_sums_of_logarithms_neither_over_nor_underflow():
    for logs in ([0.0, 0.0], [-1e5, -1e5 + 1.0], [800.0, -800.0], [-np.inf, 2.0]):
        assert_allclose(log_sum(np.array(logs)), logsumexp(logs), rtol=1e-14)
    assert log_sum(np.full(3, -np.inf)) == -np.inf


@pytest.mark.parametrize("spread", [1.0, 2000.0])  # the second takes the way for faint probabilities
@pytest.mark.parametrize("stay", [0.0, 0.7, 1.0])
def test_predictions_are_the_transition_applied(stay, spread):
    rng = np.random.default_rng(0)
    log_law, out = spread * rng.normal(size=4), np.empty(4)
    P = rng.dirichlet(np.ones(4), size=4)
    predict(log_law, P, np.nan, out)
    assert_allclose(out, logsumexp(log_law[:, None] + np.log(P), axis=0), rtol=1e-12)
    predict(log_law, np.empty((0, 0)), stay, out)
    with np.errstate(divide="ignore"):
        expected = logsumexp(log_law[:, None] + np.log(sticky(4, stay)), axis=0)
    assert_allclose(out, expected, rtol=1e-12)


def test_sets_that_no_path_explains_have_no_likelihood():
    logs = np.array([[0.0, -np.inf], [0.0, -np.inf]])
    likelihood, gamma, stays = smooth(logs, np.array([[0.0, 1.0], [1.0, 0.0]]), np.nan)
    assert likelihood == -np.inf
    assert np.isnan(gamma).all()
    assert np.isnan(stays)
