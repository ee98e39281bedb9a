r"""Score and information of one set of vectors about its means: the weighted estimator's kernel for p > 1.

Along a direction u, with :math:`a_j = u'y_j`, :math:`b_j = u'm_j`, nodes :math:`x_i` and centres :math:`c_i`,

.. math:: r_i = \sum_l (y_l - c_i) \prod_{j \ne l} (a_j - x_i) \in R^p, \qquad i = 1..L,

has the mean that the means give, for every noise law. It is data association with polynomial weights in the place of
posterior ones, and so without their bias. Its covariance is the (t, tau) coefficient of

.. math:: \prod_j E\,(a_j - x_i + t (y_j - c_i)_q)\,(a_j - x_k + \tau (y_j - c_k)_s) .

The direction is the one along which the means lie farthest apart, measured by the noise.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now
from vieta.weighted.scalar import SEPARATION, place_nodes, whiten

SWEEPS = 12
MANY = 6  # systems beyond which only the best pair's order is tried


@compile_now
def widen(gram: Floats, order: Integers, weights: Floats) -> float:
    """Fill weights (L,) of the means whose sum is the direction with the widest smallest gap in this order.

    Least norm with gaps of at least one between neighbours: a small quadratic programme, solved by a few sweeps over
    its multipliers. Returns the smallest gap that it reaches, per unit of norm.
    """
    L = gram.shape[0]
    multiplier = np.zeros(L - 1)
    weights[:] = 0.0
    smallest = 0.0
    for sweep in range(SWEEPS + 1):
        smallest = np.inf
        for i in range(L - 1):
            low, high = order[i], order[i + 1]
            gap = 0.0
            for l in range(L):
                gap += weights[l] * (gram[l, high] - gram[l, low])
            smallest = min(smallest, gap)
            if sweep < SWEEPS:
                square = gram[low, low] - 2.0 * gram[low, high] + gram[high, high]
                move = max(-multiplier[i], (1.0 - gap) / max(square, 1e-300))
                multiplier[i] += move
                weights[high] += move
                weights[low] -= move
    norm = 0.0
    for l in range(L):
        for k in range(L):
            norm += weights[l] * weights[k] * gram[l, k]
    if not norm > 0.0:
        return 0.0
    weights /= np.sqrt(norm)
    return float(smallest / np.sqrt(norm))


@compile_now
def best_direction(m: Floats, precision: Floats) -> Floats:
    """u (p,) of unit noise variance that makes the smallest gap between projected means (L, p) large.

    Every pairwise discriminant direction proposes an order of the means, and the widest gap within an order is found
    by `widen`; many systems try one order only, that of the best pair.
    """
    L, p = m.shape
    white = m @ precision
    gram = white @ m.T  # inner products of the means, measured by the noise
    widest, best_pair = -1.0, -1.0
    projected, trial, weights = np.empty(L), np.empty(L), np.zeros(L)
    for i in range(L):
        for j in range(i):
            length = np.sqrt(max(gram[i, i] - 2.0 * gram[i, j] + gram[j, j], 1e-300))
            for l in range(L):
                projected[l] = (gram[i, l] - gram[j, l]) / length
            order = np.argsort(projected)
            gap = np.inf
            for l in range(L - 1):
                gap = min(gap, projected[order[l + 1]] - projected[order[l]])
            if L > MANY and gap <= best_pair:
                continue
            best_pair = max(best_pair, gap)
            reached = widen(gram, order, trial)
            if reached > widest:
                widest = reached
                weights[:] = trial
    if not widest > 0.0:  # all means coincide: any direction will do
        weights[:] = 0.0
        u = np.zeros(p)
        u[0] = np.sqrt(precision[0, 0])
        return u
    return weights @ white


@compile_now
def residual_and_slope(
    y: Floats, m: Floats, u: Floats, x: Floats, c: Floats, A: Floats, B: Floats, inverse: float, r: Floats, J: Floats
) -> None:
    """Fill r (L p,) and J = dE r / dm (L p, L p); A and B hold the scaled distances of means and readings to nodes."""
    L, p = m.shape
    r[:] = 0.0
    J[:] = 0.0
    for i in range(L):
        for l in range(L):
            expected, seen = 1.0, 1.0
            for j in range(L):
                if j != l:
                    expected *= A[i, j]
                    seen *= B[i, j]
            for q in range(p):
                r[i * p + q] += (y[l, q] - c[i, q]) * seen - (m[l, q] - c[i, q]) * expected
                J[i * p + q, l * p + q] += expected
            for other in range(L):
                if other != l:
                    rest = inverse
                    for j in range(L):
                        if j not in (l, other):
                            rest *= A[i, j]
                    for q in range(p):
                        t = (m[l, q] - c[i, q]) * rest
                        for s in range(p):
                            J[i * p + q, other * p + s] += t * u[s]


@compile_now
def fill_covariance(m: Floats, noise: Floats, along: Floats, c: Floats, A: Floats, inverse: float, V: Floats) -> None:
    """Fill the lower triangle of V (L p, L p); `along` is the noise covariance times u, whose own variance is one."""
    L, p = m.shape
    both, first, second = np.empty((p, p)), np.empty(p), np.empty(p)
    mean_first, mean_second = np.empty(p), np.empty(p)
    for i in range(L):
        for k in range(i + 1):
            none, product_first, product_second = 1.0, 1.0, 1.0
            first[:] = 0.0
            second[:] = 0.0
            both[:] = 0.0
            mean_first[:] = 0.0
            mean_second[:] = 0.0
            for j in range(L):
                f, g = A[i, j], A[k, j]
                square = f * g + inverse * inverse
                for q in range(p):
                    yq = m[j, q] - c[i, q]
                    eq = yq * g + along[q] * inverse
                    for s in range(p):
                        ys = m[j, s] - c[k, s]
                        es = f * ys + along[s] * inverse
                        both[q, s] = (
                            both[q, s] * square + first[q] * es + eq * second[s] + none * (yq * ys + noise[q, s])
                        )
                for q in range(p):
                    yq, ys = m[j, q] - c[i, q], m[j, q] - c[k, q]
                    first[q] = first[q] * square + none * (yq * g + along[q] * inverse)
                    second[q] = second[q] * square + none * (f * ys + along[q] * inverse)
                    mean_first[q] = mean_first[q] * f + product_first * yq
                    mean_second[q] = mean_second[q] * g + product_second * ys
                none *= square
                product_first *= f
                product_second *= g
            for q in range(p):
                for s in range(p):
                    V[i * p + q, k * p + s] = both[q, s] - mean_first[q] * mean_second[s]


@compile_now
def score_and_information(
    y: Floats, m: Floats, noise: Floats, precision: Floats, r: Floats, J: Floats, V: Floats, score: Floats,
    information: Floats,
) -> float:  # fmt: skip
    """Fill the score (L p,) and the information (L p, L p) of one set about its means; returns r'V⁻¹r."""
    L, p = m.shape
    u = best_direction(m, precision)
    b, a, along = m @ u, y @ u, noise @ u
    order, x, c = np.empty(L, np.int64), np.empty(L), np.empty((L, p))
    place_nodes(b, SEPARATION, order, x)
    for i in range(L):
        for q in range(p):
            c[i, q] = m[order[i], q] + (x[i] - b[order[i]]) * along[q]
    unit = 1.0
    for j in range(L):
        unit = max(unit, abs(b[j] - x[0]), abs(b[j] - x[L - 1]))
    inverse = 1.0 / unit
    A, B = np.empty((L, L)), np.empty((L, L))
    for i in range(L):
        for j in range(L):
            A[i, j] = (b[j] - x[i]) * inverse
            B[i, j] = (a[j] - x[i]) * inverse
    residual_and_slope(y, m, u, x, c, A, B, inverse, r, J)
    fill_covariance(m, noise, along, c, A, inverse, V)
    squares = whiten(V, r, J)
    score[:] = J.T @ r
    information[:] = J.T @ J
    return squares
