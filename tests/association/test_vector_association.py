"""The kernels for vectors; what they add up is tested with the search (`tests/search/test_problem.py`)."""

import numpy as np
from numpy.testing import assert_allclose

from vieta.association.vector_association import fill_distances, fill_means


def test_means_and_distances():
    rng = np.random.default_rng(0)
    psi, theta, y = rng.normal(size=(2, 3)), rng.normal(size=(4, 3)), rng.normal(size=(4, 2))
    m, cost = np.empty((4, 2)), np.empty((4, 4))
    fill_means(psi, theta, m)
    fill_distances(y, m, cost)
    assert_allclose(m, theta @ psi.T)
    assert_allclose(cost, ((y[:, None] - m[None]) ** 2).sum(axis=2))
