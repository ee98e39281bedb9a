"""Runs of the compiled filters: they stop where they should, and leave the state that they were given alone."""

from dataclasses import replace

import numpy as np
from numpy.testing import assert_array_equal

from tests.coefficients.cases import CASES
from tests.weighted.test_tracker import readings_of, rows_of
from vieta.estimators.storage import flatten
from vieta.sets import as_data
from vieta.weighted import kernel_runs, tracker


def test_a_run_leaves_the_state_that_it_was_given():
    data = as_data(*CASES[1].draw(900))
    state = tracker.advance(tracker.Settings(), tracker.init(data), data.part(0, 200))
    before = {name: np.copy(part) for name, part in flatten(state).items()}
    new, taken, event = kernel_runs.track(tracker.Settings(), state, data.part(200, 900))
    assert (taken, event) == (700, 0)
    assert not np.array_equal(new.theta, state.theta)
    for name, part in before.items():
        assert_array_equal(flatten(state)[name], part, err_msg=name)


def test_limits_are_infinite_where_parameters_are_said_to_move():
    state = tracker.init(as_data(np.zeros((1, 2)), None))
    assert np.isfinite(kernel_runs.limits(tracker.Settings(), state)).all()
    assert np.isinf(kernel_runs.limits(tracker.Settings(forgetting=0.9), state)).all()
    walking = kernel_runs.limits(tracker.Settings(), replace(state, walk=np.ones(2)))
    assert walking.tolist() == [np.inf, np.inf, -1.0, -1.0]


def test_where_the_inputs_reach_everything_forgetting_is_exponential():
    """To the last bit what the kernel makes of all sets at once, without a look at what the inputs reach."""
    rng = np.random.default_rng(0)
    psi = rows_of(rng, 1000)
    data = as_data(readings_of(rng, psi), psi)
    settings = tracker.Settings(forgetting=0.98)
    state = tracker.advance(settings, tracker.init(data), data.part(0, 128))
    assert state.tracking
    found, rest = tracker.advance(settings, state, data.part(128, 1000)), data.part(128, 1000)
    plain, *_ = kernel_runs.track(replace(settings), state, rest)
    assert_array_equal(found.theta, plain.theta)
    assert_array_equal(found.information, plain.information)
