"""The root of estimating equations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.weighted.root_finding import find_root


def whole(theta, step, length):
    return 1.0


def test_linear_equations_take_one_step():
    H, b = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, -1.0])
    found = find_root(lambda theta: (H, b - H @ theta), whole, np.zeros(2))
    assert found.converged
    assert_allclose(found.theta, np.linalg.solve(H, b))


@pytest.mark.parametrize("slope", [0.3, 1.0, 3.0])
def test_information_that_is_wrong_by_a_factor(slope):
    """Scoring alone overshoots or crawls where the information is not the slope; three times too small, it diverges."""
    found = find_root(lambda t: (np.array([[100.0]]), -100.0 * slope * np.arctan(t - 2.0)), whole, np.array([0.0]))
    assert found.converged
    assert_allclose(found.theta, 2.0, atol=1e-3)


def test_scoring_that_goes_to_and_fro():
    """f(t) = -2 (t - 1): scoring jumps across the root for ever, acceleration does not."""
    found = find_root(lambda t: (np.eye(1) * 50.0, -2.0 * 50.0 * (t - 1.0)), whole, np.array([0.0]))
    assert found.converged
    assert_allclose(found.theta, 1.0, atol=1e-3)


def test_no_root_is_no_convergence():
    found = find_root(lambda t: (np.eye(1) * 1e4, np.array([1e4])), whole, np.array([0.0]))
    assert not found.converged


def test_numbers_that_are_not_finite_end_it():
    found = find_root(lambda t: (np.full((1, 1), np.nan), np.zeros(1)), whole, np.array([3.0]))
    assert not found.converged
    assert_allclose(found.theta, 3.0)


def test_steps_beyond_all_numbers_end_the_search_without_an_error():
    """Steps that grow until they overflow: no root, no exception, and the best place that was seen."""

    def equations(theta):
        with np.errstate(over="ignore"):
            return np.array([[1e-300]]), np.array([1e-150 * (1.0 + theta[0] ** 2)])

    with np.errstate(over="ignore", invalid="ignore"):
        found = find_root(equations, whole, np.array([1.0]))
    assert not found.converged
    assert np.isfinite(found.theta).all()
