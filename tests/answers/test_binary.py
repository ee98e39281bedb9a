"""Right or wrong: the likelihood against all outcomes, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import vieta
from tests.answers.cases import THETA, by_permutations, data, drawn, slopes
from vieta.answers.binary import FAMILY, BinaryLikelihood
from vieta.errors import InputError


def test_the_likelihood_is_the_sum_over_all_permutations_up_to_how_many_orders_a_set_has():
    sets, psi, b = drawn("binary", 12)
    law, block = BinaryLikelihood(3, 2, "logit"), data(sets, psi, b)
    eta = psi @ THETA.T + b[:, None]
    twin = by_permutations(lambda y, e: stats.bernoulli.pmf(y, stats.logistic.cdf(e)), sets, eta)
    n = sets.sum(axis=1)
    orders = np.array([1, 1, 2, 6])[n.astype(int)] * np.array([1, 1, 2, 6])[(3 - n).astype(int)]
    logs, scores = law.scores(block, THETA.ravel())
    assert_allclose(np.exp(logs), twin / orders, rtol=1e-10)
    assert_allclose(scores, slopes(lambda u: law.scores(block, u)[0], THETA.ravel()), atol=1e-8)
    sums = law.sums(block, THETA.ravel())
    assert_allclose(sums.score, scores.sum(axis=0), rtol=1e-9)
    assert_allclose(sums.likelihood, logs.sum(), rtol=1e-12)


def test_moments_are_those_of_the_answers():
    _, psi, b = drawn("binary", 5)
    found = FAMILY.moments(BinaryLikelihood(3, 2, "probit"), data(np.zeros((5, 3)), psi, b), THETA.ravel())
    p = stats.norm.cdf(psi @ THETA.T + b[:, None])
    assert_allclose(found.mean, p.sum(axis=1))
    assert_allclose(found.variance, (p * (1 - p)).sum(axis=1))


@pytest.mark.parametrize("wrong", [2.5, -1.0, 2.0])
def test_what_is_not_an_answer_is_refused_by_its_set(wrong):
    sets = np.zeros((4, 2))
    sets[2, 1] = wrong
    with pytest.raises(InputError, match=r"sets\[2\] holds") as caught:
        vieta.fit(sets, family="binary")
    assert caught.value.code == "not-binary"


@pytest.mark.parametrize(("value", "where"), [(0.0, "minus"), (1.0, "plus")])
def test_answers_that_are_all_the_same_are_refused(value, where):
    with pytest.raises(InputError, match=f"{where} infinity"):
        vieta.fit(np.full((9, 2), value), family="binary")
