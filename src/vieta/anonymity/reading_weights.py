"""How well each reading fits each system: log densities, or log probabilities where the noise has no density."""

import numpy as np

from vieta.arrays import Floats
from vieta.laws.noise import Scaled

ROUNDING = 1e-9  # relative to the readings: differences this small are none, where the noise has no density


def log_weights(law: Scaled, readings: Floats, means: Floats) -> Floats:
    """(n, L, L): how likely reading i (n, L, p) is from system l with mean (n, L, p); minus infinity if impossible.

    >>> from vieta.laws.noise import Gaussian
    >>> log_weights(Gaussian(0.0), np.array([[[2.0], [1.0]]]), np.array([[[1.0], [2.0]]]))  # without noise
    array([[[-inf,   0.],
            [  0., -inf]]])
    """
    residuals = readings[:, :, None, :] - means[:, None, :, :]
    rounding = ROUNDING * float(abs(readings).max(initial=0.0))
    if not np.any(law.variance):
        return np.where((abs(residuals) <= rounding).all(axis=-1), 0.0, -np.inf)
    return law.log_weight(residuals, rounding)
