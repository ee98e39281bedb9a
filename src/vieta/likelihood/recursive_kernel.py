"""Recursive EM set by set, for the named noise laws: the kernel of `vieta.likelihood.recursive_scoring`.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.association.permanents import Work, associate, workspace
from vieta.compiled import compile_now, inlined
from vieta.weighted.small_algebra import solve_positive

GAUSSIAN, LAPLACE = 0, 1  # codes of the laws' kernels; any other code is Student's t
ROOT_2 = float(np.sqrt(2.0))


@inlined
def density_and_score(u: float, law: int, df: float) -> tuple[float, float]:
    """log f(u), up to a constant, and -f'(u)/f(u), at variance one."""
    if law == GAUSSIAN:
        return -0.5 * u * u, u
    if law == LAPLACE:
        return -ROOT_2 * abs(u), ROOT_2 * np.sign(u)
    t = df - 2.0 + u * u
    return -0.5 * (df + 1.0) * np.log(t), (df + 1.0) * u / t


@compile_now
def associate_listed(log_weights: Floats, table: Integers, log_prior: Floats, logs: Floats, marginals: Floats) -> None:
    """Fill the marginals (L, L) of one set under a prior (S,) over the orders in a table (S, L); logs (S,) is scratch."""
    S, L = table.shape
    top = -np.inf
    for s in range(S):
        logs[s] = log_prior[s]
        for i in range(L):
            logs[s] += log_weights[i, table[s, i]]
        top = max(top, logs[s])
    total = 0.0
    marginals[:] = 0.0
    for s in range(S):
        weight = np.exp(logs[s] - top)
        total += weight
        for i in range(L):
            marginals[i, table[s, i]] += weight
    for i in range(L):
        for l in range(L):
            marginals[i, l] /= total


@compile_now
def fill_score(
    y: Floats, psi: Floats, theta: Floats, W: Floats, law: int, df: float, table: Integers, log_prior: Floats,
    log_weights: Floats, marginals: Floats, pulls: Floats, work: Work,
    logs: Floats, score: Floats,
) -> None:  # fmt: skip
    """Fill the score (L D + 1,) of one set (L, p); W is the inverse root of the noise covariance."""
    L, p = y.shape
    D = theta.shape[1]
    m, r = np.empty(p), np.empty(p)
    for l in range(L):
        for q in range(p):
            m[q] = 0.0
            for d in range(D):
                m[q] += psi[q, d] * theta[l, d]
        for i in range(L):
            log_weights[i, l] = 0.0
            pulls[i, l, p] = 0.0
            for q in range(p):
                r[q] = y[i, q] - m[q]
                pulls[i, l, q] = 0.0
            for q in range(p):
                u = 0.0
                for s in range(p):
                    u += W[q, s] * r[s]
                log_density, slope = density_and_score(u, law, df)
                log_weights[i, l] += log_density
                pulls[i, l, p] += u * slope
                for s in range(p):
                    pulls[i, l, s] += W[s, q] * slope
    if len(table) > 0:
        associate_listed(log_weights, table, log_prior, logs, marginals)
    else:
        associate(log_weights, marginals, work)
    score[:] = 0.0
    for l in range(L):
        for i in range(L):
            score[L * D] += 0.5 * marginals[i, l] * pulls[i, l, p]
            for q in range(p):
                for d in range(D):
                    score[l * D + d] += marginals[i, l] * pulls[i, l, q] * psi[q, d]
    score[L * D] -= 0.5 * L * p


@compile_now
def run(
    sets: Floats, psi: Floats, theta: Floats, scale: Floats, H: Floats, W: Floats, law: int, df: float, step_size: float,
    table: Integers, log_prior: Floats,
) -> None:  # fmt: skip
    """Absorb sets, updating theta (L, D), scale (1,) and H (m, m) in place; m = L D + 1 if the scale is estimated.

    A step size of zero stands for steps by the information H, an empty table for orders that are all alike.
    """
    N, L, p = sets.shape
    D = theta.shape[1]
    m = H.shape[0]
    log_weights, marginals, pulls = np.empty((L, L)), np.empty((L, L)), np.empty((L, L, p + 1))
    score, C, step, work, logs = np.empty(L * D + 1), np.empty((m, m)), np.empty(m), workspace(L), np.empty(len(table))
    white = np.empty((p, p))
    for k in range(N):
        for q in range(p):
            for s in range(p):
                white[q, s] = W[q, s] / np.sqrt(scale[0])
        fill_score(
            sets[k], psi[k], theta, white, law, df, table, log_prior, log_weights, marginals, pulls, work, logs, score
        )  # fmt: skip
        for i in range(m):
            for j in range(m):
                H[i, j] += score[i] * score[j]
        if step_size > 0.0:
            for i in range(m):
                step[i] = step_size * score[i]
        else:
            solve_positive(H, score[:m], C, step)
        for l in range(L):
            for d in range(D):
                theta[l, d] += step[l * D + d]
        if m > L * D:
            scale[0] *= np.exp(step[L * D])
