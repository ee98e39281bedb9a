"""Small matrices: solved, inverted and mirrored as numpy does it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.weighted.small_algebra import factorize, invert_positive, mirror, solve_positive


@pytest.mark.parametrize("n", [1, 2, 5])
def test_solver_against_numpy(n):
    rng = np.random.default_rng(n)
    root, g = rng.normal(size=(n, n + 2)), rng.normal(size=n)
    H, step = root @ root.T, np.empty(n)
    square = solve_positive(H, g, np.empty((n, n)), step)
    assert_allclose(step, np.linalg.solve(H, g), rtol=1e-8)
    assert_allclose(square, g @ np.linalg.solve(H, g), rtol=1e-8)


def test_solver_leaves_out_what_is_not_known():
    step = np.empty(2)
    solve_positive(np.diag([4.0, 0.0]), np.array([2.0, 1.0]), np.empty((2, 2)), step)
    assert_allclose(step, [0.5, 0.0])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_only_the_lower_triangle_is_read(n):
    root, g = np.random.default_rng(n).normal(size=(2 * n, n)), np.ones(n)
    H, step, inverse = root.T @ root, np.empty(n), np.empty((n, n))
    lower = np.tril(H) + np.triu(np.full((n, n), 7.0), 1)
    solve_positive(lower, g, np.full((n, n), np.nan), step)
    assert_allclose(step, np.linalg.solve(H, g), rtol=1e-8)
    invert_positive(lower, np.full((n, n), np.nan), inverse)
    assert_allclose(inverse, np.linalg.inv(H), rtol=1e-8)


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_inverse_against_numpy_and_in_place(n):
    root = np.random.default_rng(n).normal(size=(n, n + 2))
    H = root @ root.T
    inverse = np.empty((n, n))
    invert_positive(H.copy(), np.empty((n, n)), inverse)
    assert_allclose(inverse, np.linalg.inv(H), rtol=1e-8)
    invert_positive(H, np.empty((n, n)), H)
    assert_allclose(H, inverse, rtol=0, atol=0)


def test_inverse_of_parameters_of_very_different_size():
    scale = np.array([1e-9, 1.0, 1e8])
    root = np.random.default_rng(3).normal(size=(3, 6))
    H = root @ root.T
    inverse = np.empty((3, 3))
    invert_positive(H * np.outer(scale, scale), np.empty((3, 3)), inverse)
    assert_allclose(inverse * np.outer(scale, scale), np.linalg.inv(H), rtol=1e-8)


def test_factor_leaves_out_what_is_not_known():
    C = np.empty((2, 2))
    factorize(np.array([[1.0, 0.0], [1.0, 1.0]]), C)  # of rank one
    assert_allclose([C[0, 0], C[1, 0], C[1, 1]], [1.0, 1.0, 0.0])


def test_mirror_copies_what_is_below_the_diagonal():
    H = np.array([[1.0, 9.0, 9.0], [2.0, 3.0, 9.0], [4.0, 5.0, 6.0]])
    mirror(H)
    assert_allclose(H, [[1, 2, 4], [2, 3, 5], [4, 5, 6]])
