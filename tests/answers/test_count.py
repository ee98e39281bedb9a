"""Counts: the likelihoods against all permutations, the choice between them and quasi-likelihood."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import vieta
from tests.answers.cases import THETA, by_permutations, data, drawn, slopes
from vieta.answers.count import FAMILY, CountLikelihood
from vieta.errors import InputError


def poisson(y, eta):
    return stats.poisson.pmf(y, np.exp(eta))


def dispersed(y, eta, phi=1.7):
    return stats.nbinom.pmf(y, np.exp(eta) / (phi - 1.0), 1.0 / phi)


@pytest.mark.parametrize(("law", "density"), [(False, poisson), (True, dispersed)])
def test_the_likelihood_is_the_sum_over_all_permutations(law, density):
    sets, psi, b = drawn("count", 12)
    likelihood, block = CountLikelihood(3, 2, law), data(sets, psi, b)
    u = np.append(THETA.ravel(), np.log(0.7)) if law else THETA.ravel()
    logs, scores = likelihood.scores(block, u)
    assert_allclose(np.exp(logs), by_permutations(density, sets, psi @ THETA.T + b[:, None]), rtol=1e-8)
    assert_allclose(scores, slopes(lambda v: likelihood.scores(block, v)[0], u), atol=1e-6)


def rates(law, n=500, seed=0):
    """Rates about 2, 6 and 15, and counts of a law with a variance of phi times the mean."""
    rng = np.random.default_rng(seed)
    psi = np.column_stack([np.ones(n), rng.standard_normal(n)])
    theta = np.array([[np.log(2.0), 0.2], [np.log(6.0), -0.2], [np.log(15.0), 0.1]])
    return law(rng, np.exp(psi @ theta.T)), psi, theta


LAWS = {
    "poisson": lambda rng, mu: rng.poisson(mu),
    "negative binomial": lambda rng, mu: rng.negative_binomial(mu, 0.5),
    "less than poisson": lambda rng, mu: rng.binomial(np.rint(2.0 * mu).astype(int), mu / np.rint(2.0 * mu)),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_law_is_chosen_by_the_counts(name):
    sets, psi, theta = rates(LAWS[name])
    found = vieta.fit(sets, psi, family="count")
    assert np.all(abs(found.theta - theta) < 4.5 * found.stderr)
    phi = found.answers.values[0]
    codes = {one.code for one in found.findings}
    if name == "poisson":
        assert phi == 1.0
        assert codes == set()
    elif name == "negative binomial":
        assert abs(phi - 2.0) < 4.5 * found.answers.stderr[0]
        assert codes == set()
    else:
        assert phi < 0.7
        assert "count-law-wrong" in codes


@pytest.mark.parametrize(
    ("sets", "code"),
    [
        ([[1, 2], [-1, 0]], "not-a-number-of-times"),
        ([[1, 0.5]], "not-a-number-of-times"),
        ([[0, 0], [0, 0]], "counts-zero"),
    ],
)
def test_bad_counts_are_refused(sets, code):
    with pytest.raises(InputError) as caught:
        vieta.fit(sets, family="count")
    assert caught.value.code == code


def test_moments_are_those_of_the_counts():
    law, (_, psi, b) = CountLikelihood(3, 2, True), drawn("count", 4)
    found = FAMILY.moments(law, data(np.zeros((4, 3)), psi, b), np.append(THETA.ravel(), np.log(0.7)))
    mu = np.exp(psi @ THETA.T + b[:, None]).sum(axis=1)
    assert_allclose(found.mean, mu)
    assert_allclose(found.variance, 1.7 * mu)
