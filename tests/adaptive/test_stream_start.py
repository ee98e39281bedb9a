"""Starts of the filter of incomplete sets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests.adaptive.cases import draw
from vieta.adaptive import stream_state
from vieta.adaptive.stream_scoring import Settings, covariance
from vieta.adaptive.stream_start import begun, first_fit, fitted_again, is_safe
from vieta.sets import Data


@pytest.mark.parametrize("seed", [0, 1])
def test_a_filter_begins_where_the_fit_is_with_its_errors(seed):
    data = draw(256, seed).data
    found = first_fit(Settings(), data)
    assert is_safe(found)
    state = begun(Settings(), stream_state.init(data.part(0, 0)), found, data)
    assert_allclose(state.theta, found.chosen.model.theta)
    assert_allclose(covariance(Settings(), state)[1], found.errors.cov, rtol=1e-6)
    assert state.refining
    assert not begun(Settings(0.99), state, found, data).refining
    again = fitted_again(Settings(), state, data)
    assert_allclose(again.chosen.model.theta, state.theta, atol=0.01)


def test_systems_that_coincide_are_not_safe():
    data = draw(256, 0, theta=np.array([[5.0], [5.1]]), sd=1.0).data
    assert not is_safe(first_fit(Settings(), data))


def test_sets_that_tell_nothing_are_no_start():
    data = draw(100, 0).data
    dark = Data(data.readings, np.zeros(100), 1, data.offsets, 3)
    assert first_fit(Settings(), dark) is None
    small = draw(100, 0, theta=np.array([[5.0]]), rate=0.0).data
    assert first_fit(Settings(), Data(small.readings, small.inputs, 1, small.offsets, 3)) is None


@pytest.mark.parametrize("seed", [0, 1])
def test_sets_are_fitted_again_where_a_trend_leads_to_inputs_that_were_not_seen(seed):
    """Curves in time: the filter must not go on from what the first inputs told of the later ones."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 1.0, 700)
    psi, theta = (
        np.column_stack([np.ones(700), t, t * t]),
        np.array([[0.0, 6.0, -3.0], [3.0, -4.0, 4.0], [6.0, 0.0, -5.0]]),
    )
    y = psi @ theta.T + 0.2 * rng.normal(size=(700, 3))
    sets = [np.concatenate([row[rng.random(3) < 0.8], rng.uniform(-2.0, 8.0, rng.poisson(0.5))]) for row in y]
    f = vieta.SymmetricFilter(3, dim=3, method="adaptive").partial_fit(sets, psi)
    found = f.estimate()
    assert f.changes == ()
    assert f._state.fitted > 512
    assert (abs(found.theta - theta) < 5.0 * found.stderr).all()
