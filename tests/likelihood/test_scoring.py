import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import CASES
from tests.likelihood.cases import draw, em, one_step
from vieta.errors import InputError
from vieta.laws.noise import Density, Gaussian, Laplace, Skewed, StudentT, Uniform
from vieta.likelihood.model import evaluate
from vieta.sets import as_data
from vieta.symmetric import canonical_order

LAWS = {"gaussian": Gaussian, "laplace": Laplace, "student-t": StudentT}


def bound(theta, law, known, n=60_000):
    """Cramér-Rao bound of one unlabeled set, (n, n), from the scores of many."""
    sets, psi = draw(law, n=n, seed=999, theta=theta)
    scores = evaluate(as_data(sets, psi), np.array(theta, dtype=float)[:, None], law).joint
    scores = scores[:, : len(theta) + (not known)]
    return np.linalg.inv(scores.T @ scores / n)[: len(theta), : len(theta)]


@pytest.mark.parametrize(("law", "known"), [("gaussian", False), ("laplace", False), ("student-t", True)])
def test_one_step_reaches_the_bound_and_knows_it(law, known):
    """White errors of 20 runs have mean square one; those of the symmetric estimate have more."""
    theta, n, runs = np.array([4.0, 5.0]), 1500, 20
    root = np.linalg.cholesky(bound((4, 5), LAWS[law](4.0), known) / n)
    white, claimed, start, alarms = [], [], [], 0
    for seed in range(runs):
        found = one_step(*draw(LAWS[law](4.0), n=n, seed=seed), law=law, noise_var=4.0 if known else None)
        order = np.argsort(found.theta[:, 0])
        white.append(np.linalg.solve(root, found.theta[order, 0] - theta))
        start.append(np.linalg.solve(root, found.symmetric.theta[order, 0] - theta))
        claimed.append((found.theta[order, 0] - theta) / np.sqrt(np.diag(found.cov))[order])
        alarms += found.contrast.p_value < 0.01
    error = np.sqrt(2 / (2 * runs))
    assert abs(np.mean(np.square(white)) - 1) < 4 * error
    assert abs(np.mean(np.square(claimed)) - 1) < 4 * error
    assert np.mean(np.square(start)) > np.mean(np.square(white))
    assert alarms <= 3  # one in a hundred is expected: P(more than 3 of 20) is below one in a thousand


@pytest.mark.parametrize("seed", range(2))
def test_a_wrong_law_is_noticed_and_cannot_lead_far_away(seed):
    sets, psi = draw(Laplace(4.0), n=10_000, seed=seed)
    wrong = one_step(sets, psi, law="gaussian", noise_var=1.0)
    assert wrong.contrast.p_value < 1e-4
    distance = (wrong.theta - wrong.symmetric.theta).ravel()
    assert distance @ np.linalg.inv(wrong.symmetric.cov) @ distance < 2 + 10 * np.sqrt(4) + 1e-6
    assert abs(np.sort(em(sets, psi, law="gaussian", noise_var=1.0).theta.ravel()) - [4, 5]).max() > 0.3
    assert one_step(sets, psi, law="laplace", noise_var=4.0).contrast.p_value > 1e-3


def test_a_wrong_variance_that_does_no_harm_leaves_the_errors_honest():
    """Systems far apart: the variance hardly matters for the estimate, and the sandwich does not believe it."""
    claimed = []
    for seed in range(20):
        found = one_step(*draw(Gaussian(1.0), n=400, seed=seed, theta=(-30, 30)), noise_var=9.0)
        order = np.argsort(found.theta[:, 0])
        claimed.append((found.theta[order, 0] - [-30, 30]) / np.sqrt(np.diag(found.cov))[order])
    assert abs(np.mean(np.square(claimed)) - 1) < 4 * np.sqrt(2 / 40)


@pytest.mark.parametrize("case", [CASES[i] for i in (1, 3, 8, 13, 14, 16)], ids=str)
def test_every_shape_of_data_is_taken(case):
    found = one_step(*case.draw(400, noise=0.3))
    order = canonical_order(found.theta)
    errors = (found.theta - case.theta[canonical_order(case.theta)][np.argsort(order)]).ravel()
    assert np.all(abs(errors) < 5 * np.sqrt(np.diag(found.cov)))
    assert found.contrast.p_value > 1e-4


def test_one_step_is_near_the_maximum():
    sets, psi = draw(Gaussian(1.0))
    found, top = one_step(sets, psi), em(sets, psi)
    assert_allclose(found.theta, top.theta, atol=0.02 * np.sqrt(np.diag(found.cov)).max())
    assert_allclose(found.law.variance, top.law.variance, rtol=1e-3)


def test_any_law_with_a_score_will_do():
    law = Skewed(1.0, skewness=0.6)
    found = one_step(*draw(law, n=1000, theta=(-2, 5, 8)), law=law)
    assert np.all(abs(np.sort(found.theta.ravel()) - [-2, 5, 8]) < 5 * np.sqrt(np.diag(found.cov)))
    logistic = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))))
    found = one_step(*draw(logistic, n=1000, theta=(-2, 5, 8)), law=logistic, noise_var="estimate")
    assert np.all(abs(np.sort(found.theta.ravel()) - [-2, 5, 8]) < 5 * np.sqrt(np.diag(found.cov)))
    assert abs(found.law.variance / logistic.variance - 1) < 0.2


@pytest.mark.parametrize("blocks", [2, 7])
@pytest.mark.parametrize("law", ["gaussian", "laplace", Skewed(4.0, skewness=0.5)], ids=repr)
@pytest.mark.parametrize("case", [CASES[i] for i in (1, 3, 8, 14)], ids=str)
def test_several_blocks_are_one(case, law, blocks):
    sets, psi = case.draw(300, noise=0.3)
    one, many = (one_step(sets, psi, law=law, blocks=n) for n in (1, blocks))
    assert_allclose(many.theta, one.theta, rtol=1e-9, atol=1e-9 * abs(one.theta).max())
    assert_allclose(many.cov, one.cov, rtol=1e-9, atol=1e-9 * abs(one.cov).max())
    assert_allclose(many.log_likelihood, one.log_likelihood, rtol=1e-9)
    assert_allclose(many.contrast.p_value, one.contrast.p_value, rtol=1e-6)
    less = one_step(sets[30:], None if psi is None else psi[30:], law=law, blocks=blocks)
    assert not np.allclose(less.theta, one.theta, rtol=1e-5)


@pytest.mark.parametrize("blocks", [1, 6])
def test_sets_that_a_law_excludes_are_refused_by_their_number(blocks):
    sets, psi = draw(Skewed(1.0, skewness=0.8), n=400, theta=(0, 3))
    psi[57] = psi[333] = 1.0
    sets[57] = sets[333] = -50.0, 3.0
    with pytest.raises(InputError, match=r"sets\[57\], and 2 set\(s\) in all, cannot come from noise of law") as error:
        one_step(sets, psi, law=Skewed(9.0, skewness=0.8), blocks=blocks)
    assert error.value.code == "law-excludes-sets"
    assert error.value.facts == {"index": 57, "count": 2, "law": "Skewed"}


def test_laws_that_end_abruptly_are_refused():
    with pytest.raises(InputError, match="the density of Uniform noise ends abruptly"):
        one_step(*draw(Gaussian(1.0), n=100), law=Uniform(1.0))


def test_too_many_systems_are_refused_with_the_cost():
    with pytest.raises(InputError) as error:
        one_step(np.random.default_rng(0).normal(size=(20, 17)))
    assert error.value.code == "too-many-systems"
