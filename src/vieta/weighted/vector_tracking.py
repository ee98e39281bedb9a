"""The weighted filter on sets of vectors: a Kalman filter in information form that watches its own innovations.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import compile_now
from vieta.excitation import WINDOW
from vieta.weighted.small_algebra import invert_positive, mirror
from vieta.weighted.tracking_kernel import close_window, count, forget, settle, step
from vieta.weighted.vector_equations import share_of_vectors


@compile_now
def add_power(y: Floats, m: Floats, forgetting: float, power: Floats) -> None:
    """Add the outer product of the innovation of the readings' sum, kept above rounding as in a batch."""
    L, p = y.shape
    e, square = np.empty(p), 0.0
    for q in range(p):
        e[q] = 0.0
        for l in range(L):
            e[q] += y[l, q] - m[l, q]
            square += y[l, q] * y[l, q]
    if square == 0.0:  # nothing but zeros: it tells nothing of the noise
        return
    for q in range(p):
        for w in range(p):
            power[q, w] = forgetting * power[q, w] + e[q] * e[w]
        power[q, q] += 1e-16 * square / p


@compile_now
def track_vectors(
    sets: Floats, psi: Floats, theta: Floats, settled: Floats, H: Floats, M: Floats, power: Floats, noise: Floats,
    window_score: Floats, window_H: Floats, numbers: Floats, forgetting: float, drift: Floats, cap: float, watch: bool,
    m: Floats, work: Floats, precision: Floats, P: Floats, score: Floats, information: Floats, C: Floats, change: Floats,
) -> tuple[int, bool]:  # fmt: skip
    """Absorb sets (N, L, p), updating in place; returns how many went in, and whether a window surprised.

    The arrays are those of `tracker.State`, matrices below their diagonals, and from `m` on scratch; the equations are those of
    `tracker`. With `watch` it stops at the end of a window that surprises.
    """
    L, p = sets.shape[1], sets.shape[2]
    invert_positive(noise, P, precision)
    taken, surprised = sets.shape[0], False
    for k in range(sets.shape[0]):
        strength = 0.0
        for q in range(p):
            for d in range(psi.shape[2]):
                strength += psi[k, q, d] * psi[k, q, d]
        forget(H, M, forgetting, drift, strength, C)
        squares = share_of_vectors(sets[k], psi[k], theta, noise, precision, cap, m, work, score, information)
        add_power(sets[k], m, forgetting, power)
        step(theta, H, M, window_score, window_H, score, information, C, change)
        if count(numbers, squares, forgetting) == WINDOW:
            if close_window(window_score, window_H, numbers, C, change) and watch:
                taken, surprised = k + 1, True
                break
            for q in range(p):
                for w in range(p):
                    noise[q, w] = power[q, w] / (numbers[0] * L)
            invert_positive(noise, P, precision)
            if watch:
                settle(theta, settled)
    for matrix in (H, M, window_H):
        mirror(matrix)
    return taken, surprised
