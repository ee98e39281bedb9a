r"""How near each set has a reading to where hypothetical systems would have theirs.

For parameters :math:`\theta` the nearest of the readings of set k that are still unclaimed is at distance

.. math:: d_k = \min_i |y_i - \Psi\theta|, \qquad \sum_k \log(h + \min(d_k, r))

is the score of the hypothesis: without a scale, and little changed by sets in which the system was missed.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Booleans, Floats, Integers
from vieta.compiled import compile_now


@compile_now
def nearest_readings(
    readings: Floats, offsets: Integers, psi: Floats, free: Booleans, theta: Floats, place: Integers, distance: Floats
) -> None:
    """Fill the place (N,) of the nearest free reading of each set, -1 if it has none, and its distance (N,), infinite then.

    `readings` (R, p), `psi` (N, p, D), `free` (R,), `theta` (D,).
    """
    p = readings.shape[1]
    for k in range(len(offsets) - 1):
        place[k], best = -1, np.inf
        for i in range(offsets[k], offsets[k + 1]):
            if free[i]:
                t = 0.0
                for q in range(p):
                    m = 0.0
                    for d in range(len(theta)):
                        m += psi[k, q, d] * theta[d]
                    t += (readings[i, q] - m) ** 2
                if t < best:
                    place[k], best = i, t
        distance[k] = np.sqrt(best)


@compile_now
def score_hypotheses(
    readings: Floats, offsets: Integers, psi: Floats, free: Booleans, hypotheses: Floats, nearest: float, farthest: float,
    scores: Floats,
) -> None:  # fmt: skip
    """Fill the score (H,) of each of the hypotheses (H, D); the lower the better."""
    place, distance = np.empty(len(psi), np.int64), np.empty(len(psi))
    for h in range(len(hypotheses)):
        nearest_readings(readings, offsets, psi, free, hypotheses[h], place, distance)
        total = 0.0
        for k in range(len(psi)):
            total += np.log(nearest + min(distance[k], farthest))
        scores[h] = total
