import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from vieta.laws.gaussian import Gaussian


def test_the_normal_law_against_scipy():
    u = np.linspace(-9, 9, 37)
    law = Gaussian(4.0)
    assert_allclose(law.unit_log_density(u), stats.norm.logpdf(u), rtol=1e-14)
    assert_allclose(law.unit_below(u), stats.norm.cdf(u), rtol=1e-12)
    assert_array_equal(law.unit_score(u), u)
    assert_array_equal(law.mixture_precision(u), 1.0)


def test_readings_of_a_known_covariance():
    C = np.array([[2.0, -0.6], [-0.6, 0.5]])
    r = np.random.default_rng(0).standard_normal((7, 1, 2))
    assert_allclose(Gaussian(C).log_density(r)[:, 0], stats.multivariate_normal(cov=C).logpdf(r[:, 0]))
    assert_allclose(Gaussian(C).score(r)[:, 0], np.linalg.solve(C, r[:, 0].T).T)


def test_what_is_known_of_it():
    assert Gaussian.name == "gaussian"
    assert Gaussian(9.0).shape() == (0.0, 3.0)
    assert Gaussian(9.0).fisher_information() == 1.0
    assert Gaussian.self_decomposable
    assert Gaussian.has_density
