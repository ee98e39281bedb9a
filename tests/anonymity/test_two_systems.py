"""Two systems: closed form, quadrature and counting agree."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from vieta.anonymity.two_systems import POINTS, gaussian, quadrature, quantiles
from vieta.laws.noise import Gaussian, Laplace, Skewed, StudentT, Uniform

FAIR = np.array([0.5, 0.5])


@pytest.mark.parametrize("distance", [0.1, 1.0, 4.0])
def test_a_fair_prior_errs_by_half_the_distance(distance):
    wrong, surprise = gaussian(np.array([distance]), np.ones(1), FAIR)
    assert_allclose(wrong, stats.norm.sf(distance / 2))
    s = distance**2 / 2 + distance * np.random.default_rng(0).standard_normal(400_000)  # log odds of the true order
    error = np.log1p(np.exp(-s)).std() / np.sqrt(len(s))
    assert abs(surprise - np.log1p(np.exp(-s)).mean()) < 5 * error


def test_limits():
    assert_allclose(gaussian(np.zeros(1), np.ones(1), FAIR), (0.5, np.log(2.0)))
    assert_allclose(gaussian(np.array([40.0]), np.ones(1), FAIR), (0.0, 0.0), atol=1e-12)
    wrong, surprise = gaussian(np.zeros(1), np.ones(1), np.array([0.9, 0.1]))
    assert_allclose((wrong, surprise), (0.1, stats.entropy([0.9, 0.1])))
    assert gaussian(np.array([1.0]), np.ones(1), np.array([1.0, 0.0])) == (0.0, 0.0)


def test_inputs_are_averaged_by_their_weights():
    each = [np.array(gaussian(np.array([d]), np.ones(1), FAIR)) for d in (0.5, 3.0)]
    both = gaussian(np.array([0.5, 3.0]), np.array([0.25, 0.75]), FAIR)
    assert_allclose(both, 0.25 * each[0] + 0.75 * each[1])


def means(gap):
    return np.array([[[0.0], [gap]]])


@pytest.mark.parametrize("prior", [FAIR, np.array([0.7, 0.3])])
def test_quadrature_is_the_closed_form_for_normal_noise(prior):
    exact = gaussian(np.sqrt(2.0) * np.array([1.5]), np.ones(1), prior)
    assert_allclose(quadrature(Gaussian(1.0), means(1.5), np.ones(1), prior), exact, atol=5e-4)


@pytest.mark.parametrize("law", [Laplace(1.0), StudentT(1.0, df=3), Skewed(1.0, skewness=1.0), Uniform(1.0)], ids=str)
def test_quadrature_against_counting(law):
    """The likelier of the two orders, guessed on drawn pairs; ties count half."""
    rng, n = np.random.default_rng(0), 200_000
    v = law.draw(rng, n, 2, 1)[..., 0]
    y = v + np.array([0.0, 1.0])

    def fit(one, other):
        return law.log_density(np.stack([one, other - 1.0], axis=1)[..., None]).sum(axis=1)

    with np.errstate(invalid="ignore"):
        right, swapped = fit(y[:, 0], y[:, 1]), fit(y[:, 1], y[:, 0])
        miss = np.where(abs(right - swapped) < 1e-9, 0.5, np.where(right > swapped, 0.0, 1.0))
    found, _ = quadrature(law, means(1.0), np.ones(1), FAIR)
    error = miss.std() / np.sqrt(n) + 5e-4
    assert abs(found - miss.mean()) < 5 * error
    assert abs(1.1 * found - miss.mean()) > 5 * error  # the test can fail


def test_points_of_equal_probability():
    u = quantiles(Laplace(9.0))
    assert_allclose(u, stats.laplace(scale=np.sqrt(0.5)).ppf((np.arange(POINTS) + 0.5) / POINTS), atol=5e-3)
    assert quantiles(Skewed(1.0, skewness=4.0)) is None  # infinite at its edge
