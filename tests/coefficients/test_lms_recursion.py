"""Least mean squares: the textbook recursion for one system, the true gradient for many."""

import numpy as np
import padasip
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests import naive
from vieta.coefficients import lms_recursion
from vieta.coefficients.design import Design
from vieta.symmetric import tensor

from .cases import every_case, some_cases


def run(case_design, data, step, start=None):
    start = np.zeros(case_design.transform.parameters.size) if start is None else start
    steps = np.broadcast_to(step, case_design.n_systems)
    return lms_recursion.update(
        lms_recursion.init(start), case_design, case_design.blocks(data.sets, data.inputs), steps
    )[0]


def textbook(readings, rows, step):
    """w += step (y - w'x) x, in Python floats and in the order of the indices."""
    w = [0.0] * rows.shape[1]
    for y, x in zip(readings.tolist(), rows.tolist()):
        predicted = 0.0
        for a, b in zip(x, w):
            predicted += a * b
        w = [b + step * a * (y - predicted) for a, b in zip(x, w)]
    return np.array(w)


def one_system(dim, n=500, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, dim))
    return rows @ rng.normal(size=dim) + 0.1 * rng.normal(size=n), rows


@pytest.mark.parametrize("dim", [1, 3])
def test_one_system_is_ordinary_lms(dim):
    readings, rows = one_system(dim)
    design = Design(tensor(1, 1, dim), "matrix")
    blocks = design.blocks(readings[:, None, None], rows[:, None, :])
    got, innovations = lms_recursion.update(lms_recursion.init(np.zeros(dim)), design, blocks, np.array([0.05]))
    assert_array_equal(got.coefficients, textbook(readings, rows, 0.05))
    oracle = padasip.filters.FilterLMS(n=dim, mu=0.05, w="zeros")
    _, errors, history = oracle.run(readings, rows)
    assert_allclose(got.coefficients, oracle.w, rtol=0, atol=1e-10)
    assert_allclose(innovations.ravel(), errors, rtol=0, atol=1e-10)
    assert_allclose(got.total, history[1:].sum(axis=0) + oracle.w, rtol=0, atol=1e-8)


@every_case
def test_one_step_is_the_gradient(case):
    design, data = case.design(), case.data(1)
    blocks = design.blocks(data.sets, data.inputs)
    start = np.random.default_rng(1).normal(size=design.transform.parameters.size)

    def half_square(lam):
        parts = zip(blocks, design.split(lam))
        return 0.5 * sum(np.sum((b.readings[0] - b.gains[0] @ part) ** 2) for b, part in parts)

    moved = run(design, data, 0.1, start).coefficients - start
    gradient = naive.derivative(half_square, start)
    assert_allclose(moved, -0.1 * gradient, rtol=1e-6, atol=1e-7 * abs(gradient).max())


@some_cases
def test_each_degree_has_its_own_step(case):
    design, data = case.design(), case.data(40)
    steps = 0.05 / np.arange(1, design.n_systems + 1) ** 2
    together = run(design, data, steps).coefficients
    for step, block in zip(steps, design.degrees):
        assert_array_equal(together[block], run(design, data, step).coefficients[block])


@some_cases
def test_update_is_pure(case):
    design, data = case.design(), case.data(20)
    state, blocks = lms_recursion.init(np.ones(design.transform.parameters.size)), design.blocks(data.sets, data.inputs)
    copies = [(b.gains.copy(), b.readings.copy()) for b in blocks]
    first, _ = lms_recursion.update(state, design, blocks, np.full(design.n_systems, 0.01))
    again, _ = lms_recursion.update(state, design, blocks, np.full(design.n_systems, 0.01))
    assert_array_equal(first.coefficients, again.coefficients)
    assert_array_equal(state.coefficients, np.ones_like(state.coefficients))
    assert_array_equal(state.total, np.zeros_like(state.total))
    for block, (gains, readings) in zip(blocks, copies):
        assert_array_equal(block.gains, gains)
        assert_array_equal(block.readings, readings)


def test_skew_inputs_need_the_transpose():
    """With Psi in place of Psi' the mean matrix is E Psi² = -I and the first degree runs away."""
    rng = np.random.default_rng(0)
    theta = np.array([[1.0, 2.0], [-3.0, 0.5]])
    psi = rng.choice([-1.0, 1.0], size=(2000, 1, 1)) * np.array([[0.0, -1.0], [1.0, 0.0]])
    sets = np.einsum("npd,ld->nlp", psi, theta)
    design = Design(tensor(2, 2, 2), "matrix")
    blocks = design.blocks(sets, psi)
    truth = design.transform.parameters.transform(theta)
    got, _ = lms_recursion.update(lms_recursion.init(np.zeros(5)), design, blocks, np.array([0.02, 0.02]))
    assert_allclose(got.coefficients, truth, atol=1e-10)

    lam = np.zeros(2)
    for A, z in zip(blocks[0].gains, blocks[0].readings[..., 0]):
        lam = lam + 0.02 * A @ (z - A @ lam)  # as printed in the paper
    assert abs(lam).max() > 1e6
