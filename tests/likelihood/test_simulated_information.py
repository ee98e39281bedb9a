"""Averages over simulated sets: against quadrature-free cases, and with controls that are known to be zero."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.errors import ComputationError
from vieta.laws.noise import Gaussian, Laplace
from vieta.laws.setting import as_points
from vieta.likelihood.simulated_information import BATCHES, Averages, Information, estimate, simulate


def test_batches_are_merged_without_loss():
    means = np.random.default_rng(0).normal(size=(2, 3, 100, 2, 2))
    first, second = (Averages(one, np.eye(2), 7) for one in means)
    both = first.merged(second)
    assert_allclose(both.means.mean(axis=1), means.mean(axis=(0, 2)))
    assert both.draws == first.draws + second.draws == 1400
    assert both.means.shape == first.means.shape


def run(theta, law, seed=0, size=40, inputs=None):
    theta = np.asarray(theta, dtype=float)[:, None]
    points = as_points(inputs, 1)
    power = float(points.weights @ points.matrices(1)[:, 0, 0] ** 2)
    with_labels = law.fisher_information() * power / float(law.variance) * np.eye(len(theta))
    return simulate(np.random.default_rng(seed), size, theta, law, points, with_labels), with_labels


@pytest.mark.parametrize("law", [Gaussian(1.0), Laplace(0.5)], ids=repr)
def test_far_apart_the_information_is_that_of_labels_and_controls_leave_no_error(law):
    found, with_labels = run([0.0, 1000.0], law)
    information = estimate(found)
    assert_allclose(information.matrix(), with_labels, rtol=1e-9, atol=1e-9)
    inverse, error = information.inverse()
    assert_allclose(inverse, np.linalg.inv(with_labels), rtol=1e-9, atol=1e-9)
    assert error.max() < 1e-9
    plain = found.means[0].mean(axis=0)  # without control variates there is an error
    assert abs(plain - with_labels).max() > 1e-3


@pytest.mark.parametrize("seed", range(3))
def test_controls_have_mean_zero(seed):
    found, _ = run([0.0, 1.5], Gaussian(1.0), seed)
    for control in found.means[1:]:
        error = control.std(axis=0) / np.sqrt(BATCHES)
        assert np.all(abs(control.mean(axis=0)) < 4.5 * error)
    target = found.means[0]
    assert not np.all(abs(target.mean(axis=0)) < 4.5 * target.std(axis=0) / np.sqrt(BATCHES))  # s s' has not


def test_controls_make_the_error_smaller_and_leave_the_mean():
    found, _ = run([0.0, 2.5], Gaussian(1.0), size=400)
    information = estimate(found)
    U = information.directions
    plain = U.T @ found.means[0] @ U
    assert np.all(information.deviations.std(axis=0) < 0.7 * plain.std(axis=0))
    assert_allclose(information.along, np.eye(2), atol=5 * (plain.std(axis=0) / np.sqrt(BATCHES)).max())


def test_the_inverse_and_its_error_to_first_order():
    """A matrix that is known up to batches' deviations: the error of its inverse by the inverses of all batches."""
    rng = np.random.default_rng(0)
    U, along = np.array([[2.0, 0.5], [0.0, 1.0]]), np.array([[1.0, 0.2], [0.2, 1.5]])
    deviations = 1e-4 * rng.normal(size=(200, 2, 2))
    deviations = deviations + np.swapaxes(deviations, 1, 2)
    deviations -= deviations.mean(axis=0)
    information = Information(U, along, deviations)
    inverse, error = information.inverse()
    assert_allclose(inverse @ information.matrix(), np.eye(2), atol=1e-12)
    each = np.array([U @ np.linalg.inv(along + one) @ U.T for one in deviations])
    assert_allclose(error, each.std(axis=0) / np.sqrt(200), rtol=1e-2)


def test_information_that_is_rounding_is_refused():
    found, _ = run([1.0, 1.0 + 1e-7], Gaussian(1.0))
    with pytest.raises(ComputationError, match="too small to tell from rounding") as error:
        estimate(found)
    assert error.value.code == "information-singular"
    assert error.value.facts["share"] < 1e-12
