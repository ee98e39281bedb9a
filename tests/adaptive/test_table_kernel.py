import numpy as np
from numpy.testing import assert_allclose
from scipy.interpolate import CubicHermiteSpline

from vieta.adaptive.table_kernel import interpolate


def test_it_is_the_cubic_through_values_and_slopes():
    rng = np.random.default_rng(0)
    x = np.arange(-8, 9) / 4.0
    value, slope = rng.normal(size=17), rng.normal(size=17)
    u = rng.uniform(-2.0, 2.0, size=100)
    log, score = np.empty(100), np.empty(100)
    interpolate(u, value, slope, 2.0, 4.0, log, score)
    spline = CubicHermiteSpline(x, value, slope)
    assert_allclose(log, spline(u), atol=1e-12)
    assert_allclose(score, -spline(u, 1), atol=1e-10)


def test_it_is_linear_outside():
    value, slope = np.array([1.0, 2.0, 3.0]), np.array([0.5, 1.0, -2.0])
    log, score = np.empty(2), np.empty(2)
    interpolate(np.array([3.0, -4.0]), value, slope, 1.0, 1.0, log, score)
    assert_allclose(log, [3.0 - 2.0 * 2.0, 1.0 - 3.0 * 0.5])
    assert_allclose(score, [2.0, -0.5])
