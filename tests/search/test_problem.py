"""The two steps of the search against enumeration of all assignments."""

from itertools import permutations
from math import factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.search.problems import draw, given, planar
from vieta.search.problem import (
    alternate,
    alternate_each,
    distance,
    doubt,
    expect,
    gaps,
    problem,
    regressed,
    residual_variance,
    some_of,
)

CASES = {"numbers": draw("normal", 3, 0.6, 12, 0), "curve": draw("curve", 4, 0.4, 9, 1), "plane": planar(3, 0.7, 8, 2)}
every = pytest.mark.parametrize("name", CASES)


def enumerated(sets, psi, theta, variance):
    """Log densities (n,), expected readings (n, L, p) and the least squared distance of each set (n,)."""
    logs, readings, least = [], [], []
    for y, matrix in zip(sets, psi, strict=True):
        m = theta @ matrix.T
        orders = [list(o) for o in permutations(range(len(y)))]
        costs = np.array([((y[o] - m) ** 2).sum() for o in orders])
        weights = np.exp(-0.5 * costs / variance)
        logs.append(np.log(weights.sum()))
        readings.append(sum(w * y[o] for w, o in zip(weights, orders, strict=True)) / weights.sum())
        least.append(costs.min())
    return np.array(logs), np.array(readings), np.array(least)


@every
@pytest.mark.parametrize("variance", [0.5, 4.0])
def test_expectations_are_sums_over_all_assignments(name, variance):
    sets, psi, theta = CASES[name]
    found = expect(problem(sets, psi, np.eye(sets.shape[2])), theta, variance)
    logs, readings, _ = enumerated(sets, psi, theta, variance)
    assert_allclose(found.logs, logs, atol=1e-9)
    assert_allclose(found.readings, readings, atol=1e-9)
    assert np.exp(logs).max() <= factorial(sets.shape[1]) * (1 + 1e-9)


@every
def test_the_noise_is_the_unit(name):
    sets, psi, theta = CASES[name]
    cov = np.diag(np.arange(1.0, 1.0 + sets.shape[2]))
    scaled = expect(problem(sets, psi, cov), theta)
    root = np.sqrt(np.diag(cov))
    logs, readings, _ = enumerated(sets / root, psi / root[:, None], theta, 1.0)
    assert_allclose(scaled.logs, logs, atol=1e-9)
    assert_allclose(scaled.readings, readings, atol=1e-9)


@every
def test_one_alternation_assigns_at_the_least_distance(name):
    sets, psi, theta = CASES[name]
    found = alternate(problem(sets, psi, np.eye(sets.shape[2])), theta, iterations=1)
    assert_allclose(found.cost, enumerated(sets, psi, theta, 1.0)[2].sum())


@every
def test_alternation_ends_at_a_fixed_point_of_lower_cost(name):
    sets, psi, theta = CASES[name]
    one = problem(sets, psi, np.eye(sets.shape[2]))
    rough = theta + 0.2
    end = alternate(one, rough)
    assert end.cost < alternate(one, rough, iterations=1).cost
    assert_allclose(regressed(one, end.readings), end.theta, atol=1e-9)
    assert_allclose(((end.readings - one.means(end.theta)) ** 2).sum(), end.cost)


@every
def test_regression_is_least_squares(name):
    sets, psi, _ = CASES[name]
    one = problem(sets, psi, np.eye(sets.shape[2]))
    rows = psi.reshape(-1, psi.shape[2])
    for l in range(sets.shape[1]):
        expected = np.linalg.lstsq(rows, sets[:, l].ravel())[0]
        assert_allclose(regressed(one, sets)[l], expected, atol=1e-9)


@every
def test_residual_variance_and_doubt_are_what_enumeration_gives(name):
    sets, psi, theta = CASES[name]
    one = problem(sets, psi, np.eye(sets.shape[2]))
    (n, L, p), total, logs = sets.shape, 0.0, enumerated(sets, psi, theta, 1.0)
    for y, matrix in zip(sets, psi, strict=True):
        costs = np.array([((y[list(o)] - theta @ matrix.T) ** 2).sum() for o in permutations(range(L))])
        weights = np.exp(-0.5 * costs)
        total += (weights * costs).sum() / weights.sum()
    assert_allclose(residual_variance(one, theta), total / (n * L * p - theta.size))
    assert_allclose(doubt(one, theta), (logs[0] + 0.5 * logs[2]).mean(), atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_residuals_certify_the_truth_and_not_a_wrong_solution(seed):
    sets, psi, theta = draw("season", 4, 0.1, 400, seed)
    one = given(sets, psi, 0.1)
    assert residual_variance(one, theta) < 1.2
    swapped = theta.copy()
    swapped[[0, 1], 1] = theta[[1, 0], 1]  # two systems exchange a coordinate
    assert residual_variance(one, swapped) > 2.0


def test_distance_is_the_root_mean_square_of_the_means():
    sets, psi, theta = draw("normal", 3, 0.5, 200, 0)
    one = given(sets, psi, 0.5)
    moved = theta[[2, 0, 1]].copy()
    moved[1, 1] += 0.7
    expected = 0.7 * np.sqrt((psi[:, 0, 1] ** 2).mean()) / 0.5
    assert_allclose(distance(one, theta, moved), expected)
    assert_allclose(gaps(one, theta, moved).max(), expected)
    assert distance(one, theta, theta[[1, 2, 0]]) == 0.0


def test_many_systems_are_cut_into_groups_without_loss():
    """Twelve systems, more than a group may have, far enough apart that cuts cost nothing."""
    rng = np.random.default_rng(0)
    theta = 3.0 * np.arange(12.0)[:, None]
    sets = rng.permuted(theta.T + 0.5 * rng.normal(size=(30, 12)), axis=1)[:, :, None]
    one = problem(sets, np.ones((30, 1, 1)), 0.25 * np.eye(1))
    ordered = np.sort(sets[:, :, 0], axis=1)
    assert_allclose(expect(one, theta).readings[:, :, 0] * 0.5, ordered, atol=0.05)


@every
def test_many_starts_end_where_each_does(name):
    sets, psi, theta = CASES[name]
    one = problem(sets, psi, np.eye(sets.shape[2]))
    starts = theta + np.random.default_rng(0).normal(size=(5, *theta.shape))
    for start, end in zip(starts, alternate_each(one, starts, 40), strict=True):
        alone = alternate(one, start, 40)
        assert end.cost == alone.cost
        assert_allclose(end.theta, alone.theta, rtol=0, atol=0)
        assert_allclose(end.readings, alone.readings, rtol=0, atol=0)


@pytest.mark.parametrize("L", [2, 3])
def test_pairs_and_triples_of_vectors_are_assigned_at_the_least_distance(L):
    sets, psi, theta = planar(L, 1.5, 20, L)
    cost = alternate(problem(sets, psi, np.eye(2)), theta, iterations=1).cost
    assert_allclose(cost, enumerated(sets, psi, theta, 1.0)[2].sum())


def test_some_sets_are_spread_evenly():
    sets, psi, _ = CASES["numbers"]
    one = problem(sets, psi, np.eye(1))
    assert some_of(one, 12) is one
    few = some_of(one, 3)
    assert_allclose(few.sets, one.sets[[0, 6, 11]])
    assert_allclose(few.psi, one.psi[[0, 6, 11]])
