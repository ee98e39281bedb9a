"""Differences of near systems that are turned: sizes stay, directions change; and solutions that only this leads to."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.search.ascent import climb
from vieta.search.problem import distance, problem
from vieta.search.turning import turned
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted import solve
from vieta.weighted.sum_regression import regress

THETA = np.array([[0.0, 1.0], [0.0, 1.5]])


def lines(theta, n, seed):
    """Sets and inputs of lines with noise of sd 1."""
    rng = np.random.default_rng(seed)
    inputs = np.column_stack([np.ones(n), rng.normal(size=n)])
    return rng.permuted(inputs @ theta.T + rng.normal(size=(n, len(theta))), axis=1), inputs


@pytest.mark.parametrize("seed", [5, 26, 48])
def test_lines_that_cross_are_not_taken_for_parallel_ones(seed):
    """The 500 sets that are searched have one hill, of parallel lines; of all sets the right one is likelier by 6 to 8."""
    sets, inputs = lines(THETA, 2000, [seed, 5])
    found = solve.fit(in_memory(as_data(sets, inputs)))
    given = problem(sets[:, :, None], inputs[:, None, :], found.noise)
    assert distance(given, found.theta, THETA) < 0.2
    parallel = climb(given, np.array([[-0.3, 1.25], [0.3, 1.25]]))
    assert distance(given, parallel.theta, THETA) > 0.25
    assert parallel.likelihood < climb(given, THETA).likelihood - 4.0


def test_a_turned_difference_leads_to_the_other_hill_and_back():
    sets, inputs = lines(THETA, 2000, [5, 5])
    given = problem(sets[:, :, None], inputs[:, None, :], regress(in_memory(as_data(sets, inputs))).noise)
    parallel = climb(given, np.array([[-0.3, 1.25], [0.3, 1.25]])).theta
    right = climb(given, THETA).theta
    assert distance(given, turned(given, parallel)[0], right) < 0.1
    assert any(distance(given, one, parallel) < 0.1 for one in turned(given, right))


def test_systems_that_are_told_apart_or_given_as_vectors_are_not_turned():
    sets, inputs = lines(np.array([[0.0, 1.0], [2.0, 1.5]]), 400, 0)
    given = problem(sets[:, :, None], inputs[:, None, :], np.eye(1))
    assert turned(given, np.array([[0.0, 1.0], [2.0, 1.5]])) == []
    assert turned(given, np.array([[0.5, 1.0], [0.5, 1.0]])) == []
    assert len(turned(given, np.array([[0.0, 1.0], [0.5, 1.0]]))) > 0
    rng = np.random.default_rng(0)
    plane = problem(rng.normal(size=(400, 2, 2)), np.broadcast_to(np.eye(2), (400, 2, 2)), np.eye(2))
    assert turned(plane, np.array([[0.0, 0.0], [0.5, 0.0]])) == []


def test_other_systems_stay_until_they_climb():
    theta = np.array([[0.0, 1.0], [0.5, 1.0], [30.0, 2.0]])
    sets, inputs = lines(theta, 1000, 3)
    for one in turned(problem(sets[:, :, None], inputs[:, None, :], np.eye(1)), theta):
        assert_allclose(one[2], theta[2], atol=0.2)
