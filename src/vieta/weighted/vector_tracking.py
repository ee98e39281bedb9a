"""The weighted filter on sets of vectors: a Kalman filter in information form that watches its own innovations.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import compile_now
from vieta.excitation import WINDOW
from vieta.weighted.block_kernel import BATCH, add_to_batch, add_to_block, add_window, close_block, fold, memory_factor
from vieta.weighted.small_algebra import invert_positive, mirror
from vieta.weighted.tracking_kernel import CHANGED, GOES_ON, SURPRISED, close_window, count, forget, settle, step
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
    window_score: Floats, window_H: Floats, numbers: Floats, reference: Floats, current: Floats, tally: Floats, levels: Floats,
    contrasts: Floats, blocks: Floats, sizes: Floats, limits: Floats, forgetting: float, drift: Floats, cap: float, watch: bool,
    score: Floats, information: Floats, C: Floats, change: Floats, shared: Floats, m: Floats, work: Floats, precision: Floats,
    P: Floats,
) -> tuple[int, int]:  # fmt: skip
    """Absorb sets (N, L, p), updating in place; returns how many went in, and why it stopped: `tracking_kernel.GOES_ON` and the like.

    The arrays are those of `tracker.State` and of its `record.Record`, matrices below their diagonals, and from `score` on scratch; the
    equations are those of `tracker` and `block_kernel`. With `watch` it stops where a window surprises, or blocks speak of a change.
    """
    L, p = sets.shape[1], sets.shape[2]
    invert_positive(noise, P, precision)
    for i in range(shared.shape[0]):
        shared[i] = 0.0
    taken, event = sets.shape[0], GOES_ON
    for k in range(sets.shape[0]):
        strength = 0.0
        for q in range(p):
            for d in range(psi.shape[2]):
                strength += psi[k, q, d] * psi[k, q, d]
        forget(H, M, forgetting, drift, strength, C)
        squares = share_of_vectors(sets[k], psi[k], theta, noise, precision, cap, m, work, score, information)
        add_power(sets[k], m, forgetting, power)
        add_to_block(score, shared, forgetting, current)
        step(theta, H, M, window_score, window_H, score, information, C, change)
        product = add_to_batch(score, levels)
        numbers[3] += product
        numbers[4] += product * product
        inside = int(count(numbers, squares, forgetting))
        if inside % BATCH == 0:
            fold(tally, levels, contrasts)
        if inside == WINDOW:
            complete = add_window(theta, reference, window_score, window_H, numbers, current, tally, levels)
            surprised = close_window(window_score, window_H, numbers, C, change)
            changed = complete and close_block(
                current, M, forgetting, reference, blocks, sizes, tally, levels, contrasts, limits
            )
            if watch and surprised:
                taken, event = k + 1, SURPRISED
                break
            for q in range(p):
                for w in range(p):
                    noise[q, w] = power[q, w] / (numbers[0] * L)
            invert_positive(noise, P, precision)
            if watch:
                settle(theta, settled)
                numbers[5] = memory_factor(tally, contrasts)
                if changed:
                    taken, event = k + 1, CHANGED
                    break
    for matrix in (H, M, window_H):
        mirror(matrix)
    return taken, event
