"""The density of false readings."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.adaptive.clutter_density import BINS, FEWEST_BINS, PRIOR, flat_density


@pytest.mark.parametrize("p", [1, 2])
def test_it_is_a_density(p):
    rng = np.random.default_rng(0)
    readings = rng.normal(size=(500, p))
    flat = flat_density(readings.min(axis=0), readings.max(axis=0), 500)
    learned = flat.learned(flat.counted(readings, np.ones(500)))
    for one in (flat, learned):
        assert_allclose((one.heights * one.width[:, None]).sum(axis=1), 1.0)
    assert learned.log(readings).mean() > flat.log(readings).mean()
    assert learned.log_prior < flat.log_prior


def test_what_is_learned_maximises_likelihood_and_prior():
    rng = np.random.default_rng(1)
    readings, weights = rng.uniform(size=(200, 1)), rng.random(200)
    flat = flat_density(np.zeros(1), np.ones(1), 200)
    learned = flat.learned(flat.counted(readings, weights))

    def height(density):
        return float(weights @ density.log(readings)) + density.log_prior

    for _ in range(5):
        move = rng.normal(size=learned.heights.shape)
        other = learned.heights * np.exp(0.05 * move)
        other = other / (other * learned.width[:, None]).sum()
        assert height(learned) > height(type(learned)(learned.low, learned.width, other))


def test_bins_follow_the_number_of_readings_and_hold_everything():
    assert flat_density(np.zeros(1), np.ones(1), 10).heights.shape == (1, FEWEST_BINS)
    many = flat_density(np.zeros(1), np.ones(1), 10**6)
    assert many.heights.shape == (1, BINS)
    assert_allclose(many.bins(np.array([[-5.0], [0.5], [7.0]])).ravel(), [0, BINS // 2, BINS - 1])
    assert np.isfinite(flat_density(np.ones(1), np.ones(1), 10).log(np.ones((1, 1)))).all()


def test_no_bin_is_impossible():
    flat = flat_density(np.zeros(1), np.ones(1), 10)
    learned = flat.learned(np.eye(1, FEWEST_BINS) * 100.0)
    assert_allclose(learned.heights.min() * learned.width, PRIOR / (100.0 + PRIOR * FEWEST_BINS))
