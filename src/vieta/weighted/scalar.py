r"""Score and information of one set of numbers about its means: the weighted estimator's kernel for p = 1.

A set is seen through the values of its polynomial at L nodes,

.. math:: v_i = \prod_j (y_j - x_i), \qquad E v_i = \prod_j (m_j - x_i), \qquad
    E v_i v_k = \prod_j \bigl((m_j - x_i)(m_j - x_k) + \sigma^2\bigr),

which hold for *every* noise law with independent noise of mean zero. The values at any L different nodes carry the
same as the coefficients; with the nodes where the means are believed to be, they carry it in well-conditioned form
(the node's own factor vanishes), and none of the coefficients' ill-conditioning enters. Nodes that would lie closer
than half a standard deviation are pushed apart, so that means may meet.

With r = v - E v, V = Cov v and J = dE v / dm, the score is J'V⁻¹r and the information J'V⁻¹J.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now, inlined

SEPARATION = 0.5  # of nodes, in standard deviations of the noise
NEGLIGIBLE = 1e-9  # relative variance below which a combination of values is left out


@inlined
def place_nodes(means: Floats, gap: float, order: Integers, x: Floats) -> None:
    """Sort the means and put one node at each, at least `gap` apart."""
    L = means.shape[0]
    for i in range(L):
        j = i
        while j > 0 and means[order[j - 1]] > means[i]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
    x[0] = means[order[0]]
    for i in range(1, L):
        x[i] = max(means[order[i]], x[i - 1] + gap)


@compile_now
def whiten(V: Floats, r: Floats, J: Floats) -> float:
    """Replace r by C⁻¹r and J by C⁻¹J with V = CC' (lower triangle given, overwritten by C); returns r'V⁻¹r.

    The diagonal is left with the reciprocals of C's; zero for a combination of negligible variance, which is left out.
    """
    n, columns = J.shape
    squares = 0.0
    for i in range(n):
        pivot, least = V[i, i], NEGLIGIBLE * V[i, i]
        for k in range(i):
            t = V[i, k]
            for q in range(k):
                t -= V[i, q] * V[k, q]
            t *= V[k, k]
            V[i, k] = t
            pivot -= t * t
            r[i] -= t * r[k]
            for l in range(columns):
                J[i, l] -= t * J[k, l]
        inverse = 1.0 / np.sqrt(pivot) if pivot > least else 0.0
        V[i, i] = inverse
        r[i] *= inverse
        squares += r[i] * r[i]
        for l in range(columns):
            J[i, l] *= inverse
    return squares


@inlined
def values_at_nodes(
    y: Floats, m: Floats, variance: float, x: Floats, A: Floats, r: Floats, J: Floats, V: Floats
) -> float:
    """Fill r, J and V (lower triangle) for nodes x, in units of the widest distance, which is returned."""
    L = m.shape[0]
    unit: float = np.sqrt(variance)
    for i in range(L):
        unit = max(unit, abs(m[i] - x[0]), abs(m[i] - x[L - 1]))
    inverse = 1.0 / unit
    noise = variance * inverse * inverse
    for i in range(L):
        seen, expected = 1.0, 1.0
        for j in range(L):
            J[i, j] = expected  # product of the factors before j
            A[i, j] = (m[j] - x[i]) * inverse
            expected *= A[i, j]
            seen *= (y[j] - x[i]) * inverse
        r[i] = seen - expected
        after = 1.0
        for j in range(L - 1, -1, -1):
            J[i, j] *= after
            after *= A[i, j]
        for k in range(i + 1):
            spread, product = 0.0, 1.0
            for j in range(L):
                g = A[i, j] * A[k, j]
                spread = spread * (g + noise) + product * noise
                product *= g
            V[i, k] = spread
    return unit


@inlined
def score_and_information(
    y: Floats, m: Floats, variance: float, order: Integers, x: Floats, A: Floats, r: Floats, J: Floats, V: Floats,
    score: Floats, information: Floats,
) -> float:  # fmt: skip
    """Fill the score (L,) and the information (L, L) of one set about its means; returns r'V⁻¹r."""
    L = m.shape[0]
    place_nodes(m, SEPARATION * np.sqrt(variance), order, x)
    inverse = 1.0 / values_at_nodes(y, m, variance, x, A, r, J, V)
    squares = whiten(V, r, J)
    for l in range(L):
        t = 0.0
        for i in range(L):
            t += J[i, l] * r[i]
        score[l] = t * inverse
        for k in range(l + 1):
            t = 0.0
            for i in range(L):
                t += J[i, l] * J[i, k]
            information[l, k] = t * inverse * inverse
            information[k, l] = information[l, k]
    return squares


@compile_now
def misfits(sets: Floats, means: Floats, variance: float) -> Floats:
    r"""For each of the sets (N, L), :math:`r'V^{-1}r + \log\det V` of the coefficients: least for the right means.

    It is a proper score for any law with these first two moments. The determinant of the map from coefficients to
    values at nodes is the product of the nodes' distances.
    """
    N, L = sets.shape
    order, x, r = np.empty(L, np.int64), np.empty(L), np.empty(L)
    A, J, V, least = np.empty((L, L)), np.empty((L, L)), np.empty((L, L)), np.empty(L)
    scores = np.empty(N)
    for n in range(N):
        place_nodes(means[n], SEPARATION * np.sqrt(variance), order, x)
        unit = values_at_nodes(sets[n], means[n], variance, x, A, r, J, V)
        score = L * (L + 1) * np.log(unit)
        for i in range(L):
            least[i] = NEGLIGIBLE * V[i, i]
            for k in range(i):
                score -= 2.0 * np.log((x[i] - x[k]) / unit)
        score += whiten(V, r, J)
        for i in range(L):
            score += np.log(least[i]) if V[i, i] == 0.0 else -2.0 * np.log(V[i, i])
        scores[n] = score
    return scores
