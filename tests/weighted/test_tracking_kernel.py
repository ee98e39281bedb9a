"""The filter's kernel against its equations, a set at a time in plain numpy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from vieta.weighted.equations import share, workspace
from vieta.weighted.tracking_kernel import FIXED, WINDOW, add_power, run

NAMES = ("theta", "settled", "H", "M", "power", "noise", "window_score", "window_H", "numbers")
SHAPES = [(1, 1, 1), (3, 1, 1), (2, 1, 2), (5, 1, 1), (2, 2, 2), (3, 2, 3)]  # L, p, D


def begin(L, p, D, n, seed=0, sd=0.3, shift=0.0):
    """Sets, inputs and a state of a filter that knows the truth well; the truth moves by `shift`."""
    rng = np.random.default_rng([L, p, D, seed])
    theta = 2.0 * np.arange(L)[:, None] + rng.normal(size=(L, D))
    psi = rng.uniform(0.5, 1.5, size=(n, p, D))
    sets = np.einsum("npd,ld->nlp", psi, theta + shift) + sd * rng.normal(size=(n, L, p))
    noise = sd**2 * np.eye(p)
    state = {
        "theta": theta.copy(), "settled": theta.copy(), "H": 500.0 * np.eye(L * D), "M": 500.0 * np.eye(L * D),
        "power": noise * L * 100.0, "noise": noise.copy(), "window_score": np.zeros(L * D),
        "window_H": np.zeros((L * D, L * D)), "numbers": np.array([100.0, 0.0, 0.0]),
    }  # fmt: skip
    return sets, psi, state


def absorb(state, sets, psi, forgetting=1.0, drift=None, cap=np.inf, watch=True):
    """The kernel on a copy of a state."""
    new = {name: np.copy(state[name]) for name in NAMES}
    L, p = sets.shape[1:]
    like = (0,) * L if p == 1 and L <= FIXED else ()
    drift = np.empty((0, 0)) if drift is None else drift
    taken, surprised = run(like, sets, psi, *(new[name] for name in NAMES), forgetting, drift, cap, watch)
    return new, taken, surprised


def naive(state, sets, psi, forgetting=1.0, drift=None, cap=np.inf):
    """The equations of `tracker`, one set after another."""
    s = {name: np.copy(state[name]) for name in NAMES}
    _N, L, p = sets.shape
    n = s["theta"].size
    score, information = np.empty(n), np.empty((n, n))
    for y, x in zip(sets, psi):
        precision = np.linalg.inv(s["noise"])
        work = workspace(L, p), np.empty(L, np.int64)
        squares = share(y, x, s["theta"], s["noise"], precision, cap, *work, score, information)
        prior = forgetting * s["H"]
        if drift is not None:
            prior = np.linalg.inv(np.linalg.inv(prior) + drift)
        e = (y - s["theta"] @ x.T).sum(axis=0)
        s["H"] = prior + information
        s["M"] = forgetting**2 * s["M"] + np.outer(score, score)
        s["power"] = forgetting * s["power"] + np.outer(e, e) + 1e-16 * (y**2).sum() / p * np.eye(p)
        s["theta"] = s["theta"] + np.linalg.solve(s["H"], score).reshape(s["theta"].shape)
        s["numbers"] = np.array([forgetting * s["numbers"][0] + 1.0, s["numbers"][1] + 1.0, s["numbers"][2] + squares])
        s["window_score"] = s["window_score"] + score
        s["window_H"] = s["window_H"] + information
        if s["numbers"][1] == WINDOW:
            s["noise"], s["settled"] = s["power"] / (s["numbers"][0] * L), s["theta"]
            s["numbers"] = np.array([s["numbers"][0], 0.0, 0.0])
            s["window_score"], s["window_H"] = np.zeros(n), np.zeros((n, n))
    return s


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
    assert_array_equal(new["settled"], state["settled"])  # where it stood before
    assert_array_equal(new["noise"], state["noise"])
    on, taken, surprised = absorb(state, sets, psi, watch=False)
    assert (taken, surprised) == (300, False)
    assert_array_equal(on["settled"], state["settled"])
    calm, taken, surprised = absorb(state, *begin(*shape, 300)[:2])
    assert (taken, surprised) == (300, False)
    assert not np.array_equal(calm["settled"], state["settled"])


def test_noise_that_grows_is_a_surprise_too():
    """r'V⁻¹r of a window, three times what it should be, although its scores cancel."""
    sets, psi, state = begin(3, 1, 1, WINDOW, sd=0.3)
    means = np.einsum("npd,ld->nlp", psi, state["theta"])
    for factor, expected in ((1.0, False), (np.sqrt(4.5), True)):
        _, _, surprised = absorb(state, means + factor * (sets - means), psi)
        assert surprised is expected


@pytest.mark.parametrize("p", [1, 3])
def test_power_is_the_innovation_of_the_sum(p):
    rng = np.random.default_rng(p)
    sets, means, power = rng.normal(size=(4, 2, p)), rng.normal(size=(2, p)), np.eye(p)
    add_power(sets, 2, means, 0.5, np.empty(p), power)
    e = (sets[2] - means).sum(axis=0)
    assert_allclose(power, 0.5 * np.eye(p) + np.outer(e, e), rtol=1e-12)
    nothing = np.zeros((p, p))
    add_power(sets, 2, sets[2].copy(), 1.0, np.empty(p), nothing)
    assert_allclose(nothing, 1e-16 * (sets[2] ** 2).sum() / p * np.eye(p))  # kept above rounding
