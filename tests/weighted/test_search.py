"""Starts: one of them is near the truth, whatever the inputs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.coefficients.cases import CASES, shuffle
from vieta.sets import Data, as_data
from vieta.symmetric import canonical_order
from vieta.weighted import search
from vieta.weighted.search import assign, assign_and_regress, assignment_cost, starts
from vieta.weighted.sum_regression import as_matrices

every_case = pytest.mark.parametrize("case", CASES, ids=str)


def nearest(theta, truth):
    return abs(theta[canonical_order(theta)] - truth[canonical_order(truth)]).max()


@every_case
@pytest.mark.parametrize("seed", [0, 1])
def test_some_start_is_near_the_truth(case, seed):
    data = case.data(400, seed)
    found = list(starts(data))
    assert all(theta.shape == case.theta.shape and np.isfinite(theta).all() for theta in found)
    assert min(nearest(theta, case.theta) for theta in found) < 0.2


@every_case
def test_starts_do_not_depend_on_the_order_of_a_set(case):
    data = case.data(200)
    other = Data(shuffle(data.sets, np.random.default_rng(1)), data.inputs, data.dim)
    for one, two in zip(starts(data), starts(other)):
        assert nearest(one, two) < 1e-6


@pytest.mark.parametrize("L", [14, 20])
def test_many_systems_start_from_single_sets(L):
    rng = np.random.default_rng(L)
    truth = np.arange(L, dtype=float)[:, None]
    psi = rng.uniform(0.5, 2.0, size=300)
    sets = shuffle(psi[:, None] * truth[:, 0] + 0.05 * rng.normal(size=(300, L)), rng)
    data = as_data(sets, psi)
    first = next(iter(starts(data)))
    assert nearest(first, truth) < 0.3


@pytest.mark.parametrize("p", [1, 2, 3])
def test_assignment_is_the_best_of_all(p):
    from itertools import permutations

    rng = np.random.default_rng(p)
    sets, means = rng.normal(size=(20, 4, p)), rng.normal(size=(20, 4, p))
    for y, m, order in zip(sets, means, assign(sets, means)):
        best = min(((y[list(o)] - m) ** 2).sum() for o in permutations(range(4)))
        assert_allclose(((y[order] - m) ** 2).sum(), best)


def test_regression_keeps_a_solution_and_lowers_the_cost():
    case = CASES[13]  # rows
    data = case.data(300)
    psi = as_matrices(data)
    settled = assign_and_regress(data.sets, psi, case.theta, iterations=50)
    assert_array_equal(assign_and_regress(data.sets, psi, settled, iterations=1), settled)
    rough = case.theta + 0.3
    assert assignment_cost(data.sets, psi, assign_and_regress(data.sets, psi, rough)) < assignment_cost(
        data.sets, psi, rough
    )


def test_twelve_guesses_are_refined_and_the_best_three_are_starts(monkeypatch):
    rows = np.random.default_rng(0).normal(size=(200, 3))
    theta = np.array([[1.0, 0.0, 2.0], [-1.0, 3.0, 0.5]])
    data = as_data(rows @ theta.T, rows)
    made, refine = [], search.assign_and_regress

    def counted(*arguments, **more):
        made.append(refine(*arguments, **more))
        return made[-1]

    monkeypatch.setattr(search, "assign_and_regress", counted)
    found = list(search._from_guesses(data, as_matrices(data)))
    assert len(made) == 12
    costs = [search.assignment_cost(data.sets, as_matrices(data), one) for one in made]
    best = [search.assignment_cost(data.sets, as_matrices(data), one) for one in found]
    assert best == sorted(costs)[:3]
