import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.coefficients.cases import CASES
from tests.likelihood.cases import draw
from tests.naive import derivative
from vieta.laws.noise import Gaussian, Laplace, Skewed, StudentT
from vieta.likelihood.curvature import curvature, labeled_information, unit_information
from vieta.likelihood.model import evaluate
from vieta.sets import as_data
from vieta.sums import in_memory
from vieta.weighted.sum_regression import as_matrices


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("law", [Gaussian(1.0), StudentT(1.0), Skewed(4.0, skewness=0.5)], ids=repr)
def test_curvature_is_the_second_derivative(law, known):
    """By central differences of the scores; up to chance, where the law's information stands for labeled sets'."""
    sets, psi = draw(law, n=4000)
    data, theta = as_data(sets, psi), np.array([[4.0], [5.0]])
    scores = evaluate(data, theta, law).joint[:, : 3 - known]

    def slope(x):
        at = evaluate(data, x[:2, None], law.scaled(law.variance * np.exp(x[2])))
        return at.joint[:, : 3 - known].sum(axis=0)

    expected = -derivative(slope, np.array([4.0, 5.0, 0.0]))[:, : scores.shape[1]]
    A = curvature(in_memory(data), theta, law, scores.T @ scores)
    size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert np.all(abs(A - expected) < 0.1 * size)
    if law == Gaussian(1.0):
        assert_allclose(A[:2, :2], expected[:2, :2], rtol=1e-3, atol=1e-3 * expected.max())
    assert not np.all(abs(1.25 * A - expected) < 0.1 * size)


def test_curvature_does_not_believe_a_wrong_variance():
    """Systems far apart: A is that of labeled least squares with the variance assumed, and M is not."""
    sets, psi = draw(Gaussian(1.0), n=500, theta=(-300, 300))
    data, theta = as_data(sets, psi), np.array([[-300.0], [300.0]])
    keep = abs(psi) > 0.1
    data = as_data(sets[keep], psi[keep])
    scores = evaluate(data, theta, Gaussian(9.0)).scores
    A = curvature(in_memory(data), theta, Gaussian(9.0), scores.T @ scores)
    assert_allclose(np.diag(A), (psi[keep] ** 2).sum() / 9.0, rtol=1e-9)
    assert np.diag(scores.T @ scores).max() < 0.2 * np.diag(A).min()


@pytest.mark.parametrize("law", [Gaussian(), Laplace(), StudentT(df=4), Skewed(skewness=0.5)], ids=repr)
def test_what_a_labeled_number_tells(law):
    v = law.draw(np.random.default_rng(0), 200_000, 1, 1).ravel()
    s = law.unit_score(v)
    t = 0.5 * (v * s - 1)
    for found, sample in zip(unit_information(law), (s**2, t**2, s * t)):
        assert abs(sample.mean() - found) < 5 * sample.std() / np.sqrt(len(v)) + 1e-6


@pytest.mark.parametrize("case", [CASES[i] for i in (0, 1, 3, 8, 13, 14, 16)], ids=str)
def test_labeled_sets_have_the_information_of_least_squares(case):
    """Gaussian noise of variance v: Psi'Psi / v for each system, N L p / 2 about the log scale, and nothing in common."""
    data = as_data(*case.draw(20, noise=0.7))
    found = labeled_information(data, case.theta, Gaussian(0.7))
    L, n = case.n_systems, case.theta.size
    psi = as_matrices(data).reshape(-1, data.dim)
    assert_allclose(found[:n, :n], np.kron(np.eye(L), psi.T @ psi / 0.7), rtol=1e-9, atol=1e-9)
    assert_allclose(found[n, n], data.sets.size / 2, rtol=1e-6)
    assert_allclose(found[:n, n], 0.0, atol=1e-6 * found.max())


@pytest.mark.parametrize("blocks", [2, 7])
def test_blocks_add_up(blocks):
    data, theta = as_data(*draw(Gaussian(1.0), n=500)), np.array([[4.0], [5.0]])
    scores = evaluate(data, theta, Gaussian(1.0)).joint
    M = scores.T @ scores
    whole = curvature(in_memory(data), theta, Gaussian(1.0), M)
    assert_allclose(curvature(in_memory(data, blocks), theta, Gaussian(1.0), M), whole, rtol=1e-10)
    assert not np.allclose(curvature(in_memory(data.part(0, 400)), theta, Gaussian(1.0), M), whole, rtol=1e-2)


def test_where_there_is_no_curvature_the_products_of_the_scores_are_returned():
    """Between two systems the likelihood bends upwards in their difference; at the systems it does not."""
    data, law = as_data(*draw(Gaussian(1.0), n=500, theta=(3, 6))), Gaussian(1.0)
    for theta, bends in ((np.array([[4.4], [4.6]]), True), (np.array([[3.0], [6.0]]), False)):
        scores = evaluate(data, theta, law).scores
        M = scores.T @ scores
        assert (curvature(in_memory(data), theta, law, M) is M) == bends
