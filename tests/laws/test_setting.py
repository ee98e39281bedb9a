"""What the predictions may be given, and what they say when they may not."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta import theory
from vieta.errors import CoincidentSystemsError
from vieta.laws import inputs, noise
from vieta.laws.inputs import DRAWS
from vieta.laws.setting import as_noise, as_parameters, as_points, as_shared_noise


def average(law, function, dim=1):
    points = as_points(law, dim)
    return float(points.weights @ function(points.psi))


@pytest.mark.parametrize(
    "law",
    [inputs.Gaussian(), inputs.Gaussian(1.5, 0.3), inputs.Uniform(-1.0, 2.0), inputs.Sign(), inputs.Constant(-0.7)],
    ids=str,
)
def test_points_average_like_draws(law):
    psi = law.draw(np.random.default_rng(0), 400_000, 1)
    for function in (np.ones_like, np.abs, np.cos, lambda x: 1.0 / (0.01 + x**2), lambda x: np.exp(-x)):
        values = function(psi)
        error = values.std() / np.sqrt(len(values)) + 1e-12
        assert abs(average(law, function) - values.mean()) < 5 * error


def test_points_of_the_normal_law_against_quadrature():
    from scipy.integrate import quad

    def exact(function):
        return quad(lambda x: function(x) * np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi), -12, 12, points=[0], limit=200)[0]

    for function in (lambda x: 1.0 / (0.01 + x**2), np.cos, lambda x: x**8):
        assert_allclose(average(inputs.Gaussian(), function), exact(function), rtol=2e-5)


def test_no_input_is_one_and_a_sample_has_equal_weights():
    assert as_points(None, 3).psi.tolist() == [1.0]
    assert as_points(inputs.Identity(), 3).psi.tolist() == [1.0]
    points = as_points([[1.0, 2.0], [3.0, 4.0]], 2)
    assert points.psi.shape == (2, 1, 2)
    assert points.reading_dim(2) == 1
    assert points.weights.tolist() == [0.5, 0.5]
    assert as_points([[[2.0]], [[3.0]]], 1).psi.tolist() == [2.0, 3.0]
    assert as_points(inputs.Given([1.0, 2.0]), 1).psi.tolist() == [1.0, 2.0]
    assert as_points(None, 3).matrices(3).tolist() == [np.eye(3).tolist()]
    assert as_points(inputs.Matrices(rows=2), 3).psi.shape == (DRAWS, 2, 3)


@pytest.mark.parametrize("sample", [np.ones((4, 2)), np.ones((4, 2, 2)), np.ones((0,)), np.ones((1, 1, 1, 1)), 2.0])
def test_a_sample_of_another_shape_is_refused(sample):
    with pytest.raises(
        ValueError, match=r"`inputs` must be a law .* or a sample of shape \(n,\), \(n, 3\) or \(n, p, 3\)"
    ):
        as_points(sample, 3)


def test_inputs_that_grow_are_refused():
    with pytest.raises(ValueError, match="grow with time, and there is no average"):
        theory.efficient_covariance([[0, 1], [1, 2]], 1.0, inputs.Line())


def test_noise_of_every_form():
    assert_allclose(as_noise(0.5, 2, 2), [0.5 * np.eye(2)] * 2)
    assert_allclose(as_noise([1.0, 2.0], 2, 1).ravel(), [1.0, 2.0])
    C = np.array([[2.0, 1.0], [1.0, 2.0]])
    assert_allclose(as_noise(C, 3, 2), [C] * 3)
    assert_allclose(as_noise(noise.Laplace([C, 2 * C]), 2, 2), [C, 2 * C])


def test_noise_of_a_wrong_shape_or_kind():
    with pytest.raises(
        ValueError, match=r"`variance` has shape \(3,\), but 2 systems with readings of dimension 1 need"
    ):
        as_noise([1.0, 2.0, 3.0], 2, 1)
    with pytest.raises(ValueError, match="must not be negative, got -1"):
        theory.lms_covariance([1, 2], -1)
    with pytest.raises(ValueError, match="`noise` must be a variance or a law with a density"):
        as_noise(inputs.Gaussian(), 2, 1)


def test_the_weighted_estimator_needs_one_positive_noise():
    with pytest.raises(ValueError, match="same for all systems here: the weighted estimator has one noise"):
        theory.efficient_covariance([1, 2], [0.1, 0.2], online=True)
    with pytest.raises(ValueError, match="positive in every direction, got least variance 0"):
        as_shared_noise(0.0, 2, 1)
    with pytest.raises(ValueError, match="Without noise one set tells the parameters exactly"):
        theory.efficient_covariance([1, 2], 0.0)


@pytest.mark.parametrize(
    "predict", [theory.lms_covariance, theory.least_squares_covariance, theory.efficient_covariance]
)
@pytest.mark.parametrize("theta", [(4, 4), ((1, 2), (3, 4), (1, 2)), (0, 0), (5.0, 5.0 + 1e-12)])
def test_coincident_systems_have_an_infinite_variance_and_the_error_says_why(predict, theta):
    message = r"rows 0 and \d of `theta` coincide, .* variance of such a pair is infinite: .* n\^\(-1/4\) only"
    with pytest.raises(CoincidentSystemsError, match=message):
        predict(theta, 1.0)
    assert issubclass(CoincidentSystemsError, ValueError)


def test_shared_coordinates_are_no_coincidence():
    assert as_parameters([[1, 2], [1, 3]]).shape == (2, 2)
    assert np.isfinite(theory.efficient_covariance([[1, 2], [1, 3]], 0.01).covariance).all()
    assert np.isfinite(theory.lms_covariance([[1, 2], [1, 3]], 0.01).covariance).all()


def test_variances_grow_without_bound_as_two_systems_meet():
    for predict in (theory.least_squares_covariance, theory.efficient_covariance):
        variances = [np.trace(predict([0.0, gap], 1.0).covariance) for gap in (1.0, 0.1, 0.01)]
        assert variances[2] > 90 * variances[1] > 90 * 90 * variances[0] * 0.4


@pytest.mark.parametrize("sample", [np.zeros(5), np.ones((5, 2)), np.ones((5, 3, 2))])
def test_inputs_that_do_not_identify_are_refused(sample):
    theta = [[1.0, 2.0], [0.0, 4.0]]
    for predict in (theory.efficient_covariance, theory.labeled_covariance):
        with pytest.raises(ValueError, match="do not identify the parameters, whose variance is infinite"):
            predict(theta, 1.0, sample)
