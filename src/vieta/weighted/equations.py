"""One set's share in the estimating equations, summed over a batch or followed by a step at a time.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now, inlined
from vieta.weighted import scalar, vector
from vieta.weighted.scalar import SEPARATION, place_nodes, values_at_nodes, whiten

scalar_share = scalar.score_and_information
vector_share = vector.score_and_information


@inlined
def from_numbers(row: Floats, weight: float, s: Floats, I: Floats, score: Floats, information: Floats) -> None:
    """Score and information about the parameters from those about means that are numbers, m = row theta."""
    L, D = s.shape[0], row.shape[0]
    for d in range(D):
        c = weight * row[d]
        for l in range(L):
            score[l * D + d] = c * s[l]
        for e in range(D):
            b = c * row[e]
            for l in range(L):
                for k in range(L):
                    information[l * D + d, k * D + e] = b * I[l, k]


@compile_now
def from_vectors(psi: Floats, weight: float, s: Floats, I: Floats, score: Floats, information: Floats) -> None:
    """The same from those about means that are vectors, m = Psi theta."""
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
                    information[k * D + e, l * D + d] = t


@compile_now
def bounded(squares: float, cap: float) -> float:
    """Weight that leaves a set with r'V⁻¹r = `squares` times its expectation no more influence than `cap`."""
    return min(1.0, cap / np.sqrt(squares)) if squares > cap * cap else 1.0


@inlined
def share_of_numbers(
    y: Floats, row: Floats, theta: Floats, variance: float, cap: float, order: Integers, m: Floats, x: Floats,
    A: Floats, r: Floats, J: Floats, V: Floats, s: Floats, I: Floats, score: Floats, information: Floats,
) -> float:  # fmt: skip
    """As `share`, for one set (L,) of numbers with the regressor row (D,); made part of what calls it."""
    L = y.shape[0]
    for l in range(L):
        t = 0.0
        for d in range(row.shape[0]):
            t += row[d] * theta[l, d]
        m[l] = t
    squares: float = scalar_share(y, m, variance, order, x, A, r, J, V, s, I) / L
    from_numbers(row, bounded(squares, cap), s, I, score, information)
    return squares


@compile_now
def share(
    y: Floats, psi: Floats, theta: Floats, noise: Floats, precision: Floats, cap: float, work: tuple[Floats, ...],
    order: Integers, score: Floats, information: Floats,
) -> float:  # fmt: skip
    """Score (L D,) and information (L D, L D) of one set (L, p) about the parameters; returns r'V⁻¹r / (L p).

    A set whose r'V⁻¹r exceeds `cap`² times its expectation L p is scaled down to have no more influence than that.
    """
    m, r, J, V, x, s, I = work
    L, p = y.shape
    if p == 1:
        y0, m0 = y[:, 0], m[:, 0]
        return share_of_numbers(
            y0, psi[0], theta, noise[0, 0], cap, order, m0, x[0], x[1:], r, J, V, s, I, score, information
        )
    for l in range(L):
        for q in range(p):
            t = 0.0
            for d in range(theta.shape[1]):
                t += psi[q, d] * theta[l, d]
            m[l, q] = t
    squares: float = vector_share(y, m, noise, precision, r, J, V, s, I) / (L * p)
    from_vectors(psi, bounded(squares, cap), s, I, score, information)
    return squares


@compile_now
def workspace(L: int, p: int) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats]:
    """Scratch arrays for `share`."""
    n = L * p
    return (
        np.empty((L, p)), np.empty(n), np.empty((n, n)), np.empty((n, n)), np.empty((L + 1, L)), np.empty(n),
        np.empty((n, n)),
    )  # fmt: skip


@compile_now
def mirror(H: Floats) -> None:
    """Copy what is below the diagonal to above it."""
    for i in range(len(H)):
        for j in range(i):
            H[j, i] = H[i, j]


@compile_now
def accumulate(
    sets: Floats, psi: Floats, theta: Floats, noise: Floats, precision: Floats, cap: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Sums over sets (N, L, p): information, score, score outer products; and each set's r'V⁻¹r / (L p)."""
    N, L, p = sets.shape
    n = L * theta.shape[1]
    H, g, M = np.zeros((n, n)), np.zeros(n), np.zeros((n, n))
    score, information, squares = np.empty(n), np.empty((n, n)), np.empty(N)
    work, order = workspace(L, p), np.empty(L, np.int64)
    for k in range(N):
        squares[k] = share(sets[k], psi[k], theta, noise, precision, cap, work, order, score, information)
        for i in range(n):
            g[i] += score[i]
            for j in range(n):
                H[i, j] += information[i, j]
                M[i, j] += score[i] * score[j]
    return H, g, M, squares


@inlined
def solve_positive(H: Floats, g: Floats, C: Floats, step: Floats) -> float:
    """Fill `step` with H⁻¹g by Cholesky (C is scratch); returns g'H⁻¹g."""
    n = g.shape[0]
    square = 0.0
    for i in range(n):
        pivot, t = H[i, i], g[i]
        for k in range(i):
            c = H[i, k]
            for q in range(k):
                c -= C[i, q] * C[k, q]
            c *= C[k, k]  # the diagonal holds reciprocals
            C[i, k] = c
            pivot -= c * c
            t -= c * step[k]
        C[i, i] = 1.0 / np.sqrt(pivot) if pivot > 1e-14 * H[i, i] else 0.0
        step[i] = t * C[i, i]
        square += step[i] * step[i]
    for i in range(n - 1, -1, -1):
        t = step[i]
        for q in range(i + 1, n):
            t -= C[q, i] * step[q]
        step[i] = t * C[i, i]
    return square


@compile_now
def each_score(sets: Floats, psi: Floats, theta: Floats, noise: Floats, precision: Floats, cap: float) -> Floats:
    """(N, L D) the score of each set."""
    N, L, p = sets.shape
    n = L * theta.shape[1]
    scores, information = np.empty((N, n)), np.empty((n, n))
    work, order = workspace(L, p), np.empty(L, np.int64)
    for k in range(N):
        share(sets[k], psi[k], theta, noise, precision, cap, work, order, scores[k], information)
    return scores


@compile_now
def dependence_sums(sets: Floats, rows: Floats, theta: Floats, variance: float) -> tuple[Floats, Floats, Floats]:
    """Sums over sets (N, L) of numbers about the parameters and, last, about a covariance g of the noises of every two systems.

    Returns the sums of the scores (n + 1,), of their outer products and of the information (n + 1, n + 1), n = L D.
    """
    N, L = sets.shape
    D = theta.shape[1]
    n = L * D
    total, outer, information, score = (
        np.zeros(n + 1),
        np.zeros((n + 1, n + 1)),
        np.zeros((n + 1, n + 1)),
        np.empty(n + 1),
    )
    order, x, r = np.empty(L, np.int64), np.empty(L), np.empty(L)
    A, J, V = np.empty((L, L)), np.empty((L, L + 1)), np.empty((L, L))
    slope, m = np.empty((L, L)), np.empty(L)
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
    mirror(outer)
    mirror(information)
    return total, outer, information
