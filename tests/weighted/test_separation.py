"""How far systems are apart: against its definition, and where there is no noise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.weighted.separation import separation


def test_separation_is_in_standard_errors_of_the_difference():
    theta = np.array([[0.0], [3.0]])
    assert_allclose(separation(theta, np.diag([1.0, 3.0])), 1.5)
    assert_allclose(separation(theta, np.array([[1.0, 0.5], [0.5, 1.0]])), 3.0)
    assert separation(theta[:1], np.eye(1)) == np.inf
    assert separation(theta, np.zeros((2, 2))) > 1e6
    assert separation(np.zeros((2, 1)), np.eye(2)) == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_smallest_over_all_pairs(seed):
    rng = np.random.default_rng(seed)
    L, D = 4, 3
    theta, root = rng.normal(size=(L, D)), rng.normal(size=(L * D, 20))
    cov = root @ root.T
    distances = []
    for i in range(L):
        for j in range(i):
            pick = np.zeros((D, L * D))
            pick[:, i * D : (i + 1) * D], pick[:, j * D : (j + 1) * D] = np.eye(D), -np.eye(D)
            gap = pick @ theta.ravel()
            distances.append(np.sqrt(gap @ np.linalg.solve(pick @ cov @ pick.T, gap)))
    assert_allclose(separation(theta, cov), min(distances), rtol=1e-9)
    assert not np.isclose(separation(theta, cov), sorted(distances)[1], rtol=1e-9)
    order = rng.permutation(L)
    index = (order[:, None] * D + np.arange(D)).ravel()
    assert_allclose(separation(theta[order], cov[np.ix_(index, index)]), min(distances), rtol=1e-9)
