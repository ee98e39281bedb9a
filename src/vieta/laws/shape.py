"""Third and fourth moments of noise laws: the weights of the weighted estimator in batch need them."""

import numpy as np

from vieta.arrays import Floats
from vieta.laws import noise as laws
from vieta.laws.density import grid
from vieta.laws.setting import NoiseLike, as_given_law


def shape(noise: NoiseLike) -> tuple[float, float]:
    """Skewness and kurtosis of one number of a law; infinite kurtosis for Student's t with df <= 4.

    >>> shape(laws.Laplace(4.0))
    (0.0, 6.0)
    """
    law = as_given_law(noise)
    match law:
        case laws.Gaussian():
            found = 0.0, 3.0
        case laws.Laplace():
            found = 0.0, 6.0
        case laws.Uniform():
            found = 0.0, 1.8
        case laws.StudentT(df=nu):
            found = 0.0, 3.0 + 6.0 / (nu - 4.0) if nu > 4.0 else np.inf
        case laws.Skewed(skewness=s):
            found = s, 3.0 + 1.5 * s**2
        case laws.Finite(values=x, probabilities=w):
            found = _moments(np.asarray(x), np.asarray(w))
        case _:
            u, weights = grid()
            found = _moments(u, weights * np.exp(law.unit_log_density(u)))
    return found


def _moments(x: Floats, mass: Floats) -> tuple[float, float]:
    second, third, fourth = (float(mass @ x**order) for order in (2, 3, 4))
    return third / second**1.5, fourth / second**2
