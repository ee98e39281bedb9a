import numpy as np
from numpy.testing import assert_array_equal

from vieta.laws.noise import Gaussian
from vieta.paper.baselines import labeled_lms, unordered_lms
from vieta.scenarios import simulate

from .data import labeled, shuffle

TRUTH = np.array([-2.0, 5.0, 8.0])


def test_shuffled_sets_lead_to_the_average():
    step = 1e-3
    sets = simulate(TRUTH, n=20_000, noise=Gaussian(0.01)).sets
    spread = np.sqrt(step / (2 - step) * (TRUTH.var() + 0.01))  # stationary standard deviation of each row
    final = unordered_lms(sets, step=step).final[:, 0]
    assert np.all(abs(final - TRUTH.mean()) < 5 * spread)
    assert np.all(abs(final - TRUTH) > 5 * spread)  # the test can fail: this is not the truth


def test_without_shuffling_it_is_the_labeled_filter():
    readings, inputs, _ = labeled("square")
    assert_array_equal(unordered_lms(readings, inputs, step=0.1).final, labeled_lms(readings, inputs, step=0.1).final)
    assert not np.array_equal(
        unordered_lms(shuffle(readings), inputs, step=0.1).final, labeled_lms(readings, inputs, step=0.1).final
    )
