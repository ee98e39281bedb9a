"""Efficiency against the bound, and how many sets it takes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from vieta.errors import InputError
from vieta.laws import inputs, noise
from vieta.theory import (
    cramer_rao,
    efficiency,
    efficient_covariance,
    labeled_covariance,
    least_squares_covariance,
    records_needed,
)


def test_efficiency_is_the_ratio_of_variances():
    law = inputs.Gaussian()
    found = efficiency([-2, 5, 8], 1.0, law, method="least-squares", draws=5000, seed=3)
    least = np.diag(cramer_rao([-2, 5, 8], 1.0, law, draws=5000, seed=3).covariance)
    variance = np.diag(least_squares_covariance([-2, 5, 8], 1.0, law).covariance)
    assert_allclose(found.per_parameter.ravel(), least / variance)
    assert found.overall == pytest.approx(least.sum() / variance.sum())
    assert found.overall < 0.2
    assert 0 < found.mc_error < 0.01
    for method in ("averaged", "rls"):
        assert efficiency([-2, 5, 8], 1.0, law, method=method, draws=5000, seed=3).overall == found.overall


def test_the_weighted_estimator_is_efficient_at_small_normal_noise_only():
    assert efficiency([4, 5], 0.01, inputs.Gaussian(), draws=5000).overall == pytest.approx(1.0, abs=0.02)
    assert efficiency([4, 5], noise.Laplace(0.01), inputs.Gaussian(), draws=5000).overall == pytest.approx(
        0.5, abs=0.02
    )
    assert efficiency([4, 5], 4.0, inputs.Gaussian()).overall == pytest.approx(0.87, abs=0.03)


def test_a_sample_of_numbers_serves_every_method():
    psi = np.random.default_rng(0).normal(size=500)
    for method in ("efficient", "least-squares"):
        by_sample = records_needed([1, 3], 0.5, psi, tolerance=0.01, method=method).largest
        by_law = records_needed([1, 3], 0.5, inputs.Gaussian(), tolerance=0.01, method=method).largest
        assert 0.7 < by_sample / by_law < 1.4


def test_records_needed_give_the_tolerance():
    """At n sets the interval has the half-width asked for, and at one set less it has not."""
    for level, quantile in ((0.95, 1.959964), (0.99, 2.575829), (0.5, 0.6744898)):
        found = records_needed([1, 3, 4], 0.5, inputs.Gaussian(), tolerance=0.02, level=level)
        predicted = efficient_covariance([1, 3, 4], 0.5, inputs.Gaussian())
        for l, n in enumerate(found.per_parameter.ravel()):
            assert quantile * predicted.stderr(n).ravel()[l] <= 0.02 * (1 + 1e-6)
            assert quantile * predicted.stderr(n - 1).ravel()[l] > 0.02 * (1 - 1e-6)
        assert found.largest == found.per_parameter.max()
    half = records_needed([1, 3, 4], 0.5, inputs.Gaussian(), tolerance=0.01).largest
    assert half == pytest.approx(
        4 * records_needed([1, 3, 4], 0.5, inputs.Gaussian(), tolerance=0.02).largest, rel=1e-3
    )


def test_coverage_of_labeled_data_at_the_number_needed():
    """What is meant by it: that share of the estimates lies within the tolerance."""
    n = records_needed([1.0], 2.0, tolerance=0.1, method="labeled", level=0.9).largest
    assert n == 542  # (1.6449 / 0.1)² 2, rounded up
    rng = np.random.default_rng(0)
    means = 1.0 + np.sqrt(2.0) * rng.standard_normal((4000, n)).mean(axis=1)
    inside = np.mean(abs(means - 1.0) <= 0.1)
    assert abs(inside - 0.9) < 5 * np.sqrt(0.09 / 4000)


def test_methods_rank_as_they_should():
    needed = {
        method: records_needed([4, 5], 4.0, inputs.Gaussian(), tolerance=0.05, method=method).largest
        for method in ("labeled", "one-step", "efficient", "least-squares")
    }
    assert list(needed.values()) == sorted(needed.values())
    variance = labeled_covariance([4, 5], 4.0, inputs.Gaussian()).covariance[0, 0]
    assert needed["labeled"] == np.ceil(variance * (1.959964 / 0.05) ** 2)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("gap", "exact"), [(0.05, 77_214), (0.1, 19_591)])
def test_the_likelihood_of_close_systems(gap, exact, seed):
    """Against the information by quadrature (tests of the bound)."""
    found = records_needed([4, 4 + gap], 1.0, tolerance=0.1, method="one-step", seed=seed)
    assert 0 < found.mc_error < 0.02 * exact
    assert abs(found.largest - exact) < 5 * found.mc_error
    assert not abs(found.largest - 1.25 * exact) < 5 * found.mc_error


def test_methods_of_the_likelihood_have_its_numbers():
    one, few = (records_needed([4, 5], 4.0, tolerance=0.1, method="one-step", draws=draws) for draws in (None, 2000))
    assert few.mc_error > 2 * one.mc_error
    for method in ("em", "recursive-em"):
        assert records_needed([4, 5], 4.0, tolerance=0.1, method=method).largest == one.largest
        assert efficiency([4, 5], 4.0, method=method, draws=2000).overall == 1.0


@pytest.mark.parametrize("method", sorted(vieta.methods()))
def test_every_method_has_an_error_or_says_why_not(method):
    """Whatever the registry holds, also from other packages."""
    if method == "lms":
        with pytest.raises(InputError) as caught:
            records_needed([4, 5], 1.0, tolerance=0.1, method=method)
        assert caught.value.code == "constant-step"
    else:
        found = records_needed([4, 5], 1.0, tolerance=0.1, method=method, draws=4000)
        assert found.largest >= records_needed([4, 5], 1.0, tolerance=0.1, method="labeled").largest


def test_the_default_method_is_predicted_unless_another_is_named():
    by_default = records_needed([4, 5], 4.0, tolerance=0.1).largest
    assert by_default == records_needed([4, 5], 4.0, tolerance=0.1, method="efficient").largest


def test_numbers_too_large_for_integers_of_the_machine():
    found = records_needed([4, 5], 1.0, tolerance=1e-10)
    assert found.largest == pytest.approx(1e18 * records_needed([4, 5], 1.0, tolerance=0.1).largest, rel=1e-3)
    assert found.largest == found.per_parameter.max() > 2**63
    with pytest.raises(ValueError, match="`tolerance` is too small to count the sets that it takes: 1e-200"):
        records_needed([4, 5], 1.0, tolerance=1e-200)


def test_a_tolerance_for_each():
    found = records_needed([[1, 2], [5, 5]], 0.5, tolerance=[0.1, 0.2], method="labeled")
    assert found.per_parameter.tolist() == [[193, 49], [193, 49]]
    assert records_needed([1, 2], 1e-9, tolerance=1.0).largest == 1


@pytest.mark.parametrize("tolerance", [0.0, -1.0, [0.1, 0.2, 0.3], [[[0.1]]], [[0.1]] * 3])
def test_tolerances_that_cannot_be(tolerance):
    with pytest.raises(ValueError, match=r"`tolerance` must be positive, one number or an array that fits \(2, 1\)"):
        records_needed([1, 2], 1.0, tolerance=tolerance)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: records_needed([1, 2], 1.0, tolerance=0.1, method="lms"), "constant-step"),
        (lambda: efficiency([1, 2], 1.0, method="guess"), "unknown-method"),
        (lambda: efficiency([1, 2], 1.0, method="labeled"), "efficiency-labeled"),
        (lambda: records_needed(4.0, 1.0, [1.0, 2.0], tolerance=0.1, method="least-squares"), "parameters-shape"),
        (lambda: records_needed([1, 2], 1.0, tolerance=0.1, level=95), "out-of-range"),
    ],
)
def test_methods_and_levels_that_cannot_be(call, code):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == code
