import numpy as np
import padasip
import pytest
from numpy.testing import assert_allclose

from vieta.errors import NotIdentifiableError
from vieta.paper.baselines import labeled_least_squares, labeled_lms

from .data import KINDS, labeled, matrices


def naive_lms(readings, inputs, step, start, p, D):
    """The definition in Python floats, summed in the order of the indices."""
    theta = [list(map(float, row)) for row in start]
    y = readings.reshape(len(readings), -1, p)
    for Y, Psi in zip(y.tolist(), matrices(inputs, len(y), p, D).tolist()):
        for l, row in enumerate(Y):
            errors = [row[i] - sum(Psi[i][j] * theta[l][j] for j in range(D)) for i in range(p)]
            moves = [sum(step * Psi[i][j] * errors[i] for i in range(p)) for j in range(D)]
            theta[l] = [t + move for t, move in zip(theta[l], moves)]
    return np.array(theta)


@pytest.mark.parametrize("kind", KINDS)
def test_lms_is_the_definition(kind):
    readings, inputs, theta = labeled(kind)
    start = np.random.default_rng(2).normal(size=theta.shape)
    path = labeled_lms(readings, inputs, step=0.03, start=start)
    p, D, _ = KINDS[kind]
    assert_allclose(path.final, naive_lms(readings, inputs, 0.03, start, p, D), rtol=1e-13)


def test_lms_agrees_with_padasip():
    readings, inputs, theta = labeled("rows", n=500)
    path = labeled_lms(readings, inputs, step=0.05, record_every=1)
    for l in range(len(theta)):
        oracle = padasip.filters.FilterLMS(n=3, mu=0.05, w="zeros")
        _, _, history = oracle.run(readings[:, l], inputs)
        assert_allclose(path.theta[:-1, l], history[1:], rtol=0, atol=1e-10)
        assert_allclose(path.final[l], oracle.w, rtol=0, atol=1e-10)


def test_lms_needs_the_transpose():
    rotation = np.broadcast_to([[0.0, -1.0], [1.0, 0.0]], (400, 2, 2))  # Psi in place of Psi' would run away
    truth = np.array([[1.0, 2.0], [-3.0, 0.5]])
    path = labeled_lms(np.einsum("npd,ld->nlp", rotation, truth), rotation, step=0.1)
    assert_allclose(path.final, truth, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_least_squares_agrees_with_lstsq(kind):
    readings, inputs, theta = labeled(kind, n=20_000)
    p, D, _ = KINDS[kind]
    X = matrices(inputs, len(readings), p, D).reshape(-1, D)
    Y = readings.reshape(len(readings), -1, p).swapaxes(1, 2).reshape(len(X), -1)
    fit = labeled_least_squares(readings, inputs)
    assert_allclose(fit.theta, np.linalg.lstsq(X, Y)[0].T, rtol=1e-12, atol=1e-13)
    assert_allclose(fit.theta, theta, atol=0.01)
    assert fit.noise_var.shape == (len(theta), p, p)


def test_least_squares_keeps_its_digits_when_inputs_are_nearly_dependent():
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(5000, 3))
    inputs[:, 2] = inputs[:, 0] + 1e-6 * inputs[:, 2]  # plain normal equations lose 12 of 16 digits
    truth = np.array([[1.0, -2.0, 0.5], [2.0, 1.0, -1.0]])
    fit = labeled_least_squares(inputs @ truth.T, inputs)
    assert_allclose(fit.theta, truth, atol=1e-8)


def test_least_squares_covariance_is_the_textbook_one():
    readings, inputs, _ = labeled("rows")
    fit = labeled_least_squares(readings, inputs)
    residuals = readings - inputs @ fit.theta.T
    variances = (residuals**2).sum(axis=0) / (40 - 3)
    assert_allclose(fit.noise_var[:, 0, 0], variances, rtol=1e-12)
    expected = np.kron(np.diag(variances), np.linalg.inv(inputs.T @ inputs))
    assert_allclose(fit.cov, expected, rtol=1e-10, atol=1e-14)
    assert_allclose(fit.stderr.ravel() ** 2, np.diag(expected), rtol=1e-10)


def agrees(sample, predicted, runs):
    """Entries in units of the standard deviations; that of a sample covariance is at most sqrt(2 / (runs - 1))."""
    scale = np.sqrt(np.diag(predicted))
    return np.all(abs(sample - predicted) / np.outer(scale, scale) < 5 * np.sqrt(2 / (runs - 1)))


@pytest.mark.parametrize("kind", ["rows", "scalar, vectors", "square", "tall"])
def test_least_squares_covariance_predicts_monte_carlo(kind):
    p, _, _ = KINDS[kind]
    n, runs, rng = 100, 2000, np.random.default_rng(0)
    readings, inputs, _ = labeled(kind, n=n, n_systems=2, noise=0.0)
    roots = rng.normal(size=(2, p, p))  # a noise covariance of its own for each system
    fits = [
        labeled_least_squares(
            readings + np.einsum("lij,nlj->nli", roots, rng.normal(size=(n, 2, p))).reshape(readings.shape), inputs
        )
        for _ in range(runs)
    ]
    sample = np.cov(np.array([fit.theta.ravel() for fit in fits]).T)
    predicted = np.mean([fit.cov for fit in fits], axis=0)
    assert agrees(sample, predicted, runs)
    assert not agrees(sample, 1.25 * predicted, runs)  # the test can fail
    noise = np.mean([fit.noise_var for fit in fits], axis=0)
    assert_allclose(noise, roots @ roots.swapaxes(1, 2), rtol=0.02, atol=0.02 * abs(roots).max() ** 2)


def test_least_squares_refuses_what_it_cannot_estimate():
    readings, inputs, _ = labeled("rows")
    with pytest.raises(NotIdentifiableError, match="nothing to estimate the noise from after 3 parameter"):
        labeled_least_squares(readings[:3], inputs[:3])
    inputs[:, 2] = inputs[:, 0]
    with pytest.raises(NotIdentifiableError, match="confined to a subspace"):
        labeled_least_squares(readings, inputs)
    with pytest.raises(NotIdentifiableError, match="zero or confined"):
        labeled_least_squares(readings, np.zeros(40))
