"""The weighted estimator's error, against its definition in the coefficients."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from tests.estimation.efficient.cases import covariance, twin
from vieta.simulation import inputs, noise
from vieta.theory import efficient_covariance, labeled_covariance, least_squares_covariance


@pytest.mark.parametrize("L", [1, 2, 3, 4])
def test_one_input_against_the_coefficients(L):
    theta = np.array([-1.5, 0.3, 1.4, 3.0])[:L, None]
    for variance in (0.01, 0.5):
        _, information, _ = twin(theta, theta, np.array([[variance]]))
        found = efficient_covariance(theta, variance).covariance
        assert_allclose(found, np.linalg.inv(information), rtol=1e-6)


def test_the_mean_over_normal_inputs_against_quadrature():
    theta, variance = np.array([[4.0], [5.0]]), 4.0

    def entry(i, j):
        def integrand(psi):
            return psi**2 * twin(psi * theta, psi * theta, np.array([[variance]]))[1][i, j] * np.exp(-0.5 * psi**2)

        return quad(integrand, 1e-6, 10, limit=200)[0] * 2 / np.sqrt(2 * np.pi)

    information = [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
    found = efficient_covariance(theta, variance, inputs.Gaussian()).covariance
    assert_allclose(found, np.linalg.inv(information), rtol=1e-6)


def test_a_sample_of_rows_against_the_coefficients():
    rng = np.random.default_rng(3)
    theta, rows, variance = np.array([[1.0, -2.0], [2.0, 1.0]]), rng.normal(size=(40, 2)), 0.3
    information = np.zeros((4, 4))
    for row in rows:
        m = theta @ row[:, None]
        information += np.kron(twin(m, m, np.array([[variance]]))[1], np.outer(row, row)) / len(rows)
    found = efficient_covariance(theta, noise.Laplace(variance), rows)
    assert_allclose(found.covariance, np.linalg.inv(information), rtol=1e-6)
    assert found.coefficients is None


def test_vectors_against_the_coefficients_along_the_best_direction():
    from vieta.estimation.efficient.vector import best_direction

    rng = np.random.default_rng(5)
    for _ in range(3):
        theta, C = rng.normal(size=(3, 2)) * 2, covariance(rng, 2, 0.02)
        _, information, _ = twin(theta, theta, C, best_direction(theta, np.linalg.inv(C)))
        found = efficient_covariance(theta, C).covariance
        assert_allclose(found, np.linalg.inv(information), rtol=1e-6, atol=1e-8)
        assert np.trace(found) > np.trace(labeled_covariance(theta, C).covariance)


def test_without_inputs_there_is_nothing_to_weight():
    """As many coefficients as numbers, and every set alike: least squares has the same error."""
    for theta in ([1.0, 2.0], [-2.0, 0.5, 3.0]):
        weighted, plain = efficient_covariance(theta, 0.3), least_squares_covariance(theta, 0.3)
        assert_allclose(weighted.covariance, plain.covariance, rtol=1e-6)
    assert np.trace(efficient_covariance(theta, 0.3, inputs.Gaussian()).covariance) < 0.5 * np.trace(
        least_squares_covariance(theta, 0.3, inputs.Gaussian()).covariance
    )


def test_little_noise_costs_no_labels():
    found = efficient_covariance([-2, 5, 8], 1e-4, inputs.Gaussian()).covariance
    assert_allclose(found, labeled_covariance([-2, 5, 8], 1e-4, inputs.Gaussian()).covariance, rtol=2e-2, atol=1e-6)
