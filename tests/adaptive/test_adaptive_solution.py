"""The estimate from incomplete sets, end to end."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.adaptive.cases import THETA, TRACKS, draw
from vieta.adaptive.adaptive_solution import solution
from vieta.sets import as_data, in_canonical_order
from vieta.sums import in_memory


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("law", ["normal", "laplace"])
def test_truth_and_rates_are_within_their_errors(law, seed):
    found = solution(draw(1000, seed, law=law).passes())
    errors = np.sqrt(np.diag(found.cov))
    assert np.all(abs(found.theta.ravel() - [-2.0, 5.0, 8.0]) < 5.0 * errors)
    assert np.all(abs(found.readings.detection - 0.7) < 5.0 * found.readings.detection_stderr)
    assert abs(found.readings.clutter_rate - 1.0) < 5.0 * found.readings.clutter_rate_stderr
    assert found.findings == ()
    assert_allclose(found.noise_sd, 0.5, rtol=0.15)
    assert_allclose(found.noise, [[0.25]], rtol=0.3)


def test_tracks_in_the_plane():
    found = solution(draw(500, 1, theta=TRACKS, tracks=True, sd=0.3, rate=2.0, seen=0.8).passes())
    errors = np.sqrt(np.diag(found.cov)).reshape(2, 4)
    assert np.all(abs(found.theta - TRACKS) < 5.0 * errors)
    assert np.all(errors < 0.1)
    assert found.noise.shape == (2, 2)


def test_what_is_not_estimated_has_no_error():
    found = solution(draw(300, 0, rate=0.0).passes())
    assert found.readings.clutter_rate == found.readings.clutter_rate_stderr == 0.0
    whole = solution(draw(300, 0, rate=0.0, seen=1.0).passes())
    assert_allclose(whole.readings.detection, 1.0)
    assert_allclose(whole.readings.detection_stderr, 0.0)


def test_where_nothing_is_left_over_noise_is_not_known():
    drawn = replace(draw(3, 0, theta=THETA[:1], rate=0.0), sets=[np.ones((1, 1)), np.empty((0, 1)), np.empty((0, 1))])
    found = solution(drawn.passes())
    assert "noise-unknown" in {one.code for one in found.findings}
    assert np.isnan(found.cov).all()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_as_many_numbers_as_sets_have_no_errors(seed):
    """Six sets of two points in the plane, eight parameters: the scores' products have rank six, and their inverse is no covariance."""
    found = solution(draw(6, seed, theta=TRACKS, tracks=True, sd=0.3, rate=0.5, seen=0.9).passes())
    assert {one.code for one in found.findings} & {"errors-unknown", "noise-unknown"}
    assert np.isnan(found.cov).all()
    enough = solution(draw(60, seed, theta=TRACKS, tracks=True, sd=0.3, rate=0.5, seen=0.9).passes())
    assert np.isfinite(enough.cov).all()


def test_sets_without_noise_are_fitted_exactly():
    drawn = draw(100, 0, sd=0.0)
    found = solution(drawn.passes())
    assert_allclose(found.theta, drawn.theta, atol=1e-5)
    assert np.all(np.sqrt(np.diag(found.cov)) < 1e-5)


@pytest.mark.parametrize("unit", [1e-60, 1e60])
def test_units_do_not_matter(unit):
    drawn = draw(200, 1)
    plain, scaled = (solution(replace(drawn, sets=[u * one for one in drawn.sets]).passes()) for u in (1.0, unit))
    assert_allclose(scaled.theta, unit * plain.theta, rtol=1e-4)
    assert_allclose(scaled.noise_sd, unit * plain.noise_sd, rtol=1e-3)


@pytest.mark.parametrize("clutter", [None, True])
def test_sets_without_noise_have_no_false_findings(clutter):
    """Scores, surplus and differences are rounding there, and rounding looks like anything."""
    sets = np.tile([[1.0, 2.0], [2.0, 1.0]], (60, 1))
    found = solution(in_memory(in_canonical_order(as_data(sets, None))), misses=True, clutter=clutter)
    expected = {"always-seen"} if clutter is None else {"always-seen", "no-clutter", "clutter-or-systems"}
    assert {one.code for one in found.findings} == expected
