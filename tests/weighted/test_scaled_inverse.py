"""The inverse of an information matrix: numpy's where that is right, and the same in all units."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.weighted.scaled_inverse import scaled_inverse


def information(seed, n=4, rank=None):
    root = np.random.default_rng(seed).normal(size=(n, rank or n + 3))
    return root @ root.T


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_inverse(seed):
    H = information(seed)
    assert_allclose(scaled_inverse(H), np.linalg.inv(H), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("units", [[1.0, 1e6, 1e-6, 1e3], [1e30, 1.0, 1.0, 1e-30]], ids=str)
def test_units_do_not_matter(units):
    H, S = information(0), np.array(units)
    found = scaled_inverse(H * np.outer(S, S), rcond=1e-12) * np.outer(S, S)
    assert_allclose(found, np.linalg.inv(H), rtol=1e-9, atol=1e-12)
    plain = np.linalg.pinv(H * np.outer(S, S), rcond=1e-12, hermitian=True) * np.outer(S, S)
    assert not np.allclose(plain, np.linalg.inv(H), rtol=0.1)  # what it is for


def test_directions_without_information_are_left_out():
    H = information(1, rank=2)
    found = scaled_inverse(H, rcond=1e-12)
    assert_allclose(H @ found @ H, H, rtol=1e-9, atol=1e-9)  # a generalized inverse
    assert np.linalg.matrix_rank(found, tol=1e-8) == 2
    assert_allclose(scaled_inverse(np.zeros((2, 2))), np.zeros((2, 2)))
    assert_allclose(scaled_inverse(np.diag([4.0, 0.0])), np.diag([0.25, 0.0]))
