r"""The noise that hides who is who: that of each system on its own.

A guesser compares how well readings fit systems, and knows whose noise is small: with one pooled variance the audit would say that less can be
named than can be. A shock that moves all readings of a set alike hides nobody. For Gaussian noise of one size the best order maximises
:math:`\sum_i y_i m_{\sigma(i)}`, and a common shift c of the readings adds :math:`c \sum_i m_i` to it, whatever the order is; so the shock is
left out, as if the guesser knew it.
"""

import numpy as np

from vieta.arrays import Booleans, Floats
from vieta.estimators import Estimate
from vieta.laws.noise import Gaussian

LEAST = 1e-9  # of the mean variance: a system without any noise has no density


def own_noise(estimate: Estimate) -> Gaussian:
    """Gaussian noise with a variance for each system where they are known, (L,), for vectors (L, p, p); one for all where none is.

    Systems whose own variance is not known share what the others leave of the total.

    >>> found = Estimate(np.array([[1.0], [5.0]]), np.eye(2), 2.5, 100, "efficient", "", np.zeros((2, 1)), 1.0, noise_sd=np.array([1.0, 2.0]))
    >>> own_noise(found)
    Gaussian(variance=(1.0, 4.0))
    """
    pooled, known = positive(estimate.noise_var), known_systems(estimate)
    mean = float(np.trace(np.atleast_2d(pooled)) / len(np.atleast_2d(pooled)))
    if len(known) < 2 or not known.any() or mean == 0.0:
        return Gaussian(pooled)
    own = np.where(known, np.nan_to_num(estimate.noise_sd), 0.0) ** 2
    left = len(known) * mean - own.sum()
    rest = left / max((~known).sum(), 1) if left > 0.0 else mean
    each = np.maximum(np.where(known, own, rest), LEAST * mean)
    return Gaussian(each if np.ndim(pooled) == 0 else each[:, None, None] / mean * pooled)


def known_systems(estimate: Estimate) -> Booleans:
    """(L,) whether the noise of each system is known on its own."""
    L = len(estimate.theta)
    sd = estimate.noise_sd
    return np.isfinite(sd) if len(sd) == L else np.zeros(L, dtype=np.bool_)


def positive(variance: float | Floats) -> float | Floats:
    """A noise variance, which an estimate may have missed to be positive by a little."""
    if isinstance(variance, float):
        return max(variance, 0.0)
    values, vectors = np.linalg.eigh(variance)
    return np.asarray((vectors * np.maximum(values, 1e-9 * abs(values).max())) @ vectors.T)
