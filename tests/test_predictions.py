import numpy as np
from numpy.testing import assert_allclose

from vieta.predictions import PerSet, PerStep

THETA = np.array([[1.0, 2.0], [3.0, 4.0]])
COVARIANCE = np.diag([4.0, 9.0, 16.0, 25.0]) + 0.5


def test_an_error_per_set_falls_with_the_root_of_their_number():
    found = PerSet(THETA, COVARIANCE)
    assert_allclose(found.after(100), COVARIANCE / 100)
    assert_allclose(found.stderr(100), np.sqrt([[4.5, 9.5], [16.5, 25.5]]) / 10)
    assert_allclose(found.stderr(400) / found.stderr(100), 0.5)
    assert found.coefficients is None


def test_an_error_per_step_grows_with_the_root_of_the_step():
    found = PerStep(THETA, COVARIANCE, np.eye(3))
    assert_allclose(found.at(0.01), 0.01 * COVARIANCE)
    assert_allclose(found.stderr(0.01), 0.1 * np.sqrt([[4.5, 9.5], [16.5, 25.5]]))
    assert_allclose(found.coefficients, np.eye(3))


def test_a_mean_of_numbers_has_the_error_that_is_predicted():
    """PerSet against what it means: n times the covariance of an estimate from n sets."""
    rng, n, runs = np.random.default_rng(0), 50, 4000
    means = rng.multivariate_normal(np.zeros(4), COVARIANCE, size=(runs, n)).mean(axis=1)
    predicted = PerSet(THETA, COVARIANCE).stderr(n).ravel() ** 2
    ratio = means.var(axis=0, ddof=1) / predicted
    assert np.all(abs(ratio - 1) < 5 * np.sqrt(2 / (runs - 1)))
    assert not np.all(abs(ratio / 1.25 - 1) < 5 * np.sqrt(2 / (runs - 1)))  # the test can fail
