"""Systems in each other's noise: what tells them apart is the square of their difference."""

import numpy as np
import pytest

import vieta
from vieta.adaptive.near_systems import apart
from vieta.findings import at_least


def test_a_gap_in_the_noise_counts_half():
    theta, cov = np.array([[0.0], [1.0], [9.0]]), 0.005 * np.eye(3)
    assert apart(theta, cov, np.ones(3), np.eye(1)) == pytest.approx(5.0)
    assert apart(theta, cov, np.full(3, 0.5), np.eye(1)) == pytest.approx(10.0)
    assert apart(theta, cov, np.ones(3), 4.0 * np.eye(1)) == pytest.approx(10.0)  # larger inputs lift the means apart


def test_half_the_distance_is_what_chance_makes_of_the_square():
    """An estimated square of the difference with error e: the slope gives the difference the error e / (2 d), and d over it is 2 d^2 / e."""
    rng = np.random.default_rng(0)
    square = rng.normal(0.0, 0.1, 200_000)  # one system twice
    d = np.sqrt(square[square > 0.0])
    z = d / (0.1 / (2.0 * d))
    found = np.array(
        [
            apart(np.array([[0.0], [one]]), np.eye(2) * (one / by) ** 2 / 2.0, np.ones(2), np.eye(1))
            for one, by in zip(d[:2000], z)
        ]
    )
    expected = square[square > 0.0][:2000] / 0.1
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert np.mean(found > 3.0) < 0.01 < np.mean(z[:2000] > 3.0)


def incomplete(seed, gap, n=2000):
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=n)
    readings = psi[:, None] * [5.0, 5.0 + gap] + rng.normal(size=(n, 2))
    return [one[rng.uniform(size=2) < 0.7] for one in readings], psi


@pytest.mark.parametrize("seed", range(6))
def test_systems_a_tenth_of_the_noise_apart_are_reported(seed):
    """Their intervals are too short where chance puts them apart: 6 of 60 such fits had no more than a note."""
    assert at_least(vieta.fit(*incomplete(seed, 0.1), n_systems=2).findings, "serious")


def test_systems_far_apart_are_not():
    assert not at_least(vieta.fit(*incomplete(0, 3.0), n_systems=2).findings, "caution")
