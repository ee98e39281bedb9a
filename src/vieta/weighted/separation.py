"""How far systems are apart, in the errors of their estimate."""

import numpy as np

from vieta.arrays import Floats


def distances(theta: Floats, cov: Floats) -> Floats:
    """(L, L) between every two of the systems (L, D), in standard errors of their difference; infinite from a system to itself.

    >>> distances(np.array([[0.0], [3.0]]), np.diag([1.0, 3.0])).round(6)
    array([[inf, 1.5],
           [1.5, inf]])
    """
    L, D = theta.shape
    blocks = cov.reshape(L, D, L, D)
    rounding = max((1e-12 * abs(theta).max()) ** 2 + 1e-12 * np.trace(cov), 1e-300)  # without noise, the only error
    found = np.full((L, L), np.inf)
    for i in range(L):
        for j in range(i):
            spread = blocks[i, :, i] + blocks[j, :, j] - blocks[i, :, j] - blocks[j, :, i]
            gap = theta[i] - theta[j]
            square = float(gap @ np.linalg.solve(spread + rounding * np.eye(D), gap))
            found[i, j] = found[j, i] = np.sqrt(max(square, 0.0))
    return found


def separation(theta: Floats, cov: Floats) -> float:
    """The smallest of the distances.

    >>> round(separation(np.array([[0.0], [3.0]]), np.diag([1.0, 3.0])), 6)
    1.5
    """
    return float(distances(theta, cov).min(initial=np.inf))
