import numpy as np
import pytest
from numpy.testing import assert_allclose

from vieta.laws.quadrature import grid, shape_of


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_integrals_do_not_need_the_scale(scale):
    """A kink at zero, a heavy tail and a normal law, at scales far apart."""
    u, w = grid()
    assert np.all(np.diff(u) > 0.0)
    x = u / scale
    assert_allclose(w @ np.exp(-abs(x)) / scale, 2.0, rtol=1e-5)
    assert_allclose(w @ np.exp(-0.5 * x**2) / scale, np.sqrt(2 * np.pi), rtol=1e-9)
    assert_allclose(w @ (1.0 / (1.0 + x**2)) / scale, np.pi, rtol=1e-5)


def test_shapes_of_points():
    x, mass = np.array([-2.0, 1.0]), np.array([1 / 3, 2 / 3])
    assert_allclose(shape_of(x, mass), (-6 / 3 / 2**1.5, 18 / 3 / 4))
    assert_allclose(shape_of(7.0 * x, mass), shape_of(x, mass))
