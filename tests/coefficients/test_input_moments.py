"""Even moments of inputs that are numbers."""

from math import prod

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.errors import InputError
from vieta.laws import inputs
from vieta.theory import Moments, even_moments, least_squares_covariance, lms_covariance


def double_factorial(n):
    return float(prod(range(n, 0, -2)))


def test_moments_of_the_normal_law():
    """E psi^2i = (2i-1)!!, up to the order that ten systems need."""
    expected = [double_factorial(2 * i - 1) for i in range(1, 21)]
    assert_allclose(even_moments(inputs.Gaussian(), 20), expected, rtol=1e-11)
    assert_allclose(even_moments(inputs.Gaussian(0.0, 4.0), 5), [4.0**i * expected[i - 1] for i in range(1, 6)])


def test_moments_of_other_laws():
    mean, variance = 1.5, 0.3
    shifted = [mean**2 + variance, mean**4 + 6 * mean**2 * variance + 3 * variance**2]
    assert_allclose(even_moments(inputs.Gaussian(mean, variance), 2), shifted)
    uniform = [(2.0 ** (2 * i + 1) + 1.0) / (3.0 * (2 * i + 1)) for i in range(1, 13)]
    assert_allclose(even_moments(inputs.Uniform(-1.0, 2.0), 12), uniform, rtol=1e-12)
    assert even_moments(inputs.Sign(), 3).tolist() == [1.0, 1.0, 1.0]
    assert even_moments(None, 2).tolist() == [1.0, 1.0]
    assert even_moments([1.0, -2.0], 2).tolist() == [2.5, 8.5]


def test_moments_of_matrices_are_refused():
    with pytest.raises(ValueError, match="must be numbers to have even moments"):
        even_moments(np.ones((3, 2, 1)), 2)
    with pytest.raises(ValueError, match="`count` must be an integer of at least 1"):
        even_moments(None, 0)


def test_a_law_and_its_moments_predict_the_same():
    law = inputs.Uniform(-1.0, 2.0)
    for predict in (lms_covariance, least_squares_covariance):
        by_law, by_moments = predict([1, 2, 5], 0.1, law), predict([1, 2, 5], 0.1, Moments(even_moments(law, 5)))
        assert_allclose(by_law.covariance, by_moments.covariance, rtol=1e-12)


def test_a_sample_of_numbers_is_not_taken_for_moments():
    """(n,) numbers are inputs, of whatever size; moments are marked as such."""
    psi = np.array([0.3, 1.2, -0.4])
    by_sample = least_squares_covariance([1, 2], 0.1, psi).covariance
    assert_allclose(by_sample, least_squares_covariance([1, 2], 0.1, Moments(even_moments(psi, 3))).covariance)
    growing = [1.0, 3.0, 15.0]  # a sample, and moments
    as_sample, as_moments = (least_squares_covariance([1, 2], 0.1, one) for one in (growing, Moments(growing)))
    assert abs(as_sample.covariance / as_moments.covariance - 1.0).max() > 0.5


def test_too_few_moments():
    with pytest.raises(
        InputError, match=r"5 even moments of the inputs are needed, from E psi\^2 to E psi\^10"
    ) as caught:
        lms_covariance([1, 2, 5], 0.1, Moments([1.0, 3.0]))
    assert caught.value.code == "moments-too-few"
    assert caught.value.facts == {"needed": 5, "highest": 10, "given": 2}
    for shape in (3.0, [], [[1.0]]):
        with pytest.raises(InputError) as caught:
            Moments(shape)
        assert caught.value.code == "moments-shape"


@pytest.mark.parametrize("moments", [[1.0, 0.5, 3.0], [1.0, -3.0, 15.0], [2.0, 3.0, 100.0], [0.3, 1.2, -0.4]])
def test_moments_of_no_law(moments):
    """Even moments are log-convex; what is not is more likely a sample."""
    with pytest.raises(InputError, match=r"are of no law\. If they are inputs, give them as an array") as caught:
        Moments(moments)
    assert caught.value.code == "not-moments"


def test_moments_compare_and_print_by_value():
    assert Moments(np.array([1.0, 3.0])) == Moments([1, 3])
    assert repr(Moments([1, 3])) == "Moments(values=(1.0, 3.0))"
