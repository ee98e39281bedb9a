"""Tests of the link and of independence: silent where all is well, and not where it is not."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import vieta
from tests.answers.cases import data, drawn
from vieta.answers.answer_fit_test import EXPECTED, joining, residual_sums
from vieta.answers.binary import FAMILY, BinaryLikelihood

THETA = np.array([[-1.0], [1.0], [2.5]])


def codes(sets, b, **options):
    return {one.code for one in vieta.fit(sets, family="binary", offset=b, **options).findings}


def test_they_are_silent_where_all_is_well():
    alarms = [
        codes(*drawn("binary", 600, seed, THETA)[::2]) & {"link-misfit", "answers-dispersed"} for seed in range(15)
    ]
    assert alarms == [set()] * 15


def test_answers_that_go_together_are_reported():
    """An effect of the set that all systems share."""
    rng = np.random.default_rng(0)
    b = 1.5 * rng.standard_normal(1500)
    shared = b + 2.5 * rng.standard_normal(1500)
    sets = (rng.random((1500, 3)) < 1.0 / (1.0 + np.exp(-(THETA.T + shared[:, None])))).astype(float)
    assert codes(sets, b) & {"answers-dispersed", "link-misfit"}


def test_a_link_that_does_not_fit_is_reported():
    """Guessing: a third of the wrong answers are right by chance."""
    rng = np.random.default_rng(0)
    b = 3.0 * rng.standard_normal(2000)
    p = 1.0 / (1.0 + np.exp(-(THETA.T + b[:, None])))
    sets = (rng.random((2000, 3)) < 1.0 / 3.0 + 2.0 / 3.0 * p).astype(float)
    assert "link-misfit" in codes(sets, b)


def test_sums_are_those_of_residuals_in_groups():
    sets, psi, b = drawn("binary", 60, 0, THETA)
    law, block, u = BinaryLikelihood(3, 1, "logit"), data(sets, psi, b), THETA.ravel()
    expected = FAMILY.moments(law, block, u)
    cut = np.quantile(expected.mean, 0.5)
    found = residual_sums(
        FAMILY, law, block, u, SimpleNamespace(cuts=np.array([cut]), floor=0.1, nudges=np.full(3, 1e-4))
    )
    away, low = sets.sum(axis=1) - expected.mean, expected.mean <= cut
    assert_allclose(found.rows, [away[low].sum(), away[~low].sum()])
    assert_allclose(found.variance, [expected.variance[low].sum(), expected.variance[~low].sum()])
    p = 1.0 / (1.0 + np.exp(-(THETA.T + b[:, None])))
    assert_allclose(found.slopes[0], (p * (1.0 - p))[low].sum(axis=0), rtol=1e-5)
    assert_allclose(found.t, ((away**2 - expected.variance) / (expected.variance + 0.1)).sum())


def test_answers_that_are_hardly_ever_wrong_are_no_misfit():
    """Groups in which nothing happens have residuals without any variance of their own."""
    rng = np.random.default_rng(0)
    b = 6.0 * rng.standard_normal(800)
    alarms = 0
    for _ in range(20):
        sets = (rng.random((800, 2)) < 1.0 / (1.0 + np.exp(-([-1.0, 1.0] + b[:, None])))).astype(float)
        alarms += bool(codes(sets, b) & {"link-misfit", "answers-dispersed"})
    assert alarms == 0


@given(st.lists(st.floats(0.0, 9.0), min_size=1, max_size=10))
def test_groups_are_joined_whole_and_in_order(variance):
    found = joining(np.array(variance))
    assert_allclose(found.sum(axis=0), 1.0)
    assert (np.diff(found.argmax(axis=0)) >= 0).all()
    if len(found) > 1:
        assert (found @ variance >= EXPECTED).all()


def test_ends_that_are_used_too_often_are_reported_and_others_are_not():
    """Thresholds are known, and a third of the answers beyond the middle go to the end of the scale."""
    alarms, cuts = [], np.array([-2.2, -0.7, 0.7, 2.2])
    for seed in range(3):
        rng = np.random.default_rng(seed)
        b = 2.0 * rng.standard_normal(500)
        latent = THETA[:, 0] + b[:, None] + rng.logistic(size=(500, 3))
        sets = 1.0 + (latent[:, :, None] > cuts).sum(axis=2)
        extreme = np.where(sets == 3.0, 3.0, np.where(sets > 3.0, 5.0, 1.0))
        moved = np.where(rng.random(sets.shape) < 0.33, extreme, sets)
        found = [
            {one.code for one in vieta.fit(y, family="ordinal", offset=b, thresholds=cuts).findings}
            for y in (sets, moved)
        ]
        alarms.append([bool(one & {"ends-misfit", "link-misfit", "answers-dispersed"}) for one in found])
    assert np.array(alarms).tolist() == [[False, True]] * 3


def test_a_scale_that_is_too_short_is_reported():
    sets, psi, b = drawn("ordinal", 300, 0, 6.0 * THETA)
    assert "scale-too-short" in {one.code for one in vieta.fit(sets, psi, family="ordinal", offset=b).findings}
