"""Probabilities of intervals, where they are ordinary and far out in the tails."""

import numpy as np
import pytest
from mpmath import mp, mpf
from numpy.testing import assert_allclose
from scipy import stats

from vieta.answers.intervals import DEVIATION, interval

LAWS = {"logit": stats.logistic, "probit": stats.norm}


@pytest.mark.parametrize("link", LAWS)
def test_probabilities_and_slopes_are_those_of_the_law(link):
    law = LAWS[link]
    a, b = np.array([-np.inf, -1.0, 0.5, 2.0]), np.array([-0.3, 0.4, 1.5, np.inf])
    P = law.cdf(b) - law.cdf(a)
    found = interval(link, a, b)
    assert_allclose(np.exp(found.log), P, rtol=1e-10)
    assert_allclose(found.lower, law.pdf(a) / P, rtol=1e-9)
    assert_allclose(found.upper, law.pdf(b) / P, rtol=1e-9)
    assert_allclose(DEVIATION[link], law.std(), rtol=1e-12)


@pytest.mark.parametrize(("a", "b"), [(20.0, 20.5), (-20.5, -20.0), (8.0, 9.0)])
def test_nothing_cancels_in_the_tails(a, b):
    mp.dps = 400
    exact = (
        float(mp.log(mp.ncdf(mpf(b)) - mp.ncdf(mpf(a))))
        if a < 0
        else float(mp.log(mp.ncdf(mpf(-a)) - mp.ncdf(mpf(-b))))
    )
    assert_allclose(float(interval("probit", np.array(a), np.array(b)).log), exact, rtol=1e-9)
