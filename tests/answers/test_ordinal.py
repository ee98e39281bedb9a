"""Levels of a scale: the likelihood against all permutations, thresholds, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import vieta
from tests.answers.cases import CUTS, THETA, by_permutations, data, drawn, slopes
from vieta.answers.ordinal import FAMILY, OrdinalLikelihood
from vieta.errors import InputError


def law_of(given=None, anchored=False):
    return OrdinalLikelihood(3, 2, "logit", 4, given, anchored)


def level(y, eta, cuts=CUTS):
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    return stats.logistic.cdf(ends[int(y)] - eta) - stats.logistic.cdf(ends[int(y) - 1] - eta)


@pytest.mark.parametrize("given", [CUTS, None])
def test_the_likelihood_is_the_sum_over_all_permutations(given):
    sets, psi, b = drawn("ordinal", 12)
    law, block = law_of(given), data(sets, psi, b)
    u = np.concatenate([THETA.ravel(), law.unknowns_of(CUTS)])
    logs, scores = law.scores(block, u)
    assert_allclose(np.exp(logs), by_permutations(level, sets, psi @ THETA.T + b[:, None]), rtol=1e-9)
    assert_allclose(scores, slopes(lambda v: law.scores(block, v)[0], u), atol=1e-7)
    assert_allclose(law.sums(block, u).information, scores.T @ scores, rtol=1e-9)


@pytest.mark.parametrize("anchored", [True, False])
def test_thresholds_are_made_of_unknowns_and_back(anchored):
    law = law_of(None, anchored)
    cuts = CUTS - CUTS[0] * anchored
    u = np.concatenate([THETA.ravel(), law.unknowns_of(cuts)])
    assert len(u) == law.size
    assert_allclose(law.thresholds(u), cuts, atol=1e-12)
    scores = law.scores(data(*drawn("ordinal", 8)), u)
    assert_allclose(scores[1], slopes(lambda v: law.scores(data(*drawn("ordinal", 8)), v)[0], u), atol=1e-7)


def test_errors_of_thresholds_follow_those_of_the_unknowns():
    law = law_of(None, False)
    u = np.concatenate([THETA.ravel(), law.unknowns_of(CUTS)])
    cov = np.diag(np.linspace(0.01, 0.09, law.size))
    J = slopes(law.thresholds, u)
    found = FAMILY.model(law, u, cov)
    assert_allclose(found.stderr, np.sqrt(np.diag(J @ cov @ J.T)), rtol=1e-6)
    assert_allclose(found.values, CUTS)


def test_moments_are_those_of_the_levels():
    law, (_, psi, b) = law_of(CUTS), drawn("ordinal", 4)
    found = FAMILY.moments(law, data(np.ones((4, 3)), psi, b), THETA.ravel())
    eta = psi @ THETA.T + b[:, None]
    mean = sum(m * level(m, eta) for m in range(1, 5))
    square = sum(m * m * level(m, eta) for m in range(1, 5))
    assert_allclose(found.mean, mean.sum(axis=1))
    assert_allclose(found.variance, (square - mean**2).sum(axis=1))


def test_thresholds_and_parameters_are_found():
    theta = np.array([[-2.0, 0.5], [1.0, -0.5]])
    sets, psi, b = drawn("ordinal", 1500, 3, theta)
    free, given = (vieta.fit(sets, psi, family="ordinal", offset=b, thresholds=c) for c in (None, CUTS))
    assert_allclose(given.theta, theta, atol=4.5 * given.stderr.max())
    assert_allclose(free.theta, theta - [CUTS[0], 0.0], atol=4.5 * free.stderr.max())
    assert np.all(abs(free.answers.values - (CUTS - CUTS[0])) < 4.5 * np.maximum(free.answers.stderr, 1e-12))
    assert not [one for one in free.findings if one.severity == "serious"]


@pytest.mark.parametrize(
    ("sets", "options", "code"),
    [
        ([[1, 2], [3, 7]], {"levels": 5}, "not-a-level"),
        ([[1, 2], [2, 2.5]], {}, "not-a-level"),
        ([[0, 2], [2, 1]], {}, "not-a-level"),
        ([[1, 2], [2, 5], [3, 3]], {}, "level-absent"),
        ([[1, 2], [2, 3]], {"levels": 4}, "level-absent"),
        ([[1, 2], [2, 3]], {"thresholds": [1.0, 0.0]}, "thresholds-range"),
        ([[1, 2], [2, 3]], {"thresholds": [0.0], "levels": 3}, "thresholds-count"),
        ([[2, 2], [2, 2]], {}, "levels-constant"),
    ],
)
def test_bad_answers_are_refused(sets, options, code):
    with pytest.raises(InputError) as caught:
        vieta.fit(sets, family="ordinal", **options)
    assert caught.value.code == code
