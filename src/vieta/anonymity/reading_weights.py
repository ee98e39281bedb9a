"""How well each reading fits each system: log densities, or log probabilities where the noise has no density."""

import numpy as np

from vieta.arrays import Floats
from vieta.laws.linear import apply
from vieta.laws.noise import Finite, Scaled
from vieta.laws.scaled import whitening

ROUNDING = 1e-9  # relative to the readings: differences this small are none, where the noise has no density


def log_weights(law: Scaled, readings: Floats, means: Floats) -> Floats:
    """(n, L, L): how likely reading i (n, L, p) is from system l with mean (n, L, p); minus infinity if impossible.

    >>> from vieta.laws.noise import Gaussian
    >>> log_weights(Gaussian(0.0), np.array([[[2.0], [1.0]]]), np.array([[[1.0], [2.0]]]))  # without noise
    array([[[-inf,   0.],
            [  0., -inf]]])
    """
    residuals = readings[:, :, None, :] - means[:, None, :, :]
    if not np.any(law.variance):
        return np.where((abs(residuals) <= ROUNDING * abs(readings).max()).all(axis=-1), 0.0, -np.inf)
    if isinstance(law, Finite):
        return _finite(law, residuals, readings)
    return law.log_density(residuals)


def _finite(law: Finite, residuals: Floats, readings: Floats) -> Floats:
    """Log probabilities of the values that the residuals are, coordinate by coordinate."""
    W, _ = whitening(np.asarray(law.variance), *residuals.shape[-2:])
    u = apply(W, residuals)
    x, w = np.asarray(law.values), np.asarray(law.probabilities)
    unit = x / np.sqrt(np.sum(w * x**2))
    near = abs(u[..., None] - unit) <= ROUNDING * (1.0 + abs(W).max() * abs(readings).max())
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(near @ w).sum(axis=-1))
