"""The variance of a random walk from blocks of sets: against simulation, against the Kalman filter, and none where there is none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import shuffle
from tests.weighted.cases import follow
from vieta.weighted import random_walk, record


def kept_of(seed, variance, n=10_000, D=1, at=None):
    """A record, and where the parameters (3, D) end; they walk, or one jumps by 0.3 standard deviations."""
    rng = np.random.default_rng([seed, D])
    theta = np.array([-3.0, 0.0, 3.0])[:, None] + np.zeros(D)
    path = theta + np.cumsum(np.sqrt(variance) * rng.normal(size=(n, 3, D)), axis=0)
    if at is not None:
        path[at:, 1] += 0.15
    psi = rng.normal(size=(n, D)) + 1.0
    sets = shuffle(np.einsum("nd,nld->nl", psi, path) + 0.5 * rng.normal(size=(n, 3)), rng)
    return follow(sets, psi if D > 1 else psi[:, 0], memory=2000.0).state.record, path[-1]


@pytest.mark.parametrize("D", [1, 2])
@pytest.mark.parametrize("variance", [1e-6, 1e-5])
def test_it_finds_the_variance_and_the_end(variance, D):
    ratios, z = [], []
    for seed in range(4):
        kept, end = kept_of(seed, variance, D=D)
        found = random_walk.fitted(kept)
        assert found.gain > 30.0
        ratios.append(found.variances.mean() / variance)
        gap = (found.theta[np.argsort(found.theta[:, 0])] - end).ravel()
        order = np.argsort(found.theta[:, 0])
        z.append(gap / np.sqrt(np.diag(found.cov).reshape(3, D)[order].ravel()))
    assert 0.4 < np.exp(np.mean(np.log(ratios))) < 2.5
    assert 0.4 < np.sqrt(np.mean(np.square(z))) < 2.0


def test_parameters_that_stand_still_gain_nothing():
    for seed in range(4):
        found = random_walk.fitted(kept_of(seed, 0.0)[0])
        assert found.gain < 12.0


def test_a_jump_is_told_from_a_walk():
    """Soon after a jump, by the share of its statistic that a walk explains."""
    shares = {"jump": [], "walk": []}
    for seed in range(5):
        for name, (kept, _) in (("jump", kept_of(seed, 0.0, at=9300)), ("walk", kept_of(seed, 1e-6))):
            shares[name].append(random_walk.fitted(kept).gain / record.comparisons(kept)[:, 0].max())
    assert np.median(shares["jump"]) < 0.75 < np.median(shares["walk"])


def test_a_search_near_known_variances_ends_near_the_free_one():
    kept, _ = kept_of(0, 1e-6)
    free = random_walk.fitted(kept)
    near = random_walk.fitted(kept, free.variances * 2.0)
    assert near.gain <= free.gain + 1e-6
    assert 0.2 < near.variances.mean() / free.variances.mean() < 5.0


def test_without_a_walk_it_is_the_sum_of_the_blocks():
    kept, _ = kept_of(1, 0.0, n=5000)
    unit = random_walk._unit(kept)
    still = random_walk._filtered(kept, unit, 0.0)
    sums = record.block_sums(kept)
    assert_allclose(still.theta, sums.theta, rtol=1e-6)
    assert_allclose(still.cov, np.linalg.inv(sums.information), rtol=1e-5)
