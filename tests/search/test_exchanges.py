"""Two curves that touch change places from one place to another: alternation alone does not get there."""

import numpy as np
import pytest

from vieta.search import exchanges as exchanging
from vieta.search.exchanges import exchanges, improved
from vieta.search.problem import alternate, problem


def touching(seed, n=30, sd=0.05):
    """Two curves, 1 + x and 1 - x but for a bend: where they meet, at 0, each may go on as the other."""
    x = np.linspace(-1.0, 1.0, n)
    rows = np.vander(x, 4, increasing=True)
    theta = np.array([[1.0, 1.0, 0.0, 0.0], [1.0, -1.0, 0.3, 0.0]])
    rng = np.random.default_rng(seed)
    readings = rows @ theta.T + sd * rng.standard_normal((n, 2))
    return rows, theta, readings


def swapped(rows, readings, at):
    behind = readings.copy()
    behind[at:] = behind[at:, ::-1]
    return np.linalg.lstsq(rows, behind, rcond=None)[0].T


@pytest.mark.parametrize("seed", range(4))
def test_curves_that_went_on_as_one_another_are_put_right(seed):
    rows, _, readings = touching(seed)
    given = problem(np.sort(readings, axis=1)[:, :, None] / 0.05, rows[:, None, :], np.eye(1))
    right = alternate(given, np.linalg.lstsq(rows, readings / 0.05, rcond=None)[0].T)
    wrong = alternate(given, swapped(rows, readings / 0.05, 15))
    assert wrong.cost > 2.0 * right.cost  # where alternation stays
    assert improved(given, wrong).cost <= right.cost + 1e-9
    assert improved(given, right).cost <= right.cost


@pytest.mark.parametrize("seed", range(2))
def test_the_sets_may_come_in_any_order(seed):
    rows, _, readings = touching(seed)
    order = np.random.default_rng(seed).permutation(len(rows))
    given = problem(np.sort(readings, axis=1)[order][:, :, None] / 0.05, rows[order][:, None, :], np.eye(1))
    wrong = alternate(given, swapped(rows, readings / 0.05, 15))
    right = alternate(given, np.linalg.lstsq(rows, readings / 0.05, rcond=None)[0].T)
    assert improved(given, wrong).cost <= right.cost + 1e-9


def test_curves_that_are_far_apart_are_left_alone():
    rows, theta, readings = touching(0)
    given = problem(np.sort(readings + np.array([0.0, 100.0]), axis=1)[:, :, None] / 0.05, rows[:, None, :], np.eye(1))
    now = alternate(given, (theta + np.array([[0.0] * 4, [100.0, 0.0, 0.0, 0.0]])) / 0.05)
    assert exchanges(given, now, 1.0) == []
    assert improved(given, now) is now


@pytest.mark.parametrize("seed", range(3))
def test_of_many_systems_the_two_that_changed_places_are_found(seed):
    rows, theta, _ = touching(seed, n=60)
    L = exchanging.MANY + 4
    every = np.concatenate([theta, np.column_stack([np.arange(3.0, L + 1.0), np.zeros((L - 2, 3))])])
    readings = rows @ every.T + 0.05 * np.random.default_rng(seed).standard_normal((60, L))
    given = problem(np.sort(readings, axis=1)[:, :, None] / 0.05, rows[:, None, :], np.eye(1))
    behind = readings / 0.05
    right = alternate(given, np.linalg.lstsq(rows, behind, rcond=None)[0].T)
    behind[30:, :2] = behind[30:, 1::-1]
    wrong = alternate(given, np.linalg.lstsq(rows, behind, rcond=None)[0].T)
    assert wrong.cost > 1.2 * right.cost
    ends = exchanges(given, wrong, 1.0)
    assert 0 < len(ends) <= exchanging.FOLLOWED + 1
    assert len(exchanges(given, wrong, 1.0, most=3)) <= 4
    assert improved(given, wrong).cost <= right.cost + 1e-9
