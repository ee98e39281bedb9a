"""The best guess on one set, against all permutations looked at one by one."""

from itertools import permutations
from math import log, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from vieta.anonymity.guesses import assign, by_assignment, by_association, by_enumeration, explained
from vieta.anonymity.reading_weights import log_weights
from vieta.laws.noise import Finite, Gaussian, Laplace


def naive(weights, prior):
    """Posterior of each permutation of one set, as a dict."""
    L = len(weights)
    joint = {s: p * prod(np.exp(weights[i, s[i]]) for i in range(L)) for s, p in zip(permutations(range(L)), prior)}
    total = sum(joint.values())
    return {s: p / total for s, p in joint.items()}


def naive_guess(posterior):
    best = max(posterior, key=posterior.get)
    systems = range(len(best))

    def holds(i, l):
        return sum(p for s, p in posterior.items() if s[i] == l)

    right = [holds(best.index(l), l) for l in systems]
    alone = [max(holds(i, l) for i in systems) for l in systems]
    return 1 - posterior[best], right, alone, -sum(p * log(p) for p in posterior.values() if p > 0)


def orders(L):
    return np.array(list(permutations(range(L))))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5), st.floats(0.1, 5.0))
def test_every_way_agrees_with_the_definition(seed, L, scale):
    rng = np.random.default_rng(seed)
    weights = scale * rng.normal(size=(3, L, L))
    uniform, prior = np.full(len(orders(L)), 1 / len(orders(L))), rng.dirichlet(np.ones(len(orders(L))))
    for guesses, chances in (
        (by_association(weights), uniform),
        (by_enumeration(weights, uniform, orders(L)), uniform),
        (by_enumeration(weights, prior, orders(L)), prior),
    ):
        for k in range(3):
            wrong, right, alone, surprise = naive_guess(naive(weights[k], chances))
            assert_allclose(guesses.wrong[k], wrong, atol=1e-9)
            assert_allclose(guesses.right[k], right, atol=1e-9)
            assert_allclose(guesses.alone[k], alone, atol=1e-9)
            assert_allclose(guesses.surprise[k], surprise, atol=1e-8)


@pytest.mark.parametrize("L", [3, 8, 30])
def test_numbers_with_gaussian_noise_are_guessed_by_rank(L):
    rng = np.random.default_rng(L)
    theta = rng.normal(size=L)
    y = theta + rng.normal(size=(50, L))
    weights = log_weights(Gaussian(1.0), y[:, :, None], np.broadcast_to(theta[:, None], (50, L, 1)))
    by_rank = np.empty_like(y, dtype=int)
    np.put_along_axis(by_rank, np.argsort(y, axis=1), np.argsort(theta)[None].repeat(50, axis=0), axis=1)
    assert np.array_equal(assign(weights), by_rank)


def test_an_assignment_is_tallied_by_system():
    weights = np.log([[[0.1, 0.8, 0.1], [0.8, 0.1, 0.1], [0.1, 0.1, 0.8]]])  # guess: readings from systems 1, 0, 2
    found = by_assignment(weights, np.array([[1, 2, 0]]))
    assert found.wrong.tolist() == [1.0]
    assert found.right.tolist() == [[0.0, 1.0, 0.0]]
    assert np.isnan(found.alone).all()


def test_impossible_pairs_are_never_named():
    weights = np.log(
        np.array([[[1.0, 0.0], [1.0, 1.0]]]), where=np.array([[[1, 0], [1, 1]]], bool), out=np.full((1, 2, 2), -np.inf)
    )
    found = by_association(weights)
    assert_allclose(found.wrong, 0.0, atol=1e-12)
    assert_allclose(found.surprise, 0.0, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 4), st.floats(0.1, 1e3))
def test_a_set_that_nothing_explains_is_guessed_with_the_fewest_impossible_pairs(seed, L, scale):
    rng = np.random.default_rng(seed)
    weights = scale * rng.normal(size=(4, L, L))
    weights[rng.random(weights.shape) < 0.6] = -np.inf
    for one, guess, whole in zip(weights, assign(weights), explained(weights)):
        scores = [(np.isfinite(pairs).sum(), pairs[np.isfinite(pairs)].sum()) for pairs in one[np.arange(L), orders(L)]]
        pairs = one[np.arange(L), guess]
        assert (np.isfinite(pairs).sum(), pytest.approx(pairs[np.isfinite(pairs)].sum())) == max(scores)
        assert whole == (max(scores)[0] == L)


def test_finite_noise_has_probabilities():
    law = Finite(1.0, values=(-1.0, 3.0), probabilities=(0.75, 0.25))  # values -1 and 3 over sqrt(3)
    a, b = -1 / np.sqrt(3), 3 / np.sqrt(3)
    readings, means = np.array([[[1.0 + a], [2.0 + b]]]), np.array([[[1.0], [2.0]]])
    found = log_weights(law, readings, means)
    assert_allclose(np.exp(found[0]), [[0.75, 0.0], [0.0, 0.25]], atol=1e-12)


def test_weights_are_densities_of_readings_by_systems():
    law, rng = Laplace([1.0, 4.0]), np.random.default_rng(0)
    readings, means = rng.normal(size=(5, 2, 1)), rng.normal(size=(5, 2, 1))
    found = log_weights(law, readings, means)
    for i in range(2):
        for l, sd in enumerate([1.0, 2.0]):
            b = sd / np.sqrt(2)
            assert_allclose(found[:, i, l], -abs(readings[:, i, 0] - means[:, l, 0]) / b - np.log(2 * b))
