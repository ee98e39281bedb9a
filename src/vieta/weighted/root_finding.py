r"""The root of estimating equations, by scoring steps with Anderson's acceleration.

A scoring step is :math:`f(\theta) = H^{-1} g`. With the last few places and their steps, :math:`\Delta\theta` and :math:`\Delta f` their
differences,

.. math:: \theta \leftarrow \theta - \Delta\theta\,\gamma + \beta\,(f - \Delta f\,\gamma), \qquad
    \gamma = \arg\min |f - \Delta f\,\gamma|_H

(D. G. Anderson, 1965). Scoring alone does not end where the weights depend on the parameters strongly: it goes to and fro across the root. No
move is much longer than the scoring step. Lengths are squared standard errors, :math:`|f|_H^2 = g'H^{-1}g`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.weighted.scaled_inverse import scaled_inverse

ITERATIONS = 40
DEPTH = 5  # differences that are kept
MIXED = 0.5  # beta
LONGER = 4.0  # times the length of the scoring step, that a move may have
CLOSE = 1e-6  # length of a step after which another would change nothing
NEAR = 0.1  # length that is small beside the errors: where equations jump, no shorter step is found
NEGLIGIBLE = 1e-12  # information, of the largest, about a direction in which no step is made

Sums = tuple[Floats, Floats]  # information (n, n) and score (n,)


class Root(NamedTuple):
    """The parameters (n,) with the shortest scoring step, and whether it is small beside the errors."""

    theta: Floats
    converged: bool


def find_root(
    equations: Callable[[Floats], Sums], damping: Callable[[Floats, Floats, float], float], theta: Floats
) -> Root:
    """Go from parameters (n,) to a root; `damping` tells what share of the first step, of some length, to take."""
    places: list[Floats] = []
    steps: list[Floats] = []
    best, shortest = theta, np.inf
    for _ in range(ITERATIONS):
        H, g = equations(theta)
        if not (np.isfinite(H).all() and np.isfinite(g).all()):
            break
        step = np.asarray(scaled_inverse(H, rcond=NEGLIGIBLE) @ g)
        length = float(g @ step)
        if not np.isfinite(length):
            break
        if length < shortest:
            best, shortest = theta, length
        if length < CLOSE:
            return Root(theta + step, True)
        places, steps = [*places[-DEPTH:], theta], [*steps[-DEPTH:], step]
        move = _accelerated(places, steps, H) if len(steps) > 1 else damping(theta, step, length) * step
        theta = theta + _shortened(move, H, LONGER * max(length, 1.0))
    return Root(best, shortest < NEAR)


def _accelerated(places: list[Floats], steps: list[Floats], H: Floats) -> Floats:
    scale = np.sqrt(np.where(np.diag(H) > 0.0, np.diag(H), 1.0))
    root = np.linalg.cholesky(H / np.outer(scale, scale) + NEGLIGIBLE * np.eye(len(H))).T * scale
    moved, changed = np.diff(places, axis=0).T, np.diff(steps, axis=0).T
    if not np.isfinite(root @ changed).all():  # steps of very different size, where sets are far from all others
        return steps[-1]
    gamma = np.linalg.lstsq(root @ changed, root @ steps[-1], rcond=1e-8)[0]
    return np.asarray(MIXED * (steps[-1] - changed @ gamma) - moved @ gamma)


def _shortened(move: Floats, H: Floats, longest: float) -> Floats:
    length = float(move @ H @ move)
    return move if length <= longest else move * np.sqrt(longest / length)
