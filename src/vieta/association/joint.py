r"""Two systems at a time in sets with missed and false readings: expected products over the readings of different systems.

With :math:`P_{il}` the probability that reading i is one of system l, and :math:`P_{jm | il}` that of another pair given this one, which is
that of the set without reading i and without system l,

.. math:: t_c = \mathrm{E} \sum_{l < m} f_c(y_l, l)\,f_c(y_m, m) = \tfrac12 \sum_{il} P_{il} f_c(i, l) \sum_{jm} P_{jm | il} f_c(j, m) ,

the sum over pairs of systems that have a reading.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.association.partial import associate_partially, partial_workspace
from vieta.compiled import compile_now

UNLIKELY = 1e-6  # probability of a pair that is left out


@compile_now
def expected_products(
    log_weights: Floats,
    log_clutter: Floats,
    log_missed: Floats,
    offsets: Integers,
    kept: int,
    P: Floats,
    f: Floats,
    t: Floats,
) -> None:
    """Fill t (N, C) from the probabilities P (R, L) of pairs and from f (R, L, C); the rest as in `vieta.association.partial`."""
    (L, C), most = f.shape[1:], 1
    for k in range(len(offsets) - 1):
        most = max(most, offsets[k + 1] - offsets[k])
    work = partial_workspace(most, L)
    weights, clutter, others, sums = np.empty((most, L)), np.empty(most), np.empty((most, L)), np.empty(C)
    for k in range(len(offsets) - 1):
        a, n = offsets[k], offsets[k + 1] - offsets[k]
        for c in range(C):
            t[k, c] = 0.0
        for i in range(n):
            for l in range(L):
                if P[a + i, l] < UNLIKELY or n < 2:
                    continue
                for j in range(n - 1):
                    row = a + j + (j >= i)
                    clutter[j] = log_clutter[row]
                    for m in range(L):
                        weights[j, m] = log_weights[row, m] if m != l else -np.inf
                associate_partially(weights[: n - 1], clutter[: n - 1], log_missed, kept, others[: n - 1], work)
                for c in range(C):
                    sums[c] = 0.0
                for j in range(n - 1):
                    for m in range(L):
                        for c in range(C):
                            sums[c] += others[j, m] * f[a + j + (j >= i), m, c]
                for c in range(C):
                    t[k, c] += 0.5 * P[a + i, l] * f[a + i, l, c] * sums[c]
