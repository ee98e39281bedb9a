r"""Is the assumed noise law contradicted by the data? A contrast of two estimates, after Hausman.

The symmetric estimate is consistent for every noise law, the likelihood estimate for the assumed one only. If the law is
right their difference d is chance alone, and its covariance follows from the influence of each set on both,

.. math:: V = \sum_k (a_k - b_k)(a_k - b_k)' = \sum_k a_k a_k' - \sum_k (a_k b_k' + b_k a_k') + \sum_k b_k b_k', \qquad
    T = d' V^{-1} d \sim \chi^2 .

Directions in which the two hardly differ at all, by less than a small part of the error of the symmetric estimate, are left
out: there d is of second order, and V does not describe it.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.tails import chi_square_tail

NEGLIGIBLE = 0.01  # part of the symmetric estimate's variance
ROUNDING = 1e-9  # part of the parameters


@dataclass(frozen=True, slots=True)
class Contrast:
    """A test that the assumed law is right.

    Attributes
    ----------
    statistic : float
        T.
    df : int
        Directions that were compared; with none, T is zero and nothing is tested.
    p_value : float
        Small when the law is contradicted.
    """

    statistic: float
    df: int
    p_value: float


def compare(theta: Floats, symmetric: Floats, covariance: Floats, scale: Floats) -> Contrast:
    """T of two estimates (L, D) whose difference has a covariance (n, n), in directions where it is not negligible.

    `scale` (n, n) is the covariance of the symmetric estimate. Errors below the parameters' rounding are left out too.
    """
    rounding = (ROUNDING * max(float(abs(theta).max()), 1e-100)) ** 2
    values, vectors = np.linalg.eigh(scale)
    whiten = vectors / np.sqrt(np.maximum(values, 1e-12 * values[-1]) + rounding)
    relative, directions = np.linalg.eigh(whiten.T @ covariance @ whiten)
    kept = relative > NEGLIGIBLE
    z = (directions.T @ (whiten.T @ (theta - symmetric).ravel()))[kept] / np.sqrt(relative[kept])
    statistic, df = float(z @ z), int(kept.sum())
    return Contrast(statistic, df, chi_square_tail(df, statistic) if df else 1.0)


def difference_covariance(first: Floats, cross: Floats, second: Floats) -> Floats:
    """(n, n) V, from sums (n, n) of a a', of a b' and of b b'.

    >>> a, b = np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[1.0, 1.0], [2.0, 0.0]])
    >>> bool(np.allclose(difference_covariance(a.T @ a, a.T @ b, b.T @ b), (a - b).T @ (a - b)))
    True
    """
    return np.asarray(first - cross - cross.T + second)
