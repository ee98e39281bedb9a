"""The filter's kernels against their equations, a set at a time in plain numpy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.weighted.tracking import NAMES, absorb, begin, naive
from vieta.excitation import WINDOW
from vieta.weighted.tracking_kernel import MISFIT, SURPRISE, close_window, forget, step

SHAPES = [(1, 1, 1), (3, 1, 1), (2, 1, 2), (5, 1, 1), (2, 2, 2), (3, 2, 3)]  # L, p, D


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("how", ["plain", "forgetting", "drift", "cap"])
def test_the_kernel_is_its_equations(shape, how):
    n = shape[0] * shape[2]
    options = {
        "plain": {}, "forgetting": {"forgetting": 0.98}, "drift": {"drift": 1e-4 * np.eye(n)}, "cap": {"cap": 0.8},
    }[how]  # fmt: skip
    sets, psi, state = begin(*shape, 2 * WINDOW + 10)
    new, taken, surprised = absorb(state, sets, psi, **options)
    expected = naive(state, sets, psi, **options)
    assert (taken, surprised) == (len(sets), False)
    for name in NAMES:
        tolerance = 1e-8 * abs(expected[name]).max()
        assert_allclose(new[name], expected[name], rtol=1e-8, atol=tolerance, err_msg=name)
    assert not np.allclose(new["theta"], state["theta"], rtol=1e-8)


@pytest.mark.parametrize("shape", [(3, 1, 1), (5, 1, 1), (2, 2, 2)], ids=str)
def test_the_cut_changes_no_bit(shape):
    sets, psi, state = begin(*shape, 200)
    whole, _, _ = absorb(state, sets, psi, forgetting=0.99)
    parts = state
    for a, b in ((0, 1), (1, 64), (64, 65), (65, 200)):
        parts, _, _ = absorb(parts, sets[a:b], psi[a:b], forgetting=0.99)
    for name in NAMES:
        assert_array_equal(parts[name], whole[name], err_msg=name)


@pytest.mark.parametrize("shape", [(3, 1, 1), (2, 2, 2)], ids=str)
def test_a_window_that_contradicts_stops_the_filter(shape):
    sets, psi, state = begin(*shape, 300, shift=1.0)
    new, taken, surprised = absorb(state, sets, psi)
    assert (taken, surprised) == (WINDOW, True)
    assert_array_equal(new["settled_theta"], state["settled_theta"])  # where it stood before
    assert_array_equal(new["noise"], state["noise"])
    on, taken, surprised = absorb(state, sets, psi, watch=False)
    assert (taken, surprised) == (300, False)
    assert_array_equal(on["settled_theta"], state["settled_theta"])
    calm, taken, surprised = absorb(state, *begin(*shape, 300)[:2])
    assert (taken, surprised) == (300, False)
    assert not np.array_equal(calm["settled_theta"], state["settled_theta"])


def test_noise_that_grows_is_a_surprise_too():
    """r'V⁻¹r of a window, three times what it should be, although its scores cancel."""
    sets, psi, state = begin(3, 1, 1, WINDOW, sd=0.3)
    means = np.einsum("npd,ld->nlp", psi, state["theta"])
    for factor, expected in ((1.0, False), (3.0, True)):
        _, _, surprised = absorb(state, means + factor * (sets - means), psi)
        assert surprised is expected


@pytest.mark.parametrize("forgetting", [1.0, 0.9])
@pytest.mark.parametrize("drifts", [False, True])
def test_forgetting_and_drift(forgetting, drifts):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(3, 3, 8))
    H, M, drift = root @ np.swapaxes(root, 1, 2)
    new = [H.copy(), M.copy()]
    forget(*new, forgetting, drift if drifts else np.empty((0, 0)), 1.0, np.empty((3, 3)))
    expected = forgetting * H
    if drifts:
        expected = np.linalg.inv(np.linalg.inv(expected) + drift)
    assert_allclose(np.tril(new[0]), np.tril(expected), rtol=1e-9)
    assert_allclose(np.tril(new[1]), np.tril(forgetting**2 * M), rtol=1e-12)
    dark = [H.copy(), M.copy()]
    forget(*dark, forgetting, np.empty((0, 0)), 0.0, np.empty((3, 3)))
    assert_array_equal(dark, [H, M])  # a set without an input forgets nothing


def test_a_step_moves_the_parameters_by_the_weighted_score():
    rng = np.random.default_rng(1)
    theta, score, root = rng.normal(size=(2, 2)), rng.normal(size=4), rng.normal(size=(2, 4, 9))
    H, information = root @ np.swapaxes(root, 1, 2)
    old, added, M, window = theta.copy(), H + information, np.zeros((4, 4)), (np.zeros(4), np.zeros((4, 4)))
    step(theta, H, M, *window, score, information, np.empty((4, 4)), np.empty(4))
    assert_allclose(theta, old + np.linalg.solve(added, score).reshape(2, 2), rtol=1e-9)
    assert_allclose(np.tril(H), np.tril(added))
    assert_allclose(np.tril(M), np.tril(np.outer(score, score)))
    assert_allclose(window[0], score)
    assert_allclose(np.tril(window[1]), np.tril(information))


@pytest.mark.parametrize(("factor", "squares", "surprised"), [(0.9, 0.9, False), (1.1, 0.9, True), (0.9, 1.1, True)])
def test_a_window_surprises_by_its_shift_or_by_its_size(factor, squares, surprised):
    n = 3
    most = SURPRISE * (n + 6.0 * np.sqrt(2.0 * n))
    score, H = np.array([np.sqrt(factor * most * 2.0), 0.0, 0.0]), 2.0 * np.eye(n)
    numbers = np.array([500.0, WINDOW, squares * MISFIT * WINDOW, 1.0, 2.0, 1.0])
    again = score.copy(), H.copy(), np.append(numbers[:5], 2.0)
    assert close_window(score, H, numbers, np.empty((n, n)), np.empty(n)) == surprised
    assert_array_equal(numbers, [500.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    assert close_window(*again, np.empty((n, n)), np.empty(n)) == (surprised and squares > 1.0)  # memory over time
    assert not score.any()
    assert not H.any()
