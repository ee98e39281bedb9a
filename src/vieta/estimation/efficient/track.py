"""The weighted estimator a set at a time: a Kalman filter in information form that watches its own innovations.

This module imports numba and is imported where it is needed only.
"""

import numpy as np
from numba import njit

from vieta.estimation.efficient.sums import share, solve_positive, workspace
from vieta.symmetric.arrays import Floats

WINDOW = 64  # sets over which innovations are judged, and between refreshes of the noise estimate
SURPRISE = 3.0  # factor over the range of a window's statistics that calls for a second opinion


@njit(cache=True, nogil=True, error_model="numpy")
def run(
    sets: Floats, psi: Floats, theta: Floats, settled: Floats, H: Floats, M: Floats, power: Floats, noise: Floats,
    window_score: Floats, window_H: Floats, numbers: Floats, forgetting: float, drift: Floats, cap: float, watch: bool,
) -> tuple[int, bool]:  # fmt: skip
    """Absorb sets, updating everything in place; returns how many went in, and whether a window surprised.

    The arrays are those of `stream.State`. With `watch` it stops at the end of a window whose scores add up to a shift,
    or whose r'V⁻¹r are too large, by `SURPRISE` times what chance would do.
    """
    N: int = sets.shape[0]
    L, p = sets.shape[1:]
    D = theta.shape[1]
    n = L * D
    score, information, C, step = np.empty(n), np.empty((n, n)), np.empty((n, n)), np.empty(n)
    work, order, e = workspace(L, p), np.empty(L, np.int64), np.empty(p)
    precision: Floats = np.linalg.inv(noise).astype(np.float64)
    for k in range(N):
        if forgetting < 1.0:
            H *= forgetting
            M *= forgetting * forgetting
        if drift.shape[0] > 0:
            H[:] = np.linalg.inv(np.linalg.inv(H) + drift)
        squares = share(sets[k], psi[k], theta, noise, precision, cap, work, order, score, information)
        for q in range(p):
            e[q] = 0.0
            for l in range(L):
                e[q] += sets[k, l, q] - work[0][l, q]
        for i in range(n):
            window_score[i] += score[i]
            for j in range(n):
                H[i, j] += information[i, j]
                M[i, j] += score[i] * score[j]
                window_H[i, j] += information[i, j]
        solve_positive(H, score, C, step)
        for l in range(L):
            for d in range(D):
                theta[l, d] += step[l * D + d]
        numbers[0] = forgetting * numbers[0] + 1.0
        rounding = 1e-16 * (sets[k] ** 2).sum() / p  # as in a batch, so that sets without noise are no special case
        for q in range(p):
            for s in range(p):
                power[q, s] = forgetting * power[q, s] + e[q] * e[s]
            power[q, q] += rounding
        numbers[1] += 1.0
        numbers[2] += squares
        if numbers[1] == WINDOW:
            shift = solve_positive(window_H, window_score, C, step)
            surprised = shift > SURPRISE * (n + 6.0 * np.sqrt(2.0 * n)) or numbers[2] > SURPRISE * WINDOW
            window_score[:] = 0.0
            window_H[:] = 0.0
            numbers[1] = 0.0
            numbers[2] = 0.0
            if surprised and watch:
                return k + 1, True
            noise[:] = power / (numbers[0] * L)
            precision = np.linalg.inv(noise).astype(np.float64)
            if watch:
                settled[:] = theta
    return N, False
