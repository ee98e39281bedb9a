import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import CASES
from tests.naive import derivative
from vieta.laws import inputs
from vieta.laws.noise import Density, Gaussian, Laplace, Skewed, StudentT, Uniform
from vieta.likelihood import em, one_step
from vieta.likelihood.contrast import compare, symmetric_influence
from vieta.likelihood.curvature import curvature, influence, unit_information
from vieta.likelihood.model import evaluate
from vieta.scenarios import simulate
from vieta.sets import as_data
from vieta.symmetric import canonical_order
from vieta.weighted import solve

LAWS = {"gaussian": Gaussian, "laplace": Laplace, "student-t": StudentT}


def draw(law, n=4000, seed=0, theta=(4, 5)):
    records = simulate(theta, n=n, seed=seed, noise=law, inputs=inputs.Gaussian())
    return records.sets, records.inputs


def bound(theta, law, known, n=60_000):
    """Cramér-Rao bound of one unlabeled set, (n, n), from the scores of many."""
    sets, psi = draw(law, n=n, seed=999, theta=theta)
    scores = evaluate(as_data(sets, psi), np.array(theta, dtype=float)[:, None], law).joint(known)
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


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("law", [Gaussian(1.0), StudentT(1.0), Skewed(4.0, skewness=0.5)], ids=repr)
def test_curvature_is_the_second_derivative(law, known):
    """By central differences of the scores; up to chance, where the law's information stands for labeled sets'."""
    sets, psi = draw(law, n=4000)
    data, theta = as_data(sets, psi), np.array([[4.0], [5.0]])
    scores = evaluate(data, theta, law).joint(known)

    def slope(x):
        return evaluate(data, x[:2, None], law.scaled(law.variance * np.exp(x[2]))).joint(known).sum(axis=0)

    expected = -derivative(slope, np.array([4.0, 5.0, 0.0]))[:, : scores.shape[1]]
    A = curvature(data, theta, law, scores.T @ scores)
    size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert np.all(abs(A - expected) < 0.1 * size)
    if law == Gaussian(1.0):
        assert_allclose(A[:2, :2], expected[:2, :2], rtol=1e-3, atol=1e-3 * expected.max())
    assert not np.all(abs(1.25 * A - expected) < 0.1 * size)
    assert_allclose(influence(scores, A, 2), (np.linalg.inv(A) @ scores.T)[:2].T, rtol=1e-9)


def test_curvature_does_not_believe_a_wrong_variance():
    """Systems far apart: A is that of labeled least squares with the variance assumed, and M is not."""
    sets, psi = draw(Gaussian(1.0), n=500, theta=(-300, 300))
    data, theta = as_data(sets, psi), np.array([[-300.0], [300.0]])
    keep = abs(psi) > 0.1
    data = as_data(sets[keep], psi[keep])
    scores = evaluate(data, theta, Gaussian(9.0)).joint(True)
    A = curvature(data, theta, Gaussian(9.0), scores.T @ scores)
    assert_allclose(np.diag(A), (psi[keep] ** 2).sum() / 9.0, rtol=1e-9)
    assert np.diag(scores.T @ scores).max() < 0.2 * np.diag(A).min()


@pytest.mark.parametrize("law", [Gaussian(), Laplace(), StudentT(df=4), Skewed(skewness=0.5)], ids=repr)
def test_what_a_labeled_number_tells(law):
    v = law.draw(np.random.default_rng(0), 200_000, 1, 1).ravel()
    s = law.unit_score(v)
    t = 0.5 * (v * s - 1)
    for found, sample in zip(unit_information(law), (s**2, t**2, s * t)):
        assert abs(sample.mean() - found) < 5 * sample.std() / np.sqrt(len(v)) + 1e-6


def test_influences_are_what_leaving_a_set_out_does():
    sets, psi = draw(Gaussian(1.0), n=300)
    whole = solve.fit(as_data(sets, psi))
    moves = symmetric_influence(as_data(sets, psi), whole)
    for k in (3, 70, 200):
        rest = solve.fit(as_data(np.delete(sets, k, axis=0), np.delete(psi, k)))
        assert_allclose(
            (whole.theta - rest.theta[np.argsort(whole.theta[:, 0]).argsort()]).ravel(), moves[k], atol=5e-4
        )


def test_contrasts_are_chi_square_and_leave_out_what_hardly_differs():
    V, one = np.diag([4.0, 1.0, 1e-6]), np.ones((3, 1))
    found = compare(np.array([[3.0], [2.0], [6.0]]), one, V, 10.0 * np.eye(3))
    assert (found.df, found.statistic) == (2, pytest.approx(2.0))
    assert found.p_value == pytest.approx(np.exp(-1.0))
    assert compare(2 * one, one, np.zeros((3, 3)), np.eye(3)).p_value == 1.0
    assert compare(1e-15 + one, one, 1e-34 * np.eye(3), 1e-33 * np.eye(3)).p_value == 1.0  # rounding


def test_any_law_with_a_score_will_do():
    law = Skewed(1.0, skewness=0.6)
    found = one_step(*draw(law, n=1000, theta=(-2, 5, 8)), law=law)
    assert np.all(abs(np.sort(found.theta.ravel()) - [-2, 5, 8]) < 5 * np.sqrt(np.diag(found.cov)))
    logistic = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))))
    found = one_step(*draw(logistic, n=1000, theta=(-2, 5, 8)), law=logistic, noise_var="estimate")
    assert np.all(abs(np.sort(found.theta.ravel()) - [-2, 5, 8]) < 5 * np.sqrt(np.diag(found.cov)))
    assert abs(found.law.variance / logistic.variance - 1) < 0.2


@pytest.mark.parametrize(
    ("law", "text"),
    [
        (Skewed(1e-3, skewness=1.0), r"sets\[\d+\], and \d+ set\(s\) in all, cannot come from noise of law Skewed"),
        (Uniform(1.0), "the density of Uniform noise ends abruptly"),
    ],
)
def test_laws_that_do_not_do_are_refused(law, text):
    with pytest.raises(ValueError, match=text):
        one_step(*draw(Gaussian(1.0), n=100), law=law)


def test_too_many_systems_are_refused_with_the_cost():
    with pytest.raises(ValueError, match=r"17 systems take about .* operations a set.*method 'efficient'"):
        one_step(np.random.default_rng(0).normal(size=(20, 17)))
