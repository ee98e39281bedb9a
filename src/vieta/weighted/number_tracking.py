"""The weighted filter on sets of numbers: a Kalman filter in information form that watches its own innovations.

This module imports numba and is imported where it is needed only.
"""

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now, inlined
from vieta.excitation import WINDOW
from vieta.weighted.number_equations import share_of_numbers
from vieta.weighted.small_algebra import mirror
from vieta.weighted.tracking_kernel import close_window, count, forget, settle, step


@inlined
def add_square(y: Floats, m: Floats, forgetting: float, power: Floats) -> None:
    """Add the square of the innovation of the readings' sum, kept above rounding as in a batch."""
    e, square = 0.0, 0.0
    for l in range(y.shape[0]):
        e += y[l] - m[l]
        square += y[l] * y[l]
    if square > 0.0:  # nothing but zeros would tell nothing of the noise
        power[0, 0] = forgetting * power[0, 0] + e * e + 1e-16 * square


@compile_now
def track_numbers(
    sets: Floats, rows: Floats, theta: Floats, settled: Floats, H: Floats, M: Floats, power: Floats, noise: Floats,
    window_score: Floats, window_H: Floats, numbers: Floats, forgetting: float, drift: Floats, cap: float, watch: bool,
    order: Integers, work: Floats, score: Floats, information: Floats, C: Floats, change: Floats,
) -> tuple[int, bool]:  # fmt: skip
    """Absorb sets (N, L), updating in place; returns how many went in, and whether a window surprised.

    The arrays are those of `tracker.State`, matrices below their diagonals, and from `order` on scratch; the equations are those of
    `tracker`. With `watch` it stops at the end of a window that surprises.
    """
    L = sets.shape[1]
    taken, surprised = sets.shape[0], False
    for k in range(sets.shape[0]):
        strength = 0.0
        for d in range(rows.shape[1]):
            strength += rows[k, d] * rows[k, d]
        forget(H, M, forgetting, drift, strength, C)
        squares = share_of_numbers(sets[k], rows[k], theta, noise[0, 0], cap, order, work, score, information)
        add_square(sets[k], work[0], forgetting, power)
        step(theta, H, M, window_score, window_H, score, information, C, change)
        if count(numbers, squares, forgetting) == WINDOW:
            if close_window(window_score, window_H, numbers, C, change) and watch:
                taken, surprised = k + 1, True
                break
            noise[0, 0] = power[0, 0] / (numbers[0] * L)
            if watch:
                settle(theta, settled)
    for matrix in (H, M, window_H):
        mirror(matrix)
    return taken, surprised
