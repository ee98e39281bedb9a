import numpy as np
from numpy.testing import assert_allclose
from scipy import stats

from vieta.laws.laplace import Laplace

ORACLE = stats.laplace(scale=np.sqrt(0.5))


def test_the_double_exponential_law_against_scipy():
    u = np.linspace(-9, 9, 37)
    assert_allclose(Laplace(4.0).unit_log_density(u), ORACLE.logpdf(u), rtol=1e-12)
    assert_allclose(Laplace(4.0).unit_below(u), ORACLE.cdf(u), rtol=1e-9)
    assert Laplace().unit_score(np.zeros(1)) == 0.0  # at the kink


def test_a_normal_number_of_exponential_variance_is_this_law():
    """The mixture whose mean precision `mixture_precision` is: E(1/V | u) = sqrt(2) / |u|, V exponential of mean one."""
    rng = np.random.default_rng(0)
    V = rng.exponential(size=2_000_000)
    u = np.sqrt(V) * rng.standard_normal(len(V))
    assert stats.kstest(u[:20_000], ORACLE.cdf).pvalue > 1e-3
    for low, high in ((0.5, 0.55), (1.5, 1.6)):
        here = (u > low) & (u < high)
        inverse = 1.0 / V[here]
        expected = Laplace().mixture_precision(u[here]).mean()
        error = inverse.std() / np.sqrt(here.sum())
        assert abs(inverse.mean() - expected) < 5 * error
        assert abs(inverse.mean() - 1.2 * expected) > 5 * error  # the test can fail


def test_what_is_known_of_it():
    assert Laplace.name == "laplace"
    assert Laplace(9.0).shape() == (0.0, 6.0)
    assert Laplace(9.0).fisher_information() == 2.0
