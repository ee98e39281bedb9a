"""Shares of sets of numbers in the estimating equations, added up.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now, inlined
from vieta.weighted.scalar import score_and_information


@inlined
def bounded(squares: float, cap: float) -> float:
    """Weight that leaves a set with r'V⁻¹r = `squares` times its expectation no more influence than `cap`."""
    return min(1.0, cap / np.sqrt(squares)) if squares > cap * cap else 1.0


@inlined
def share_of_numbers(
    y: Floats, row: Floats, theta: Floats, variance: float, cap: float, order: Integers, work: Floats, score: Floats,
    information: Floats,
) -> float:  # fmt: skip
    """Score (L D,) and information (L D, L D) of one set (L,) about the parameters; returns r'V⁻¹r / L.

    Of the information what is below the diagonal is filled. A set whose r'V⁻¹r exceeds `cap`² times its expectation L is scaled down
    to have no more influence than that. `order` (L,) and `work` (4 + 4 L, L) are scratch; the means are left in the first row of `work`.
    """
    L, D = theta.shape
    m, x, r, s = work[0], work[1], work[2], work[3]
    A, J, V, I = work[4 : 4 + L], work[4 + L : 4 + 2 * L], work[4 + 2 * L : 4 + 3 * L], work[4 + 3 * L :]
    for l in range(L):
        t = 0.0
        for d in range(D):
            t += row[d] * theta[l, d]
        m[l] = t
    squares: float = score_and_information(y, m, variance, order, x, A, r, J, V, s, I) / L
    weight = bounded(squares, cap)
    for d in range(D):
        c = weight * row[d]
        for l in range(L):
            score[l * D + d] = c * s[l]
        for e in range(D):
            b = c * row[e]
            for l in range(L):
                for k in range(l + 1):
                    information[l * D + d, k * D + e] = b * I[l, k]
    return squares


@compile_now
def accumulate_numbers(
    sets: Floats, rows: Floats, theta: Floats, variance: float, cap: float, order: Integers, work: Floats, H: Floats,
    g: Floats, M: Floats, squares: Floats, scores: Floats, information: Floats,
) -> None:  # fmt: skip
    """Add the shares of sets (N, L): information to H, score to g, its outer product to M, the latter two below the diagonal.

    Fills r'V⁻¹r / L of each set, and its score in `scores` (N, L D); these take turns where `scores` has fewer rows.
    """
    n = g.shape[0]
    for k in range(sets.shape[0]):
        score = scores[k % scores.shape[0]]
        squares[k] = share_of_numbers(sets[k], rows[k], theta, variance, cap, order, work, score, information)
        for i in range(n):
            g[i] += score[i]
            for j in range(i + 1):
                H[i, j] += information[i, j]
                M[i, j] += score[i] * score[j]
