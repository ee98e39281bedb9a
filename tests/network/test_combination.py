"""Weights and failing links: doubly stochastic always, and the closed form of their moments against enumeration and draws."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.errors import InputError
from vieta.network import complete, grid, metropolis, random_links, ring, star
from vieta.network.combination import Combination, as_weights


@pytest.mark.parametrize("links", [ring(6), star(5), grid(2, 3), complete(4), random_links(9, 0.4)])
def test_metropolis_weights_are_doubly_stochastic(links):
    W = metropolis(links)
    assert_allclose(W.sum(axis=0), 1.0, atol=1e-12)
    assert_allclose(W, W.T)
    assert ((W > 0) >= links).all()
    assert (W[~links & ~np.eye(len(W), dtype=bool)] == 0).all()


def every_outcome(W, q):
    """All combinations of failing links with their probabilities."""
    links = np.argwhere(np.triu(W, k=1) > 0)
    for outcome in product([0.0, 1.0], repeat=len(links)):
        C, chance = np.eye(len(W)), 1.0
        for (i, j), held in zip(links, outcome):
            chance *= (1 - q) if held else q
            apart = np.eye(len(W))[i] - np.eye(len(W))[j]
            C = C - held * W[i, j] * np.outer(apart, apart)
        yield C, chance


@pytest.mark.parametrize("links", [ring(4), star(4), complete(4)])
def test_moments_of_failing_links_by_enumeration(links):
    q, X = 0.3, np.random.default_rng(0).normal(size=(4, 4))
    W = metropolis(links)
    expected = sum(chance * C @ X @ C.T for C, chance in every_outcome(W, q))
    assert_allclose(Combination.of(W, q).moved(X), expected, rtol=1e-12, atol=1e-13)
    assert_allclose(Combination.of(W, q).mean, sum(p * C for C, p in every_outcome(W, q)), atol=1e-13)
    assert not np.allclose(Combination.of(W, q).mean @ X @ Combination.of(W, q).mean.T, expected, rtol=1e-3)
    second = sum(p * np.kron(C, C) for C, p in every_outcome(W, q))  # acts on vec X
    apart = np.kron(np.eye(4) - 0.25, np.eye(4) - 0.25)
    size = abs(np.linalg.eigvals(apart @ second @ apart)).max()
    assert_allclose(Combination.of(W, q).mixing, np.sqrt(size), rtol=1e-3)


def test_drawn_combinations_stay_doubly_stochastic_and_fail_as_often_as_asked():
    found = Combination.of(metropolis(grid(3, 3)), 0.25)
    C = found.drawn(7, 0, 400, 3)
    assert C.shape == (400, 3, 9, 9)
    assert_allclose(C.sum(axis=-1), 1.0, atol=1e-12)
    assert_allclose(C, np.swapaxes(C, -1, -2))
    assert C.min() >= 0.0
    i, j = found.links
    failed = (C[:, :, i, j] == 0.0).mean()
    assert abs(failed - 0.25) < 5 * np.sqrt(0.25 * 0.75 / (1200 * len(i)))
    assert_allclose(found.drawn(7, 100, 5, 3), C[100:105])  # a step's links depend on its number only
    assert (found.drawn(8, 0, 5, 3) != C[:5]).any()


def test_without_failures_there_is_one_combination():
    W = metropolis(ring(5))
    assert_allclose(Combination.of(W).drawn(0, 3, 10, 4), W[None, None])


@pytest.mark.parametrize(
    ("weights", "failing", "code"),
    [
        (np.ones((2, 3)), 0.0, "weights-shape"),
        (np.array([[0.5, 0.5], [0.4, 0.5]]), 0.0, "not-doubly-stochastic"),
        (np.array([[0.5, 0.5], [1.0, 0.0]]), 0.0, "not-doubly-stochastic"),
        (np.array([[1.5, -0.5], [-0.5, 1.5]]), 0.0, "not-doubly-stochastic"),
        (np.eye(2), 0.0, "weights-not-connected"),
        (np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]), 0.1, "weights-one-way"),
        (np.full((2, 2), 0.5), 1.0, "out-of-range"),
        (np.full((2, 2), np.nan), 0.0, "not-finite"),
    ],
)
def test_other_weights_are_refused(weights, failing, code):
    with pytest.raises(InputError) as caught:
        Combination.of(weights, failing)
    assert caught.value.code == code
    assert "{" not in str(caught.value)


def test_a_cycle_of_one_way_links_is_doubly_stochastic():
    assert len(as_weights(np.roll(np.eye(3), 1, axis=1))) == 3
