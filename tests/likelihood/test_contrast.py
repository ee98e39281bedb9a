import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from vieta.likelihood.contrast import compare, difference_covariance


def test_contrasts_are_chi_square_and_leave_out_what_hardly_differs():
    V, one = np.diag([4.0, 1.0, 1e-6]), np.ones((3, 1))
    found = compare(np.array([[3.0], [2.0], [6.0]]), one, V, 10.0 * np.eye(3))
    assert (found.df, found.statistic) == (2, pytest.approx(2.0))
    assert found.p_value == pytest.approx(np.exp(-1.0))
    assert compare(2 * one, one, np.zeros((3, 3)), np.eye(3)).p_value == 1.0
    assert compare(1e-15 + one, one, 1e-34 * np.eye(3), 1e-33 * np.eye(3)).p_value == 1.0  # rounding


@pytest.mark.parametrize("n", [2, 5])
def test_the_statistic_is_that_of_the_whole_covariance(n):
    rng = np.random.default_rng(n)
    root, scale = rng.normal(size=(n, n)), 3.0 * np.eye(n)
    V, d = root @ root.T + np.eye(n), rng.normal(size=(n, 1))
    found = compare(5.0 + d, np.full((n, 1), 5.0), V, scale)
    assert found.df == n
    assert_allclose(found.statistic, d.ravel() @ np.linalg.solve(V, d.ravel()), rtol=1e-6)
    assert_allclose(found.p_value, stats.chi2.sf(found.statistic, n), rtol=1e-9)
    turn = stats.ortho_group.rvs(n, random_state=0)  # other coordinates, the same statistic
    turned = compare(turn @ (5.0 + d), turn @ np.full((n, 1), 5.0), turn @ V @ turn.T, turn @ scale @ turn.T)
    assert_allclose(turned.statistic, found.statistic, rtol=1e-6)


def test_levels_hold_for_normal_differences():
    rng = np.random.default_rng(0)
    V = np.array([[2.0, 1.0], [1.0, 3.0]])
    d = rng.multivariate_normal([0, 0], V, size=2000)
    p = np.array([compare(one[:, None], np.zeros((2, 1)), V, V).p_value for one in d])
    assert abs(np.mean(p < 0.1) - 0.1) < 4.5 * np.sqrt(0.09 / 2000)
    wrong = np.array([compare(1.3 * one[:, None], np.zeros((2, 1)), V, V).p_value for one in d])
    assert not abs(np.mean(wrong < 0.1) - 0.1) < 4.5 * np.sqrt(0.09 / 2000)


def test_the_covariance_of_a_difference_comes_from_three_sums():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 50, 3))
    found = difference_covariance(a.T @ a, a.T @ b, b.T @ b)
    assert_allclose(found, (a - b).T @ (a - b), rtol=1e-12)
    assert not np.allclose(difference_covariance(a.T @ a, b.T @ a @ np.diag([1, 2, 3]), b.T @ b), found)
