"""`averaged`: the mean of the iterates of LMS."""

import numpy as np
from numpy.testing import assert_allclose

from tests.method.cases import coefficients, draw, passes, roots
from vieta.method.averaged import METHOD
from vieta.method.lms import LmsOptions
from vieta.predictions import Setting


def test_against_the_mean_of_the_recursions_iterates():
    records, step, start = draw(n=500), 0.02, [0.0, 1.0]
    lam, total = np.array([sum(start), np.prod(start)]), np.zeros(2)
    for z, a in zip(*coefficients(records), strict=True):
        lam = lam + step * a * (z - a * lam)
        total += lam
    found = METHOD.fit(passes(records, 3), LmsOptions(step=step, start=start))
    assert_allclose(found.theta.ravel(), roots(total / 500), rtol=1e-9)
    assert abs(found.theta.ravel() - roots(lam)).max() > 1e-3  # the last iterate is another


def test_to_first_order_its_error_is_that_of_least_squares():
    from vieta.method.least_squares import METHOD as LEAST_SQUARES

    one, other = (method.predict(Setting([1.0, 5.0], 0.25)).covariance for method in (METHOD, LEAST_SQUARES))
    np.testing.assert_array_equal(one, other)
