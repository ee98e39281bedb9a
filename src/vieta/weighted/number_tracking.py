"""The weighted filter on sets of numbers: a Kalman filter in information form that watches its own innovations.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now, inlined
from vieta.excitation import WINDOW
from vieta.weighted.block_kernel import BATCH, add_to_batch, add_to_block, add_window, close_block, fold, memory_factor
from vieta.weighted.number_equations import bounded, share_of_numbers
from vieta.weighted.small_algebra import mirror
from vieta.weighted.tracking_kernel import CHANGED, GOES_ON, SURPRISED, close_window, count, forget, settle, step


@inlined
def add_square(y: Floats, m: Floats, forgetting: float, power: Floats) -> None:
    """Add the square of the innovation of the readings' sum, kept above rounding as in a batch."""
    e, square = 0.0, 0.0
    for l in range(y.shape[0]):
        e += y[l] - m[l]
        square += y[l] * y[l]
    if square > 0.0:  # nothing but zeros would tell nothing of the noise
        power[0, 0] = forgetting * power[0, 0] + e * e + 1e-16 * square


@inlined
def share_of_dependence(row: Floats, variance: float, weight: float, work: Floats, shared: Floats) -> None:
    r"""What one set tells about a covariance g of the noises of every two systems, after `share_of_numbers` has left its work.

    Fills `shared` (n + 2,) with the information that ties g to each parameter, that about g itself, and its score. With the slope
    :math:`J_g = \sum_{a<b} \prod_{j \ne a,b} (m_j - x_i)` of the values at the nodes (`vieta.weighted.dependence_kernel`) they are
    :math:`J'V^{-1}J_g`, :math:`J_g'V^{-1}J_g` and :math:`J_g'V^{-1}r`.
    """
    L, D = work.shape[1], row.shape[0]
    m, x, r, w = work[0], work[1], work[2], work[3]
    A, J, V = work[4 : 4 + L], work[4 + L : 4 + 2 * L], work[4 + 2 * L : 4 + 3 * L]
    unit: float = np.sqrt(variance)
    for l in range(L):
        unit = max(unit, abs(m[l] - x[0]), abs(m[l] - x[L - 1]))
    inverse = 1.0 / unit
    score, own = 0.0, 0.0
    for i in range(L):
        none, one, two = 1.0, 0.0, 0.0  # products of all factors, and sums of those that leave out one and two
        for j in range(L):
            two = two * A[i, j] + one
            one = one * A[i, j] + none
            none *= A[i, j]
        t = two * inverse * inverse
        for k in range(i):
            t -= V[i, k] * w[k]
        w[i] = t * V[i, i]
        score += w[i] * r[i]
        own += w[i] * w[i]
    for l in range(L):
        t = 0.0
        for i in range(L):
            t += J[i, l] * w[i]
        for d in range(D):
            shared[l * D + d] = weight * t * inverse * row[d]
    shared[L * D] = weight * own
    shared[L * D + 1] = weight * score


@compile_now
def track_numbers(
    sets: Floats, rows: Floats, theta: Floats, settled: Floats, H: Floats, M: Floats, power: Floats, noise: Floats,
    window_score: Floats, window_H: Floats, numbers: Floats, reference: Floats, current: Floats, tally: Floats, levels: Floats,
    contrasts: Floats, blocks: Floats, sizes: Floats, limits: Floats, forgetting: float, drift: Floats, cap: float, watch: bool,
    score: Floats, information: Floats, C: Floats, change: Floats, shared: Floats, order: Integers, work: Floats,
) -> tuple[int, int]:  # fmt: skip
    """Absorb sets (N, L), updating in place; returns how many went in, and why it stopped: `tracking_kernel.GOES_ON` and the like.

    The arrays are those of `tracker.State` and of its `record.Record`, matrices below their diagonals, and from `score` on scratch; the
    equations are those of `tracker` and `block_kernel`. With `watch` it stops where a window surprises, or blocks speak of a change.
    """
    L = sets.shape[1]
    taken, event = sets.shape[0], GOES_ON
    for k in range(sets.shape[0]):
        strength = 0.0
        for d in range(rows.shape[1]):
            strength += rows[k, d] * rows[k, d]
        forget(H, M, forgetting, drift, strength, C)
        squares = share_of_numbers(sets[k], rows[k], theta, noise[0, 0], cap, order, work, score, information)
        add_square(sets[k], work[0], forgetting, power)
        share_of_dependence(rows[k], noise[0, 0], bounded(squares, cap), work, shared)
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
            noise[0, 0] = power[0, 0] / (numbers[0] * L)
            if watch:
                settle(theta, settled)
                numbers[5] = memory_factor(tally, contrasts)
                if changed:
                    taken, event = k + 1, CHANGED
                    break
    for matrix in (H, M, window_H):
        mirror(matrix)
    return taken, event
