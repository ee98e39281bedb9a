"""`least-squares`: ordinary least squares of sums and products, and their roots."""

import numpy as np
from numpy.testing import assert_allclose

import vieta
from tests.method.cases import coefficients, draw, passes, roots
from vieta.method.least_squares import METHOD, LeastSquaresOptions


def twin(records):
    z, a = coefficients(records)
    lam = (a * z).sum(axis=0) / (a**2).sum(axis=0)
    scores = a * (z - a * lam)
    Q = np.diag(1.0 / (a**2).sum(axis=0))
    return lam, Q @ (scores.T @ scores) @ Q


def test_against_sums_over_the_sets():
    records = draw()
    lam, cov = twin(records)
    found = METHOD.fit(passes(records, 3), LeastSquaresOptions())
    theta = roots(lam)
    assert_allclose(found.theta.ravel(), theta, rtol=1e-9)
    J = np.array([[1.0, 1.0], [theta[1], theta[0]]])
    G = np.linalg.inv(J)
    assert_allclose(found.cov, G @ cov @ G.T, rtol=1e-8)
    assert found.transform == "elementary"


def test_the_transform_is_an_option():
    records = vieta.simulate([[1.0, 2.0], [4.0, -1.0]], n=300, seed=0)
    for transform in ("polarized", "tensor", "convolution", "planar"):
        found = METHOD.fit(passes(records), LeastSquaresOptions(transform=transform))
        assert found.transform == transform


def test_it_has_no_filter():
    assert not METHOD.has_engine
