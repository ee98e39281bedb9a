"""The weighted estimator's error, against its definition in the coefficients."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from tests import naive
from tests.weighted.cases import covariance, set_error, solved, twin
from vieta.laws import inputs, noise
from vieta.theory import efficient_covariance, labeled_covariance, least_squares_covariance


@pytest.mark.parametrize("L", [1, 2, 3, 4])
def test_one_input_against_the_coefficients(L):
    theta = np.array([-1.5, 0.3, 1.4, 3.0])[:L, None]
    for variance in (0.01, 0.5):
        _, information, _ = twin(theta, theta, np.array([[variance]]))
        found = efficient_covariance(theta, variance, online=True).covariance
        assert_allclose(found, np.linalg.inv(information), rtol=1e-6)


def test_the_mean_over_normal_inputs_against_quadrature():
    theta, variance = np.array([[4.0], [5.0]]), 4.0

    def entry(i, j):
        def integrand(psi):
            return psi**2 * twin(psi * theta, psi * theta, np.array([[variance]]))[1][i, j] * np.exp(-0.5 * psi**2)

        return quad(integrand, 1e-6, 10, limit=200)[0] * 2 / np.sqrt(2 * np.pi)

    information = [[entry(0, 0), entry(0, 1)], [entry(1, 0), entry(1, 1)]]
    found = efficient_covariance(theta, variance, inputs.Gaussian(), online=True).covariance
    assert_allclose(found, np.linalg.inv(information), rtol=1e-6)


def test_a_sample_of_rows_against_the_coefficients():
    rng = np.random.default_rng(3)
    theta, rows, variance = np.array([[1.0, -2.0], [2.0, 1.0]]), rng.normal(size=(40, 2)), 0.3
    information = np.zeros((4, 4))
    for row in rows:
        m = theta @ row[:, None]
        information += np.kron(twin(m, m, np.array([[variance]]))[1], np.outer(row, row)) / len(rows)
    found = efficient_covariance(theta, noise.Laplace(variance), rows, online=True)
    assert_allclose(found.covariance, np.linalg.inv(information), rtol=1e-6)
    assert found.coefficients is None


def test_vectors_against_the_coefficients():
    rng = np.random.default_rng(5)
    for _ in range(3):
        theta, C = rng.normal(size=(3, 2)) * 2, covariance(rng, 2, 0.02)
        _, information, _ = twin(theta, theta, C)
        online = efficient_covariance(theta, C, online=True).covariance
        assert_allclose(online, np.linalg.inv(information), rtol=1e-6, atol=1e-8)
        found, labeled = (
            np.trace(efficient_covariance(theta, C).covariance),
            np.trace(labeled_covariance(theta, C).covariance),
        )
        assert labeled < found < np.trace(online)  # products join in where an input is shared
    for psi in (rng.normal(size=(30, 2, 2)), rng.normal(size=30)):  # and only there
        batch, online = (efficient_covariance(theta, C, psi, online=online).covariance for online in (False, True))
        assert_allclose(batch, online)


def test_vectors_with_a_covariance_for_each_system():
    theta = np.array([[0.0, 0.0], [1.5, 0.5], [-1.0, 2.0]])
    each = np.array([0.3 * np.eye(2), 0.6 * np.eye(2), np.array([[0.5, 0.2], [0.2, 0.4]])])
    rng = np.random.default_rng(0)
    roots = np.linalg.cholesky(each)
    law = noise.Gaussian(each)
    predicted = np.trace(efficient_covariance(theta, law).covariance)
    runs = np.array([_error(theta, roots, rng) for _ in range(30)])
    error = runs.std() / np.sqrt(len(runs))
    assert abs(runs.mean() - predicted) < 4 * error + 0.1 * predicted
    assert runs.mean() - 4 * error > 0.5 * predicted  # the control
    assert np.trace(each.sum(axis=0)) < predicted < np.trace(_values_alone(theta, each))


def _values_alone(theta, each):
    """The covariance from the values, weighed by the mean covariance, as if that were the noise of all."""
    return np.linalg.inv(twin(theta, theta, each.mean(axis=0))[1])


def _error(theta, roots, rng, n=1000):
    """n times the squared error of one fit."""
    v = np.stack([rng.normal(size=(n, 2)) @ root.T for root in roots], axis=1)
    return n * set_error(solved(rng.permuted(theta + v, axis=0)).theta, theta)


def test_without_inputs_values_alone_leave_nothing_to_weight():
    """As many coefficients as numbers, and every set alike: least squares has the same error."""
    for theta in ([1.0, 2.0], [-2.0, 0.5, 3.0]):
        weighted, plain = efficient_covariance(theta, 0.3, online=True), least_squares_covariance(theta, 0.3)
        assert_allclose(weighted.covariance, plain.covariance, rtol=1e-6)
    assert np.trace(efficient_covariance(theta, 0.3, inputs.Gaussian(), online=True).covariance) < 0.5 * np.trace(
        least_squares_covariance(theta, 0.3, inputs.Gaussian()).covariance
    )


def test_little_noise_costs_no_labels():
    for online in (False, True):
        found = efficient_covariance([-2, 5, 8], 1e-4, inputs.Gaussian(), online=online).covariance
        assert_allclose(found, labeled_covariance([-2, 5, 8], 1e-4, inputs.Gaussian()).covariance, rtol=2e-2, atol=1e-6)


# --- values and their products --------------------------------------------------------------------------------------

FINITE = noise.Finite(1.0, values=(-1.0, 0.5, 3.0), probabilities=(0.5, 0.4, 0.1))
UNIT = np.asarray(FINITE.values) / np.sqrt(np.asarray(FINITE.probabilities) @ np.asarray(FINITE.values) ** 2)


def moments_of_coefficients(unknowns):
    """Exact mean and covariance of e_1 .. e_L and all their products, for means and variances (2 L,), by enumeration."""
    means, variances = np.split(np.asarray(unknowns), 2)
    rows, chances = [], []
    for outcome in product(range(3), repeat=len(means)):
        e = naive.elementary(means + np.sqrt(variances) * UNIT[list(outcome)])
        rows.append(np.concatenate([e, np.outer(e, e)[np.tril_indices(len(e))]]))
        chances.append(np.prod(np.asarray(FINITE.probabilities)[list(outcome)]))
    z, w = np.array(rows), np.array(chances)
    centred = z - w @ z
    return w @ z, centred.T @ (centred * w[:, None])


@pytest.mark.parametrize("variances", [(0.3, 0.3), (0.5, 0.2)])
@pytest.mark.parametrize("psi", [(1.0,), (0.7, -1.6, 0.1)])
def test_values_and_products_against_enumeration(psi, variances):
    theta = np.array([-0.4, 1.1])
    information = np.zeros((4, 4))
    for x in psi:
        unknowns = np.concatenate([x * theta, variances])
        _, V = moments_of_coefficients(unknowns)
        J = naive.derivative(lambda u: moments_of_coefficients(u)[0], unknowns) * np.r_[x, x, 1.0, 1.0]
        information += J.T @ np.linalg.solve(V, J) / len(psi)
    expected = np.linalg.inv(information)[:2, :2]
    law = noise.Finite(variances, FINITE.values, FINITE.probabilities)
    assert_allclose(efficient_covariance(theta, law, np.array(psi)).covariance, expected, rtol=1e-5)


def test_products_help_where_noise_is_large_and_systems_are_few():
    def gain(theta, law):
        both = [
            np.trace(efficient_covariance(theta, law, inputs.Gaussian(), online=online).covariance) for online in (1, 0)
        ]
        return both[0] / both[1]

    assert 1.2 < gain([4, 5], noise.Gaussian(4.0)) < 1.4
    assert 1.0 < gain([4, 5], noise.Laplace(4.0)) < gain([4, 5], noise.Gaussian(4.0))
    assert gain([4, 5], noise.Uniform(4.0)) > gain([4, 5], noise.Gaussian(4.0))
    assert gain([4, 5], 1e-4) == pytest.approx(1.0, abs=0.01)
    assert 1.001 < gain(range(6), 0.1) < 1.2  # neighbours only
    assert gain(range(13), 0.1) == 1.0  # too many


def test_heavy_laws_are_weighted_as_milder_ones():
    """Infinite kurtosis leaves the products next to nothing to say."""
    for law in (noise.StudentT(0.25, df=3.0), noise.StudentT(0.25, df=4.05)):
        batch, values = (np.trace(efficient_covariance([-1, 0.5], law, online=online).covariance) for online in (0, 1))
        assert 0.98 < batch / values < 1.0
    signs, values = (efficient_covariance([-1, 0.5], noise.Finite(0.25), online=online).covariance for online in (0, 1))
    assert np.trace(signs) < np.trace(values)
