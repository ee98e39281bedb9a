"""The compiled normal equations against the covariance of the algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.network.number_weights import weigh_numbers
from vieta.symmetric import elementary


@pytest.mark.parametrize("L", [1, 2, 4])
@pytest.mark.parametrize("variance", [1.0, 1e-6])
def test_normal_equations_are_those_of_the_covariance(L, variance):
    rng = np.random.default_rng(L)
    psi, z, theta = rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 5, L)), rng.normal(size=(2, 3, L))
    noise = variance * (0.5 + rng.random((2, 3)))
    G, s = weigh_numbers(psi, z, theta, noise)
    means = (psi[..., None] * theta[:, :, None])[..., None]
    V = elementary(L).readings.covariance(means, noise[:, :, None, None, None, None])
    A = (psi[..., None] ** np.arange(1, L + 1))[..., None] * np.eye(L)
    scale = np.sqrt(np.diagonal(np.swapaxes(A, -1, -2) @ np.linalg.solve(V, A), axis1=-2, axis2=-1))
    tolerance = 1e-6 * scale[..., :, None] * scale[..., None, :]
    assert (abs(G - A @ np.linalg.solve(V, A)) <= tolerance).all()
    expected = np.einsum("...ab,...b->...a", A, np.linalg.solve(V, z[..., None])[..., 0])
    size = np.sqrt(np.einsum("...a,...a->...", z, np.linalg.solve(V, z[..., None])[..., 0]))
    assert (abs(s - expected) <= 1e-6 * scale * size[..., None]).all()


def test_one_system_is_a_weighted_regression():
    G, s = weigh_numbers(np.full((1, 1, 1), 3.0), np.full((1, 1, 1, 1), 2.0), np.ones((1, 1, 1)), np.full((1, 1), 0.5))
    assert_allclose([G.item(), s.item()], [18.0, 12.0])
