r"""Right and wrong answers as they come: recursive scoring, one set after another. The kernel.

.. math:: H_k = f H_{k-1} + I_k(\theta_{k-1}), \qquad M_k = f^2 M_{k-1} + I_k(\theta_{k-1}), \qquad
    \theta_k = \theta_{k-1} + H_k^{-1} s_k(\theta_{k-1})

with the score s and the expected information I of the count (`vieta.answers.poisson_binomial`). No predictor moves by more than `LONGEST` at
a set. Cov = H⁻¹ M H⁻¹.

This module imports numba and is imported where it is needed only.
"""

import math

import numpy as np

from vieta.answers.poisson_binomial import SMALLEST, binomial_workspace, difference, fill_chances, fill_counts
from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now, inlined

LONGEST = 1.0  # of a predictor
RIDGE = 1e-10  # of the diagonal, so that a factor is always there


@inlined
def solve_positive(H: Floats, b: Floats, C: Floats) -> None:
    """Overwrite b (m,) by the solution of H x = b; C (m, m) is scratch for the Cholesky factor."""
    m = H.shape[0]
    for i in range(m):
        for j in range(i + 1):
            total = H[i, j]
            if i == j:
                total = total * (1.0 + RIDGE) + 1e-12
            for k in range(j):
                total -= C[i, k] * C[j, k]
            if i == j:
                C[i, i] = math.sqrt(max(total, 1e-300))
            else:
                C[i, j] = total / C[j, j]
    for i in range(m):
        for k in range(i):
            b[i] -= C[i, k] * b[k]
        b[i] /= C[i, i]
    for i in range(m - 1, -1, -1):
        for k in range(i + 1, m):
            b[i] -= C[k, i] * b[k]
        b[i] /= C[i, i]


@compile_now
def score_stream(
    counts: Integers,
    rows: Floats,
    known: Floats,
    link: int,
    flipped: float,
    forgetting: float,
    theta: Floats,
    H: Floats,
    M: Floats,
) -> float:
    """Move theta (L, D), H and M (L D, L D) on over sets, in place; returns the sum of the mean variances of their answers."""
    L, D = theta.shape
    m = L * D
    work = binomial_workspace(L)
    s, C, step = np.empty(L), np.empty((m, m)), np.empty(m)
    variance = 0.0
    for k in range(counts.shape[0]):
        fill_chances(link, flipped, rows, k, known[k], theta, work)
        fill_counts(L, work)
        p, q, P, n = work[0], work[1], work[6], counts[k]
        for a in range(m):
            for b in range(a + 1):
                H[a, b] *= forgetting
                M[a, b] *= forgetting * forgetting
        for j in range(L):
            variance += p[j] * q[j] / L
            s[j] = difference(j, n, L, work) / P[n]
            for i in range(j + 1):
                value = 0.0
                for c in range(L + 1):
                    if P[c] > SMALLEST:
                        value += difference(j, c, L, work) * difference(i, c, L, work) / P[c]
                for d in range(D):
                    for e in range(D):
                        if i * D + e <= j * D + d:
                            add = value * rows[k, d] * rows[k, e]
                            H[j * D + d, i * D + e] += add
                            M[j * D + d, i * D + e] += add
            for d in range(D):
                step[j * D + d] = s[j] * rows[k, d]
        solve_positive(H, step, C)
        far = 0.0
        for j in range(L):
            move = 0.0
            for d in range(D):
                move += step[j * D + d] * rows[k, d]
            far = max(far, abs(move))
        short = min(1.0, LONGEST / far) if far > 0.0 else 1.0
        for j in range(L):
            for d in range(D):
                theta[j, d] += short * step[j * D + d]
    for a in range(m):
        for b in range(a):
            H[b, a] = H[a, b]
            M[b, a] = M[a, b]
    return variance
