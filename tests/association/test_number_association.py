"""The kernels for numbers against enumeration; more of it with the search (`tests/search/test_problem.py`)."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.association.number_association import CERTAIN, expect_numbers


def expected(y, m, variance):
    orders = [list(o) for o in permutations(range(len(y)))]
    logs = np.array([-0.5 * ((y[o] - m) ** 2).sum() / variance for o in orders])
    top = logs.max()
    weights = np.exp(logs - top)
    return top + np.log(weights.sum()), sum(w * y[o] for w, o in zip(weights, orders, strict=True)) / weights.sum()


def run(sets, theta, variance):
    n, L = sets.shape
    orders = np.tile(np.arange(L), (n, 1))
    readings, logs = np.empty((n, L)), np.empty(n)
    scratch = np.empty(L), np.empty(L, np.int64)
    expect_numbers(np.sort(sets, axis=1), np.ones((n, 1)), theta[:, None], variance, orders, *scratch, readings, logs)
    return logs, readings


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("gap", [0.0, 0.3, 3.0, 30.0])
@pytest.mark.parametrize("L", [1, 2, 3, 6])
def test_every_mixture_of_sure_and_doubtful_pairs(L, gap, seed):
    rng = np.random.default_rng(seed)
    theta = gap * rng.permutation(L) + rng.normal(size=L)
    sets = theta + rng.normal(size=(3, L))
    logs, readings = run(sets, theta, 0.7)
    for k, y in enumerate(sets):
        log, reading = expected(y, theta, 0.7)
        assert_allclose(logs[k], log, atol=1e-9 + 0.1 * np.exp(-CERTAIN) * L)
        assert_allclose(readings[k], reading, atol=1e-8)


def test_more_systems_than_a_group_holds():
    """Fourteen in doubt: cut where crossing is least likely, so that sums are a lower bound, and near it."""
    theta = np.repeat([0.0, 9.0], 7) + 0.2 * np.arange(14)
    sets = theta + np.random.default_rng(0).normal(size=(4, 14))
    logs, readings = run(sets, theta, 1.0)
    parts = [run(np.sort(sets, axis=1)[:, :7], theta[:7], 1.0), run(np.sort(sets, axis=1)[:, 7:], theta[7:], 1.0)]
    assert_allclose(logs, parts[0][0] + parts[1][0], rtol=1e-3)
    assert_allclose(readings, np.concatenate([parts[0][1], parts[1][1]], axis=1), atol=0.05)


def test_sets_are_computed_as_if_each_were_alone():
    """Groups wait for others of their size; what a set has does not depend on which ones come."""
    rng = np.random.default_rng(0)
    theta = np.array([0.0, 0.5, 1.0, 40.0, 40.2, 41.0, 41.5])
    sets = theta + rng.normal(size=(7, 7))
    logs, readings = run(sets, theta, 1.0)
    for k in range(7):
        log, reading = run(sets[k : k + 1], theta, 1.0)
        assert_allclose(log[0], logs[k], rtol=1e-13)
        assert_allclose(reading[0], readings[k], rtol=1e-13)
