"""When a fit is safe to start from, when it contradicts a filter, and when one fit explains what seemed a change."""

from dataclasses import replace

import numpy as np
import pytest

from tests.weighted.cases import codes, follow
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted import solve, starting, tracking_state
from vieta.weighted.misfit import Misfit
from vieta.weighted.tracking_state import Settings


def fitted(theta, cov):
    """A fit with these parameters and this covariance."""
    case = as_data(np.random.default_rng(0).normal(size=(60, len(theta))), None)
    return replace(solve.fit(in_memory(case)), theta=theta, information=np.eye(theta.size), meat=cov, converged=True)


def test_a_fit_contradicts_beyond_its_errors_whatever_the_order_of_rows():
    state = replace(
        tracking_state.init(as_data(np.zeros((1, 2)), None)),
        theta=np.array([[0.0], [5.0]]),
        information=100.0 * np.eye(2),
    )
    sd = np.sqrt(0.01 + 0.01)
    edge = sd * np.sqrt(2 + 10.0 * 2.0)  # n + 10 sqrt(2 n), n = 2
    for order in ([0, 1], [1, 0]):
        near = fitted(np.array([[0.0], [5.0 + 0.98 * edge]])[order], 0.01 * np.eye(2))
        far = fitted(np.array([[0.0], [5.0 + 1.02 * edge]])[order], 0.01 * np.eye(2))
        assert not starting.contradicts(near, state)
        assert starting.contradicts(far, state)


def test_a_fit_is_safe_if_it_converged_explains_and_separates():
    data = as_data(np.random.default_rng(0).normal(size=(200, 2)) * 0.1 + [0.0, 3.0], None)
    good = solve.fit(in_memory(data))
    assert starting.is_safe(good)
    assert not starting.is_safe(replace(good, converged=False))
    assert not starting.is_safe(replace(good, certified=False))
    assert not starting.is_safe(replace(good, misfit=Misfit.of(np.full(200, 3.1))))
    assert starting.is_safe(replace(good, misfit=Misfit.of(np.full(200, 2.9))))
    apart = float(np.ptp(good.theta) / starting.APART)
    meat = good.information @ (0.5 * apart**2 * np.eye(2)) @ good.information  # just as many standard errors
    assert starting.is_safe(replace(good, outer=0.98 * meat))
    assert not starting.is_safe(replace(good, outer=1.02 * meat))
    assert not starting.is_safe(replace(good, outer=0.98 * meat), 1.05)


@pytest.mark.parametrize("n", [8, 40])
def test_a_surprise_is_doubt_once_later_sets_confirm_it(n):
    rng = np.random.default_rng(0)
    data = as_data(np.array([0.0, 3.0]) + 0.1 * rng.normal(size=(400, 2)), None)
    state = follow(data.sets[:, :, 0]).state
    for moved, expected in ((0.0, False), (0.2, n >= starting.FEWEST_DOUBTED)):
        after = replace(state, collected_sets=data.sets[:n] + moved, collected_inputs=data.inputs[:n])
        assert starting.is_doubted(after) is expected


# --- starts that only seemed safe -------------------------------------------------------------------------------------


def seasons(n, jump=0.0):
    """Two systems with two harmonics of a year, of which the first sets see a part; the first jumps in the middle."""
    rng = np.random.default_rng(3)
    angle = 2.0 * np.pi * np.arange(n) / 365.25
    X = np.stack([np.ones(n), *(wave(j * angle) for j in (1, 2) for wave in (np.cos, np.sin))], axis=1)
    theta = np.array([[2.0, 0.5, 0.3, 0.2, -0.4], [-1.0, 0.6, -0.5, 0.3, 0.1]])
    moved = jump * (np.arange(n) >= n // 2)
    y = X @ theta.T + moved[:, None] * [1.0, 0.0] + 0.05 * rng.normal(size=(n, 2))
    return rng.permuted(y, axis=1), X


def wrong_start(data, n):
    """The state of a filter that has kept all sets, and stands elsewhere."""
    state = follow(data.sets[:n, :, 0], data.inputs[:n]).state
    return replace(starting.holding(state, data), theta=state.theta + 1.0)


def test_what_one_fit_explains_is_no_change():
    sets, X = seasons(500)
    data = as_data(sets, X)
    again = starting.explained(Settings(), wrong_start(data, 200))
    assert again is not None
    assert np.all(abs(again.theta - solve.fit(in_memory(data)).theta) < 1e-9)
    assert not len(again.changes)
    assert len(again.held_sets) == 500
    assert not {"parameters-changed", "parameters-wander"}.intersection(codes(follow(sets, X).estimate()))


@pytest.mark.parametrize("why", ["a jump", "nothing kept"])
def test_what_one_fit_does_not_explain_may_be_a_change(why):
    data = as_data(*seasons(500, jump=0.5 if why == "a jump" else 0.0))
    state = wrong_start(data, 200)
    if why == "nothing kept":
        state = starting.holding(state, data.part(0, 0))
    assert starting.explained(Settings(), state) is None
