"""Single sets that wait: the filter is that of `partial_fit` to the last bit, whatever is read, refused or interrupted on the way."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import vieta
from vieta.errors import InputError
from vieta.estimators.storage import flatten
from vieta.estimators.waiting import MOST, Waiting
from vieta.sets import LARGEST, as_data
from vieta.weighted.weighted_engine import WeightedEngine

BEFORE, N = 600, 1000
ROWS = [[0.0, 1.0], [2.0, -1.0], [5.0, 3.0]]


def numbers(seed=0, jump=0.0):
    """Three systems with scalar inputs; from set 700 on they may be others."""
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=N)
    theta = np.array([-2.0, 5.0, 8.0]) + np.where(np.arange(N)[:, None] < 700, 0.0, jump)
    return psi[:, None] * theta + 0.3 * rng.normal(size=(N, 3)), psi


def rows(seed=0):
    rng = np.random.default_rng(seed)
    psi = rng.normal(size=(N, 2))
    return psi @ np.transpose(ROWS) + 0.3 * rng.normal(size=(N, 3)), psi


def vectors(seed=0):
    rng = np.random.default_rng(seed)
    return np.array(ROWS) + 0.2 * rng.normal(size=(N, 3, 2)), None


def started(sets, inputs, **options):
    """A filter that runs, so that sets may wait."""
    f = vieta.SymmetricFilter(3, 1 if np.ndim(inputs) == 1 else 2, **options)
    f.partial_fit(sets[:BEFORE], None if inputs is None else inputs[:BEFORE])
    assert f._waiting is not None
    return f


@cache
def _at_rest():
    sets, inputs = numbers()
    return pickle.dumps(vieta.SymmetricFilter(3).partial_fit(sets[: BEFORE - 1], inputs[: BEFORE - 1]))


def at_rest():
    """The filter of the first sets of `numbers()`, without another fit."""
    sets, inputs = numbers()
    f = pickle.loads(_at_rest()).partial_fit(sets[BEFORE - 1 : BEFORE], inputs[BEFORE - 1 : BEFORE])
    assert f._waiting is not None
    return sets, inputs, f


def one(inputs, k):
    return None if inputs is None else inputs[k]


def assert_same(f, g):
    ours, others = flatten(f._state), flatten(g._state)
    assert ours.keys() == others.keys()
    for name, value in ours.items():
        assert_array_equal(value, others[name], err_msg=name)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    ("data", "options"),
    [
        (numbers, {}),
        (lambda seed: numbers(seed, jump=3.0), {}),
        (numbers, {"memory": 200.0}),
        (numbers, {"drift": 1e-4}),
        (rows, {"memory": 200.0}),
        (vectors, {}),
    ],
    ids=["numbers", "jump", "memory", "drift", "rows", "vectors"],
)
def test_single_sets_give_what_many_give(seed, data, options):
    sets, inputs = data(seed)
    f = started(sets, inputs, **options)
    waited = 0
    for k in range(BEFORE, N - 10):
        assert f.update(sets[k], one(inputs, k)) is f
        waited = max(waited, 0 if f._waiting is None else f._waiting.count)
        assert f.n_sets == k + 1
        if k % 97 == 0:
            f.estimate()
    f.partial_fit(sets[N - 10 :], None if inputs is None else inputs[N - 10 :])
    assert_same(f, vieta.SymmetricFilter(3, f.dim, **options).partial_fit(sets, inputs))
    assert waited == MOST  # or else this tests nothing


def test_sets_wait_only_where_no_fit_can_fail():
    sets, psi = numbers(jump=3.0)
    f = vieta.SymmetricFilter(3)
    for k in range(N):
        f.update(sets[k], psi[k])
        if f._waiting is not None:
            assert f._absorbed.tracking
            assert not f._absorbed.collecting
    assert vieta.SymmetricFilter(3, method="lms").partial_fit(sets, psi)._waiting is None  # it may diverge at any set


BAD = [
    ([1.0, np.nan, 2.0], 1.0),
    ([1.0, np.inf, 2.0], 1.0),
    ([1.0, 2.0 * LARGEST, 2.0], 1.0),
    (np.array([1.0, np.nan, 2.0]), 1.0),
    (np.array([1.0, -np.inf, 2.0]), 1.0),
    ([1.0, 2.0, 3.0], np.nan),
    ([1.0, 2.0, 3.0], np.float64(np.inf)),
    ([1.0, 2.0], 1.0),
    ([1.0, 2.0, 3.0, 4.0], 1.0),
    ([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]], 1.0),
    ([1.0, 2.0, 3.0], [1.0, 2.0]),
    (["1", "2", "3"], 1.0),
    ([1.0, 2.0, None], 1.0),
    (np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]), 1.0),
    ([1.0, 2.0, 3.0j], 1.0),
    (None, 1.0),
]


@pytest.mark.parametrize(("y", "psi"), BAD)
@pytest.mark.parametrize("waiting", [1, MOST])
def test_a_refused_set_leaves_the_filter_as_it_was(y, psi, waiting):
    sets, inputs, f = at_rest()
    for k in range(BEFORE, BEFORE + waiting):
        f.update(sets[k], inputs[k])
    with pytest.raises(InputError) as of_one:
        f.update(y, psi)
    with pytest.raises(InputError) as of_many:
        at_rest()[2].partial_fit([y], [psi])
    assert str(of_one.value) == str(of_many.value)
    n = BEFORE + waiting
    assert f.n_sets == n
    assert_same(f, at_rest()[2].partial_fit(sets[BEFORE:n], inputs[BEFORE:n]))


@pytest.mark.parametrize(
    "y",
    [[1, 5, 9], (1.0, 5.0, 9.0), np.array([1, 5, 9]), np.array([1.0, 5.0, 9.0], dtype=np.float32),
     np.array([9.0, 5.0, 1.0])[::-1], np.array([[1.0], [5.0], [9.0]]), np.array([1.0, 5.0, 9.0], dtype=">f8")],
)  # fmt: skip
@pytest.mark.parametrize("psi", [1, True, 1.0, np.float64(1.0), np.float32(1.0), np.array(1.0), None, [1.0]])
def test_whatever_form_a_set_has_it_is_absorbed_as_by_partial_fit(y, psi):
    f = at_rest()[2].update([1.0, 5.0, 9.0], 0.5).update(y, psi).update([1.0, 5.0, 9.0], 0.5)
    g = at_rest()[2].partial_fit([[1.0, 5.0, 9.0]] * 3, [0.5, 1.0, 0.5])
    assert_same(f, g)


def test_a_set_that_waits_is_a_copy():
    sets, inputs, f = at_rest()
    y = np.empty(3)
    for k in range(BEFORE, BEFORE + 20):
        y[:] = sets[k]
        f.update(y, inputs[k])
    y[:] = 1e9
    assert_same(f, vieta.SymmetricFilter(3).partial_fit(sets[: BEFORE + 20], inputs[: BEFORE + 20]))


def test_files_copies_and_estimates_hold_the_sets_that_wait(tmp_path):
    sets, inputs = numbers()
    n = BEFORE + 20
    g = vieta.SymmetricFilter(3).partial_fit(sets[:n], inputs[:n])

    def filled():
        f = at_rest()[2]
        for k in range(BEFORE, n):
            f.update(sets[k], inputs[k])
        assert f._waiting.count == 20
        return f

    f = filled()
    f.save(tmp_path / "f")
    for other in (
        vieta.SymmetricFilter.load(tmp_path / "f"), copy.copy(filled()), copy.deepcopy(filled()), pickle.loads(pickle.dumps(filled())),
    ):  # fmt: skip
        assert other.n_sets == n
        assert_same(other, g)
        other.update(sets[n], inputs[n])
    assert_same(f, g)  # what was done to copies does not reach it
    assert_array_equal(filled().estimate().theta, g.estimate().theta)
    assert filled().changes == g.changes
    before, after = filled(), filled()
    first = before._state
    before.update(sets[n], inputs[n])
    before.estimate()
    assert first.count == n  # a state that was read does not change
    assert_array_equal(after.trace(sets[n:], inputs[n:], every=50).theta, g.trace(sets[n:], inputs[n:], every=50).theta)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_sets_go_on_waiting_when_something_interrupts(monkeypatch, error):
    sets, inputs, f = at_rest()
    for k in range(BEFORE, BEFORE + MOST):
        f.update(sets[k], inputs[k])

    def interrupted(*_):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(WeightedEngine, "advance", interrupted)
        for call in (f.estimate, lambda: f.update(sets[0], inputs[0]), lambda: f.partial_fit(sets[:5], inputs[:5])):
            with pytest.raises((KeyboardInterrupt, vieta.errors.ComputationError)):
                call()
            assert f.n_sets == BEFORE + MOST
    for k in range(BEFORE + MOST, N):
        f.update(sets[k], inputs[k])
    assert_same(f, vieta.SymmetricFilter(3).partial_fit(sets, inputs))


def test_threads_lose_no_set_and_read_whole_ones():
    sets, inputs, f = at_rest()
    counts = []

    def work(i):
        if i:
            for k in range(BEFORE + i - 1, N, 3):
                f.update(sets[k], inputs[k])
        else:
            counts.extend(f.estimate().n_sets for _ in range(20))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert f.n_sets == f.estimate().n_sets == N
    assert counts == sorted(counts)


def test_room_for_each_kind_of_sets():
    for sets, inputs in (numbers(), rows(), vectors(), (vectors()[0], np.ones(N))):
        waiting = Waiting(as_data(sets[:1], one(inputs, slice(1))))
        assert all(waiting.take(sets[k], one(inputs, k)) for k in range(MOST))
        assert waiting.is_full
        found, expected = waiting.data(), as_data(sets[:MOST], one(inputs, slice(MOST)))
        assert_array_equal(found.sets, expected.sets)
        assert_array_equal(found.inputs, expected.inputs)
        assert found.dim == expected.dim
