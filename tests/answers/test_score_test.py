"""The score test: scores by differences, its law where nothing is missing, and raters with thresholds of their own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import vieta
from tests.answers.cases import CUTS, THETA, by_permutations, data, drawn
from vieta.answers.answer_climb import climb
from vieta.answers.ordinal import OrdinalLikelihood
from vieta.answers.score_test import score_test
from vieta.sums import in_memory

LAW = OrdinalLikelihood(3, 2, "logit", 4, None, False)
U = np.concatenate([THETA.ravel(), LAW.unknowns_of(CUTS)])


def test_scores_of_own_thresholds_are_slopes_of_the_likelihood():
    sets, psi, b = drawn("ordinal", 10)
    eta = psi @ THETA.T + b[:, None]

    def logs(delta):
        """Each system's predictor is paired with its number, so that its thresholds can be its own."""
        ends = [np.concatenate([[-np.inf], CUTS.mean() + np.exp(d) * (CUTS - CUTS.mean()), [np.inf]]) for d in delta]
        tagged = [[(l, row[l]) for l in range(3)] for row in eta]

        def level(y, system):
            l, x = system
            return stats.logistic.cdf(ends[l][int(y)] - x) - stats.logistic.cdf(ends[l][int(y) - 1] - x)

        return np.log(by_permutations(level, sets, tagged))

    step = 1e-5
    expected = [(logs(step * one) - logs(-step * one)) / (2 * step) for one in np.eye(3)]
    assert_allclose(LAW.spread_scores(data(sets, psi, b), U), np.array(expected).T, atol=1e-6)


def test_where_nothing_is_missing_it_is_chi_square_and_one_direction_is_covered():
    """All thresholds spread alike are what the thresholds themselves are."""
    found = []
    for seed in range(12):
        block = data(*drawn("ordinal", 600, seed))
        top = climb(in_memory(block), LAW, U, np.eye(2))
        found.append(score_test(in_memory(block), LAW, top, LAW.spread_scores))
    assert {one.dof for one in found} == {2}
    assert abs(np.mean([one.x for one in found]) - 2.0) < 5 * np.sqrt(4.0 / 12)
    assert min(one.p_value for one in found) > 1e-3


@pytest.mark.parametrize("factor", [1.0, 0.45])
def test_a_rater_with_thresholds_of_his_own_is_reported(factor):
    rng = np.random.default_rng(0)
    psi = np.column_stack([np.ones(1500), rng.standard_normal(1500)])
    cuts = np.tile([0.0, 1.3, 2.7, 4.0], (3, 1))
    cuts[0] = 2.0 + factor * (cuts[0] - 2.0)
    latent = psi @ np.array([[0.5, 0.5], [2.0, 1.0], [3.5, -1.0]]).T + rng.logistic(size=(1500, 3))
    stars = 1.0 + (latent[:, :, None] > cuts).sum(axis=2)
    codes = {one.code for one in vieta.fit(np.sort(stars, axis=1), psi, family="ordinal").findings}
    assert ("scale-not-shared" in codes or "answers-dispersed" in codes) == (factor < 1.0)
