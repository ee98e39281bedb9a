r"""Scores of values and products (`products`), added up, for noises that may have something in common.

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

from typing import Any, NamedTuple

import numpy as np

from vieta.arrays import Floats, Integers, plain, unshared
from vieta.compiled import compile_now, inlined
from vieta.weighted.decorrelation import independent_law
from vieta.weighted.equations import mirrored
from vieta.weighted.products import fill_covariance, node_pairs, residuals_and_slopes
from vieta.weighted.scalar import SEPARATION, place_nodes, whiten


@inlined
def sums_over_others(factors: Floats, slopes: Floats, rest: Floats) -> None:
    """Fill `rest` (L,) with T_j = s_j sum_{k != j} s_k prod_{i != j, k} f_i."""
    L = factors.shape[0]
    for j in range(L):
        product, one = 1.0, 0.0
        for i in range(L):
            if i != j:
                one = one * factors[i] + slopes[i] * product
                product *= factors[i]
        rest[j] = slopes[j] * one


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


@inlined
def share_noises(
    A: Floats, S: Floats, F: Floats, s2: Floats, law: Floats, inverse: float, rest: Floats, ones: Floats, W: Floats, r: Floats,
    J: Floats,
) -> None:  # fmt: skip
    """Fill the columns of J beyond those of the variances, add to the latter, and take what the means gain from the residuals."""
    L, size = A.shape[0], J.shape[0]
    for i in range(size):
        if law[1] != 0.0:
            if i < L:
                r[i] -= share_noise(A[i], ones, 0.0, s2, law, inverse, rest, W, J[i])
            else:
                r[i] -= share_noise(F[i - L], S[i - L], 1.0, s2, law, inverse, rest, W, J[i])
            continue
        none, one, two = 1.0, 0.0, 0.0  # independent noises: W_00, W_10 and W_20
        for j in range(L):
            f, slope = (A[i, j], 1.0) if i < L else (F[i - L, j], S[i - L, j])
            two = two * f + one * slope
            one = one * f + none * slope
            none *= f
        J[i, 2 * L] = two * inverse * inverse
        for q in range(2 * L + 1, J.shape[1]):
            J[i, q] = 0.0


@compile_now
def add_products(
    sets: Floats, rows: Floats, theta: Floats, variances: Floats, skewness: float, kurtosis: float, law: Floats,
    pairs: Integers, weights: Floats, H: Floats, g: Floats, M: Floats, joint: Floats, scores: Floats, order: Integers, x: Floats,
    m: Floats, s2: Floats, s3: Floats, s4: Floats, rest: Floats, first: Floats, values: Floats, ones: Floats, W: Floats, A: Floats,
    S: Floats, F: Floats, r: Floats, J: Floats, V: Floats, s: Floats, K: Floats,
) -> None:  # fmt: skip
    """Add to H, to g and, unless they are empty, to M and `joint`, below the diagonals; fill `scores`, whose rows take turns if they are fewer.

    J has 2 L columns about the means and the variances, and one or three more. Without `pairs` the values alone count. From `order` on all is
    scratch: kernels that allocate take longer to compile.
    """
    L, D = theta.shape
    columns, n_means = J.shape[1], L * D
    size, n = L + len(pairs), n_means + columns - L
    level = 0.0
    for l in range(L):
        level += variances[l] / L
    for k in range(len(sets)):
        row = rows[k]
        for l in range(L):
            m[l] = 0.0
            for d in range(D):
                m[l] += theta[l, d] * row[d]
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
        residuals_and_slopes(sets[k], x, inverse, pairs, A, S, F, s2, rest, values, r, J)
        share_noises(A, S, F, s2, law, inverse, rest, ones, W, r, J)
        fill_covariance(A, S, F, s2, s3, s4, V)
        whiten(V, r, J)
        for a in range(columns):
            t = 0.0
            for i in range(size):
                t += J[i, a] * r[i]
                if i == L - 1 and a < L:
                    first[a] = t
            s[a] = t
            for b in range(a + 1):
                t = 0.0
                for i in range(size):
                    t += J[i, a] * J[i, b]
                K[a, b] = t
        score, square = scores[k % scores.shape[0]], weights[k] * weights[k]
        for a in range(columns):
            for d in range(D if a < L else 1):
                place, c = (a * D + d, row[d]) if a < L else (n_means + a - L, 1.0)
                score[place] = c * s[a]
                for b in range(min(a + 1, L)):
                    for e in range(D):
                        H[place, b * D + e] += c * K[a, b] * row[e]
                for b in range(L, a + 1):
                    H[place, n_means + b - L] += K[a, b]
        for a in range(n):
            g[a] += score[a]
        for a in range(M.shape[0]):
            t = square * score[a]
            for b in range(a + 1):
                M[a, b] += t * score[b]
            for l in range(L):
                for d in range(D):
                    joint[a, l * D + d] += t * first[l] * row[d]


class ProductSums(NamedTuple):
    """Sums over sets about the parameters, the logarithms of the variances, and last a covariance g of every two noises; n = L D + L + 1.

    Attributes
    ----------
    information : (n, n)
    score : (n,)
    meat : (n, n)
        Of the scores' outer products.
    joint : (n, L D)
        Of outer products with the scores that the values alone would give.
    """

    information: Floats
    score: Floats
    meat: Floats
    joint: Floats


def accumulate_products(
    sets: Floats,
    rows: Floats,
    theta: Floats,
    variances: Floats,
    skewness: float,
    kurtosis: float,
    weights: Floats | None = None,
    scores: Floats | None = None,
    *,
    products: bool = True,
) -> ProductSums:
    """Sums over sets (N, L) of independent noises, with inputs (N, D). Without `products` the values alone count.

    In outer products the scores have `weights` (N,), one if absent. Fills `scores` (N, n), if it is given, with the score of each set.
    """
    n = theta.size + len(theta) + 1
    M, joint, score = unshared((n, n), (n, theta.size), (1, n))
    law = plain(variances), float(skewness), float(kurtosis), independent_law()
    weights = np.ones(len(sets)) if weights is None else plain(weights)
    places = M, joint, score if scores is None else scores
    H, g = _added(sets, rows, theta, law, weights, *places, products=products)
    return ProductSums(H, g, mirrored(M), joint)


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
    """Information (n, n), score (n,) and each score (N, n) of sets (N, L) with inputs (N, D); n = L D + L + 3.

    `shape` holds the skewness and the kurtosis of the noise, which weights use. Without `products` the values alone count.
    """
    n = theta.size + len(theta) + 3
    given = plain(variances), float(shape[0]), float(shape[1]), plain(law)
    scores, nothing = np.zeros((max(len(sets), 1), n)), np.empty((0, 0))
    H, g = _added(sets, rows, theta, given, np.ones(len(sets)), nothing, nothing, scores, products=products)
    return H, g, scores[: len(sets)]


def _added(
    sets: Floats, rows: Floats, theta: Floats, law: tuple[Floats, float, float, Floats], weights: Floats, M: Floats, joint: Floats,
    scores: Floats, *, products: bool,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Information and score; the other sums are added where they are."""
    n, pairs = scores.shape[1], node_pairs(len(theta)) if products else np.empty((0, 2), np.int64)
    H, g = unshared((n, n), (n,))
    scratch, (variances, skewness, kurtosis, further) = _scratch(len(theta), len(pairs), n - theta.size), law
    given = variances, skewness, kurtosis, further, pairs, weights
    add_products(plain(sets), plain(rows), plain(theta), *given, H, g, M, joint, scores, *scratch)
    return mirrored(np.tril(H)), g


def _scratch(L: int, pairs: int, further: int) -> tuple[Any, ...]:
    """Arrays for `add_products` to work in, with so many unknowns beside the parameters."""
    size, columns = L + pairs, L + further
    square = [(5, 3), (L, L), (pairs, L), (pairs, L), (size,), (size, columns), (size, size)]
    order, *numbers, ones = unshared(*[(L,)] * 10)
    ones[:] = 1.0
    return order.view(np.int64), *numbers, ones, *unshared(*square, (columns,), (columns, columns))
