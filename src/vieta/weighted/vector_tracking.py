"""The weighted filter on sets of vectors: a Kalman filter in information form that watches its own innovations.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import compile_now
from vieta.excitation import WINDOW
from vieta.weighted.block_kernel import BATCH, add_to_batch, add_to_block, add_window, close_block, fold, memory_factor
from vieta.weighted.small_algebra import factorize, mirror
from vieta.weighted.tracking_kernel import CHANGED, GOES_ON, SURPRISED, close_window, count, forget, settle, step
from vieta.weighted.vector_equations import accumulate_vectors
from vieta.weighted.vector_planes import Planes, Scratch


@compile_now
def add_power(y: Floats, psi: Floats, theta: Floats, forgetting: float, power: Floats) -> None:
    """Add the outer product of the innovation of the readings' sum, kept above rounding as in a batch."""
    L, p = y.shape
    e, square = np.empty(p), 0.0
    for q in range(p):
        e[q] = 0.0
        for l in range(L):
            e[q] += y[l, q]
            square += y[l, q] * y[l, q]
            for d in range(theta.shape[1]):
                e[q] -= psi[q, d] * theta[l, d]
    if square == 0.0:  # nothing but zeros: it tells nothing of the noise
        return
    for q in range(p):
        for w in range(p):
            power[q, w] = forgetting * power[q, w] + e[q] * e[w]
        power[q, q] += 1e-16 * square / p


@compile_now
def fill_root(noise: Floats, C: Floats, root: Floats) -> None:
    """Fill the lower triangle R (p, p), zeros above it, for which R C R' = I with the noise covariance C; `C` is scratch."""
    p = noise.shape[0]
    factorize(noise, C)
    for i in range(p):
        for k in range(p):
            root[i, k] = 0.0
        root[i, i] = C[i, i]
        for k in range(i):
            for q in range(k, i):
                root[i, k] -= C[i, q] * root[q, k] * C[i, i]


@compile_now
def whiten_set(y: Floats, psi: Floats, root: Floats, readings: Floats, inputs: Floats) -> None:
    """Fill a set (L, p) and its input (p, D) in units in which the noise has covariance I."""
    p = root.shape[0]
    for a in range(p):
        for l in range(y.shape[0]):
            readings[l, a] = 0.0
            for b in range(a + 1):
                readings[l, a] += root[a, b] * y[l, b]
        for d in range(psi.shape[1]):
            inputs[a, d] = 0.0
            for b in range(a + 1):
                inputs[a, d] += root[a, b] * psi[b, d]


@compile_now
def track_vectors(
    sets: Floats, psi: Floats, theta: Floats, settled: Floats, H: Floats, M: Floats, power: Floats, noise: Floats,
    window_score: Floats, window_H: Floats, numbers: Floats, reference: Floats, current: Floats, tally: Floats, levels: Floats,
    contrasts: Floats, blocks: Floats, sizes: Floats, limits: Floats, forgetting: float, drift: Floats, cap: float, watch: bool,
    score: Floats, information: Floats, C: Floats, change: Floats, shared: Floats, given: Planes, work: Scratch, root: Floats,
    P: Floats,
) -> tuple[int, int]:  # fmt: skip
    """Absorb sets (N, L, p), updating in place; returns how many went in, and why it stopped: `tracking_kernel.GOES_ON` and the like.

    The arrays are those of `tracker.State` and of its `record.Record`, matrices below their diagonals; `given` tells the planes, and the
    others from `score` on are scratch; the equations are those of `tracker` and `block_kernel`. With `watch` it stops where a window
    surprises, or blocks speak of a change.
    """
    L, p = sets.shape[1], sets.shape[2]
    y, inputs, squares = np.empty((1, L, p)), np.empty((1, p, psi.shape[2])), np.empty(1)
    none, empty, scores = np.empty((0, 0)), np.empty(0), score.reshape((1, score.shape[0]))
    fill_root(noise, P, root)
    for i in range(shared.shape[0]):
        shared[i] = 0.0
    taken, event = sets.shape[0], GOES_ON
    for k in range(sets.shape[0]):
        strength = 0.0
        for q in range(p):
            for d in range(psi.shape[2]):
                strength += psi[k, q, d] * psi[k, q, d]
        forget(H, M, forgetting, drift, strength, C)
        whiten_set(sets[k], psi[k], root, y[0], inputs[0])
        accumulate_vectors(y, inputs, theta, given, cap, work, none, empty, none, squares, scores, information)
        add_power(sets[k], psi[k], theta, forgetting, power)
        add_to_block(score, shared, forgetting, current)
        step(theta, H, M, window_score, window_H, score, information, C, change)
        product = add_to_batch(score, levels)
        numbers[3] += product
        numbers[4] += product * product
        inside = int(count(numbers, squares[0], forgetting))
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
            fill_root(noise, P, root)
            if watch:
                settle(theta, settled)
                numbers[5] = memory_factor(tally, contrasts)
                if changed:
                    taken, event = k + 1, CHANGED
                    break
    for matrix in (H, M, window_H):
        mirror(matrix)
    return taken, event
