"""Integrals against a density of variance one, or of a scale that is not known: a grid that is uniform in log|u|."""

import numpy as np

from vieta.arrays import Floats

WIDTH = 35.0  # a density is integrated over e^-35 < |u| < e^35
POINTS = 2**16 + 1  # on each side


def grid() -> tuple[Floats, Floats]:
    r"""Points u, ascending, and weights w of the trapezoidal rule in :math:`x = \log|u|` on each side of zero:

    .. math:: \int g(u)\,du = \int \bigl(g(e^x) + g(-e^x)\bigr)\,e^x\,dx \approx \sum_i w_i\, g(u_i) .

    >>> u, w = grid()
    >>> round(float(w @ np.exp(-0.5 * u**2)) ** 2, 6)  # 2 pi
    6.283185
    """
    x = np.linspace(-WIDTH, WIDTH, POINTS)
    half = np.exp(x)
    weight = (x[1] - x[0]) * half
    return np.concatenate([-half[::-1], half]), np.concatenate([weight[::-1], weight])


def shape_of(x: Floats, mass: Floats) -> tuple[float, float]:
    """Skewness and kurtosis of points of mean zero, from their masses.

    >>> shape_of(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    (0.0, 1.0)
    """
    second, third, fourth = (float(mass @ x**order) for order in (2, 3, 4))
    return third / second**1.5, fourth / second**2
