"""What a weighted filter does with a set's share in the equations, and at the end of a window: for numbers and vectors alike.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import compile_now, inlined
from vieta.excitation import DARK, WINDOW
from vieta.weighted.small_algebra import invert_positive, solve_positive

GOES_ON, SURPRISED, CHANGED = range(
    3
)  # why a kernel stopped: its sets ended, a window surprised it, its blocks speak of a change
SURPRISE = 3.0  # factor over the range of a window's shift that calls for a second opinion
MISFIT = 6.0  # times as large r'V⁻¹r as they should be, that call for one: their tails are heavy where the systems' means meet


@inlined
def forget(H: Floats, M: Floats, forgetting: float, drift: Floats, strength: float, C: Floats) -> None:
    """Before a set: H ← f H and M ← f² M, unless its input is dark; with a drift Q, H ← (H⁻¹ + Q)⁻¹.

    `strength` is the sum of squares of the input.
    """
    n = H.shape[0]
    if forgetting < 1.0 and strength > DARK:
        for i in range(n):
            for j in range(i + 1):
                H[i, j] *= forgetting
                M[i, j] *= forgetting * forgetting
    if drift.shape[0] > 0:
        invert_positive(H, C, H)
        for i in range(n):
            for j in range(i + 1):
                H[i, j] += drift[i, j]
        invert_positive(H, C, H)


@inlined
def step(
    theta: Floats, H: Floats, M: Floats, window_score: Floats, window_H: Floats, score: Floats, information: Floats,
    C: Floats, change: Floats,
) -> None:  # fmt: skip
    """Add a set's share, below the diagonals, and move the parameters by H⁻¹ times its score."""
    L, D = theta.shape
    for i in range(L * D):
        window_score[i] += score[i]
        for j in range(i + 1):
            H[i, j] += information[i, j]
            M[i, j] += score[i] * score[j]
            window_H[i, j] += information[i, j]
    solve_positive(H, score, C, change)
    for l in range(L):
        for d in range(D):
            theta[l, d] += change[l * D + d]


@inlined
def count(numbers: Floats, squares: float, forgetting: float) -> float:
    """Count a set with its r'V⁻¹r in the numbers of `tracker.State`; returns how many are in the window."""
    numbers[0] = forgetting * numbers[0] + 1.0
    numbers[1] += 1.0
    numbers[2] += squares
    inside: float = numbers[1]
    return inside


@compile_now
def settle(theta: Floats, settled: Floats) -> None:
    """Remember where the filter stands, after a window that did not surprise it."""
    for l in range(theta.shape[0]):
        for d in range(theta.shape[1]):
            settled[l, d] = theta[l, d]


@compile_now
def close_window(window_score: Floats, window_H: Floats, numbers: Floats, C: Floats, change: Floats) -> bool:
    """At its end, after `WINDOW` sets: whether a window surprised. Its sums are set to zero.

    It does when its scores add up to a shift of `SURPRISE` times what chance would do, which the noise's memory over time raises by the last
    of the numbers, or when its r'V⁻¹r are `MISFIT` times too large.
    """
    n = window_score.shape[0]
    shift = solve_positive(window_H, window_score, C, change)
    surprised: bool = shift > SURPRISE * numbers[5] * (n + 6.0 * np.sqrt(2.0 * n)) or numbers[2] > MISFIT * WINDOW
    for i in range(n):
        window_score[i] = 0.0
        for j in range(n):
            window_H[i, j] = 0.0
    for i in range(1, 5):
        numbers[i] = 0.0
    return surprised
