"""Simulated sets and the guesses on them: orders as the prior has them, inputs as their weights have them."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.anonymity.simulated import ASSOCIATED, means_at, rules, simulate
from vieta.errors import InputError
from vieta.laws.noise import Gaussian, Skewed
from vieta.laws.points import Points, equally

THETA = np.array([[0.0], [1.0], [3.0]])
ONE = equally(np.ones(1))


def test_orders_are_drawn_by_their_prior():
    prior = np.array([0.5, 0.0, 0.2, 0.0, 0.0, 0.3])
    drawn = rules(3, prior).draw(np.random.default_rng(0), 20_000)
    for order, share in zip(permutations(range(3)), prior):
        seen = (drawn == order).all(axis=1).mean()
        assert abs(seen - share) <= 5 * np.sqrt(share * (1 - share) / 20_000)
    uniform = rules(3, None).draw(np.random.default_rng(0), 20_000)
    assert abs((uniform == (2, 0, 1)).all(axis=1).mean() - 1 / 6) < 5 * np.sqrt(5 / 36 / 20_000)


def test_the_way_to_guess_follows_from_prior_and_number():
    assert rules(3, np.full(6, 1 / 6)).method == "enumeration"
    assert rules(ASSOCIATED, None).method == "assignment and permanents"
    assert rules(ASSOCIATED + 1, None).method == "assignment"


def test_three_ways_agree_on_how_often_the_guess_is_wrong():
    ways = [rules(3, None), rules(3, np.full(6, 1 / 6))]
    found = [simulate(THETA, Gaussian(0.5), ONE, way, 8000, seed=1).wrong for way in ways]
    errors = [one.std() / np.sqrt(len(one)) for one in found]
    assert abs(found[0].mean() - found[1].mean()) < 5 * np.hypot(*errors)
    assert abs(found[0].mean() - 1.2 * found[1].mean()) > 5 * np.hypot(*errors)  # the test can fail


def test_inputs_are_spread_by_their_weights():
    """At psi = 0 all systems read alike, and two thirds of the single guesses are wrong; at a large psi none is."""
    points = Points(np.array([0.0, 100.0]), np.array([0.25, 0.75]))
    found = simulate(THETA, Gaussian(0.5), points, rules(3, None), 4000, seed=0)
    assert_allclose(found.wrong.mean(), 0.25 * 5 / 6, atol=1e-9)
    assert_allclose(found.right.mean(), 0.25 / 3 + 0.75, atol=1e-9)


def test_means_are_readings_without_noise():
    psi = np.random.default_rng(0).normal(size=(4, 2, 1))
    assert_allclose(means_at(THETA, psi), np.einsum("npd,ld->nlp", psi, THETA))
    assert_allclose(means_at(THETA, np.array([2.0])), 2.0 * THETA[None])


def test_a_result_depends_on_the_seed_and_on_nothing_else():
    first, same, other = (simulate(THETA, Gaussian(0.5), ONE, rules(3, None), 500, seed).wrong for seed in (1, 1, 2))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_a_law_that_rounding_puts_beyond_its_edge_is_refused():
    with pytest.raises(InputError) as caught:
        simulate(THETA, Skewed(1.0, skewness=8.0), ONE, rules(3, None), 2000, seed=0)
    assert caught.value.code == "law-at-its-edge"
    assert caught.value.facts["lost"] > 2
