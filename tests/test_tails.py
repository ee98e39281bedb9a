"""Tails and quantiles against SciPy's, and against each other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from vieta.tails import binomial_cdf, chi_square_tail, normal_quantile, squares_tail, student_quantile, student_tail

PROBABILITIES = [1e-6, 0.01, 0.2, 0.5, 0.6, 0.9, 0.975, 0.9995, 1.0 - 1e-7]


def test_quantiles_of_the_normal_law():
    assert_allclose([normal_quantile(p) for p in PROBABILITIES], special.ndtri(PROBABILITIES), rtol=1e-13, atol=1e-15)


def test_what_is_certain_or_impossible_has_quantiles_without_end():
    for quantile in (normal_quantile, lambda p: student_quantile(p, 3.0), lambda p: student_quantile(p, 1e6)):
        assert [quantile(0.0), quantile(1.0)] == [-np.inf, np.inf]
        assert np.isnan(quantile(1.5))
        assert np.isnan(quantile(np.nan))
    assert np.isnan(student_quantile(0.9, 0.0))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 10, 31, 100, 501])
def test_tails_of_chi_squares(n):
    x = n * np.array([1e-9, 0.01, 0.5, 1.0, 1.5, 3.0, 20.0])
    found = [chi_square_tail(n, float(one)) for one in x]
    assert_allclose(found, special.chdtrc(n, x), rtol=1e-10, atol=1e-300)
    assert not np.allclose(found, special.chdtrc(n + 1, x), rtol=1e-3)


def test_tails_of_chi_squares_at_the_ends():
    assert chi_square_tail(3, 0.0) == 1.0
    assert chi_square_tail(3, -1.0) == 1.0
    assert chi_square_tail(3, np.inf) == 0.0
    assert np.isnan(chi_square_tail(3, np.nan))


@pytest.mark.parametrize("total", [1, 5, 40, 3000])
@pytest.mark.parametrize("probability", [0.05, 0.5, 0.95])
def test_binomial_probabilities(total, probability):
    hits = np.unique(np.linspace(0, total, 7).astype(int))
    found = [binomial_cdf(int(one), total, probability) for one in hits]
    assert_allclose(found, special.bdtr(hits.astype(float), total, probability), rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("dof", [1.0, 2.0, 3.5, 10.0, 77.0, 999.0, 1001.0, 1e5])
def test_quantiles_of_the_t_law(dof):
    expected = special.stdtrit(dof, PROBABILITIES)
    assert_allclose([student_quantile(p, dof) for p in PROBABILITIES], expected, rtol=1e-8, atol=1e-12)
    assert not np.allclose(special.stdtrit(1.1 * dof, PROBABILITIES), expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("dof", [1.0, 2.0, 7.5, 300.0, 2000.0])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_a_quantile_has_its_tail(dof, level):
    assert_allclose(student_tail(student_quantile(0.5 + level / 2.0, dof), dof), 1.0 - level, rtol=1e-10)


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_tails_of_equal_squares_are_those_of_chi_squares(n):
    for level in (0.3, 0.01, 1e-3, 1e-6):
        x = 2.0 * special.gammainccinv(0.5 * n, level)
        assert_allclose(squares_tail(np.full(n, 3.0), 3.0 * x), level, rtol=0.15 if n == 1 else 0.06)


def test_tails_of_squares_are_those_of_simulation():
    weights = 1.0 / (1.0 + np.arange(12.0)) ** 2
    drawn = np.random.default_rng(0).chisquare(1, (100_000, 12)) @ weights
    for x in (1.0, 2.0, 5.0, 9.0):
        tail = (drawn > x).mean()
        assert_allclose(squares_tail(weights, x), tail, atol=0.02 * tail + 4.0 * np.sqrt(tail / 100_000))
    assert squares_tail(weights, 0.0) == 1.0
    assert 0.3 < squares_tail(weights, float(weights.sum())) < 0.7


def test_very_many_degrees_of_freedom_are_those_of_the_normal_law():
    assert student_quantile(0.975, 1e300) == normal_quantile(0.975)
