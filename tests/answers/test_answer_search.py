"""The search finds what a start at the truth finds, and rivals that answers do not exclude."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.answers.cases import THETA, data, drawn
from vieta.answers.answer_climb import climb
from vieta.answers.answer_errors import inverse
from vieta.answers.answer_search import alone, distance, is_outside, pooled, search, spread_starts
from vieta.answers.answer_survey import AnswerSurvey
from vieta.answers.binary import BinaryLikelihood
from vieta.sums import in_memory

LAW = BinaryLikelihood(3, 2, "logit")


@pytest.mark.parametrize("seed", [0, 1])
def test_it_ends_where_a_climb_from_the_truth_ends(seed):
    sets, psi, b = drawn("binary", 900, seed, 2.0 * THETA)
    passes = in_memory(data(sets, psi, b))
    root = AnswerSurvey.of(data(sets, psi, b)).root
    found = search(passes, 900, LAW, np.empty(0), root, [])
    there = climb(passes, LAW, 2.0 * THETA.ravel(), root)
    assert found.best.height > there.height - 1e-3
    assert distance(LAW, found.best.u, there.u, root) < 0.05
    assert found.rivals == []


def test_rivals_are_reported_where_few_sets_leave_them():
    """Three levels of an input leave an accidental second solution: with few answers it is not excluded."""
    theta = np.array([[-2.0, 1.0], [2.0, -1.0]])
    rng = np.random.default_rng(0)
    psi = np.column_stack([np.ones(400), rng.integers(0, 2, 400)])
    psi[:4, 1] = 0.5
    sets = (rng.random((400, 2)) < 1.0 / (1.0 + np.exp(-psi @ theta.T))).astype(float)
    passes, law = in_memory(data(sets, psi)), BinaryLikelihood(2, 2, "logit")
    root = AnswerSurvey.of(data(sets, psi)).root
    assert search(passes, 400, law, np.empty(0), root, []).rivals


def test_places_outside_the_regions_are_told_from_those_inside():
    sets, psi, b = drawn("binary", 600, 0)
    passes, root = in_memory(data(sets, psi, b)), AnswerSurvey.of(data(sets, psi, b)).root
    best = climb(passes, LAW, THETA.ravel(), root)
    near, far = (
        replace(best, u=best.u + times * np.sqrt(np.diag(inverse(best.sums.information)))) for times in (0.3, 6)
    )
    assert not is_outside(LAW, best, near, root)
    assert is_outside(LAW, best, far, root)
    best.sums.information[1, :], best.sums.information[:, 1] = 0.0, 0.0  # as at infinity: nothing lies outside
    there = replace(best, u=best.u + 500.0 * (np.arange(6) == 1))
    assert not is_outside(LAW, best, there, root)


def test_starts_spread_about_the_fit_of_one_system():
    sets, psi, b = drawn("binary", 300, 0)
    root = AnswerSurvey.of(data(sets, psi, b)).root
    one = pooled(alone(data(sets, psi, b)), LAW, np.empty(0), root)
    labeled = climb(
        in_memory(data(sets.reshape(-1, 1), np.repeat(psi, 3, axis=0), np.repeat(b, 3))),
        LAW.of_size(1),
        np.zeros(2),
        root,
    )
    assert_allclose(one.u, labeled.u, atol=0.02)
    starts = list(spread_starts(LAW, one.u, root, np.random.default_rng(0), 2))
    assert len(starts) == 6
    assert {start.shape for start in starts} == {(3, 2)}
    line = list(spread_starts(BinaryLikelihood(3, 1, "logit"), one.u[:1], np.eye(1), np.random.default_rng(0), 2))
    assert len(line) == 3
    assert_allclose([start.mean() for start in line], one.u[0])
    assert len(list(spread_starts(LAW.of_size(1), one.u, root, np.random.default_rng(0), 2))) == 1
