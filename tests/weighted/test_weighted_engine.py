"""The weighted estimator behind the facade: order, covariance, words."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import vieta
from tests.coefficients.cases import CASES
from vieta.estimators import weighted_engine
from vieta.options import as_cap
from vieta.sets import as_data
from vieta.weighted import solve, tracker
from vieta.weighted.refinement import refine

every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
def test_rows_and_covariance_are_put_in_order_together(case):
    data = case.data(400)
    found = refine(data, solve.fit(data))
    estimate = vieta.fit(*case.draw(400))
    order = np.lexsort(found.theta.T[::-1])
    assert_array_equal(estimate.theta, found.theta[order])
    L, D = found.theta.shape
    blocks = found.cov.reshape(L, D, L, D)[order][:, :, order]
    assert_array_equal(estimate.cov, blocks.reshape(L * D, L * D))
    assert (estimate.method, estimate.transform, estimate.n_sets) == ("efficient", "weighted", 400)
    assert_array_equal(estimate.imaginary, np.zeros((L, D)))
    assert np.isfinite(estimate.condition)


@every_case
def test_noise_is_a_number_or_a_matrix(case):
    noise_var = vieta.fit(*case.draw(300)).noise_var
    p = case.data(2).reading_dim
    assert isinstance(noise_var, float) if p == 1 else noise_var.shape == (p, p)


@every_case
def test_filter_and_batch_agree_within_a_fraction_of_their_error(case):
    sets, psi = case.draw(2000)
    one, two = vieta.fit(sets, psi), vieta.SymmetricFilter(case.n_systems, case.dim).partial_fit(sets, psi).estimate()
    assert np.all(abs(one.theta - two.theta) < 0.5 * one.stderr)
    assert_allclose(one.stderr, two.stderr, rtol=0.1)


def test_drift_takes_the_information_at_its_word():
    data = as_data(*CASES[1].draw(400))
    for settings in (tracker.Settings(), tracker.Settings(drift=1e-6 * np.eye(3))):
        engine = weighted_engine.WeightedEngine(tracker.part(data, 0, 0), settings)
        state = engine.advance(engine.init(), data)
        inverse = np.linalg.inv(state.information)
        expected = inverse if settings.drift.size else inverse @ state.meat @ inverse
        order = np.argsort(state.theta[:, 0])
        assert_allclose(engine.estimate(state).cov, expected[np.ix_(order, order)], rtol=1e-9)


def test_where_it_stands_is_unknown_before_the_start():
    data = as_data(*CASES[1].draw(300))
    engine = weighted_engine.WeightedEngine(tracker.part(data, 0, 0), tracker.Settings())
    early = engine.advance(engine.init(), tracker.part(data, 0, 100))
    assert np.isnan(engine.point(early)).all()
    late = engine.advance(early, tracker.part(data, 100, 300))
    assert_array_equal(engine.parameters(engine.point(late)[None])[0].real, late.theta)


def test_robust_reaches_the_fit_and_the_filter():
    sets, psi = CASES[1].draw(400)
    sets[::50, 0] += 30.0
    plain, robust = vieta.fit(sets, psi), vieta.fit(sets, psi, robust=True)
    assert_array_equal(robust.theta.ravel(), np.sort(solve.fit(as_data(sets, psi), as_cap(True)).theta.ravel()))
    unbounded = solve.fit(as_data(sets, psi)).theta
    assert abs(robust.theta - CASES[1].theta).max() < abs(np.sort(unbounded, axis=0) - CASES[1].theta).max()
    assert not np.array_equal(plain.theta, robust.theta)
    streams = [vieta.SymmetricFilter(3, robust=r).partial_fit(sets, psi).estimate().theta for r in (False, True)]
    assert not np.array_equal(*streams)


def test_readings_that_are_all_zero_are_reported_not_an_error_of_linear_algebra():
    assert any("may be one value twice" in text for text in vieta.fit(np.zeros((60, 2))).warnings)


def test_readings_that_are_too_large_are_refused_in_words():
    with pytest.raises(ValueError, match=r"sets\[0\] holds .* too large to be squared .* use another unit"):
        vieta.fit(1e200 * np.random.default_rng(0).normal(size=(60, 2)))
