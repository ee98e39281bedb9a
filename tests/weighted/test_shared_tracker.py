"""The filter with a shock: as good as the batch fit of all sets, with errors that hold."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.weighted.shocks import draw, labeled
from vieta.errors import InputError
from vieta.estimators.storage import flatten
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted import shared_tracker
from vieta.weighted.decorrelation import mean_variance
from vieta.weighted.record import BlockSums
from vieta.weighted.shock_fit import fit_shared
from vieta.weighted.sum_regression import regress

FIRST = 1024
TWO = np.array([[0.0, 1.0], [2.0, -0.5], [4.0, 3.0]])
LINES = lambda rng, n: np.column_stack([np.ones(n), rng.uniform(-1.0, 1.0, n)])  # noqa: E731
CASES = {
    "one parameter": (np.array([[1.0], [3.0], [6.0]]), None),
    "lines": (TWO, LINES),
    "two systems": (np.array([[-1.0], [2.0]]), None),
    "six systems": (np.arange(6.0)[:, None] * 2.0, None),  # no products
    "constant inputs": (np.array([[-2.0], [1.0], [4.0]]), lambda rng, n: np.ones((n, 1))),
}
every_case = pytest.mark.parametrize("name", CASES)


def fitted(data, theta, own):
    """The batch fit of sets, from parameters nearby."""
    passes = in_memory(data)
    return fit_shared(passes, regress(passes), theta, own)


def sets_of(name, n, seed, correlation=0.5, sd=0.4):
    """Sets, parameters, and what labels would have given."""
    theta, inputs = CASES[name]
    sets, rows, noise = draw(theta, sd, correlation, n, seed, inputs=inputs)
    return as_data(sets, rows), theta, labeled(theta, rows, noise)


def run(data, theta, own=0.16, first=FIRST, size=256):
    """The filter from a fit of the first sets, over the others by blocks."""
    state = shared_tracker.begun(fitted(data.part(0, first), theta, own), data.part(0, first))
    for at in range(first, len(data), size):
        state = shared_tracker.absorbed(state, data.part(at, at + size)).state
    return state


@every_case
def test_it_begins_with_what_the_fit_says(name):
    data, theta, _ = sets_of(name, FIRST, 0)
    found = fitted(data, theta, 0.16)
    state = shared_tracker.begun(found, data)
    shared_tracker.check(state)
    said = shared_tracker.concluded(state)
    assert_array_equal(said.theta, found.theta)
    assert_allclose(said.cov, found.cov, rtol=1e-6)
    assert_allclose(said.variances, found.variances)
    assert_allclose([said.shock_variance, said.z], [found.shock_variance, found.z], rtol=1e-6)


@every_case
def test_it_ends_where_the_fit_of_all_sets_does(name):
    gaps = []
    for seed in range(2):
        data, theta, _ = sets_of(name, 4 * FIRST, seed)
        whole = fitted(data, theta, 0.16)
        said = shared_tracker.concluded(run(data, theta))
        spread = np.sqrt(np.diag(whole.cov))
        gaps.append((said.theta - whole.theta).ravel() / spread)
        assert_allclose(np.sqrt(np.diag(said.cov)), spread, rtol=0.05)
        assert_allclose(said.shock_variance, whole.shock_variance, rtol=0.05)
        assert_allclose(said.z, whole.z, rtol=0.1)
    assert np.sqrt(np.mean(np.square(gaps))) < 0.25


def test_its_errors_hold_and_are_those_of_labels():
    z, ours, theirs, naive = [], [], [], []
    for seed in range(30):
        data, theta, best = sets_of("one parameter", 2 * FIRST, seed, 0.8)
        said = shared_tracker.concluded(run(data, theta, first=512))
        z.append((said.theta - theta).ravel() / np.sqrt(np.diag(said.cov)))
        naive.append((said.theta - theta).ravel() * np.sqrt(len(data)) / np.sqrt(said.noise_variance))
        ours.append(((said.theta - theta) ** 2).sum())
        theirs.append(((best - theta) ** 2).sum())
    tolerance = 4.0 * np.sqrt(2.0 / (3 * 30)) * 1.5  # errors of the systems are correlated
    assert abs(np.mean(np.square(z)) - 1.0) < tolerance
    assert np.mean(ours) < 1.1 * np.mean(theirs)
    assert np.mean(np.square(naive)) - 1.0 > tolerance  # own noise alone would not explain them


def test_the_regression_is_that_of_all_sets():
    data, theta, _ = sets_of("lines", 3 * FIRST, 1)
    state = run(data, theta, size=100)
    whole = regress(in_memory(data))
    assert state.n_sets == len(data)
    assert_allclose(state.solution, whole.solution, rtol=1e-9)
    assert_allclose(mean_variance(state.model.regression), mean_variance(whole), rtol=1e-9)
    assert_allclose(state.model.inverse, whole.root @ whole.root.T, rtol=1e-9)


def test_sets_that_wait_count_and_go_on_waiting():
    data, theta, _ = sets_of("one parameter", FIRST + 100, 0)
    start = shared_tracker.begun(fitted(data.part(0, FIRST), theta, 0.16), data.part(0, FIRST))
    waiting = shared_tracker.waited(
        shared_tracker.waited(start, data.part(FIRST, FIRST + 30)), data.part(FIRST + 30, FIRST + 100)
    )
    before = {name: np.copy(part) for name, part in flatten(waiting).items()}
    counted = shared_tracker.waiting_absorbed(waiting)
    assert counted.n_sets == FIRST + 100
    assert_array_equal(counted.place, shared_tracker.absorbed(start, data.part(FIRST, FIRST + 100)).state.place)
    assert shared_tracker.waiting_absorbed(start) is start
    for name, part in before.items():
        assert_array_equal(flatten(waiting)[name], part, err_msg=name)


def test_without_its_past_it_stands_where_the_rest_does_and_knows_less():
    data, theta, _ = sets_of("lines", FIRST, 0)
    state = shared_tracker.begun(fitted(data, theta, 0.16), data)
    n = theta.size
    later = shared_tracker.without_past(state, BlockSums(FIRST / 4, np.eye(n), np.eye(n), theta + 0.1))
    shared_tracker.check(later)
    said, before = shared_tracker.concluded(later), shared_tracker.concluded(state)
    assert_allclose(said.theta, theta + 0.1)
    assert_allclose(later.solution - state.solution, (theta + 0.1 - state.theta).sum(axis=0))
    assert_allclose(np.diag(said.cov), 4.0 * np.diag(before.cov), rtol=0.02)


@pytest.mark.parametrize(
    "change",
    [{"active": 2}, {"n_sets": 0}, {"ratios": np.zeros(3)}, {"gram": -np.eye(1)}, {"gram": np.zeros((1, 1))},
     {"information": -np.eye(9)}, {"squares": np.zeros(4)}, {"pending_inputs": np.ones((3, 1, 1))}],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_a_state_that_no_stream_leaves_is_refused(change):
    data, theta, _ = sets_of("one parameter", FIRST, 0)
    state = shared_tracker.begun(fitted(data, theta, 0.16), data)
    with pytest.raises(InputError) as refused:
        shared_tracker.check(replace(state, **change))
    assert refused.value.code == "state-range"
