"""Shares of sets of vectors in the estimating equations, added up.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import compile_now
from vieta.weighted.number_equations import bounded
from vieta.weighted.vector import (
    eliminate,
    fill_columns,
    fill_covariance,
    fill_factors,
    fill_lower_columns,
    multiply,
    place_planes,
    see,
    turn_means,
)
from vieta.weighted.vector_planes import Planes, Scratch


@compile_now
def about_parameters(q: int, weight: float, work: Scratch, score: Floats, information: Floats) -> None:
    """Score and information about the parameters, m = Psi theta, from those about the means in `work.products` and `work.lower_products`.

    Means differ in the first q coordinates; each of the others has the same information and its own score.
    """
    L, p = work.means.shape
    D = work.inputs.shape[0]
    psi, G, lower = work.inputs, work.products, work.lower_products
    half = np.empty(p)  # one column of I Psi
    for l in range(L):
        for d in range(D):
            t = 0.0
            for a in range(q):
                t += psi[d, a] * G[L * q, l * q + a]
            for a in range(q, p):
                t += psi[d, a] * lower[L + a - q, l]
            score[l * D + d] = weight * t
        for k in range(l + 1):
            for e in range(D):
                for a in range(q):
                    t = 0.0
                    for b in range(q):
                        t += G[l * q + a, k * q + b] * psi[e, b]
                    half[a] = weight * t
                for a in range(q, p):
                    half[a] = weight * lower[l, k] * psi[e, a]
                for d in range(D):
                    t = 0.0
                    for a in range(p):
                        t += psi[d, a] * half[a]
                    information[l * D + d, k * D + e] = t


@compile_now
def accumulate_vectors(
    sets: Floats, psi: Floats, theta: Floats, given: Planes, cap: float, work: Scratch, H: Floats, g: Floats, M: Floats,
    squares: Floats, scores: Floats, information: Floats,
) -> None:  # fmt: skip
    """Add the shares of sets (N, L, p) about the parameters: information to H, score to g, its outer product to M, below the diagonals.

    The noise has covariance I. Fills r'V⁻¹r over its expectation, of each set, and its score in `scores` (N, L D); these take turns
    where `scores` has fewer rows. The information of the last set is left in `information`; with empty H, g and M, that is all. A set
    whose r'V⁻¹r exceeds `cap`² times its expectation is scaled down to have no more influence than that.
    """
    n, (L, p), q = g.shape[0], sets.shape[1:], given.directions.shape[1]
    for k in range(sets.shape[0]):
        turn_means(psi[k], theta, q, work)
        place_planes(given, work)
        see(sets[k], given.directions, work)
        fill_factors(given.values, work)
        fill_columns(given, work)
        fill_covariance(given.gram, given.values, 0.0, work)
        rank = eliminate(work.covariance, work.columns, work.scale[2])
        multiply(work.columns, work.products)
        square = work.products[L * q, L * q]
        if q < p:
            fill_factors(given.lower, work)
            fill_lower_columns(given, work)
            fill_covariance(given.gram, given.lower, 1.0, work)
            rank += (p - q) * eliminate(work.covariance, work.lower_columns, work.scale[2])
            multiply(work.lower_columns, work.lower_products)
            for a in range(L, L + p - q):
                square += work.lower_products[a, a]
        squares[k] = square / rank
        score = scores[k % scores.shape[0]]
        about_parameters(q, bounded(squares[k], cap), work, score, information)
        for i in range(n):
            g[i] += score[i]
            for j in range(i + 1):
                H[i, j] += information[i, j]
                M[i, j] += score[i] * score[j]
