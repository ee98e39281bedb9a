"""Shares of sets of vectors: by the chain rule from those about the means."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import draw_sets
from vieta.weighted.equations import accumulate, each_score
from vieta.weighted.vector_equations import accumulate_vectors


@pytest.mark.parametrize(("L", "p", "D"), [(1, 2, 1), (2, 2, 3), (3, 3, 2), (3, 2, 2), (2, 4, 3)])
def test_chain_rule(L, p, D):
    theta, psi, sets = draw_sets(L, p, D, 3, 0)
    noise = 0.3 * np.eye(p)
    for y, x in zip(sets, psi):
        means = theta @ x.T
        about_means = accumulate(y[None], np.eye(p)[None], means, noise)
        found = accumulate(y[None], x[None], theta, noise)
        G = np.kron(np.eye(L), x)
        assert_allclose(found.score, G.T @ about_means.score, rtol=1e-7, atol=1e-9)
        assert_allclose(found.information, G.T @ about_means.information @ G, rtol=1e-7, atol=1e-9)
        assert_allclose(found.squares, about_means.squares, rtol=1e-7)


def test_influence_is_bounded():
    theta, psi, sets = draw_sets(3, 2, 2, 50, 1)
    noise = 0.3 * np.eye(2)
    free, bounded = (each_score(sets, psi, theta, noise, cap) for cap in (np.inf, 0.8))
    squares = accumulate(sets, psi, theta, noise).squares
    assert_allclose(bounded, free * np.minimum(1.0, 0.8 / np.sqrt(squares))[:, None], rtol=1e-12)


def test_it_is_compiled_once_for_any_number_of_systems_and_inputs():
    for L, p, D in ((2, 2, 2), (3, 2, 1), (2, 3, 3)):
        theta, psi, sets = draw_sets(L, p, D, 4, 0)
        for y in (sets, np.asfortranarray(sets), sets[::2]):
            accumulate(y, psi[: len(y)], theta, 0.3 * np.eye(p), cap=2.0)
            each_score(y, psi[: len(y)], np.asfortranarray(theta), 0.3 * np.eye(p))
    assert len(accumulate_vectors.signatures) == 1
