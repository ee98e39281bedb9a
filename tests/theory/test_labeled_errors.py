"""The analyst who has the labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import solve_continuous_lyapunov

from vieta.laws import inputs, noise
from vieta.laws.linear import respond
from vieta.paper.baselines import labeled_least_squares
from vieta.theory import labeled_covariance, labeled_lms_covariance

THETA = np.array([[1.0, 2.0], [3.0, -1.0]])
C = np.array([[[0.5, 0.2], [0.2, 0.3]], [[1.0, -0.4], [-0.4, 2.0]]])


def test_numbers_have_their_variance_over_the_power_of_the_inputs():
    found = labeled_covariance([4, 5, 5], [1.0, 2.0, 3.0], inputs.Gaussian(1.0, 3.0))
    assert_allclose(found.covariance, np.diag([1.0, 2.0, 3.0]) / 4.0)
    assert_allclose(
        labeled_lms_covariance([4, 5], [1.0, 2.0], inputs.Gaussian(1.0, 3.0)).covariance, np.diag([0.5, 1.0])
    )


def test_matrices_against_the_formulas():
    psi = np.random.default_rng(0).normal(size=(50, 2, 2))
    G = np.einsum("npi,npj->ij", psi, psi) / 50
    for l in (0, 1):
        block = slice(2 * l, 2 * l + 2)
        meat = np.einsum("npi,pq,nqj->ij", psi, C[l], psi) / 50
        found = labeled_covariance(THETA, C, psi).covariance
        assert_allclose(found[block, block], np.linalg.inv(G) @ meat @ np.linalg.inv(G), rtol=1e-9)
        assert_allclose(found[:2, 2:], 0.0)
        found = labeled_lms_covariance(THETA, C, psi).covariance
        assert_allclose(found[block, block], solve_continuous_lyapunov(G, meat), rtol=1e-9)


@pytest.mark.parametrize("law", [None, inputs.Uniform(-2.0, 2.0), inputs.Matrices()], ids=str)
def test_labeled_least_squares_says_the_same_of_itself(law):
    rng, n = np.random.default_rng(1), 4000
    psi = None if law is None else law.draw(rng, n, 2)
    clean = respond(psi, np.broadcast_to(THETA, (n, 2, 2)))
    fit = labeled_least_squares(clean + noise.Gaussian(C).draw(rng, n, 2, 2), psi)
    predicted = labeled_covariance(THETA, C, law).after(n)
    assert_allclose(fit.cov, predicted, rtol=0.2, atol=0.1 * abs(predicted).max())
    assert_allclose(fit.stderr, labeled_covariance(THETA, C, law).stderr(n), rtol=0.1)
