r"""The baseline: alternating assignment and least squares, from many random starts; the least sum of squares counts.

.. math:: \pi_k \leftarrow \arg\min_\pi \sum_l (y_{\pi(l)}(k) - \psi_k'\theta_l)^2, \qquad \theta_l \leftarrow X^+ (y_{\pi_k(l)}(k))_k .

For numbers the best assignment is the one that puts readings and means into the same order.
"""

import numpy as np

from vieta.arrays import Floats

ITERATIONS = 100


def alternate(sets: Floats, inputs: Floats, theta: Floats) -> tuple[float, Floats]:
    """From parameters (L, D) until nothing changes: the sum of squares and the parameters. `sets` (N, L) are in ascending order."""
    inverse = np.linalg.pinv(inputs)
    least = np.inf
    for _ in range(ITERATIONS):
        means = inputs @ theta.T
        readings = np.take_along_axis(sets, means.argsort(axis=1).argsort(axis=1), axis=1)
        theta = (inverse @ readings).T
        cost = float(((readings - inputs @ theta.T) ** 2).sum())
        if not cost < least * (1.0 - 1e-12):
            break
        least = cost
    return min(least, cost), theta


def alternating_assignment(sets: Floats, inputs: Floats, starts: int, seed: int = 0) -> Floats:
    """(L, D) the solution with the least sum of squares: sets (N, L) in any order, inputs (N, D).

    A start is the regression of the readings in random order, its differences stretched at random.
    """
    rng = np.random.default_rng(seed)
    ordered = np.sort(sets, axis=1)
    center, spread = _around(ordered, inputs)
    best, found = np.inf, np.empty(0)
    for _ in range(starts):
        start = center + rng.standard_normal((sets.shape[1], inputs.shape[1])) @ spread
        cost, theta = alternate(ordered, inputs, start)
        if cost < best:
            best, found = cost, theta
    return found


def _around(sets: Floats, inputs: Floats) -> tuple[Floats, Floats]:
    """Parameters (D,) of the mean reading, and (D, D) a root of their spread, such that means spread as the readings do."""
    center = np.linalg.lstsq(inputs, sets.mean(axis=1), rcond=None)[0]
    size = float(np.sqrt(((sets - (inputs @ center)[:, None]) ** 2).mean()))
    root = np.linalg.qr(inputs, mode="r") / np.sqrt(len(inputs))
    return center, size * np.linalg.inv(root).T / np.sqrt(len(center))
