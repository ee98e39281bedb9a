"""Moves between solutions."""

import numpy as np
import pytest

from tests.search.problems import draw, given
from vieta.search.moves import DIFFERENT, alternatives, local_solutions, random_starts, resolved, subsets
from vieta.search.problem import alternate, distance, gaps


def test_random_starts_spread_as_the_readings_do():
    sets, psi, _ = draw("curve", 4, 0.1, 300, 0)
    one = given(sets, psi, 0.1)
    starts = random_starts(one, 400, np.random.default_rng(0))
    spread = np.mean([(one.means(start) ** 2).mean() for start in starts])
    assert 0.5 < spread / (one.sets**2).mean() < 2.0


def test_local_solutions_come_best_first():
    sets, psi, _ = draw("season", 3, 0.2, 200, 0)
    costs = [one.cost for one in local_solutions(given(sets, psi, 0.2), 8, np.random.default_rng(0))]
    assert costs == sorted(costs)
    assert len(costs) == 8


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["curve", "season"])
def test_moves_disentangle_two_systems(kind, seed):
    """Two systems that have exchanged a coordinate are a local solution of its own; a move of the pair finds the right one."""
    sets, psi, theta = draw(kind, 5, 0.05, 300, seed)
    one = given(sets, psi, 0.05)
    wrong = theta.copy()
    wrong[[0, 1], 1] = theta[[1, 0], 1]
    stuck = alternate(one, wrong)
    found = resolved(one, stuck, np.random.default_rng(0))
    assert found.cost <= stuck.cost
    assert distance(one, found.theta, theta) < DIFFERENT


def test_alternatives_make_nearly_the_same_sets_and_differ():
    """Two lines that cross, and two that touch and part again, have nearly the same values at x = 0, 1, 2, 3."""
    rows = np.stack([np.ones(300), np.arange(300) % 4], axis=1)
    own = np.array([[0.0, 1.0], [3.0, -1.0]])  # values {0, 3}, {1, 2}, {2, 1}, {3, 0}
    one = given((rows @ own.T)[:, :, None], rows[:, None], 0.1)
    found = list(alternatives(one, own, [0, 1], np.random.default_rng(0)))
    assert found
    assert all(distance(one, other.theta, own) > DIFFERENT for other in found)
    assert [other.cost for other in found] == sorted(other.cost for other in found)
    assert found[0].cost < ((one.means(own) - one.means(own).mean(axis=1, keepdims=True)) ** 2).sum()


@pytest.mark.parametrize("seed", range(3))
def test_all_systems_of_an_alternative_change(seed):
    """Of three systems two have an alternative, the third is far from both: no alternative of the three leaves it in its place."""
    rows = np.stack([np.ones(300), np.arange(300) % 4], axis=1)
    own = np.array([[0.0, 1.0], [3.0, -1.0], [100.0, 0.0]])
    one = given((rows @ own.T)[:, :, None], rows[:, None], 0.1)
    assert list(alternatives(one, own, [0, 1], np.random.default_rng(seed)))
    found = list(alternatives(one, own, [0, 1, 2], np.random.default_rng(seed)))
    assert all(gaps(one, own, other.theta).min() > DIFFERENT for other in found)
    assert all(other.cost > 1000.0 for other in found)  # nothing that leaves the third in its place is among them


def test_subsets():
    pairs = subsets(4, 2, np.random.default_rng(0))
    assert sorted(map(tuple, pairs)) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert len(subsets(12, 3, np.random.default_rng(0))) == 60
