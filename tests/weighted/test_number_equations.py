"""Shares of sets of numbers, against the slow twin, and how they add up."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import close, draw_sets, twin
from vieta.weighted.equations import accumulate, each_score
from vieta.weighted.number_equations import accumulate_numbers, bounded, share_of_numbers


@pytest.mark.parametrize(("squares", "weight"), [(0.0, 1.0), (3.9, 1.0), (16.0, 0.5), (100.0, 0.2), (np.inf, 0.0)])
def test_weight_of_a_set(squares, weight):
    assert_allclose(bounded(squares, 2.0), weight)
    assert bounded(squares, np.inf) == 1.0


@pytest.mark.parametrize(("L", "D"), [(1, 1), (2, 1), (3, 2), (4, 3)])
def test_share_against_the_twin(L, D):
    theta, psi, sets = draw_sets(L, 1, D, 5, 0)
    for y, x in zip(sets, psi):
        n = L * D
        work, score, information = np.empty((4 + 4 * L, L)), np.empty(n), np.zeros((n, n))
        squares = share_of_numbers(y[:, 0], x[0], theta, 0.3, np.inf, np.empty(L, np.int64), work, score, information)
        by_mean = twin(y, theta @ x.T, np.array([[0.3]]))
        G = np.kron(np.eye(L), x)
        assert close(score, G.T @ by_mean[0], 1e-6)
        assert close(np.tril(information), np.tril(G.T @ by_mean[1] @ G), 1e-6)
        assert_allclose(squares, by_mean[2] / L, rtol=1e-6)
        assert_allclose(work[0], (theta @ x.T)[:, 0])


def test_it_is_compiled_once_for_any_number_of_systems_and_inputs():
    for L, D in ((1, 1), (3, 1), (2, 2), (5, 3)):
        theta, psi, sets = draw_sets(L, 1, D, 4, 0)
        for y in (sets, np.asfortranarray(sets), sets[::2]):
            accumulate(y, psi[: len(y)], theta, 0.3 * np.eye(1), cap=2.0)
            each_score(y, psi[: len(y)], np.asfortranarray(theta), 0.3 * np.eye(1))
    assert len(accumulate_numbers.signatures) == 1
