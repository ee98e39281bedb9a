r"""Is the assumed noise law contradicted by the data? A contrast of two estimates, after Hausman.

The symmetric estimate is consistent for every noise law, the likelihood estimate for the assumed one only. If the law is
right their difference d is chance alone, and its covariance is known from the influence of each set on both,

.. math:: V = \sum_k (a_k - b_k)(a_k - b_k)', \qquad T = d' V^{-1} d \sim \chi^2 .

Directions in which the two hardly differ at all, by less than a small part of the error of the symmetric estimate, are left
out: there d is of second order, and V does not tell it.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.sets import Data
from vieta.weighted import solve

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
        Directions that were compared; with none, T is zero and nothing is said.
    p_value : float
        Small when the law is contradicted.
    """

    statistic: float
    df: int
    p_value: float


def contrast(data: Data, symmetric: solve.Fit, theta: Floats, influence: Floats) -> Contrast:
    """Compare a likelihood estimate (L, D), and its influences (N, L D), with the symmetric fit of the same sets."""
    apart = influence - symmetric_influence(data, symmetric)
    return compare(theta, symmetric.theta, apart.T @ apart, symmetric.cov)


def compare(theta: Floats, symmetric: Floats, covariance: Floats, scale: Floats) -> Contrast:
    """T of two estimates (L, D) whose difference has a covariance (n, n), in directions where it is not negligible.

    `scale` (n, n) is the covariance of the symmetric estimate. Errors below the parameters' rounding tell nothing.
    """
    from scipy.special import chdtrc

    rounding = (ROUNDING * max(float(abs(theta).max()), 1e-100)) ** 2
    values, vectors = np.linalg.eigh(scale)
    whiten = vectors / np.sqrt(np.maximum(values, 1e-12 * values[-1]) + rounding)
    relative, directions = np.linalg.eigh(whiten.T @ covariance @ whiten)
    kept = relative > NEGLIGIBLE
    z = (directions.T @ (whiten.T @ (theta - symmetric).ravel()))[kept] / np.sqrt(relative[kept])
    statistic, df = float(z @ z), int(kept.sum())
    return Contrast(statistic, df, float(chdtrc(df, statistic)) if df else 1.0)


def symmetric_influence(data: Data, symmetric: solve.Fit) -> Floats:
    """(N, L D) how far each set moves the symmetric estimate."""
    from vieta.weighted.equations import each_score

    precision = np.asarray(np.linalg.inv(symmetric.noise), dtype=np.float64)
    psi = solve.as_matrices(data)
    scores = each_score(data.sets, psi, symmetric.theta, symmetric.noise, precision, np.inf)
    return np.asarray(scores @ np.linalg.pinv(symmetric.information, hermitian=True))
