"""Sums for the test of dependence: the parameters' scores are those of the fit, and the last one is a derivative."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import draw_sets
from vieta.weighted.dependence_kernel import dependence_sums
from vieta.weighted.equations import accumulate, each_score


@pytest.mark.parametrize(("L", "D"), [(2, 1), (3, 1), (2, 2)])
def test_sums_for_dependence_share_the_parameters_scores(L, D):
    theta, psi, sets = draw_sets(L, 1, D, 500, 0)
    total, outer, joint = dependence_sums(sets[:, :, 0], psi[:, 0], theta, 0.3)
    cov, n = np.array([[0.3]]), L * D
    H, g, M, _ = accumulate(sets, psi, theta, cov)
    assert_allclose(total[:n], g, rtol=1e-7, atol=1e-7)
    assert_allclose(outer[:n, :n], M, rtol=1e-7, atol=1e-7)
    assert_allclose(joint[:n, :n], H, rtol=1e-7, atol=1e-7)
    assert_allclose(joint, joint.T)
    assert joint[n, n] > 0.0
    assert np.linalg.eigvalsh(joint).min() > -1e-9 * np.linalg.eigvalsh(joint).max()
    extra = np.array([dependence_sums(y[None, :, 0], x[:1], theta, 0.3)[0][n] for y, x in zip(sets, psi)])
    assert_allclose(outer[n, n], extra @ extra)
    assert_allclose(outer[n, :n], extra @ each_score(sets, psi, theta, cov), rtol=1e-7, atol=1e-7)
    assert abs(extra.mean()) < 5 * extra.std() / np.sqrt(500)


def test_the_score_for_dependence_is_a_derivative():
    """With covariance g between two noises the mean of the values moves by g times a sum of products: two systems, by hand."""
    rng = np.random.default_rng(0)
    theta, n = np.array([[-1.0], [2.0]]), 40_000
    psi = rng.uniform(0.5, 1.5, size=(n, 1))
    shared, own = rng.normal(size=(n, 1)), rng.normal(size=(n, 2))
    for g in (0.0, 0.1):
        sets = psi * theta.T + np.sqrt(g) * shared + np.sqrt(0.3 - g) * own
        total, outer, joint = dependence_sums(sets, psi, theta, 0.3)
        assert abs(total[-1] - g * joint[-1, -1]) < 5 * np.sqrt(outer[-1, -1])
    assert abs(total[-1]) > 5 * np.sqrt(outer[-1, -1])
