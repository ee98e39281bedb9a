"""What can be estimated where values cannot be paired."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_values_under_each_row(seed):
    rng = np.random.default_rng(seed)
    b = rng.integers(0, 2, size=600)
    rows = np.stack([np.ones(600), b], axis=1)
    theta = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]])
    sets = rng.permuted(rows @ theta.T + 0.1 * rng.normal(size=(600, 3)), axis=1)
    low, high = vieta.fit_groups(sets, rows)
    for group, values in ((low, [0.0, 2.0, 4.0]), (high, [1.0, 1.5, 7.0])):
        z = (group.estimate.theta.ravel() - values) / group.estimate.stderr.ravel()
        assert abs(z).max() < 4.5
    assert_allclose(low.rows, [[1.0, 0.0]])
    assert_allclose(high.rows, [[1.0, 1.0]])


def test_inputs_that_pair_are_one_group():
    rng = np.random.default_rng(0)
    rows = np.stack([np.ones(300), rng.normal(size=300)], axis=1)
    theta = np.array([[0.0, 1.0], [5.0, 2.0]])
    sets = rows @ theta.T + 0.1 * rng.normal(size=(300, 2))
    (only,) = vieta.fit_groups(sets, rows)
    whole = vieta.fit(sets, rows)
    seen = np.sort(whole.theta @ only.rows.T, axis=0)
    assert_allclose(np.sort(only.estimate.theta, axis=0), seen, atol=1e-6)


def test_readings_that_tell_all_are_one_group():
    sets = np.array([[[0.0, 0.1], [5.0, 5.1]], [[0.2, 0.0], [5.1, 5.0]], [[0.1, 0.1], [5.0, 5.0]]])
    (only,) = vieta.fit_groups(np.tile(sets, (10, 1, 1)), np.ones(30))
    assert_allclose(only.rows, np.eye(2))
