"""The logarithmic score: the sum over all orders by brute force, and highest on average at the truth."""

from itertools import permutations
from math import factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm

import vieta
from vieta.errors import InputError
from vieta.estimators.log_score import log_scores
from vieta.sets import as_data

THETA = np.array([[0.0, 1.0], [1.0, -1.0], [3.0, 0.5]])


def records(n, seed, noise=0.6):
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.ones(n), rng.normal(size=n)])
    return rng.permuted(x @ THETA.T + noise * rng.normal(size=(n, 3)), axis=1), x


def known(theta, sd, noise_sd=None):
    """An estimate without errors."""
    L, D = np.shape(theta)
    return vieta.Estimate(
        np.asarray(theta, dtype=float), np.zeros((L * D, L * D)), sd**2, 10, "least-squares", "", np.zeros((L, D)), 1.0,
        noise_sd=np.full(L, np.nan) if noise_sd is None else np.asarray(noise_sd),
    )  # fmt: skip


@pytest.mark.parametrize("noise_sd", [None, [0.4, 0.7, 0.9]])
def test_it_is_the_mean_over_all_orders(noise_sd):
    sets, x = records(5, seed=1)
    sd = np.full(3, 0.6) if noise_sd is None else np.array(noise_sd)
    wanted = [
        np.log(
            sum(np.prod(norm.pdf(y[list(order)], row @ THETA.T, sd)) for order in permutations(range(3))) / factorial(3)
        )
        for y, row in zip(sets, x)
    ]
    assert_allclose(log_scores(known(THETA, 0.6, noise_sd), as_data(sets, x)), wanted)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_is_proper_and_sorted_squares_are_not(seed):
    """On average it is highest at the truth; sorted squared errors prefer systems that lie further apart."""
    sets, x = records(20_000, seed, noise=1.5)
    data = as_data(sets, x)
    truth = log_scores(known(THETA, 1.5), data)
    apart = np.add(THETA, [[-0.5, 0.0], [0.0, 0.0], [0.5, 0.0]])
    for theta, sd in ((apart, 1.5), (THETA, 1.2), (THETA, 1.9), (THETA * 0.8, 1.5)):
        gain = truth - log_scores(known(theta, sd), data)
        assert gain.mean() > 3.0 * gain.std() / np.sqrt(len(gain))
    still = np.sort(THETA[:, 0] + 1.5 * np.random.default_rng(seed).normal(size=(20_000, 3)), axis=1)
    assert ((still - apart[:, 0]) ** 2).sum() < ((still - THETA[:, 0]) ** 2).sum()


def test_sets_that_lack_readings_add_up_to_one():
    """With misses and false readings, the law of the sizes and the densities together has total one: two systems, by quadrature."""
    rng = np.random.default_rng(3)
    sets = [y[rng.random(2) < 0.8] for y in rng.normal(size=(150, 2)) * 0.5 + [0.0, 4.0]]
    found = vieta.fit(sets, n_systems=2, misses=True, clutter=False)
    grid = np.linspace(-6.0, 10.0, 321)
    step = grid[1] - grid[0]
    alone = np.exp(log_scores(found, as_data([[y] for y in grid] + [[]], None)))
    pairs = np.stack(np.meshgrid(grid[::4], grid[::4]), axis=-1).reshape(-1, 2)
    both = np.exp(log_scores(found, as_data(pairs, None)))
    assert_allclose(alone[-1] + alone[:-1].sum() * step + both.sum() * (4 * step) ** 2, 1.0, atol=0.02)


def test_what_does_not_fit_is_refused():
    sets, x = records(5, seed=1)
    with pytest.raises(InputError, match="the score is for 3 of one with 2"):
        log_scores(known(THETA, 0.6), as_data(sets[:, :2], x))
