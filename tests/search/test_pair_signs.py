"""Exact moves of two systems: the best of all exchanges of their readings, by trying every one."""

from itertools import product

import numpy as np
import pytest

from vieta.search import pair_signs, sign_trials
from vieta.search.pair_signs import MANY, _best_signs, pairs_solved
from vieta.search.problem import alternate, problem


def random_form(n, seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, 3))
    half = rng.standard_normal(n)
    return (np.eye(n) - rows @ np.linalg.pinv(rows)) * np.outer(half, half)


@pytest.mark.parametrize("seed", range(4))
def test_turning_signs_one_by_one_finds_the_best_of_sixteen(seed):
    form = random_form(16, seed)
    every = np.array(list(product([1.0, -1.0], repeat=16)))
    least = ((every @ form) * every).sum(axis=1).min()
    signs = _best_signs(form, np.random.default_rng(seed).choice([-1.0, 1.0], (48, 16)))
    assert signs @ form @ signs == pytest.approx(least, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("n", "seed"), [(12, 0), (12, 1), (30, 0), (30, 1)])
def test_two_systems_are_solved_whatever_the_start(n, seed):
    rng = np.random.default_rng(seed)
    rows = np.vander(np.linspace(-1.0, 1.0, n), 3, increasing=True)
    theta = rng.standard_normal((2, 3)) * 20.0
    readings = rows @ theta.T + rng.standard_normal((n, 2))
    given = problem(np.sort(readings, axis=1)[:, :, None], rows[:, None, :], np.eye(1))
    right = alternate(given, theta)
    for _ in range(5):
        start = alternate(given, 20.0 * rng.standard_normal((2, 3)))
        assert pairs_solved(given, start, rng).cost <= right.cost + 1e-9


def test_more_sets_than_it_takes_are_left_as_they_are():
    rng = np.random.default_rng(0)
    given = problem(rng.standard_normal((65, 2, 1)), np.ones((65, 1, 1)), np.eye(1))
    now = alternate(given, np.array([[-1.0], [1.0]]))
    assert pairs_solved(given, now, rng) is now


@pytest.mark.parametrize("n", [12, 24])
@pytest.mark.parametrize("seed", range(3))
def test_of_many_systems_only_pairs_that_changed_are_solved_again(n, seed, monkeypatch):
    rng, L = np.random.default_rng(seed), MANY + 4
    rows = np.vander(np.linspace(-1.0, 1.0, n), 3, increasing=True)
    theta = rng.standard_normal((L, 3)) * 20.0
    readings = rows @ theta.T + 0.1 * rng.standard_normal((n, L))
    given = problem(np.sort(readings, axis=1)[:, :, None], rows[:, None, :], np.eye(1))
    right = pairs_solved(given, alternate(given, theta), rng)
    tried = []
    first_exchange = sign_trials.first_exchange

    def counted(readings, basis, open_, *rest):
        before = np.triu(open_, 1).sum()
        found = first_exchange(readings, basis, open_, *rest)
        tried.extend([1] * (before - np.triu(open_, 1).sum()))
        return found

    monkeypatch.setattr(sign_trials, "first_exchange", counted)
    monkeypatch.setattr(pair_signs, "_best_signs", lambda *args: tried.append(1) or _best_signs(*args))
    assert pairs_solved(given, right, rng, known=right) is right
    assert tried == []
    mixed = right.theta.copy()
    mixed[[2, 7]] = np.array([[0.5, 0.5], [0.25, 0.75]]) @ mixed[[2, 7]]
    wrong = alternate(given, mixed, 1)
    assert wrong.cost > right.cost
    again = pairs_solved(given, wrong, rng, known=right)
    assert len(tried) < 4 * L * (L - 1) // 2
    assert again.cost <= pairs_solved(given, wrong, rng).cost * (1.0 + 1e-6)
