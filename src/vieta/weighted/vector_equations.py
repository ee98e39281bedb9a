"""Shares of sets of vectors in the estimating equations, added up.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import compile_now
from vieta.weighted.number_equations import bounded
from vieta.weighted.vector import score_and_information
from vieta.weighted.vector_planes import Planes, Scratch


@compile_now
def about_parameters(psi: Floats, weight: float, s: Floats, I: Floats, score: Floats, information: Floats) -> None:
    """Score and information about the parameters from those about the means, m = Psi theta."""
    p, D = psi.shape
    L = s.shape[0] // p
    for l in range(L):
        for d in range(D):
            t = 0.0
            for q in range(p):
                t += s[l * p + q] * psi[q, d]
            score[l * D + d] = weight * t
    half = np.empty(p)  # one column of I Psi
    for l in range(L):
        for k in range(l + 1):
            for e in range(D):
                for q in range(p):
                    t = 0.0
                    for w in range(p):
                        t += I[l * p + q, k * p + w] * psi[w, e]
                    half[q] = weight * t
                for d in range(D):
                    t = 0.0
                    for q in range(p):
                        t += psi[q, d] * half[q]
                    information[l * D + d, k * D + e] = t


@compile_now
def share_of_vectors(
    y: Floats, psi: Floats, theta: Floats, given: Planes, cap: float, work: Scratch, m: Floats, s: Floats, I: Floats,
    score: Floats, information: Floats,
) -> float:  # fmt: skip
    """Score (L D,) and information (L D, L D) of one set (L, p) about the parameters; returns r'V⁻¹r over its expectation.

    The noise has covariance I. Of the information what is below the diagonal is filled. A set whose r'V⁻¹r exceeds `cap`² times its
    expectation is scaled down to have no more influence than that. `work`, `s` (L p,) and `I` (L p, L p) are scratch; the means (L, p)
    are left in `m`.
    """
    L, p = y.shape
    for l in range(L):
        for q in range(p):
            t = 0.0
            for d in range(theta.shape[1]):
                t += psi[q, d] * theta[l, d]
            m[l, q] = t
    squares: float = score_and_information(y, m, given, work, s, I)
    about_parameters(psi, bounded(squares, cap), s, I, score, information)
    return squares


@compile_now
def accumulate_vectors(
    sets: Floats, psi: Floats, theta: Floats, given: Planes, cap: float, work: Scratch, H: Floats, g: Floats, M: Floats,
    squares: Floats, scores: Floats, information: Floats,
) -> None:  # fmt: skip
    """Add the shares of sets (N, L, p): information to H, score to g, its outer product to M, the latter two below the diagonal.

    The noise has covariance I. Fills r'V⁻¹r over its expectation, of each set, and its score in `scores` (N, L D); these take turns
    where `scores` has fewer rows.
    """
    n, (L, p) = g.shape[0], sets.shape[1:]
    m, s, I = np.empty((L, p)), np.empty(L * p), np.empty((L * p, L * p))
    for k in range(sets.shape[0]):
        score = scores[k % scores.shape[0]]
        squares[k] = share_of_vectors(sets[k], psi[k], theta, given, cap, work, m, s, I, score, information)
        for i in range(n):
            g[i] += score[i]
            for j in range(i + 1):
                H[i, j] += information[i, j]
                M[i, j] += score[i] * score[j]
