r"""Values and products of `products` for noises that are not quite independent of each other.

The mean of a product of functions of single readings, :math:`\prod_j f_j(y_j)`, gains from joint cumulants of the noises, to first order in
each,

.. math:: \sum_{j<k} \kappa_{jk} f_j' f_k' \prod f_i + \sum_{j<k<l} \kappa_{jkl} f_j' f_k' f_l' \prod f_i
    + \sum_{j \ne k} \tfrac12 \kappa_{jjk} f_j'' f_k' \prod f_i + \ldots

with the other systems' f in the products. A value has :math:`f_j = A_{aj}, f_j' = 1`; a product of two has :math:`f_j = A_{aj} A_{bj} +
\sigma_j^2`, :math:`f_j' = A_{aj} + A_{bj}, f_j'' = 2`. With :math:`W_{pq}` the sum over p systems that have f' and q others that have f''/2,

.. math:: g\,W_{20} - a \sum_j (\sigma_j^2 - \bar\sigma^2)\,T_j + \kappa_{jkl} W_{30} + \kappa_{jjk} W_{11}
    + \kappa_{jklm} W_{40} + \kappa_{jjkl} W_{21} + \kappa_{jjkk} W_{02}

where the covariances of two are :math:`g - a(\delta_j + \delta_k)` and :math:`T_j` is the part of :math:`W_{20}` to which j contributes. For
g = 0 and equal variances the covariance is exact. `decorrelation.joint_law` says which a and cumulants sets have that share a shock. Scores
are about the parameters, the logarithms of the variances, g, and the skewness and the excess of the systems' own noises.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers, plain
from vieta.compiled import compile_now, inlined
from vieta.weighted.equations import mirrored
from vieta.weighted.products import fill_covariance, node_pairs, residuals_and_slopes
from vieta.weighted.scalar import SEPARATION, place_nodes, whiten


@inlined
def sums_over_others(factors: Floats, slopes: Floats, rest: Floats) -> float:
    """Fill `rest` (L,) with T_j = s_j sum_{k != j} s_k prod_{i != j, k} f_i; returns half their sum."""
    L = factors.shape[0]
    total = 0.0
    for j in range(L):
        product, one = 1.0, 0.0
        for i in range(L):
            if i != j:
                one = one * factors[i] + slopes[i] * product
                product *= factors[i]
        rest[j] = slopes[j] * one
        total += rest[j]
    return 0.5 * total


@inlined
def joint_sums(factors: Floats, slopes: Floats, double: float, W: Floats) -> None:
    """Fill W (5, 3): W_ab, the sum over a systems with their slopes, b others with `double`, and the factors of all the rest."""
    for a in range(5):
        for b in range(3):
            W[a, b] = 0.0
    W[0, 0] = 1.0
    for j in range(factors.shape[0]):
        for a in range(4, -1, -1):
            for b in range(2, -1, -1):
                t = W[a, b] * factors[j]
                if a > 0:
                    t += W[a - 1, b] * slopes[j]
                if b > 0:
                    t += W[a, b - 1] * double
                W[a, b] = t


@inlined
def share_noise(
    factors: Floats, slopes: Floats, double: float, s2: Floats, law: Floats, inverse: float, rest: Floats, W: Floats,
    row: Floats,
) -> float:  # fmt: skip
    """Fill the last three columns of a row of J, add to those of the variances, and return what the mean gains."""
    L = factors.shape[0]
    if law[1] == 0.0:  # independent noises
        row[2 * L] = sums_over_others(factors, slopes, rest) * inverse * inverse
        row[2 * L + 1] = row[2 * L + 2] = 0.0
        return 0.0
    level = 0.0
    for j in range(L):
        level += s2[j] / L
    joint_sums(factors, slopes, double, W)
    cube, fourth = level * level**0.5, level * level
    row[2 * L] = W[2, 0] * inverse * inverse
    row[2 * L + 1] = cube * (law[1] * W[3, 0] + law[2] * W[1, 1])
    row[2 * L + 2] = fourth * (law[5] * W[4, 0] + law[6] * W[2, 1] + law[7] * W[0, 2])
    gain: float = cube * (law[3] * W[3, 0] + law[4] * W[1, 1])
    gain += fourth * (law[8] * W[4, 0] + law[9] * W[2, 1] + law[10] * W[0, 2])
    if law[0] == 0.0:
        return gain
    sums_over_others(factors, slopes, rest)
    for j in range(L):
        row[L + j] -= law[0] * (rest[j] - 2.0 * W[2, 0] / L) * s2[j]
        gain -= law[0] * (s2[j] - level) * rest[j]
    return gain


@compile_now
def add_shared(
    sets: Floats, rows: Floats, theta: Floats, variances: Floats, skewness: float, kurtosis: float, law: Floats,
    pairs: Integers, H: Floats, g: Floats, scores: Floats,
) -> None:  # fmt: skip
    """Add to H, below the diagonal, and to g; fill the scores (N, L D + L + 1). Without `pairs` the values alone count."""
    L, D = theta.shape
    m_count, n = L * D, L * D + L + 3
    size = L + len(pairs)
    order, x, m, A = np.empty(L, np.int64), np.empty(L), np.empty(L), np.empty((L, L))
    S, F, r = np.empty((len(pairs), L)), np.empty((len(pairs), L)), np.empty(size)
    J, V, G = np.empty((size, 2 * L + 3)), np.empty((size, size)), np.empty((size, n))
    s2, s3, s4, rest, ones = np.empty(L), np.empty(L), np.empty(L), np.empty(L), np.ones(L)
    W, level = np.empty((5, 3)), 0.0
    for l in range(L):
        level += variances[l] / L
    for k in range(len(sets)):
        for l in range(L):
            m[l] = 0.0
            for d in range(D):
                m[l] += theta[l, d] * rows[k, d]
        place_nodes(m, SEPARATION * np.sqrt(level), order, x)
        unit: float = np.sqrt(level)
        for l in range(L):
            unit = max(unit, abs(m[l] - x[0]), abs(m[l] - x[L - 1]))
        inverse = 1.0 / unit
        for j in range(L):
            s2[j] = variances[j] * inverse * inverse
            s3[j] = skewness * s2[j] * np.sqrt(s2[j])
            s4[j] = kurtosis * s2[j] * s2[j]
            for i in range(L):
                A[i, j] = (m[j] - x[i]) * inverse
        residuals_and_slopes(sets[k], x, inverse, pairs, A, S, F, s2, r, J)
        for i in range(L):
            r[i] -= share_noise(A[i], ones, 0.0, s2, law, inverse, rest, W, J[i])
        for q in range(len(pairs)):
            r[L + q] -= share_noise(F[q], S[q], 1.0, s2, law, inverse, rest, W, J[L + q])
        fill_covariance(A, S, F, s2, s3, s4, V)
        whiten(V, r, J)
        for i in range(size):
            for l in range(L):
                for d in range(D):
                    G[i, l * D + d] = J[i, l] * rows[k, d]
                G[i, m_count + l] = J[i, L + l]
            for l in range(3):
                G[i, n - 3 + l] = J[i, 2 * L + l]
        for e in range(n):
            t = 0.0
            for i in range(size):
                t += G[i, e] * r[i]
            scores[k, e] = t
            g[e] += t
            for b in range(e + 1):
                t = 0.0
                for i in range(size):
                    t += G[i, e] * G[i, b]
                H[e, b] += t


def shared_products(
    sets: Floats,
    rows: Floats,
    theta: Floats,
    variances: Floats,
    shape: tuple[float, float],
    law: Floats,
    *,
    products: bool,
) -> tuple[Floats, Floats, Floats]:
    """Information (n, n), score (n,) and each score (N, n) of sets (N, L) with inputs (N, D); n = L D + L + 1.

    `shape` holds the skewness and the kurtosis of the noise, which weights use. Without `products` the values alone count.
    """
    n = theta.size + len(theta) + 3
    H, g, scores = np.zeros((n, n)), np.zeros(n), np.empty((len(sets), n))
    pairs = node_pairs(len(theta)) if products else np.empty((0, 2), np.int64)
    given = plain(variances), float(shape[0]), float(shape[1]), plain(law)
    add_shared(plain(sets), plain(rows), plain(theta), *given, pairs, H, g, scores)
    return mirrored(H), g, scores
