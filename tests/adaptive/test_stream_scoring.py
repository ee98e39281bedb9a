"""Steps of a stream: fading, walks, what is common, and what opens."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.adaptive.cases import draw, model_of
from tests.adaptive.test_stream_kernel import blank
from vieta.adaptive import stream_scoring
from vieta.adaptive.set_model import expect
from vieta.adaptive.set_sums import Free, set_scores
from vieta.adaptive.stream_scoring import Settings, correction, covariance, faded, fold, opened, sharing, walked
from vieta.adaptive.stream_start import OWN
from vieta.adaptive.stream_state import as_numbers
from vieta.adaptive.stream_state import model_of as model_in


@pytest.mark.parametrize("free", [Free("common", "common", True), Free("own", "none", False), OWN], ids=str)
def test_scores_of_what_is_common_are_added_up(free):
    drawn = draw(20, 1)
    model, data = model_of(drawn), drawn.data
    found = expect(data, model)
    assert_allclose(
        set_scores(data, model, found, OWN) @ sharing(3, 1, free), set_scores(data, model, found, free), atol=1e-12
    )


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_walk_adds_its_covariance(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(5, 5))
    H, Q = root @ root.T, np.diag(rng.uniform(0.1, 1.0, size=3))
    grown = np.linalg.inv(H)
    grown[:3, :3] += Q
    assert_allclose(walked(H, Q), np.linalg.inv(grown), rtol=1e-8)


def test_sums_fade_by_the_forgetting():
    drawn = draw(40, 2)
    state, _, _ = stream_scoring.summed(blank(drawn, model_of(drawn)), drawn.data)
    after = faded(Settings(0.9), state, 10)
    assert_allclose(after.information, 0.9**10 * state.information)
    assert_allclose(after.meat, 0.9**20 * state.meat)
    assert after.weight == pytest.approx(0.9**10 * 40)
    assert faded(Settings(), state, 10) is state


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_blocks_lead_to_the_truth(seed):
    drawn = draw(1500, seed, sd=0.5)
    state = blank(drawn, replace(model_of(drawn, sd=0.7, seen=0.5), theta=drawn.theta + 0.1))
    for at in range(0, 1500, 50):
        state = fold(Settings(), state, drawn.data.part(at, at + 50))
    _, cov = covariance(Settings(), state)
    assert (abs(state.theta - drawn.theta).ravel() < 4.0 * np.sqrt(np.diag(cov))).all()
    assert_allclose(model_in(state).sd, 0.5, rtol=0.15)
    assert_allclose(state.detection, 0.7, atol=0.05)
    assert_allclose(state.rate, 1.0, atol=0.2)


def test_misses_and_false_readings_become_possible_when_they_come():
    drawn = draw(40, 3)
    closed = replace(blank(drawn, model_of(drawn)), free=as_numbers(Free("common", "none", False)), weight=100.0)
    after = opened(Settings(), closed, drawn.data)
    assert_array_equal(after.free, [1, 1, 1])
    assert after.rate > 0.0
    assert (after.detection < 1.0).all()
    assert_array_equal(opened(Settings(misses=False, clutter=False), closed, drawn.data).free, [1, 0, 0])


@pytest.mark.parametrize("seed", [0, 1])
def test_the_correction_makes_one_covariance_the_other(seed):
    rng = np.random.default_rng(seed)
    roots = rng.normal(size=(2, 4, 4))
    cov, before = (root @ root.T for root in roots)
    A = correction(cov, before)
    assert_allclose(A @ before @ A.T, cov, rtol=1e-8, atol=1e-10)
    assert_array_equal(correction(cov, -before), np.eye(4))


def test_renewal_keeps_moments_in_the_coordinates_of_the_shape():
    from tests.adaptive.cases import TRACKS

    drawn = draw(200, 4, theta=TRACKS, tracks=True)
    state, _, _ = stream_scoring.summed(blank(drawn, model_of(drawn)), drawn.data)
    after = stream_scoring.renewed(state)
    assert_allclose(np.trace(after.shape), 2.0)
    unit = after.moments / np.trace(after.moments) * 2.0
    assert_allclose(unit, np.eye(2), atol=1e-9)
