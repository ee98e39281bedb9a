r"""Sets of right and wrong answers: a set is its count, and the count is Poisson-binomial. The kernels.

System j answers right with probability :math:`p_j = g(\eta_j)`, :math:`\eta_j = \psi'\theta_j + b`, independently of the others. The count n
of right answers has

.. math:: \sum_n P(n) s^n = \prod_j (q_j + p_j s), \qquad
    \frac{\partial \log P(n)}{\partial \eta_j} = g'(\eta_j)\,\frac{P_{-j}(n-1) - P_{-j}(n)}{P(n)}, \qquad
    I_{jk} = g'(\eta_j)\,g'(\eta_k) \sum_n \frac{\Delta_j(n)\,\Delta_k(n)}{P(n)},

where :math:`P_{-j}` leaves system j out and :math:`\Delta_j(n) = P_{-j}(n-1) - P_{-j}(n)`. :math:`P_{-j}` is the convolution of the counts of
the systems before j and after j: all terms are positive, and nothing is divided out. O(L²) for P, O(L³) for the information.

This module imports numba and is imported where it is needed only.
"""

import math

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now, inlined

SMALLEST = 1e-290  # probability of a count
LOGIT, PROBIT = 0, 1

Work = tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats]


@compile_now
def binomial_workspace(L: int) -> Work:
    """Scratch arrays for sets of L answers: p, q, g', the counts before and after each system, and without each, P."""
    return (
        np.empty(L),
        np.empty(L),
        np.empty(L),
        np.zeros((L + 1, L + 1)),
        np.zeros((L + 1, L + 1)),
        np.empty((L, L + 1)),
        np.empty(L + 1),
    )


@inlined
def fill_chances(link: int, flipped: float, rows: Floats, k: int, known: float, theta: Floats, work: Work) -> None:
    """Fill p, q = 1 - p and g' of all systems, for the input rows[k]; answers are `flipped` with that probability."""
    p, q, slope, _, _, _, _ = work
    L, D = theta.shape
    for j in range(L):
        eta = known
        for d in range(D):
            eta += rows[k, d] * theta[j, d]
        if link == LOGIT:
            if eta >= 0.0:
                e = math.exp(-eta)
                p[j], q[j] = 1.0 / (1.0 + e), e / (1.0 + e)
            else:
                e = math.exp(eta)
                p[j], q[j] = e / (1.0 + e), 1.0 / (1.0 + e)
            slope[j] = p[j] * q[j]
        else:
            p[j], q[j] = 0.5 * math.erfc(-eta / math.sqrt(2.0)), 0.5 * math.erfc(eta / math.sqrt(2.0))
            slope[j] = math.exp(-0.5 * eta * eta) / math.sqrt(2.0 * math.pi)
    if flipped > 0.0:
        kept = 1.0 - 2.0 * flipped
        for j in range(L):
            p[j] = flipped + kept * p[j]
            q[j] = flipped + kept * q[j]
            slope[j] = kept * slope[j]


@inlined
def fill_counts(L: int, work: Work) -> None:
    """Fill the probabilities P of counts, and those without each system."""
    p, q, _, before, after, without, P = work
    before[0, 0] = 1.0
    for j in range(L):
        before[j + 1, 0] = before[j, 0] * q[j]
        for n in range(1, j + 1):
            before[j + 1, n] = before[j, n] * q[j] + before[j, n - 1] * p[j]
        before[j + 1, j + 1] = before[j, j] * p[j]
    after[L - 1, 0] = 1.0
    for j in range(L - 1, 0, -1):
        m = L - 1 - j  # systems after j
        after[j - 1, 0] = after[j, 0] * q[j]
        for n in range(1, m + 1):
            after[j - 1, n] = after[j, n] * q[j] + after[j, n - 1] * p[j]
        after[j - 1, m + 1] = after[j, m] * p[j]
    for n in range(L + 1):
        P[n] = max(before[L, n], SMALLEST)
    for j in range(L):
        for n in range(L):
            total = 0.0
            for a in range(max(0, n - (L - 1 - j)), min(j, n) + 1):
                total += before[j, a] * after[j, n - a]
            without[j, n] = total


@inlined
def difference(j: int, n: int, L: int, work: Work) -> float:
    """g' (P_-j(n - 1) - P_-j(n))."""
    _, _, slope, _, _, without, _ = work
    left = without[j, n - 1] if n > 0 else 0.0
    right = without[j, n] if n < L else 0.0
    return float(slope[j] * (left - right))


@compile_now
def binomial_sums(
    counts: Integers,
    rows: Floats,
    known: Floats,
    theta: Floats,
    link: int,
    flipped: float,
    score: Floats,
    information: Floats,
) -> float:
    """Add scores (L D,) and information (L D, L D) of sets with counts (N,), inputs (N, D) and known numbers (N,); returns log P."""
    L, D = theta.shape
    work = binomial_workspace(L)
    s, I = np.empty(L), np.empty((L, L))
    total = 0.0
    for k in range(counts.shape[0]):
        fill_chances(link, flipped, rows, k, known[k], theta, work)
        fill_counts(L, work)
        P, n = work[6], counts[k]
        total += math.log(P[n])
        for j in range(L):
            s[j] = difference(j, n, L, work) / P[n]
            for i in range(j + 1):
                value = 0.0
                for m in range(L + 1):
                    if P[m] > SMALLEST:
                        value += difference(j, m, L, work) * difference(i, m, L, work) / P[m]
                I[j, i] = value
        for j in range(L):
            for d in range(D):
                score[j * D + d] += s[j] * rows[k, d]
                for i in range(j + 1):
                    for e in range(D):
                        information[j * D + d, i * D + e] += I[j, i] * rows[k, d] * rows[k, e]
    for a in range(L * D):
        for b in range(a):
            if a // D != b // D:
                information[b, a] = information[a, b]
    return total


@compile_now
def binomial_scores(
    counts: Integers,
    rows: Floats,
    known: Floats,
    theta: Floats,
    link: int,
    flipped: float,
    logs: Floats,
    scores: Floats,
) -> None:
    """Fill log P (N,) and the scores (N, L) of the predictors of all systems."""
    L = theta.shape[0]
    work = binomial_workspace(L)
    for k in range(counts.shape[0]):
        fill_chances(link, flipped, rows, k, known[k], theta, work)
        fill_counts(L, work)
        n = counts[k]
        logs[k] = math.log(work[6][n])
        for j in range(L):
            scores[k, j] = difference(j, n, L, work) / work[6][n]
