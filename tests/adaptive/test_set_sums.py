"""Scores and sums of incomplete sets, against numerical derivatives."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.adaptive.cases import TRACKS, draw, model_of
from vieta.adaptive.set_model import expect
from vieta.adaptive.set_sums import Free, learned, moved, pieces, scored, set_scores, set_sums
from vieta.adaptive.sieve import UnitLaw, begun

FREE = [Free("common", "common", True), Free("own", "own", True), Free("own", "none", False)]
LAWS = [UnitLaw(), begun(UnitLaw(), 0.25)]


@pytest.mark.parametrize("law", LAWS, ids=["normal", "sieve"])
@pytest.mark.parametrize("free", FREE, ids=str)
@pytest.mark.parametrize("tracks", [False, True])
def test_scores_are_derivatives_of_the_likelihood(law, free, tracks):
    drawn = draw(15, 4, theta=TRACKS, tracks=True) if tracks else draw(15, 4, theta=np.array([[1.0, 2.0], [-1.0, 1.0]]))
    model = model_of(drawn, sd=[0.6, 0.8], seen=0.6, law=law)
    if tracks:
        model = replace(model, shape=np.array([[1.1, 0.3], [0.3, 0.9]]))
    data = drawn.data
    g = set_scores(data, model, expect(data, model), free)
    for j in range(g.shape[1]):
        h = 1e-5 * np.eye(g.shape[1])[j]
        above, below = (expect(data, moved(model, sign * h, free)).log_likelihood for sign in (1.0, -1.0))
        assert_allclose(g[:, j], (above - below) / 2e-5, atol=2e-4, rtol=1e-4)


def test_sums_do_not_depend_on_blocks():
    drawn = draw(80, 5)
    model, free = model_of(drawn), Free()
    whole, cut = (set_sums(drawn.passes(blocks), model, free) for blocks in (1, 7))
    for name in ("likelihood", "slope", "products", "labeled", "seen", "false", "residuals", "moments", "clutter"):
        assert_allclose(getattr(cut, name), getattr(whole, name), rtol=1e-10, atol=1e-10, err_msg=name)
    assert whole.count == 80
    assert_allclose(whole.seen.sum() + whole.false, whole.readings)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_step_with_a_ridge_leads_uphill(seed):
    drawn = draw(300, seed)
    model, free = replace(model_of(drawn, sd=0.8, seen=0.5), theta=drawn.theta + 0.2), Free()
    sums = set_sums(drawn.passes(), model, free)
    after = set_sums(drawn.passes(), scored(model, sums, free, 1.0), free)
    assert after.likelihood > sums.likelihood + 10.0


def test_a_system_with_a_slope_and_no_information_does_not_run_away():
    drawn = draw(200, 0)
    model, free = model_of(drawn), Free("common", "none", False)
    sums = set_sums(drawn.passes(), model, free)
    bare = replace(sums, slope=np.full(4, 1e6), products=np.zeros((4, 4)))
    there = scored(model, bare, free, 1e-12)
    moved_by = abs(there.theta - model.theta)[:, 0] * np.sqrt(np.mean(drawn.inputs**2))
    assert_allclose(moved_by, model.clutter.extent)
    near = scored(model, sums, free, 1e-9)
    assert abs(near.theta - model.theta).max() < 0.2


@pytest.mark.parametrize("seed", [0, 1])
def test_em_of_law_density_and_shape_leads_uphill(seed):
    drawn = draw(300, seed, theta=TRACKS, tracks=True, law="skewed")
    model, free = model_of(drawn, law=begun(UnitLaw(), 0.25)), Free()
    sums = set_sums(drawn.passes(), model, free)
    there = learned(model, sums, free)
    after = set_sums(drawn.passes(), there, free)
    assert after.likelihood + there.clutter.log_prior > sums.likelihood + model.clutter.log_prior + 5.0
    assert_allclose(np.trace(there.shape), 2.0)


def test_noise_on_a_line_leaves_a_shape_that_can_be_inverted():
    drawn = draw(300, 0, theta=TRACKS, tracks=True)
    model, free = model_of(drawn), Free()
    sums = set_sums(drawn.passes(), model, free)
    line = replace(sums, moments=sums.seen.sum() * np.outer([3.0, 1.0], [3.0, 1.0]))
    flat = learned(model, line, free)
    assert_allclose(flat.shape, np.array([[1.8, 0.6], [0.6, 0.2]]), atol=1e-9)
    assert np.isfinite(flat.whitening[0]).all()
    assert np.isfinite(set_sums(drawn.passes(), flat, free).residuals).all()


def test_counts_of_what_is_free():
    assert [free.counts(3) for free in FREE] == [(1, 1, 1), (3, 3, 1), (3, 0, 0)]


def test_pieces_are_the_block():
    data = draw(50, 0).data
    parts = pieces(data, 3, weight=2**16)
    assert len(parts) > 1
    assert sum(len(one) for one in parts) == 50
    assert_allclose(np.concatenate([one.readings for one in parts]), data.readings)
