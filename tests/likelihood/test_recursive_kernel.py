"""The kernel of recursive EM, part by part, against densities and orders as the laws have them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import CASES
from vieta.association.permanents import workspace
from vieta.laws.noise import Gaussian, Laplace, StudentT
from vieta.laws.scaled import whitening
from vieta.likelihood.model import evaluate
from vieta.likelihood.orders import as_orders, associate, every_order
from vieta.likelihood.recursive_kernel import associate_listed, density_and_score, fill_score, run
from vieta.sets import as_data
from vieta.weighted.sum_regression import as_matrices

LAWS = [Gaussian(0.5), Laplace(0.5), StudentT(0.5, df=4), StudentT(0.5, df=9)]
every_law = pytest.mark.parametrize("law", LAWS, ids=repr)
NO_TABLE, NO_PRIOR = np.empty((0, 3), dtype=np.int64), np.empty(0)


@every_law
def test_densities_are_those_of_the_law_up_to_a_constant(law):
    u = np.array([-3.0, -0.4, 0.7, 2.0, 40.0])
    found = np.array([density_and_score(x, *law.kernel) for x in u])
    assert_allclose(np.diff(found[:, 0]), np.diff(law.unit_log_density(u)), rtol=1e-12)
    assert_allclose(found[:, 1], law.unit_score(u), rtol=1e-12)
    other = np.array([density_and_score(x, 2, 30.0) for x in u])
    assert not np.allclose(other[:, 1], law.unit_score(u), rtol=1e-3)


def test_listed_orders_are_weighed_as_by_bayes():
    rng = np.random.default_rng(0)
    weights, prior = rng.normal(size=(3, 3)), as_orders(rng.dirichlet(np.ones(6)), 3)
    marginals = np.empty((3, 3))
    associate_listed(weights, prior.table, prior.log_prior, np.empty(6), marginals)
    assert_allclose(marginals, associate(prior, weights)[1], atol=1e-14)
    associate_listed(weights - 1e5, prior.table, prior.log_prior, np.empty(6), marginals)  # far away
    assert_allclose(marginals, associate(prior, weights)[1], atol=1e-9)


@every_law
@pytest.mark.parametrize("case", [CASES[i] for i in (1, 8, 14)], ids=str)
@pytest.mark.parametrize("listed", [False, True])
def test_scores_are_those_of_the_likelihood(case, law, listed):
    data = as_data(*case.draw(3, noise=0.7))
    _, L, p = data.sets.shape
    W, _ = whitening(np.asarray(law.variance), L, p)
    table = every_order(L) if listed else np.empty((0, L), dtype=np.int64)
    log_prior = np.full(len(table), -np.log(max(len(table), 1)))
    expected, score = evaluate(data, case.theta, law).joint, np.empty(case.theta.size + 1)
    for y, psi, one in zip(data.sets, as_matrices(data), expected):
        scratch = np.empty((L, L)), np.empty((L, L)), np.empty((L, L, p + 1)), workspace(L), np.empty(len(table))
        fill_score(y, np.ascontiguousarray(psi), case.theta, W, *law.kernel, table, log_prior, *scratch, score)
        assert_allclose(score, one, rtol=1e-9, atol=1e-9)


def test_steps_go_by_a_constant_or_by_the_information():
    """One set, by hand: theta + eps s, or theta + (H + s s')^-1 s, and the scale by the exponential of its step."""
    data, law = as_data(*CASES[1].draw(1, noise=0.7)), Gaussian(0.5)
    s = evaluate(data, CASES[1].theta, law).joint[0]
    W, _ = whitening(np.asarray(law.variance), 3, 1)
    for eps in (0.1, 0.0):
        theta, scale, H = CASES[1].theta.copy(), np.ones(1), 5.0 * np.eye(4)
        run(data.sets, as_matrices(data).copy(), theta, scale, H, W, 0, 0.0, eps, NO_TABLE, NO_PRIOR)
        information = 5.0 * np.eye(4) + np.outer(s, s)
        step = eps * s if eps else np.linalg.solve(information, s)
        assert_allclose(theta.ravel(), CASES[1].theta.ravel() + step[:3], rtol=1e-10)
        assert_allclose(scale, np.exp(step[3]), rtol=1e-10)
        assert_allclose(H, information, rtol=1e-10)
    known, H = CASES[1].theta.copy(), 5.0 * np.eye(3)
    scale = np.ones(1)
    run(data.sets, as_matrices(data).copy(), known, scale, H, W, 0, 0.0, 0.1, NO_TABLE, NO_PRIOR)
    assert scale == 1.0  # a scale that is known stays
    assert_allclose(known.ravel(), CASES[1].theta.ravel() + 0.1 * s[:3], rtol=1e-10)
