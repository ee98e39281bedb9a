"""The record of a filter with a shock: blocks give the estimate back, tell a change, and tell memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.shocks import draw
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted import record, shared_record, shared_tracker
from vieta.weighted.shock_fit import fit_shared
from vieta.weighted.sum_regression import regress
from vieta.weighted.tracking_kernel import CHANGED, GOES_ON, SURPRISED

THETA = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]])
FIRST, N = 1024, 8192


def rows_of(rng, n):
    return np.column_stack([np.ones(n), rng.uniform(-1.0, 1.0, n)])


def sets_of(seed, jump=0.0, rho=0.0):
    """Sets with a shock, a jump of all intercepts in the middle, and memory."""
    _, rows, noise = draw(THETA, 0.4, 0.5, N, seed, inputs=rows_of, shuffle=False)
    for k in range(1, N if rho else 0):
        noise[k] = rho * noise[k - 1] + np.sqrt(1.0 - rho**2) * noise[k]
    late = jump * (np.arange(N) >= N // 2)
    return as_data(np.sort(rows @ THETA.T + noise + late[:, None] * [1.0, 0.0, 0.0], axis=1), rows)


def run(data, blocks=None):
    """The filter and its record, and what happened on the way."""
    passes = in_memory(data.part(0, FIRST))
    found = fit_shared(passes, regress(passes), THETA, 0.16)
    state = shared_tracker.begun(found, data.part(0, FIRST))
    kept, events = shared_record.begun(state, found, data.part(0, FIRST)), []
    limits = np.array(record.limits(THETA.size))
    for at in range(FIRST, N, shared_tracker.BLOCK)[:blocks]:
        for a, b in ((0, 100), (100, shared_tracker.BLOCK)):
            state, kept, event = shared_record.track(state, kept, data.part(at + a, at + b), limits)
            events.append(event)
    record.check(kept)
    return state, kept, events


@pytest.mark.parametrize("seed", range(3))
def test_the_blocks_give_the_estimate_back(seed):
    state, kept, events = run(sets_of(seed))
    assert set(events) == {GOES_ON}
    sums = record.block_sums(kept)
    assert sums.n_sets == state.n_sets == N
    said = shared_tracker.concluded(state)
    spread = np.sqrt(np.diag(said.cov))
    assert np.all(abs(sums.theta - state.theta).ravel() < 0.5 * spread)
    inverse = np.linalg.inv(sums.information)
    assert_allclose(np.sqrt(np.diag(inverse @ sums.meat @ inverse)), spread, rtol=0.1)
    assert abs(record.misfit(kept) - 1.0) < 0.1
    assert record.largest_factor(kept) < 1.5


@pytest.mark.parametrize("seed", range(3))
def test_a_small_jump_changes_and_a_large_one_surprises(seed):
    small, large = (run(sets_of(seed, jump))[2] for jump in (0.2, 2.0))
    assert CHANGED in small
    assert SURPRISED not in small
    assert large.index(SURPRISED) == 2 * (N // 2 - FIRST) // shared_tracker.BLOCK + 1


def test_memory_over_time_is_seen():
    state, kept, _ = run(sets_of(0, rho=0.7))
    found = record.memory(kept, state.n_sets * state.unit)
    assert found.z > 6.0
    assert 0.5 < found.factors.reshape(3, 2)[:, 0].mean() / (1.7 / 0.3) < 2.0  # of the constants
    assert abs(record.memory(run(sets_of(0))[1], state.n_sets * state.unit).z) < 4.0
