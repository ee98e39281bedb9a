"""The law of noise as a mixture of normals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from vieta.adaptive.sieve import NAMED, UnitLaw, begun, binned, centred, components, points

WIDTHS = [0.5, 0.25, 0.125]


def mixture(law, u):
    centres, deviations = components(law.width)
    return stats.norm.pdf(u[:, None], centres, deviations) @ law.weights


@pytest.mark.parametrize("width", WIDTHS)
def test_the_table_is_the_mixture_and_the_score_its_slope(width):
    rng = np.random.default_rng(0)
    centres, _ = components(width)
    law = UnitLaw(width, centred(rng.dirichlet(np.ones(len(centres))), centres))
    u = rng.uniform(-8.0, 8.0, size=300)
    log, score = law.evaluate(u)
    assert_allclose(log, np.log(mixture(law, u)), atol=1e-5)
    h = 1e-5
    slope = (law.evaluate(u + h)[0] - law.evaluate(u - h)[0]) / (2 * h)
    assert_allclose(score, -slope, atol=1e-4)
    assert_allclose(law.variance, law.weights @ (components(width)[0] ** 2 + components(width)[1] ** 2))
    assert_allclose(law.weights @ centres, 0.0, atol=1e-9)


@pytest.mark.parametrize("name", NAMED)
def test_laws_by_name_are_densities_of_variance_one(name):
    law = UnitLaw(name=name)
    f = np.exp(law.evaluate(points())[0])
    step = points()[1] - points()[0]
    assert_allclose(f.sum() * step, 1.0, rtol=1e-9)
    if name != "student-t-3":  # a fifth of its variance is beyond the table
        assert_allclose((f * points() ** 2).sum() * step, 1.0, atol=0.05)
    assert law.n_parameters == 1
    x = np.array([0.3, 1.7, -2.2])
    h = 1e-5
    assert_allclose(law.evaluate(x)[1], -(law.evaluate(x + h)[0] - law.evaluate(x - h)[0]) / (2 * h), atol=1e-4)


def test_the_double_exponential_and_the_logistic_are_those_of_scipy():
    u = np.array([-3.2, -0.4, 1.1, 4.0])
    assert_allclose(UnitLaw(name="laplace").evaluate(u)[0], stats.laplace.logpdf(u, scale=0.5**0.5), atol=2e-3)
    scale = np.sqrt(3.0) / np.pi
    assert_allclose(UnitLaw(name="logistic").evaluate(u)[0], stats.logistic.logpdf(u, scale=scale), atol=2e-3)


def test_outside_the_table_the_logarithm_is_linear():
    law = begun(UnitLaw(), 0.25)
    log, score = law.evaluate(np.array([11.0, 12.0, 14.0, -11.0, -13.0]))
    assert_allclose(log[2] - log[1], 2 * (log[1] - log[0]), rtol=1e-6)
    assert_allclose(score[0], score[2], rtol=1e-6)
    assert log[4] < log[3]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("seed", [0, 1])
def test_em_raises_the_likelihood_and_keeps_the_mean(width, seed):
    rng = np.random.default_rng(seed)
    sample = rng.exponential(size=4000) - 1.0
    histogram = binned(sample, np.ones(4000))
    law, likelihood = begun(UnitLaw(), width), -np.inf
    for _ in range(4):
        now = float(law.evaluate(sample)[0].sum())
        assert now > likelihood - 1e-6
        likelihood = now
        law = law.learned(histogram)
        assert_allclose(law.weights @ components(width)[0], 0.0, atol=1e-8)
        assert_allclose(law.weights.sum(), 1.0)
    normal = stats.norm.logpdf(sample, scale=sample.std()).sum()
    assert likelihood > normal + 100.0


def test_the_centred_weights_are_the_maximum_under_the_constraint():
    rng = np.random.default_rng(0)
    n, a = 10.0 * rng.random(7), np.linspace(-3.0, 3.0, 7)
    w = centred(n, a)
    null = np.linalg.svd(np.stack([np.ones(7), a]))[2][2:]
    assert_allclose(null @ (n / w), 0.0, atol=1e-5)  # no direction that keeps sum and mean leads uphill
    assert_allclose(w @ a, 0.0, atol=1e-10)


def test_ratios_are_scores_of_the_weights():
    law = begun(UnitLaw(), 0.5)
    u = np.array([0.3, -1.9])
    centres, deviations = components(0.5)
    expected = stats.norm.pdf(u[:, None], centres, deviations) / mixture(law, u)[:, None]
    assert_allclose(law.ratios(u), expected, atol=3e-3)


def test_a_histogram_keeps_weights_and_means():
    rng = np.random.default_rng(0)
    u, w = rng.normal(size=50), rng.random(50)
    h = binned(u, w)
    assert_allclose(h.sum(), w.sum())
    assert_allclose(h @ points(), u @ w)


def test_the_normal_law_has_no_parameters():
    assert UnitLaw().n_parameters == 0
    assert UnitLaw().is_normal
    assert UnitLaw().learned(np.ones(3)) is not None
    assert UnitLaw().variance == UnitLaw(name="laplace").variance == 1.0
