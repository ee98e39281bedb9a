"""How far systems are apart, in the errors of their estimate."""

import numpy as np

from vieta.arrays import Floats


def separation(theta: Floats, cov: Floats) -> float:
    """The smallest distance between two of the systems (L, D), in standard errors of their difference.

    >>> round(separation(np.array([[0.0], [3.0]]), np.diag([1.0, 3.0])), 6)
    1.5
    """
    L, D = theta.shape
    blocks = cov.reshape(L, D, L, D)
    rounding = max((1e-12 * abs(theta).max()) ** 2 + 1e-12 * np.trace(cov), 1e-300)  # without noise, the only error
    smallest = np.inf
    for i in range(L):
        for j in range(i):
            spread = blocks[i, :, i] + blocks[j, :, j] - blocks[i, :, j] - blocks[j, :, i]
            gap = theta[i] - theta[j]
            smallest = min(smallest, float(gap @ np.linalg.solve(spread + rounding * np.eye(D), gap)))
    return float(np.sqrt(max(smallest, 0.0)))
