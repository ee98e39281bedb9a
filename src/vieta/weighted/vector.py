r"""Score and information of one set of vectors about its means: the weighted estimator's kernel for p > 1.

A set is seen through planes: the values, at directions u and nodes x (`vector_planes`),

.. math:: v_i = \prod_j (u_i'y_j - x_i), \qquad E v_i = \prod_j (u_i'm_j - x_i), \qquad
    E v_i v_k = \prod_j \bigl((u_i'm_j - x_i)(u_k'm_j - x_k) + u_i' \Sigma u_k\bigr),

for *every* noise law of covariance Sigma with independent noise of mean zero. One direction cannot separate all pairs of systems; several
can. Nodes are where the means are believed to be, as for numbers (`scalar`), pushed apart where they meet. With r = v - E v,
V = Cov v and J = dE v / dm, the score is J'V⁻¹r and the information J'V⁻¹J; what is linearly dependent in V is left out.

Everything is in units in which the noise has covariance I. Where p > L - 1, coordinates are turned so that the means differ in the
first q = L - 1 only, and in each of the others, w of mean zero, with :math:`A_{ij} = u_i'm_j - x_i`,

.. math:: t_i = \sum_l w_l \prod_{j \ne l} (u_i'y_j - x_i), \qquad E t_i t_k = \sum_l \prod_{j \ne l} (A_{ij} A_{kj} + u_i'u_k), \qquad
    \frac{dE t_i}{dE w_l} = \prod_{j \ne l} A_{ij} .

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.association.vector_association import fill_means
from vieta.compiled import compile_now
from vieta.weighted.scalar import SEPARATION, place_nodes, sort_order
from vieta.weighted.vector_planes import Planes, Scratch

NEGLIGIBLE = 1e-7  # relative variance below which a combination of values is left out


@compile_now
def turn_means(psi: Floats, theta: Floats, q: int, work: Scratch) -> None:
    """Fill the means psi theta_l, the inputs (p, D) transposed, and an orthogonal matrix (p, p) by which all are turned.

    Turned, the means differ in the first q coordinates only: a reflection for each takes a difference of two means to it (Householder).
    """
    (L, p), D = work.means.shape, psi.shape[1]
    m, inputs, frame = work.means, work.inputs, work.frame
    fill_means(psi, theta, m)
    for a in range(p):
        for d in range(D):
            inputs[d, a] = psi[a, d]
        for b in range(p):
            frame[a, b] = 1.0 if a == b else 0.0
    if q == p:
        return
    v, first, order = np.empty(p), np.empty(L), np.empty(L, np.int64)
    for l in range(L):
        first[l] = m[l, 0]
    sort_order(first, order)  # so that the order of the systems is irrelevant
    for t in range(min(q, L - 1)):
        square = 0.0
        for a in range(t, p):
            v[a] = m[order[t + 1], a] - m[order[0], a]
            square += v[a] * v[a]
        if square > 0.0:
            v[t] += np.sqrt(square) if v[t] >= 0.0 else -np.sqrt(square)
            reflect(frame, v, t)
            reflect(m, v, t)
            reflect(inputs, v, t)


@compile_now
def reflect(rows: Floats, v: Floats, t: int) -> None:
    """Reflect rows (n, p) at the plane that is normal to v (p,), of which what is before t is zero."""
    p = rows.shape[1]
    square = 0.0
    for a in range(t, p):
        square += v[a] * v[a]
    for l in range(rows.shape[0]):
        along = 0.0
        for a in range(t, p):
            along += v[a] * rows[l, a]
        along *= 2.0 / square
        for a in range(t, p):
            rows[l, a] -= along * v[a]


@compile_now
def see(y: Floats, directions: Floats, work: Scratch) -> None:
    """Turn the readings (L, p) like the means, and project them."""
    L, p = y.shape
    turned = directions.shape[1] < p
    for l in range(L):
        for b in range(p):
            t = y[l, b]
            if turned:
                t = 0.0
                for a in range(p):
                    t += y[l, a] * work.frame[a, b]
            work.readings[l, b] = t
    project(work.readings, directions, work.seen)


@compile_now
def project(points: Floats, directions: Floats, projected: Floats) -> None:
    """Fill u_k'y_l (K, L), from the first q coordinates of points (L, p)."""
    for k in range(directions.shape[0]):
        for l in range(points.shape[0]):
            t = 0.0
            for a in range(directions.shape[1]):
                t += directions[k, a] * points[l, a]
            projected[k, l] = t


@compile_now
def place_planes(given: Planes, work: Scratch) -> None:
    """Project the means, and put nodes along the directions."""
    project(work.means, given.directions, work.projected)
    order = np.empty(work.means.shape[0], np.int64)
    for k in range(work.nodes.shape[0]):
        place_nodes(work.projected[k], SEPARATION, order, work.nodes[k])


@compile_now
def fill_factors(planes: Integers, work: Scratch) -> None:
    """Fill A (L, S), the means' distances to the planes, and the products of all of them but one, in `work.rest`.

    Distances are in units of their size; `work.scale` is filled with the reciprocal of this unit, and with the product of all.
    """
    A, rest = work.factors, work.rest
    L = A.shape[0]
    for i in range(planes.shape[0]):
        k, total = planes[i, 0], 0.0
        x = work.nodes[k, planes[i, 1]]
        for j in range(L):
            A[j, i] = work.projected[k, j] - x
            total += A[j, i] * A[j, i]
        inverse = 1.0 / np.sqrt(total / L + 1.0)
        product, after = 1.0, 1.0
        for j in range(L):
            A[j, i] *= inverse
            rest[j, i] = product
            product *= A[j, i]
        for j in range(L - 1, -1, -1):
            rest[j, i] *= after
            after *= A[j, i]
        work.scale[0, i], work.scale[1, i] = inverse, product


@compile_now
def fill_covariance(gram: Floats, planes: Integers, lower: float, work: Scratch) -> None:
    """Fill the lower triangle of V: for values, E of a product less the product of E, without cancellation; with `lower` = 1 that of t."""
    A, V, scale = work.factors, work.covariance, work.scale
    noise, product = scale[2], scale[3]
    for i in range(planes.shape[0]):
        k = planes[i, 0]
        for h in range(i + 1):
            noise[h] = gram[k, planes[h, 0]] * scale[0, i] * scale[0, h]
            product[h] = 1.0
            V[i, h] = 0.0
        for j in range(A.shape[0]):
            a = A[j, i]
            for h in range(i + 1):
                g, n = a * A[j, h], noise[h]
                V[i, h] = V[i, h] * (g + n) + product[h] * (lower + (1.0 - lower) * n)
                product[h] *= g + lower * n


@compile_now
def eliminate(V: Floats, X: Floats, least: Floats) -> int:
    """Replace X (S, n) by C⁻¹X with V = CC' (lower triangle given in the first S rows and columns, overwritten); returns the rank of V.

    Rows that are nearly combinations of those before them are left out, and set to zero.
    """
    (S, n), rank = X.shape, 0
    for k in range(S):
        least[k] = NEGLIGIBLE * V[k, k]
    for k in range(S):
        inverse = 0.0
        if V[k, k] > least[k]:
            inverse = 1.0 / np.sqrt(V[k, k])
            rank += 1
        for l in range(n):
            X[k, l] *= inverse
        if inverse == 0.0:
            continue
        for i in range(k + 1, S):
            V[k, i] = V[i, k] * inverse  # a column of C, kept as a row
        for i in range(k + 1, S):
            t = V[k, i]
            for l in range(n):
                X[i, l] -= t * X[k, l]
            for j in range(k + 1, i + 1):
                V[i, j] -= t * V[k, j]
    return rank


@compile_now
def multiply(X: Floats, G: Floats) -> None:
    """Fill G with X'X."""
    S, n = X.shape
    for l in range(n):
        for k in range(n):
            G[l, k] = 0.0
    for i in range(S):
        for l in range(n):
            t = X[i, l]
            for k in range(n):
                G[l, k] += t * X[i, k]


@compile_now
def fill_columns(given: Planes, work: Scratch) -> None:
    """Fill [J | r] of the values; the readings are projected already."""
    L, q, X = work.means.shape[0], given.directions.shape[1], work.columns
    for i in range(given.values.shape[0]):
        k, inverse, seen = given.values[i, 0], work.scale[0, i], 1.0
        x = work.nodes[k, given.values[i, 1]]
        for l in range(L):
            rest = work.rest[l, i] * inverse
            for a in range(q):
                X[i, l * q + a] = rest * given.directions[k, a]
            seen *= (work.seen[k, l] - x) * inverse
        X[i, L * q] = seen - work.scale[1, i]


@compile_now
def fill_lower_columns(given: Planes, work: Scratch) -> None:
    """Fill [J | t of each further coordinate]; the readings are projected already."""
    (L, p), q = work.means.shape, given.directions.shape[1]
    X, before = work.lower_columns, np.empty(L)
    for i in range(given.lower.shape[0]):
        k, inverse = given.lower[i, 0], work.scale[0, i]
        x = work.nodes[k, given.lower[i, 1]]
        product, after = 1.0, 1.0
        for l in range(L):
            X[i, l] = work.rest[l, i]
            before[l] = product
            product *= (work.seen[k, l] - x) * inverse
        for a in range(q, p):
            X[i, L + a - q] = 0.0
        for l in range(L - 1, -1, -1):
            for a in range(q, p):
                X[i, L + a - q] += (work.readings[l, a] - work.means[l, a]) * before[l] * after
            after *= (work.seen[k, l] - x) * inverse
