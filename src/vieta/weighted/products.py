r"""Score and information of one set of numbers from the values of its polynomial at nodes *and their products*.

The covariance of the values :math:`v_a = \prod_j (y_j - x_a)` depends on the means, so that the products tell about
them as well:

.. math:: E v_a v_b = \prod_j \bigl(A_{aj} A_{bj} + \sigma_j^2\bigr), \qquad A_{aj} = m_j - x_a ,

again for every noise law with independent noise of mean zero, now with one variance :math:`\sigma_j^2` a system to
estimate beside the parameters. Weights need the law's third and fourth moments,

.. math:: E (y_j - x_a)(y_j - x_b)(y_j - x_c)(y_j - x_d) = e_4 + \sigma_j^2 e_2 + \mu_{3j} e_1 + \mu_{4j}

with the elementary polynomials :math:`e` of :math:`A_{aj}, .., A_{dj}`; wrong ones cost accuracy only. What is lost
against a likelihood that knows the law is then of fourth order in noise over distance instead of second.

This module imports numba and is imported where it is needed only.
"""

from typing import Any

import numpy as np

from vieta.arrays import Floats, Integers, plain
from vieta.compiled import compile_now
from vieta.weighted.equations import mirrored
from vieta.weighted.scalar import SEPARATION, place_nodes, whiten


@compile_now
def leave_one_out(factors: Floats, rest: Floats) -> float:
    """Fill `rest` (L,) with the products of all factors but one; returns the product of all."""
    L = factors.shape[0]
    product = 1.0
    for j in range(L):
        rest[j] = product
        product *= factors[j]
    after = 1.0
    for j in range(L - 1, -1, -1):
        rest[j] *= after
        after *= factors[j]
    return product


@compile_now
def residuals_and_slopes(
    y: Floats, x: Floats, inverse: float, pairs: Integers, A: Floats, S: Floats, F: Floats, s2: Floats, r: Floats,
    J: Floats,
) -> None:  # fmt: skip
    """Fill r (n,) and J (n, 2 L): derivatives by the means, and by the logarithms of the variances.

    A (L, L) holds the scaled distances of means to nodes; S and F (pairs, L) are filled with A_a + A_b and
    A_a A_b + s2.
    """
    L = len(x)
    rest, values = np.empty(L), np.empty(L)
    for i in range(L):
        values[i] = 1.0
        r[i] = -leave_one_out(A[i], rest)
        for j in range(L):
            J[i, j] = rest[j] * inverse
            J[i, L + j] = 0.0
            values[i] *= (y[j] - x[i]) * inverse
        r[i] += values[i]
    for q in range(len(pairs)):
        a, b = pairs[q, 0], pairs[q, 1]
        for j in range(L):
            S[q, j] = A[a, j] + A[b, j]
            F[q, j] = A[a, j] * A[b, j] + s2[j]
        r[L + q] = values[a] * values[b] - leave_one_out(F[q], rest)
        for j in range(L):
            J[L + q, j] = S[q, j] * rest[j] * inverse
            J[L + q, L + j] = rest[j] * s2[j]


@compile_now
def fill_covariance(A: Floats, S: Floats, F: Floats, s2: Floats, s3: Floats, s4: Floats, V: Floats) -> None:
    """Fill the lower triangle of V (n, n); each entry is E of a product less the product of E, without cancellation."""
    L, Q = A.shape[0], F.shape[0]
    for i in range(L):
        for k in range(i + 1):
            spread, product = 0.0, 1.0
            for j in range(L):
                g = A[i, j] * A[k, j]
                spread = spread * (g + s2[j]) + product * s2[j]
                product *= g
            V[i, k] = spread
    for q in range(Q):
        for k in range(L):
            spread, product = 0.0, 1.0
            for j in range(L):
                g, extra = A[k, j] * F[q, j], s2[j] * S[q, j] + s3[j]
                spread = spread * (g + extra) + product * extra
                product *= g
            V[L + q, k] = spread
        for w in range(q + 1):
            spread, product = 0.0, 1.0
            for j in range(L):
                g = F[q, j] * F[w, j]
                extra = s2[j] * S[q, j] * S[w, j] + s3[j] * (S[q, j] + S[w, j]) + s4[j] - s2[j] * s2[j]
                spread = spread * (g + extra) + product * extra
                product *= g
            V[L + q, L + w] = spread


def node_pairs(L: int) -> Integers:
    """(L (L + 1) / 2, 2): every two nodes, and each with itself."""
    return np.stack(np.tril_indices(L), axis=1)


def accumulate_products(
    sets: Floats,
    rows: Floats,
    theta: Floats,
    variances: Floats,
    skewness: float,
    kurtosis: float,
    weights: Floats | None = None,
    scores: Floats | None = None,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Sums over sets (N, L) with inputs (N, D), for parameters and then logarithms of variances.

    Returns information (n, n), score (n,), score outer products (n, n), n = L D + L, and the outer products of these
    scores with those that the values alone would give (n, L D). In outer products the scores have `weights` (N,), one if absent. Fills
    `scores` (N, n), if it is given, with the score of each set.
    """
    n, m = theta.size + len(theta), theta.size
    H, g, M, joint = np.zeros((n, n)), np.zeros(n), np.zeros((n, n)), np.zeros((n, m))
    law = plain(variances), float(skewness), float(kurtosis)
    weights = np.ones(len(sets)) if weights is None else plain(weights)
    places = H, g, M, joint, np.empty((1, n)) if scores is None else scores
    pairs = node_pairs(len(theta))
    _add_up(plain(sets), plain(rows), plain(theta), *law, pairs, weights, *places, *_scratch(theta, len(pairs)))
    return mirrored(H), g, mirrored(M), joint


def _scratch(theta: Floats, pairs: int) -> tuple[Any, ...]:
    """Arrays for `_add_up` to work in: kernels that allocate take longer to compile."""
    L, m = theta.shape[0], theta.size
    size, n = L + pairs, m + L
    many: list[Any] = [(L, L), (pairs, L), (pairs, L), size, (size, 2 * L), (size, size), (size, n)]
    shapes = [L, L, *many, m, L, L, L]
    return np.empty(L, np.int64), *(np.empty(shape) for shape in shapes)


@compile_now
def _add_up(
    sets: Floats, rows: Floats, theta: Floats, variances: Floats, skewness: float, kurtosis: float, pairs: Integers,
    weights: Floats, H: Floats, g: Floats, M: Floats, joint: Floats, scores: Floats, order: Integers, x: Floats, m: Floats,
    A: Floats, S: Floats, F: Floats, r: Floats, J: Floats, V: Floats, G: Floats, first: Floats, s2: Floats, s3: Floats, s4: Floats,
) -> None:  # fmt: skip
    """Add to H and M, below the diagonal, to g and to `joint`; fill `scores`, whose rows take turns where they are fewer.

    The rest is scratch.
    """
    L, D = theta.shape
    m_count, n = L * D, L * D + L
    size = L + len(pairs)
    level = 0.0
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
        fill_covariance(A, S, F, s2, s3, s4, V)
        whiten(V, r, J)
        for i in range(size):
            for l in range(L):
                for d in range(D):
                    G[i, l * D + d] = J[i, l] * rows[k, d]
                G[i, m_count + l] = J[i, L + l]
        score, square = scores[k % scores.shape[0]], weights[k] * weights[k]
        for a in range(n):
            t = 0.0
            for i in range(size):
                t += G[i, a] * r[i]
                if i == L - 1 and a < m_count:
                    first[a] = t
            score[a] = t
            g[a] += t
            for b in range(a + 1):
                t = 0.0
                for i in range(size):
                    t += G[i, a] * G[i, b]
                H[a, b] += t
        for a in range(n):
            for b in range(a + 1):
                M[a, b] += square * score[a] * score[b]
            for b in range(m_count):
                joint[a, b] += square * score[a] * first[b]
