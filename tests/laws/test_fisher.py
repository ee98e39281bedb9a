"""Fisher information of noise laws, against quadrature of their densities and draws of their scores."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad

from vieta.laws import noise
from vieta.laws.density import Density
from vieta.laws.fisher import labeled_information
from vieta.laws.setting import as_points
from vieta.theory import fisher_information


def logistic(v):
    return -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v)))


LAWS = [
    noise.Gaussian(3.0),
    noise.Laplace(0.1),
    noise.StudentT(2.0, df=5),
    noise.StudentT(1.0, df=2.5),
    noise.Skewed(1.0, skewness=1.0),
    noise.Skewed(1.0, skewness=-0.5),
    Density(logistic),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_the_integral_of_the_squared_score(law):
    def integrand(u):
        at = np.array([u])
        return float(np.exp(law.unit_log_density(at))[0] * law.unit_score(at)[0] ** 2)

    edge = -2.0 / law.skewness if isinstance(law, noise.Skewed) else 0.0  # where the density begins, or has a kink
    pieces = [
        quad(integrand, low, high, limit=400)[0] for low, high in ((-200, edge), (edge, 0), (0, 200)) if low < high
    ]
    if edge > 0:
        pieces = [quad(integrand, -200, 0, limit=400)[0], quad(integrand, 0, edge, limit=400)[0]]
    assert_allclose(fisher_information(law), sum(pieces), rtol=2e-4)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_scores_of_draws_have_this_variance_and_no_normal_law_less(law):
    squares = law.unit_score(law.unit(np.random.default_rng(0), (200_000,))) ** 2
    error = squares.std() / np.sqrt(len(squares))
    assert abs(squares.mean() - fisher_information(law)) < 5 * error + 1e-3
    assert fisher_information(law) >= 1.0


def test_a_logistic_density_in_closed_form():
    assert_allclose(fisher_information(Density(logistic)), np.pi**2 / 9, rtol=1e-4)


def test_laws_without_finite_information():
    with pytest.raises(ValueError, match=r"Fisher information of Skewed noise is infinite for skewness 2: .* no bound"):
        fisher_information(noise.Skewed(1.0))
    with pytest.raises(ValueError, match="Uniform noise has no derivative everywhere"):
        fisher_information(noise.Uniform(1.0))
    with pytest.raises(ValueError, match="Finite has no density"):
        fisher_information(noise.Finite(1.0))


def test_information_of_readings_with_labels():
    psi = np.random.default_rng(0).normal(size=(7, 3, 2))
    C = np.array([np.diag([1.0, 2.0, 4.0]), np.eye(3)])
    found = labeled_information(2.0, C, as_points(psi, 2), 2)
    for l in (0, 1):
        expected = 2.0 * sum(P.T @ np.linalg.inv(C[l]) @ P for P in psi) / 7
        assert_allclose(found[2 * l : 2 * l + 2, 2 * l : 2 * l + 2], expected)
    assert_allclose(found[:2, 2:], 0.0)
