"""Maximum likelihood under a prior: against every order one by one, and against the truth."""

from math import factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import CASES
from tests.likelihood.cases import one_step, passes_of
from vieta.errors import InputError
from vieta.laws import labels
from vieta.laws.noise import Gaussian, Laplace, Skewed, StudentT
from vieta.likelihood import prior_fit
from vieta.likelihood.assumed import assume
from vieta.likelihood.model import evaluate
from vieta.likelihood.orders import as_orders
from vieta.scenarios import simulate
from vieta.sets import as_data

LAWS = [Gaussian(0.5), Laplace(0.5), StudentT(0.5, df=4)]
PRIOR = np.array([0.4, 0.1, 0.2, 0.05, 0.05, 0.2])


def naive(data, theta, law, prior):
    """Log density of each set: the definition."""
    orders, total = as_orders(prior, len(theta)), 0.0
    m = data.inputs[:, None] * theta[:, 0]
    for chance, order in zip(np.exp(orders.log_prior), orders.table):
        r = (data.sets[:, :, 0] - m[:, order])[..., None]
        total += chance * np.exp(law.log_density(r).sum(axis=-1))
    return np.log(total)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_the_likelihood_is_the_sum_over_orders_and_its_scores_are_its_derivatives(law):
    data, theta, h = as_data(*CASES[1].draw(5, noise=0.7)), CASES[1].theta, 1e-6
    at = prior_fit.Prior(as_orders(PRIOR, 3)).evaluate(data, theta, law)
    assert_allclose(at.log_likelihood, naive(data, theta, law, PRIOR), rtol=1e-12)
    for l in range(3):
        up, down = (naive(data, theta + sign * h * np.eye(3)[l][:, None], law, PRIOR) for sign in (1, -1))
        assert_allclose(at.scores[:, l], (up - down) / (2 * h), rtol=1e-6, atol=1e-6)
    up, down = (naive(data, theta, law.scaled(np.exp(sign * h) * law.variance), PRIOR) for sign in (1, -1))
    assert_allclose(at.scale_scores, (up - down) / (2 * h), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("case", [CASES[i] for i in (1, 8, 14)], ids=str)
def test_a_uniform_prior_is_the_likelihood_without_one(case):
    data, law = as_data(*case.draw(40, noise=0.5)), Gaussian(0.25)
    count = factorial(case.n_systems)
    at = prior_fit.Prior(as_orders(np.full(count, 1 / count), case.n_systems)).evaluate(data, case.theta, law)
    expected = evaluate(data, case.theta, law)
    for name in ("log_likelihood", "scores", "scale_scores"):
        assert_allclose(getattr(at, name), getattr(expected, name), rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("noise_var", [4.0, "estimate"])
def test_errors_are_as_claimed_and_far_below_those_without_the_prior(noise_var):
    noise, prior = assume("gaussian", noise_var), as_orders([0.9, 0.1], 2)
    z, ratio = [], []
    for seed in range(20):
        records = simulate((5, 4), n=1000, seed=seed, noise=Gaussian(4.0), labels=labels.Weighted((0.9, 0.1)))
        passes = passes_of(records.sets)
        found = prior_fit.conclude(passes, prior_fit.fit(passes, noise, prior), prior)
        error = np.sort(found.theta.ravel()) - [4, 5]
        z.append(error / np.sqrt(np.diag(found.cov)))
        without = np.sort(one_step(records.sets, noise_var=noise_var).theta.ravel()) - [4, 5]
        ratio.append([error @ error, without @ without])
    assert abs(np.mean(np.square(z)) - 1) < 4 * np.sqrt(2 / 40)
    with_prior, without = np.mean(ratio, axis=0)
    assert with_prior < 0.6 * without


def test_it_ends_where_the_likelihood_has_no_slope():
    records = simulate((2, 5, 1), n=500, seed=0, labels=labels.Weighted(PRIOR))
    found = prior_fit.fit(passes_of(records.sets), assume("gaussian"), as_orders(PRIOR, 3))
    slope = found.best.sums.slope
    assert slope @ np.linalg.solve(found.information, slope) < prior_fit.SETTLED
    assert_allclose(found.best.theta.ravel(), [2, 5, 1], atol=0.2)  # rows as the prior has them
    assert_allclose(found.symmetric.theta[found.rows].ravel(), [2, 5, 1], atol=0.3)


@pytest.mark.parametrize("blocks", [2, 5])
def test_several_blocks_and_pieces_are_one(blocks, monkeypatch):
    records = simulate((2, 5, 1), n=300, seed=0, labels=labels.Weighted(PRIOR))
    orders, noise = as_orders(PRIOR, 3), assume("gaussian")

    def conclude(sets, count):
        passes = passes_of(sets, blocks=count)
        return prior_fit.conclude(passes, prior_fit.fit(passes, noise, orders), orders)

    one = conclude(records.sets, 1)
    assert prior_fit.Prior(orders).size == prior_fit.WORK // 6
    monkeypatch.setattr(prior_fit, "WORK", 1500)  # 250 sets at once
    many = conclude(records.sets, blocks)
    assert_allclose(many.theta, one.theta, rtol=1e-9)
    assert_allclose(many.cov, one.cov, rtol=1e-9, atol=1e-12)
    assert not np.allclose(conclude(records.sets[40:], blocks).theta, one.theta, rtol=1e-4)


def test_sets_that_the_law_excludes_are_refused():
    law = Skewed(1.0, skewness=0.8)
    sets = simulate((0, 3), n=50, seed=0, noise=law).sets
    sets[7] = -50.0, 3.0
    with pytest.raises(InputError, match=r"sets\[7\].*cannot come from noise of law Skewed"):
        prior_fit.fit(passes_of(sets), assume(law), as_orders([0.3, 0.7], 2))
