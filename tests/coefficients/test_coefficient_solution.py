"""Findings: complex pairs, systems too close to tell, too few sets; and none where all is well."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import vieta
from tests import naive
from tests.coefficients.cases import SEEDS, every_case
from vieta.coefficients import coefficient_solution as building
from vieta.coefficients.design import Design
from vieta.estimators.estimate import Estimate
from vieta.laws import noise
from vieta.symmetric import elementary, tensor


def build(theta, variance=1e-6, n_sets=100, design=None, coefficients=None):
    L, D = np.shape(theta)
    design = design or Design(elementary(L) if D == 1 else tensor(L, D, D), "scalar")
    lam = design.transform.parameters.transform(np.asarray(theta)) if coefficients is None else coefficients
    J = design.transform.jacobian(np.asarray(theta))
    cov = variance * J @ J.T  # independent errors of that variance in all parameters
    return Estimate.of(building.solution(design, lam, 0.01 * np.eye(D), lambda _: cov, n_sets=n_sets), "rls")


@every_case
def test_covariance_is_the_delta_method(case):
    design = case.design()
    lam = design.transform.parameters.transform(case.theta)
    M = np.random.default_rng(0).normal(size=(len(lam),) * 2) * 1e-4
    estimate = building.solution(design, lam, np.eye(1), lambda _: M @ M.T, n_sets=1000)
    G = naive.derivative(lambda x: design.transform.inverse(x).theta.ravel(), lam, step=1e-6)
    assert_allclose(estimate.cov, G @ M @ M.T @ G.T, rtol=1e-3, atol=1e-5 * abs(estimate.cov).max())


def test_covariance_is_asked_at_the_estimate():
    asked = []
    design = Design(elementary(2), "scalar")
    building.solution(design, np.array([4.0, 3.0]), np.eye(1), lambda t: asked.append(t) or np.eye(2), n_sets=9)
    assert_allclose(asked[0], [[1.0], [3.0]])


def test_well_separated_systems_have_no_findings():
    assert build([[1.0], [2.0], [5.0]]).warnings == ()
    assert build([[1.0, 0.0], [2.0, 3.0]]).warnings == ()


def test_complex_pairs_are_reported():
    lam = np.poly([-1.0, -2.0 + 0.1j, -2.0 - 0.1j])[1:].real
    estimate = build(np.zeros((3, 1)), coefficients=lam)
    assert_allclose(estimate.theta, [[1.0], [2.0], [2.0]])
    assert_allclose(abs(estimate.imaginary), [[0.0], [0.1], [0.1]])
    assert len(estimate.warnings) == 1
    assert "Systems 2, 3 come out as complex pairs" in estimate.warnings[0]
    assert np.isnan(estimate.cov).all()


def test_complex_pairs_in_the_plane_are_reported():
    pair = np.array([[1.0 + 0.2j, 2.0 - 0.1j], [1.0 - 0.2j, 2.0 + 0.1j]])
    estimate = build(np.zeros((2, 2)), coefficients=naive.tensor(pair).real)
    assert "complex pairs" in estimate.warnings[0]
    assert_allclose(estimate.theta, pair.real, atol=1e-9)
    assert np.isnan(estimate.stderr).all()


@pytest.mark.parametrize(
    "theta",
    [[[1.0], [1.001], [5.0]], [[1.0, 2.0], [1.001, 2.001], [5.0, -1.0]]],
    ids=["numbers", "vectors"],
)
def test_systems_within_their_error_are_reported(theta):
    estimate = build(theta, variance=1e-4)
    assert len(estimate.warnings) == 1
    assert "Systems 1 and 2 lie within the error of their difference" in estimate.warnings[0]
    assert build(theta, variance=1e-14).warnings == ()  # the same systems, known better


def test_systems_that_coincide_have_no_standard_errors():
    estimate = build([[2.0], [2.0], [5.0]])
    assert not np.isfinite(estimate.cov).any() or estimate.condition > 1e6
    assert estimate.warnings


@pytest.mark.parametrize("method", vieta.methods())
def test_data_without_noise_have_no_findings(method):
    estimate = vieta.fit([[1.0, 2.0], [2.0, 1.0]] * 200, method=method)
    assert_allclose(estimate.theta, [[1.0], [2.0]], atol=1e-6)
    assert estimate.warnings == ()


@pytest.mark.parametrize("seed", SEEDS)
def test_one_value_twice_is_never_passed_off_as_two(seed):
    records = vieta.simulate((2.0, 2.0, 7.0), n=4000, seed=seed, noise=noise.Gaussian(0.25))
    estimate = vieta.fit(records.sets, method="least-squares")
    assert any("complex pairs" in text or "may be one value twice" in text for text in estimate.warnings)
    control = vieta.fit(
        vieta.simulate((2.0, 4.0, 7.0), n=4000, seed=seed, noise=noise.Gaussian(0.25)).sets, method="least-squares"
    )
    assert control.warnings == ()


def test_few_sets_are_reported():
    assert "Very few sets: 4 for 2 coefficients" in build([[1.0], [2.0]], n_sets=4).warnings[0]
    assert build([[1.0], [2.0]], n_sets=5).warnings == ()


def test_five_sets_are_few_enough_whatever_each_tells():
    """Readings of three numbers for one parameter: the coefficients are many times determined by four sets, and still few."""
    design = Design(tensor(2, 3, 1), "matrix")
    theta = np.array([[1.0], [2.0]])
    assert 4 * design.transform.readings.size > 5 * design.transform.parameters.size
    found = [[one.code for one in build(theta, n_sets=n, design=design).findings] for n in (4, 5)]
    assert found == [["few-sets-for-coefficients"], []]


def test_large_covariances_are_left_out(monkeypatch):
    monkeypatch.setattr(building, "LARGEST_COVARIANCE", 2)
    estimate = build([[1.0], [2.0], [5.0]])
    assert np.isnan(estimate.cov).all()
    assert "3 coefficients, more than 2" in estimate.warnings[0]
    assert_allclose(estimate.theta, [[1.0], [2.0], [5.0]])


def test_no_finite_parameters_is_an_error():
    with pytest.raises(ArithmeticError, match=r"coincide in every direction.*estimate fewer systems"):
        build(np.zeros((2, 2)))
