"""Sums about a covariance of the noises of every two systems, for the test that it is zero.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers, plain, unshared
from vieta.compiled import compile_now
from vieta.weighted.equations import mirrored
from vieta.weighted.scalar import SEPARATION, place_nodes, values_at_nodes, whiten


def dependence_sums(sets: Floats, rows: Floats, theta: Floats, variance: float) -> tuple[Floats, Floats, Floats]:
    """Sums over sets (N, L) of numbers about the parameters and, last, about a covariance g of the noises of every two systems.

    Returns the sums of the scores (n + 1,), of their outer products and of the information (n + 1, n + 1), n = L D.
    """
    L, n = len(theta), theta.size
    total, outer, information = unshared((n + 1,), (n + 1, n + 1), (n + 1, n + 1))
    order, *scratch = unshared((L,), (n + 1,), (L,), (L,), (L,), (L, L), (L, L + 1), (L, L), (L, L))
    data = plain(sets), plain(rows), plain(theta), float(variance)
    _add_dependence(*data, total, outer, information, order.view(np.int64), *scratch)
    return total, mirrored(outer), mirrored(np.tril(information))


@compile_now
def _add_dependence(
    sets: Floats, rows: Floats, theta: Floats, variance: float, total: Floats, outer: Floats, information: Floats,
    order: Integers, score: Floats, m: Floats, x: Floats, r: Floats, A: Floats, J: Floats, V: Floats, slope: Floats,
) -> None:  # fmt: skip
    """Add to the sums, below the diagonals; the rest is scratch: kernels that allocate take longer to compile."""
    N, L = sets.shape
    D = theta.shape[1]
    n = L * D
    for k in range(N):
        for l in range(L):
            m[l] = 0.0
            for d in range(D):
                m[l] += theta[l, d] * rows[k, d]
        place_nodes(m, SEPARATION * np.sqrt(variance), order, x)
        unit = values_at_nodes(sets[k], m, variance, x, A, r, slope, V)
        for i in range(L):
            none, one, two = 1.0, 0.0, 0.0  # products of all factors, and sums of those that leave out one and two
            for j in range(L):
                J[i, j] = slope[i, j] / unit
                two = two * A[i, j] + one
                one = one * A[i, j] + none
                none *= A[i, j]
            J[i, L] = two / (unit * unit)
        whiten(V, r, J)
        for l in range(L + 1):
            s = 0.0
            for i in range(L):
                s += J[i, l] * r[i]
            for h in range(l + 1):
                t = 0.0
                for i in range(L):
                    t += J[i, l] * J[i, h]
                if l == L and h == L:
                    information[n, n] += t
                elif l == L:
                    for e in range(D):
                        information[n, h * D + e] += t * rows[k, e]
                else:
                    for d in range(D):
                        for e in range(D):
                            information[l * D + d, h * D + e] += t * rows[k, d] * rows[k, e]
            if l == L:
                score[n] = s
            else:
                for d in range(D):
                    score[l * D + d] = s * rows[k, d]
        for i in range(n + 1):
            total[i] += score[i]
            for j in range(i + 1):
                outer[i, j] += score[i] * score[j]
