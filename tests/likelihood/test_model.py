import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import CASES, shuffle
from tests.likelihood import cases
from tests.naive import derivative
from vieta.laws.noise import Gaussian, Laplace, Skewed, StudentT, Uniform
from vieta.likelihood import log_likelihood, model, score
from vieta.likelihood.model import evaluate, parts
from vieta.sets import as_data
from vieta.weighted.sum_regression import as_matrices

CHOSEN = [CASES[i] for i in (0, 1, 3, 8, 13, 14, 16)]
some_cases = pytest.mark.parametrize("case", CHOSEN, ids=str)
LAWS = [Gaussian(0.5), Laplace(0.5), StudentT(0.5), Skewed(4.0, skewness=0.5)]
every_law = pytest.mark.parametrize("law", LAWS, ids=repr)


@some_cases
@every_law
def test_the_likelihood_is_the_mean_over_permutations(case, law):
    sets, psi = case.draw(4, noise=0.7)
    data = as_data(sets, psi)
    expected = [cases.log_likelihood(case.theta, y, P, law) for y, P in zip(data.sets, as_matrices(data))]
    assert_allclose(log_likelihood(case.theta, law, sets, psi), expected, rtol=1e-11)


@some_cases
@every_law
def test_the_score_is_the_derivative(case, law):
    sets, psi = case.draw(5, seed=1, noise=0.7)
    expected = derivative(lambda theta: log_likelihood(theta, law, sets, psi), case.theta)
    assert_allclose(score(case.theta, law, sets, psi), expected, rtol=1e-5, atol=1e-5)


def test_each_system_may_have_noise_of_its_own():
    rng = np.random.default_rng(0)
    theta, sets = np.array([[0.0], [2.0], [3.0]]), rng.normal(size=(6, 3))
    law = Laplace([0.1, 1.0, 4.0])
    expected = [cases.log_likelihood(theta, y[:, None], np.eye(1), law) for y in sets]
    assert_allclose(log_likelihood(theta, law, sets), expected, rtol=1e-12)
    slope = derivative(lambda t: log_likelihood(t, law, sets), theta)
    assert_allclose(score(theta, law, sets), slope, rtol=1e-5, atol=1e-5)
    other = Laplace([4.0, 1.0, 0.1])
    assert not np.allclose(log_likelihood(theta, other, sets), expected)


def test_order_and_pieces_are_irrelevant(monkeypatch):
    sets, psi = CASES[1].draw(50, noise=0.5)
    expected = log_likelihood(CASES[1].theta, 0.25, sets, psi), score(CASES[1].theta, 0.25, sets, psi)
    monkeypatch.setattr(model, "PIECE", 100)
    again = shuffle(sets, np.random.default_rng(0))
    assert_allclose(log_likelihood(CASES[1].theta, 0.25, again, psi), expected[0], rtol=1e-12)
    assert_allclose(score(CASES[1].theta, 0.25, again, psi), expected[1], rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("seed", [0, 1])
def test_scores_at_the_truth_have_mean_zero(seed):
    rng = np.random.default_rng(seed)
    theta, psi = np.array([[4.0], [5.0]]), rng.normal(size=4000)
    sets = psi[:, None] * theta[:, 0] + Laplace(4.0).draw(rng, 4000, 2, 1)[..., 0]

    def agrees(law):
        s = score(theta, law, sets, psi)
        return np.all(abs(s.mean(axis=0)) < 4 * s.std(axis=0) / np.sqrt(len(s)))

    assert agrees(Laplace(4.0))
    assert not agrees(Gaussian(1.0))  # the wrong law is not satisfied with the truth


def test_coincident_systems_are_no_special_case():
    sets = np.random.default_rng(0).normal(size=(5, 2))
    expected = Gaussian(1.0).log_density(sets[:, :, None] - 0.3).sum(axis=1)
    assert_allclose(log_likelihood([0.3, 0.3], 1.0, sets), expected, rtol=1e-12)


def test_impossible_sets_have_no_likelihood():
    assert log_likelihood([0.0, 1.0], Uniform(1.0), [[0.0, 9.0]]) == -np.inf


@pytest.mark.parametrize(
    ("theta", "sets", "noise", "text"),
    [
        ([1.0, 2.0, 3.0], np.zeros((2, 2)), 1.0, "sets of 2 readings were given, and n_systems=3"),
        (
            [[1.0, 2.0], [3.0, 4.0]],
            np.zeros((2, 2)),
            1.0,
            r"theta has 2 parameter\(s\) a system, .* Needed: shape \(2, 1\)",
        ),
        ([1.0, np.nan], np.zeros((2, 2)), 1.0, "`theta` must be finite"),
        ([1.0, 2.0], np.zeros((2, 2)), -1.0, "must not be negative"),
        ([1.0, 2.0], np.zeros((2, 2)), 0.0, "positive definite variance"),
        ([1.0, 2.0], np.array([[0.0, np.nan]]), 1.0, r"sets\[0\] is incomplete"),
        (range(20), np.zeros((2, 20)), 1.0, "20 systems take about 3e.07 operations a set"),
    ],
)
def test_what_does_not_fit_is_refused(theta, sets, noise, text):
    with pytest.raises(ValueError, match=text):
        log_likelihood(theta, noise, sets)


@every_law
def test_scores_of_the_scale_are_derivatives_by_its_logarithm(law):
    data, h = as_data(*CASES[1].draw(5, noise=0.7)), 1e-6
    up, down = (
        evaluate(data, CASES[1].theta, law.scaled(np.exp(sign * h) * law.variance)).log_likelihood for sign in (1, -1)
    )
    at = evaluate(data, CASES[1].theta, law)
    assert_allclose(at.scale_scores, (up - down) / (2 * h), rtol=1e-6, atol=1e-6)
    assert_allclose(at.joint, np.column_stack([at.scores, at.scale_scores]))


def test_pieces_are_all_of_the_sets_in_their_order():
    data = as_data(*CASES[1].draw(11))
    pieces = list(parts(data, 4))
    assert [len(piece) for piece in pieces] == [4, 4, 3]
    assert_allclose(np.concatenate([piece.sets for piece in pieces]), data.sets)
    assert [len(piece) for piece in parts(data)] == [11]
    assert [len(piece) for piece in parts(data.part(0, 0))] == [0]  # one at the least
