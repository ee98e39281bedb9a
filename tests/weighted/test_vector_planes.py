"""Planes: a basis of all values, of the size that theory says, and directions in general position."""

from math import comb

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import covariance
from vieta.weighted.vector_planes import (
    BUDGET,
    LEAST,
    basis_planes,
    planes_for,
    scratch_for,
    spread_directions,
    whitened,
)

sizes = pytest.mark.parametrize(("L", "p"), [(L, p) for p in (2, 3, 5) for L in range(1, 9)])


@sizes
def test_as_many_planes_as_statistics_or_as_the_budget_allows(L, p):
    given, q = planes_for(L, p), min(p, max(L - 1, 1))
    assert given.directions.shape[1] == q
    whole, most = comb(L + q, L) - 1, max(BUDGET, LEAST * q * L)
    assert len(given.values) == whole or whole > most <= len(given.values) < most + L
    assert len(given.lower) in {0 if p == q else comb(L - 1 + q, q), 0 if p == q else len(given.lower)}
    assert (len(given.lower) == 0) == (p == q)
    for planes in (given.values, given.lower):
        assert len(np.unique(planes, axis=0)) == len(planes)
        assert planes.size == 0 or (planes[:, 1].min() >= 0 and planes[:, 1].max() < L)
    assert_allclose(given.gram, given.directions @ given.directions.T)


@pytest.mark.parametrize(("L", "p"), [(2, 2), (3, 2), (5, 2), (3, 3), (4, 3)])
def test_values_are_a_basis(L, p):
    """As vectors of the coefficients of u'y - x, multiplied L times by itself; exactly orthogonal directions would not do."""
    rng = np.random.default_rng(L)

    def rank(u, planes):
        nodes = rng.normal(size=(len(u), L))
        forms = np.concatenate([u[planes[:, 0]], nodes[planes[:, 0], planes[:, 1]][:, None]], axis=1)
        points = rng.normal(size=(400, p + 1))
        values = (points @ forms.T) ** L  # a polynomial is known by its values
        return np.linalg.matrix_rank(np.concatenate([values, points[:, -1:] ** L], axis=1), tol=1e-9)

    planes = basis_planes(L, p)
    count = 1 + planes[:, 0].max()
    assert rank(spread_directions(p, count), planes) == comb(L + p, L) == len(planes) + 1
    assert rank(np.tile(np.eye(p), (count, 1))[:count], planes) < comb(L + p, L)  # the control: too few directions


@pytest.mark.parametrize("q", [1, 2, 3, 7])
def test_directions_are_unit_vectors_far_from_each_other(q):
    u = spread_directions(q, 1 if q == 1 else 2 * q)
    assert_allclose(np.linalg.norm(u, axis=1), 1.0)
    closeness = abs(u @ u.T) - np.eye(len(u))
    assert closeness.max() < 0.9
    assert_allclose(spread_directions(q, 1), u[:1])  # more directions leave those before as they are


def test_whitened_noise_has_unit_covariance():
    rng = np.random.default_rng(0)
    C, psi = covariance(rng, 3), rng.normal(size=(4, 3, 2))
    y, matrices = whitened(np.linalg.cholesky(C).T[None], psi, C)
    assert_allclose(y[0].T @ y[0], np.eye(3), atol=1e-12)
    assert_allclose(matrices, np.linalg.inv(np.linalg.cholesky(C)) @ psi)


def test_scratch_fits():
    given = planes_for(3, 4)
    work = scratch_for(given, 3, 4, 2)
    assert work.columns.shape == (len(given.values), 3 * 2 + 1)
    assert work.lower_columns.shape == (len(given.lower), 3 + 2)
    given = planes_for(8, 9)  # more planes of lower degree than values
    assert len(given.lower) > len(given.values)
    assert len(scratch_for(given, 8, 9, 1).covariance) == len(given.lower)
