"""Groups that share a slope: which values belong together is open at a common noise variance, and told by unequal ones."""

import numpy as np
import pytest

from tests.search.problems import given
from vieta.search.moves import DIFFERENT
from vieta.search.own_noise_moves import improved_with_own_noise
from vieta.search.problem import distance, expect
from vieta.search.unequal_noise import climb_with_own_noise

THETA = np.array([[0.0, 2.6, 1.5, 0.6], [-1.8, 0.1, 3.0, 0.6], [3.0, -2.0, -1.0, 0.6]])  # three groups and a slope
PAIRED_WRONGLY = THETA[[[0, 1, 2, 0], [1, 2, 0, 1], [2, 0, 1, 2]], np.arange(4)]


def groups(seed, sds, n=300):
    rng = np.random.default_rng(seed)
    rows = np.column_stack([np.eye(3)[rng.integers(3, size=n)], rng.integers(3, size=n)]).astype(float)
    sets = rng.permuted(rows @ THETA.T + rng.normal(size=(n, 3)) * sds, axis=1)
    return given(sets[:, :, None], rows[:, None], float(np.sqrt(np.mean(np.square(sds)))))


@pytest.mark.parametrize("seed", range(6))
def test_unequal_noise_leads_to_the_right_pairs(seed):
    one = groups(seed, (0.2, 0.5, 1.0))
    wrong = climb_with_own_noise(one, PAIRED_WRONGLY)
    assert distance(one, wrong.theta, THETA) > 1.0
    # At the common variance it is as likely as the truth, within chance.
    assert abs((expect(one, PAIRED_WRONGLY).logs - expect(one, THETA).logs).sum()) < 20.0
    best, right = improved_with_own_noise(one, wrong), climb_with_own_noise(one, THETA)
    assert best.likelihood > right.likelihood - 0.1 > wrong.likelihood + 10.0
    assert distance(one, best.theta, right.theta) < DIFFERENT


@pytest.mark.parametrize("seed", range(3))
def test_the_best_is_left_where_it_is(seed):
    one = groups(seed, (0.2, 0.5, 1.0))
    best = climb_with_own_noise(one, THETA)
    assert improved_with_own_noise(one, best) is best
