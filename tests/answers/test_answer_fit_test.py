"""Tests of the link and of independence: silent where all is well, and not where it is not."""

import numpy as np
from numpy.testing import assert_allclose

import vieta
from tests.answers.cases import data, drawn
from vieta.answers.answer_fit_test import residual_rows
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


def test_rows_are_residuals_in_groups_and_squares():
    sets, psi, b = drawn("binary", 30, 0, THETA)
    law, block = BinaryLikelihood(3, 1, "logit"), data(sets, psi, b)
    expected = FAMILY.moments(law, block, THETA.ravel())
    rows = residual_rows(FAMILY, law, block, THETA.ravel(), np.quantile(expected.mean, [0.5]))
    away = sets.sum(axis=1) - expected.mean
    assert_allclose(rows[:, :-1].sum(axis=1), away)
    assert_allclose(rows[:, -1], away**2 / expected.variance - 1.0)
    assert_allclose(np.count_nonzero(rows[:, 0]), 15, atol=1)
