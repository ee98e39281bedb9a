r"""Score and information of one set of vectors about its means: the weighted estimator's kernel for p > 1.

A set is seen through planes: the values, at directions u and nodes x (`vector_planes`),

.. math:: v_i = \prod_j (u_i'y_j - x_i), \qquad E v_i = \prod_j (u_i'm_j - x_i), \qquad
    E v_i v_k = \prod_j \bigl((u_i'm_j - x_i)(u_k'm_j - x_k) + u_i' \Sigma u_k\bigr),

for *every* noise law of covariance Sigma with independent noise of mean zero. One direction cannot separate all pairs of systems; several
can. Nodes are where the means are believed to be, as for numbers (`scalar`), pushed apart where they meet. With r = v - E v,
V = Cov v and J = dE v / dm, the score is J'V⁻¹r and the information J'V⁻¹J; what is linearly dependent in V is left out.

Everything is in units in which the noise has covariance I (`vector_equations`).

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now, inlined
from vieta.weighted.scalar import SEPARATION, place_nodes, sort_order, whiten
from vieta.weighted.vector_planes import Planes, Scratch

SWEEPS = 12
MANY = 6  # systems beyond which only the best pair's order is tried
TILT = 0.1  # of directions around the best one
FAR = 3e-3  # sum of 1 / distance² along a direction, below which it separates the means for all that matters
OBLIQUE = 0.1  # squared sine of the angle that directions must have to be enough on their own


@compile_now
def widen(gram: Floats, order: Integers, weights: Floats) -> float:
    """Fill weights (L,) of the means whose sum is the direction with the widest smallest gap in this order.

    Least norm with gaps of at least one between neighbours: a small quadratic programme, solved by a few sweeps over
    its multipliers. Returns the smallest gap that it reaches, per unit of norm.
    """
    L = gram.shape[0]
    multiplier = np.empty(L)
    for l in range(L):
        multiplier[l] = 0.0
        weights[l] = 0.0
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
    length: float = np.sqrt(norm)
    for l in range(L):
        weights[l] /= length
    return smallest / length


@compile_now
def best_direction(m: Floats, u: Floats) -> None:
    """Fill the unit vector u (p,) that makes the smallest gap between projected means (L, p) large.

    The direction of every pair proposes an order of the means, and the widest gap within an order is found
    by `widen`; many systems try one order only, that of the best pair.
    """
    L, p = m.shape
    gram = np.empty((L, L))
    inner_products(m, gram)
    widest, best_pair = -1.0, -1.0
    projected, trial, weights, order = np.empty(L), np.empty(L), np.empty(L), np.empty(L, np.int64)
    for i in range(L):
        for j in range(i):
            length = np.sqrt(max(gram[i, i] - 2.0 * gram[i, j] + gram[j, j], 1e-300))
            for l in range(L):
                projected[l] = (gram[i, l] - gram[j, l]) / length
            sort_order(projected, order)
            gap = np.inf
            for l in range(L - 1):
                gap = min(gap, projected[order[l + 1]] - projected[order[l]])
            if L > MANY and gap <= best_pair:
                continue
            best_pair = max(best_pair, gap)
            reached = widen(gram, order, trial)
            if reached > widest:
                widest = reached
                for l in range(L):
                    weights[l] = trial[l]
    for q in range(p):
        u[q] = 0.0
        if widest > 0.0:
            for l in range(L):
                u[q] += weights[l] * m[l, q]
    if not widest > 0.0:  # all means coincide: any direction will do
        u[0] = 1.0


@inlined
def inner_products(m: Floats, gram: Floats) -> None:
    """Fill the inner products (n, n) of rows (n, p)."""
    for l in range(m.shape[0]):
        for k in range(l + 1):
            t = 0.0
            for q in range(m.shape[1]):
                t += m[l, q] * m[k, q]
            gram[l, k] = t
            gram[k, l] = t


@compile_now
def tilt(m: Floats, tilted: int, directions: Floats, gram: Floats) -> None:
    """Turn the first directions to the one that separates the means best, each by a little towards an axis of its own."""
    p = m.shape[1]
    u = np.empty(p)
    best_direction(m, u)
    for k in range(tilted):
        sign = 1.0 if u[k] >= 0.0 else -1.0
        length = np.sqrt(1.0 + 2.0 * TILT * abs(u[k]) + TILT * TILT)
        for q in range(p):
            directions[k, q] = (u[q] + (TILT * sign if q == k else 0.0)) / length
    inner_products(directions, gram)


@inlined
def project(points: Floats, directions: Floats, projected: Floats) -> None:
    """Fill u_k'y_l (K, L)."""
    for k in range(directions.shape[0]):
        for l in range(points.shape[0]):
            t = 0.0
            for q in range(points.shape[1]):
                t += directions[k, q] * points[l, q]
            projected[k, l] = t


@compile_now
def choose(B: Floats, directions: Floats, planes: Integers, chosen: Integers) -> int:
    """Fill the planes that are used of a basis; returns how many.

    Where the means are far apart along p directions in general position, these are enough: no other adds anything.
    """
    K, L = B.shape
    p = directions.shape[1]
    basis, rest, used, count = np.empty((p, p)), np.empty(p), np.zeros(K), 0
    while count < p:
        nearest, best = FAR, -1
        for k in range(K):
            if used[k] == 0.0:
                crowd = 0.0
                for i in range(L):
                    for j in range(i):
                        crowd += 1.0 / max((B[k, i] - B[k, j]) ** 2, 1e-300)
                if crowd < nearest:
                    nearest, best = crowd, k
        if best < 0:
            break
        used[best] = 1.0
        square = 0.0
        for q in range(p):
            rest[q] = directions[best, q]
        for i in range(count):
            along = 0.0
            for q in range(p):
                along += basis[i, q] * rest[q]
            for q in range(p):
                rest[q] -= along * basis[i, q]
        for q in range(p):
            square += rest[q] * rest[q]
        if square > OBLIQUE:
            for q in range(p):
                basis[count, q] = rest[q] / np.sqrt(square)
            for i in range(L):
                chosen[count * L + i, 0] = best
                chosen[count * L + i, 1] = i
            count += 1
    if count == p:
        return p * L
    for i in range(planes.shape[0]):
        chosen[i, 0] = planes[i, 0]
        chosen[i, 1] = planes[i, 1]
    return planes.shape[0]


@compile_now
def describe(m: Floats, given: Planes, work: Scratch) -> int:
    """What does not depend on the readings, for means (L, p): planes, V (lower triangle) and J; returns how many planes are used.

    Each value is scaled to the size of its factors; `work.scale` (2, S) is filled with the reciprocal of this and with E v.
    """
    directions, gram, chosen, B, nodes = work.directions, work.gram, work.chosen, work.projected, work.nodes
    scale, A, J, V = work.scale, work.distances, work.slope, work.covariance
    L, p = m.shape
    if given.tilted > 0:
        tilt(m, given.tilted, directions, gram)
    project(m, directions, B)
    order = np.empty(L, np.int64)
    for k in range(B.shape[0]):
        place_nodes(B[k], SEPARATION, order, nodes[k])
    S = given.planes.shape[0]
    if given.tilted == 0:
        S = choose(B, directions, given.planes, chosen)
    for i in range(S):
        k, total = chosen[i, 0], 0.0
        x = nodes[k, chosen[i, 1]]
        for j in range(L):
            A[i, j] = B[k, j] - x
            total += A[i, j] * A[i, j] + 1.0
        inverse = 1.0 / np.sqrt(total / L)
        product = 1.0
        for j in range(L):
            A[i, j] *= inverse
            J[i, j * p] = product  # of the factors before j
            product *= A[i, j]
        scale[0, i], scale[1, i] = inverse, product
        after = inverse
        for j in range(L - 1, -1, -1):
            rest = J[i, j * p] * after
            after *= A[i, j]
            for q in range(p):
                J[i, j * p + q] = rest * directions[k, q]
        for h in range(i + 1):
            noise = gram[k, chosen[h, 0]] * inverse * scale[0, h]
            spread, product = 0.0, 1.0
            for j in range(L):
                g = A[i, j] * A[h, j]
                spread = spread * (g + noise) + product * noise
                product *= g
            V[i, h] = spread
    return S


@inlined
def residuals(y: Floats, S: int, work: Scratch) -> None:
    """Fill r = v - E v (S,) of a set (L, p)."""
    project(y, work.directions, work.projected)
    for i in range(S):
        k = work.chosen[i, 0]
        x, inverse, seen = work.nodes[k, work.chosen[i, 1]], work.scale[0, i], 1.0
        for j in range(y.shape[0]):
            seen *= (work.projected[k, j] - x) * inverse
        work.residuals[i] = seen - work.scale[1, i]


@compile_now
def score_and_information(
    y: Floats, m: Floats, given: Planes, work: Scratch, score: Floats, information: Floats
) -> float:
    """Fill the score (L p,) and the information (L p, L p) of one set about its means; returns r'V⁻¹r over its expectation."""
    n = m.size
    S = describe(m, given, work)
    residuals(y, S, work)
    r, J, V = work.residuals[:S], work.slope[:S], work.covariance[:S, :S]
    squares, rank = whiten(V, r, J), 0
    for i in range(S):
        if V[i, i] > 0.0:
            rank += 1
    for l in range(n):
        score[l] = 0.0
        for k in range(l + 1):
            information[l, k] = 0.0
    for i in range(S):
        for l in range(n):
            t = J[i, l]
            score[l] += t * r[i]
            for k in range(l + 1):
                information[l, k] += t * J[i, k]
    for l in range(n):
        for k in range(l):
            information[k, l] = information[l, k]
    return squares / max(rank, 1)
