"""Rows of parameters beside those that they belong to, against all permutations."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linear_sum_assignment

from vieta.matching import FEW, block_index, match_rows


def brute(rows, like):
    unit = np.where(np.ptp(like, axis=0) > 0.0, np.ptp(like, axis=0), 1.0)
    orders = [np.array(order) for order in permutations(range(len(rows)))]
    return min(orders, key=lambda order: (((rows[order] - like) / unit) ** 2).sum())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (4, 2), (5, 3)])
def test_it_is_the_best_of_all_permutations(seed, shape):
    rng = np.random.default_rng(seed)
    rows, like = rng.normal(size=shape), rng.normal(size=shape)
    assert_array_equal(match_rows(rows, like), brute(rows, like))


@pytest.mark.parametrize("seed", range(3))
def test_units_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    rows, like = rng.normal(size=(4, 2)), rng.normal(size=(4, 2))
    unit = np.array([1e6, 1e-6])
    assert_array_equal(match_rows(unit * rows, unit * like), match_rows(rows, like))
    plain = min(permutations(range(4)), key=lambda order: ((unit * (rows[list(order)] - like)) ** 2).sum())
    by_first = min(permutations(range(4)), key=lambda order: ((rows[list(order), 0] - like[:, 0]) ** 2).sum())
    assert plain == by_first  # without units the first coordinate alone would decide


@pytest.mark.parametrize("seed", range(5))
def test_many_rows_are_matched_as_few_are(seed):
    rng = np.random.default_rng(seed)
    few, many = rng.normal(size=(FEW, 2)), rng.normal(size=(FEW + 1, 2))
    for rows in (few, many):
        like = rows[rng.permutation(len(rows))] + rng.normal(size=rows.shape)
        cost = ((rows[None] - like[:, None]) ** 2).sum(axis=2)
        found = match_rows(rows, like, unit=1.0)
        assert_array_equal(np.sort(found), np.arange(len(rows)))
        best = cost[linear_sum_assignment(cost)].sum()
        assert_allclose(cost[np.arange(len(rows)), found].sum(), best, rtol=1e-12)


def test_rows_that_are_equal_in_a_coordinate_have_a_unit():
    assert_array_equal(match_rows(np.array([[1.0, 5.0], [1.0, 2.0]]), np.array([[1.0, 2.0], [1.0, 5.0]])), [1, 0])


def test_a_covariance_follows_its_rows():
    order = np.array([2, 0, 1])
    theta = np.arange(6.0).reshape(3, 2)
    assert_array_equal(theta.ravel()[block_index(order, 2)], theta[order].ravel())


def test_rows_too_far_apart_to_be_squared_are_matched_too():
    rows = np.array([[1e200], [1.0], [np.nan]])
    assert_array_equal(match_rows(rows, np.array([[1.0], [2.0], [3.0]]))[0], 1)
