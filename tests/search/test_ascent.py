"""Climbing the likelihood."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.search.problems import draw, given
from vieta.search.ascent import COOLING, STEPS, Climbed, anneal, climb, likeliest
from vieta.search.moves import random_starts
from vieta.search.problem import expect, regressed


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("kind", ["normal", "season"])
def test_the_end_is_a_fixed_point_of_em_and_higher(kind, seed):
    sets, psi, theta = draw(kind, 3, 0.5, 200, seed)
    one = given(sets, psi, 0.5)
    found = climb(one, theta + 0.1, iterations=2000, gain=1e-10)
    assert_allclose(expect(one, found.theta).logs.sum(), found.likelihood)
    assert found.likelihood > expect(one, theta + 0.1).logs.sum()
    assert_allclose(regressed(one, expect(one, found.theta).readings), found.theta, atol=1e-4)


def test_each_iteration_may_be_the_last_and_none_goes_down():
    sets, psi, theta = draw("normal", 3, 1.0, 100, 0)
    one = given(sets, psi, 1.0)
    reached = [climb(one, theta + 0.5, iterations=n, gain=0.0).likelihood for n in range(12)]
    assert (np.diff(reached) >= 0.0).all()


def test_a_climb_that_cannot_reach_its_goal_is_given_up():
    sets, psi, theta = draw("normal", 3, 0.5, 200, 0)
    one = given(sets, psi, 0.5)
    whole = climb(one, theta + 0.3)
    given_up = climb(one, theta + 0.3, goal=whole.likelihood + 1000.0)
    assert given_up.likelihood < whole.likelihood
    assert climb(one, theta + 0.3, goal=whole.likelihood - 1.0).likelihood == whole.likelihood


def naive_step(one, theta, variance):
    """EM by all permutations of each set."""
    means, expected = one.means(theta)[:, :, 0], np.zeros(one.sets.shape[:2])
    for k, (y, m) in enumerate(zip(one.sets[:, :, 0], means)):
        orders = np.array(list(permutations(range(len(y)))))
        logs = -0.5 * ((y[orders] - m) ** 2).sum(axis=1) / variance
        weights = np.exp(logs - logs.max())
        expected[k] = weights @ y[orders] / weights.sum()
    return (np.linalg.pinv(one.psi[:, 0]) @ expected).T


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_annealing_is_em_at_falling_variances(seed):
    sets, psi, theta = draw("season", 3, 0.5, 30, seed)
    one = given(sets, psi, 0.5)
    start = theta + 0.3
    want = start
    for variance in COOLING:
        for _ in range(STEPS):
            want = naive_step(one, want, variance)
    assert_allclose(anneal(one, start), want, rtol=1e-8, atol=1e-8)
    assert abs(naive_step(one, start, 1.0) - naive_step(one, start, COOLING[0])).max() > 1e-3  # the variance matters


def test_annealed_starts_end_as_high_as_the_truth_more_often():
    """Half of them or more, in problems of which a climb from random parameters finds hardly any."""
    annealed = plain = 0
    for seed in range(4):
        sets, psi, theta = draw("season", 4, 0.5, 100, seed)
        one = given(sets, psi, 0.5)
        top = climb(one, theta).likelihood - 0.5
        for start in random_starts(one, 10, np.random.default_rng(seed)):
            annealed += climb(one, anneal(one, start)).likelihood > top
            plain += climb(one, start).likelihood > top
    assert annealed > plain + 2.0 * np.sqrt(40 * 0.25), (annealed, plain)


def test_the_likeliest_that_are_apart_come_first():
    sets, psi, theta = draw("normal", 3, 0.5, 50, 0)
    one = given(sets, psi, 0.5)
    met = [
        Climbed(height, theta + shift)
        for height, shift in ((-3.0, 2.0), (-1.0, 0.001), (-2.0, 1.0), (-2.5, 1.001), (-9.0, 3.0))
    ]
    found = likeliest(one, met, theta, 0.2, 2)
    assert [each.likelihood for each in found] == [-2.0, -3.0]
    assert likeliest(one, met, theta, 0.2, 0) == []
