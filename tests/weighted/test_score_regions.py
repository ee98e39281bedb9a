"""Errors of near systems: what the equations exclude, against a closed form, and by how often intervals hold."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.matching import block_index, match_rows
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted import solve
from vieta.weighted.score_regions import AWAY, LARGEST, error_factors, is_near, sets_looked_at
from vieta.weighted.separation import separation


def lines(theta, n, seed):
    """Sets of lines with noise of sd 1."""
    rng = np.random.default_rng(seed)
    inputs = np.column_stack([np.ones(n), rng.normal(size=n)])
    return as_data(rng.permuted(inputs @ theta.T + rng.normal(size=(n, len(theta))), axis=1), inputs)


def fitted(data):
    """The fit, and the factors of its errors."""
    found = solve.fit(in_memory(data))
    return found, error_factors(data, len(data), found.theta, found.cov, found.noise).reshape(found.theta.shape)


@pytest.mark.parametrize("seed", range(3))
def test_factors_are_those_of_a_square_that_is_known_with_the_same_error_everywhere(seed):
    """Two numbers a small part of the noise apart: t = |h(x) - h| / se(h), h the square of the difference, with the same error all over."""
    rng = np.random.default_rng(seed)
    n, gap = 40_000, 0.35
    psi = rng.choice([-1.0, 1.0], n) * rng.uniform(0.9, 1.1, n)
    data = as_data(rng.permuted(psi[:, None] * [0.0, gap] + rng.normal(size=(n, 2)), axis=1), psi)
    found, factors = fitted(data)
    difference, error = np.ptp(found.theta), np.sqrt(np.array([1.0, -1.0]) @ found.cov @ [1.0, -1.0])
    apart = difference / error
    t = 0.5 * apart * (1.0 - (1.0 - AWAY / apart) ** 2)
    assert 5.0 < apart < 25.0
    assert_allclose(factors.ravel(), AWAY / t, rtol=0.06)
    assert AWAY / t > 1.08


def test_systems_that_are_told_apart_are_left_alone():
    data = lines(np.array([[0.0, 1.0], [4.0, -1.0], [9.0, 0.5]]), 2000, 0)
    found = solve.fit(in_memory(data))
    assert not is_near(found.theta, found.cov)
    assert not is_near(found.theta, np.full_like(found.cov, np.nan))
    assert (error_factors(data, len(data), found.theta, found.cov, found.noise) == 1.0).all()
    wide = 60.0**2 * found.cov  # as if they were near: the slope is the same all over
    assert is_near(found.theta, wide)
    factors = error_factors(data, len(data), found.theta, wide, found.noise)
    assert factors.min() >= 1.0
    assert factors.max() < 1.1


def test_only_systems_with_a_near_one_have_factors_and_some_sets_tell_them():
    data = lines(np.array([[0.0, 1.0], [0.6, 0.7], [30.0, 5.0]]), 4000, 1)
    found, factors = fitted(data)
    assert factors[:2].max() > 1.02
    assert_allclose(factors[2], 1.0)
    assert factors.max() <= LARGEST
    assert sets_looked_at(found.theta, found.cov) > len(data)
    half, quarter = (
        error_factors(in_memory(data).spread(n, len(data)), len(data), found.theta, found.cov, found.noise)
        for n in (2000, 1000)
    )
    assert half[:4].max() > 1.02
    assert_allclose(half, quarter, rtol=0.1)


@pytest.mark.slow
def test_intervals_of_near_lines_hold_and_without_factors_do_not():
    """The difference of two lines across its own direction, in its standard errors, where the systems seem told apart."""
    theta = np.array([[0.0, 1.0], [0.3, 1.4]])
    across = np.array([0.8, -0.6, -0.8, 0.6])
    plain, grown = [], []
    for seed in range(200):
        found, factors = fitted(lines(theta, 2000, [seed, 5]))
        if not found.converged or found.rival is not None or separation(found.theta, found.cov) < 6.0:
            continue
        order = match_rows(found.theta, theta)
        index = block_index(order, 2)
        error, cov = across @ (found.theta[order] - theta).ravel(), found.cov[np.ix_(index, index)]
        of_each = factors[order].ravel()
        plain.append(error / np.sqrt(across @ cov @ across))
        grown.append(error / np.sqrt(across @ (cov * np.outer(of_each, of_each)) @ across))
    assert len(plain) > 100
    most = 1.0 + 3.0 * np.sqrt(2.0 / len(plain))
    assert np.mean(np.square(grown)) < most
    assert np.mean(np.square(plain)) > most
