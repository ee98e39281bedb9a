r"""Characteristic functions :math:`\varphi(t) = E e^{itu}` of the laws of noise at variance one."""

from math import lgamma, sqrt

import numpy as np

from vieta.arrays import Complexes, Floats
from vieta.laws.noise import Finite, Gaussian, Laplace, Scaled, Skewed, StudentT, Uniform


def characteristic(law: Scaled, t: Floats) -> Complexes | None:
    """At points t; None for a law whose function is not known.

    >>> characteristic(Laplace(4.0), np.array([0.0, 1.0])).real.round(4)  # 1 / (1 + t²/2), whatever the variance
    array([1.    , 0.6667])
    """
    value: Floats | Complexes
    match law:
        case Gaussian():
            value = np.exp(-0.5 * t**2)
        case Laplace():
            value = 1.0 / (1.0 + 0.5 * t**2)
        case Uniform():
            value = np.sinc(sqrt(3.0) * t / np.pi)
        case StudentT():
            value = _student(law.df, t)
        case Skewed():
            r = 2.0 / law.skewness
            value = np.exp(-1j * r * t - r**2 * np.log(1.0 - 1j * t / r))
        case Finite():
            x, w = np.asarray(law.values), np.asarray(law.probabilities)
            value = np.exp(1j * np.multiply.outer(t, x / np.sqrt(w @ x**2))) @ w
        case _:
            return None
    return np.asarray(value, dtype=np.complex128)


def _student(df: float, t: Floats) -> Floats:
    r""":math:`K_{\nu/2}(z)\, z^{\nu/2} / (\Gamma(\nu/2)\, 2^{\nu/2-1})`, :math:`z = |t| \sqrt{\nu - 2}`."""
    from scipy.special import kve

    z = np.maximum(abs(t) * sqrt(df - 2.0), 1e-12)
    log_value = np.log(kve(df / 2.0, z)) - z + df / 2.0 * np.log(z) - (df / 2.0 - 1.0) * np.log(2.0)
    return np.where(t == 0.0, 1.0, np.exp(log_value - lgamma(df / 2.0)))
