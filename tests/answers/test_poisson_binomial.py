"""Counts of right answers, against the sum over all outcomes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from tests.answers.cases import count_law
from vieta.answers import poisson_binomial as kernels

CDF = {kernels.LOGIT: stats.logistic.cdf, kernels.PROBIT: stats.norm.cdf}
every_link = pytest.mark.parametrize("link", [kernels.LOGIT, kernels.PROBIT])


def place(L, n=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 2)), rng.standard_normal(n), rng.standard_normal((L, 2))


def law(rows, known, theta, link):
    return np.array([count_law(CDF[link](theta @ row + b)) for row, b in zip(rows, known, strict=True)])


def computed(rows, known, theta, link):
    """(N, L + 1) the probabilities of all counts."""
    L, found = len(theta), []
    for n in range(L + 1):
        logs = np.empty(len(rows))
        kernels.binomial_scores(np.full(len(rows), n), rows, known, theta, link, 0.0, logs, np.empty((len(rows), L)))
        found.append(np.exp(logs))
    return np.array(found).T


@every_link
@pytest.mark.parametrize("L", [1, 2, 4])
def test_the_law_of_counts_is_that_of_all_outcomes(L, link):
    rows, known, theta = place(L)
    assert_allclose(computed(rows, known, theta, link), law(rows, known, theta, link), rtol=1e-12)


@every_link
@pytest.mark.parametrize("L", [1, 2, 4])
def test_scores_are_the_slopes_of_the_law(L, link):
    rows, known, theta = place(L)
    counts = np.arange(len(rows)) % (L + 1)
    logs, scores = np.empty(len(rows)), np.empty((len(rows), L))
    kernels.binomial_scores(counts, rows, known, theta, link, 0.0, logs, scores)
    step = 1e-6
    for k, n in enumerate(counts):
        eta = theta @ rows[k] + known[k]
        assert_allclose(logs[k], np.log(count_law(CDF[link](eta))[n]), rtol=1e-12)
        for j in range(L):
            ends = [np.log(count_law(CDF[link](eta + sign * step * (np.arange(L) == j)))[n]) for sign in (1, -1)]
            assert_allclose(scores[k, j], (ends[0] - ends[1]) / (2 * step), rtol=1e-5, atol=1e-7)


@every_link
def test_the_information_is_the_mean_square_of_the_scores(link):
    rows, known, theta = place(3)
    L, D = theta.shape
    score, information = np.zeros(L * D), np.zeros((L * D, L * D))
    counts = np.array([0, 1, 2, 3, 1, 2])
    total = kernels.binomial_sums(counts, rows, known, theta, link, 0.0, score, information)
    expected, first, log = np.zeros((L * D, L * D)), np.zeros(L * D), 0.0
    P = law(rows, known, theta, link)
    for k in range(len(rows)):
        for n in range(L + 1):
            logs, s = np.empty(1), np.empty((1, L))
            kernels.binomial_scores(np.array([n]), rows[k : k + 1], known[k : k + 1], theta, link, 0.0, logs, s)
            g = np.outer(s[0], rows[k]).ravel()
            expected += P[k, n] * np.outer(g, g)
            if n == counts[k]:
                first, log = first + g, log + logs[0]
    assert_allclose(information, expected, rtol=1e-9, atol=1e-12)
    assert_allclose(score, first, rtol=1e-9)
    assert_allclose(total, log, rtol=1e-12)


def test_nothing_is_lost_where_systems_are_sure_or_many():
    rows, known = np.ones((1, 1)), np.zeros(1)
    theta = np.concatenate([np.full(30, 40.0), np.full(30, -40.0)])[:, None]
    assert_allclose(computed(rows, known, theta, kernels.LOGIT)[0, 30], 1.0)
    same = computed(rows, known, np.full((40, 1), 0.3), kernels.LOGIT)
    assert_allclose(same[0], stats.binom.pmf(np.arange(41), 40, stats.logistic.cdf(0.3)), rtol=1e-10)
