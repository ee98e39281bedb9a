"""The weighted estimator a set at a time: a Kalman filter in information form that watches its own innovations.

This module imports numba and is imported where it is needed only.
"""

import numpy as np
from numba import njit

from vieta.arrays import Floats
from vieta.excitation import DARK, WINDOW
from vieta.weighted.equations import mirror, share, share_of_numbers, solve_positive, workspace

FIXED = 4  # systems up to which a kernel is compiled for each number of them: faster, and slow to compile
SURPRISE = 3.0  # factor over the range of a window's statistics that calls for a second opinion


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def add_power(sets: Floats, k: int, means: Floats, forgetting: float, e: Floats, power: Floats) -> None:
    """Add the square of the innovation of the readings' sum, kept above rounding as in a batch."""
    L, p = sets.shape[1:]
    square = 0.0
    for q in range(p):
        e[q] = 0.0
        for l in range(L):
            e[q] += sets[k, l, q] - means[l, q]
            square += sets[k, l, q] ** 2
    if square == 0.0:  # nothing but zeros: it tells nothing of the noise
        return
    for q in range(p):
        for w in range(p):
            power[q, w] = forgetting * power[q, w] + e[q] * e[w]
        power[q, q] += 1e-16 * square / p


@njit(cache=True, nogil=True, error_model="numpy")
def run(
    like: tuple[int, ...], sets: Floats, psi: Floats, theta: Floats, settled: Floats, H: Floats, M: Floats,
    power: Floats, noise: Floats, window_score: Floats, window_H: Floats, numbers: Floats, forgetting: float,
    drift: Floats, cap: float, watch: bool,
) -> tuple[int, bool]:  # fmt: skip
    """Absorb sets, updating everything in place; returns how many went in, and whether a window surprised.

    The arrays are those of `tracker.State`, and the equations those of `tracker`. With `watch` it stops at the end of a window whose
    scores add up to a shift, or whose r'V⁻¹r are too large, by `SURPRISE` times what chance would do. `like` is empty, or a tuple of
    length L whose type fixes L when the kernel is compiled. Innovations are judged over windows of `WINDOW` sets, after which the noise
    estimate is renewed.
    """
    N: int = sets.shape[0]
    L = len(like) if len(like) > 0 else sets.shape[1]
    p, D = sets.shape[2], theta.shape[1]
    n = L * D
    scalars, rows = sets[:, :, 0], psi[:, 0, :]
    m, x, A, r, J, V = np.empty(L), np.empty(L), np.empty((L, L)), np.empty(L), np.empty((L, L)), np.empty((L, L))
    s, I = np.empty(L), np.empty((L, L))
    score, information, C, step = np.empty(n), np.empty((n, n)), np.empty((n, n)), np.empty(n)
    work, order, e = workspace(L, p), np.empty(L, np.int64), np.empty(p)
    means = work[0]
    precision: Floats = np.linalg.inv(noise).astype(np.float64)
    for k in range(N):
        if forgetting < 1.0 and (psi[k] ** 2).sum() > DARK:
            H *= forgetting
            M *= forgetting * forgetting
        if drift.shape[0] > 0:
            mirror(H)
            H[:] = np.linalg.inv(np.linalg.inv(H) + drift)
        if p == 1:
            y, row, variance = scalars[k], rows[k], noise[0, 0]
            squares = share_of_numbers(y, row, theta, variance, cap, order, m, x, A, r, J, V, s, I, score, information)
            means[:, 0] = m
        else:
            squares = share(sets[k], psi[k], theta, noise, precision, cap, work, order, score, information)
        add_power(sets, k, means, forgetting, e, power)
        for i in range(n):
            window_score[i] += score[i]
            for j in range(i + 1):
                H[i, j] += information[i, j]
                M[i, j] += score[i] * score[j]
                window_H[i, j] += information[i, j]
        solve_positive(H, score, C, step)
        for l in range(L):
            for d in range(D):
                theta[l, d] += step[l * D + d]
        numbers[0] = forgetting * numbers[0] + 1.0
        numbers[1] += 1.0
        numbers[2] += squares
        if numbers[1] == WINDOW:
            shift = solve_positive(window_H, window_score, C, step)
            surprised = shift > SURPRISE * (n + 6.0 * np.sqrt(2.0 * n)) or numbers[2] > SURPRISE * WINDOW
            window_score[:] = 0.0
            window_H[:] = 0.0
            numbers[1:] = 0.0
            if surprised and watch:
                mirror(H)
                mirror(M)
                return k + 1, True
            noise[:] = power / (numbers[0] * L)
            precision = np.linalg.inv(noise).astype(np.float64)
            if watch:
                settled[:] = theta
    mirror(H)
    mirror(M)
    mirror(window_H)
    return N, False
