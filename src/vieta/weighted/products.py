r"""Moments of one set of numbers: the values of its polynomial at nodes *and their products*, which `shared_products` adds up.

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

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now

MOST = 5  # nodes, of which every two are multiplied


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
    y: Floats, x: Floats, inverse: float, pairs: Integers, A: Floats, S: Floats, F: Floats, s2: Floats, rest: Floats, values: Floats,
    r: Floats, J: Floats,
) -> None:  # fmt: skip
    """Fill r (n,) and J (n, 2 L): derivatives by the means, and by the logarithms of the variances.

    A (L, L) holds the scaled distances of means to nodes; S and F (pairs, L) are filled with A_a + A_b and
    A_a A_b + s2; rest and values (L,) are scratch.
    """
    L = len(x)
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
    """(Q, 2): every two nodes, and each with itself; of more than five nodes neighbours only, which say most.

    >>> node_pairs(2).tolist(), len(node_pairs(10))
    ([[0, 0], [1, 0], [1, 1]], 19)
    """
    pairs = np.stack(np.tril_indices(L), axis=1)
    return pairs if L <= MOST else pairs[pairs[:, 0] - pairs[:, 1] <= 1]
