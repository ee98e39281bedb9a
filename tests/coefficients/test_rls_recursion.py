"""Recursive least squares: the textbook recursion for one system, least squares in the limit."""

import numpy as np
import padasip
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta.coefficients import coefficient_sums, rls_recursion
from vieta.coefficients.design import Design
from vieta.symmetric import elementary, tensor

from .cases import every_case, some_cases
from .test_lms_recursion import one_system


def textbook(readings, rows, forgetting, regularization):
    """g = P x / (f + x'Px); w += g (y - w'x); P = (P - g x'P) / f, in Python floats and in the order of the indices."""
    q = rows.shape[1]
    w, P = [0.0] * q, [[(i == j) / regularization for j in range(q)] for i in range(q)]
    for y, x in zip(readings.tolist(), rows.tolist()):
        h = [0.0] * q
        spread, error = forgetting, y
        for i in range(q):
            for j in range(q):
                h[i] += P[i][j] * x[j]
            spread += x[i] * h[i]
            error -= x[i] * w[i]
        w = [w[i] + h[i] / spread * error for i in range(q)]
        P = [[(P[i][j] - h[i] * h[j] / spread) / forgetting for j in range(q)] for i in range(q)]
    return np.array(w), np.array(P)


@pytest.mark.parametrize("forgetting", [1.0, 0.98])
@pytest.mark.parametrize("dim", [1, 3])
def test_one_system_is_ordinary_rls(dim, forgetting):
    readings, rows = one_system(dim)
    design = Design(tensor(1, 1, dim), "matrix")
    blocks = design.blocks(readings[:, None, None], rows[:, None, :])
    state, _ = rls_recursion.update(rls_recursion.init(design, np.zeros(dim), 0.5), design, blocks, forgetting)
    w, P = textbook(readings, rows, forgetting, 0.5)
    assert_array_equal(state.coefficients, w)
    assert_array_equal(state.dispersion[0], P)
    oracle = padasip.filters.FilterRLS(n=dim, mu=forgetting, eps=0.5, w="zeros")
    oracle.run(readings, rows)
    assert_allclose(state.coefficients, oracle.w, rtol=0, atol=1e-10)


def test_one_system_with_numbers_as_inputs_is_the_same():
    readings, rows = one_system(1)
    design = Design(elementary(1), "scalar")
    blocks = design.blocks(readings[:, None, None], rows[:, 0])
    state, _ = rls_recursion.update(rls_recursion.init(design, np.zeros(1), 0.5), design, blocks, 0.98)
    assert_array_equal(state.coefficients, textbook(readings, rows, 0.98, 0.5)[0])


@every_case
def test_without_forgetting_it_is_least_squares(case):
    design, data = case.design(), case.data(400)
    blocks = design.blocks(data.sets, data.inputs)
    state, _ = rls_recursion.update(
        rls_recursion.init(design, np.zeros(design.transform.parameters.size)), design, blocks, 1.0
    )
    expected = coefficient_sums.solve(coefficient_sums.accumulate(design, data.sets, data.inputs))
    assert_allclose(state.coefficients, expected, rtol=0, atol=1e-6 * abs(expected).max())


@some_cases
@pytest.mark.parametrize("regularization", [0.3, 20.0])
def test_with_forgetting_it_is_weighted_ridge_regression(case, regularization):
    f, design, data = 0.97, case.design(), case.data(60)
    start = np.random.default_rng(1).normal(size=design.transform.parameters.size)
    blocks = design.blocks(data.sets, data.inputs)
    state, _ = rls_recursion.update(rls_recursion.init(design, start, regularization), design, blocks, f)
    weights = f ** np.arange(len(data.sets) - 1, -1, -1)
    for block, lam, got, P in zip(blocks, design.split(start), design.split(state.coefficients), state.dispersion):
        prior = regularization * f ** len(data.sets) * np.eye(len(lam))
        normal = prior + np.einsum("k,kij,kir->jr", weights, block.gains, block.gains)
        moment = prior @ lam + np.einsum("k,kij,kic->jc", weights, block.gains, block.readings)
        assert_allclose(got, np.linalg.solve(normal, moment), rtol=1e-8, atol=1e-8)
        assert_allclose(P, np.linalg.inv(normal), rtol=1e-8, atol=1e-8 * abs(P).max())


def test_zero_inputs_at_first_change_nothing():
    readings, rows = one_system(3)
    design = Design(tensor(1, 1, 3), "matrix")
    late = design.blocks(readings[:, None, None], rows[:, None, :])
    padded = design.blocks(np.r_[np.ones(5), readings][:, None, None], np.r_[np.zeros((5, 3)), rows][:, None, :])
    expected, _ = rls_recursion.update(rls_recursion.init(design, np.zeros(3)), design, late, 1.0)
    got, _ = rls_recursion.update(rls_recursion.init(design, np.zeros(3)), design, padded, 1.0)
    assert_array_equal(got.coefficients, expected.coefficients)


@pytest.mark.parametrize("scale", [1e-60, 1.0, 1e60])
def test_units_do_not_matter(scale):
    readings, rows = one_system(3)
    design = Design(tensor(1, 1, 3), "matrix")
    got, _ = rls_recursion.update(
        rls_recursion.init(design, np.zeros(3)),
        design,
        design.blocks(readings[:, None, None], scale * rows[:, None, :]),
        1.0,
    )
    assert_allclose(scale * got.coefficients, np.linalg.lstsq(rows, readings)[0], rtol=1e-6)


@some_cases
def test_update_is_pure(case):
    design, data = case.design(), case.data(20)
    state = rls_recursion.init(design, np.ones(design.transform.parameters.size), 0.1)
    rls_recursion.update(state, design, design.blocks(data.sets, data.inputs), 0.9)
    assert_array_equal(state.coefficients, np.ones_like(state.coefficients))
    for P in state.dispersion:
        assert_array_equal(P, 10.0 * np.eye(len(P)))


def test_innovations_have_the_variance_of_the_noise():
    """Divided by their spread they are white from the second set on, although the first estimates are poor."""
    design = Design(tensor(1, 1, 3), "matrix")
    found = []
    for seed in range(400):
        readings, rows = one_system(3, n=20, seed=seed)
        blocks = design.blocks(readings[:, None, None], rows[:, None, :])
        found.append(rls_recursion.update(rls_recursion.init(design, np.zeros(3)), design, blocks, 1.0)[1].ravel()[3:])
    variance = np.var(found) / 0.1**2
    tolerance = 5 * np.sqrt(2 / np.size(found))
    assert abs(variance - 1) < tolerance < 0.1
