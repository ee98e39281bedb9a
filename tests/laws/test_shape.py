"""Skewness and kurtosis of noise laws, against their draws."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.laws import noise
from vieta.laws.density import Density
from vieta.laws.shape import shape

LAWS = [
    noise.Gaussian(3.0),
    noise.Laplace(0.1),
    noise.Uniform(2.0),
    noise.StudentT(2.0, df=30),
    noise.Skewed(1.0, skewness=1.0),
    noise.Skewed(1.0, skewness=-0.5),
    noise.Finite(2.0, values=(-1, 0.5), probabilities=(1 / 3, 2 / 3)),
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_draws_have_this_shape(law):
    u = law.unit(np.random.default_rng(0), (400_000,))
    for power, expected in zip((3, 4), shape(law)):
        assert abs(np.mean(u**power) - expected) < 5 * np.std(u**power) / np.sqrt(len(u))


def test_laws_in_closed_form():
    assert shape(4.0) == (0.0, 3.0)
    assert shape(noise.StudentT(1.0, df=10)) == (0.0, 4.0)
    assert shape(noise.StudentT(1.0, df=4.0))[1] == np.inf
    logistic = Density(lambda v: -np.abs(v) - 2 * np.log1p(np.exp(-np.abs(v))))
    assert_allclose(shape(logistic), (0.0, 4.2), atol=1e-4)
