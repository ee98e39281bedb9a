"""Shares of sets of vectors: by the chain rule from those about the means."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.weighted.cases import draw_sets
from vieta.weighted.equations import accumulate, each_score
from vieta.weighted.vector_equations import about_parameters, accumulate_vectors


@pytest.mark.parametrize(("L", "p", "D"), [(1, 2, 1), (2, 2, 3), (3, 3, 2)])
def test_chain_rule(L, p, D):
    rng = np.random.default_rng(L)
    psi, s, root = rng.normal(size=(p, D)), rng.normal(size=L * p), rng.normal(size=(L * p, L * p))
    I = root @ root.T
    score, information = np.empty(L * D), np.zeros((L * D, L * D))
    about_parameters(psi, 0.7, s, I, score, information)
    G = np.kron(np.eye(L), psi)
    assert_allclose(score, 0.7 * G.T @ s)
    assert_allclose(np.tril(information), np.tril(0.7 * G.T @ I @ G))


def test_it_is_compiled_once_for_any_number_of_systems_and_inputs():
    for L, p, D in ((2, 2, 2), (3, 2, 1), (2, 3, 3)):
        theta, psi, sets = draw_sets(L, p, D, 4, 0)
        for y in (sets, np.asfortranarray(sets), sets[::2]):
            accumulate(y, psi[: len(y)], theta, 0.3 * np.eye(p), cap=2.0)
            each_score(y, psi[: len(y)], np.asfortranarray(theta), 0.3 * np.eye(p))
    assert len(accumulate_vectors.signatures) == 1
