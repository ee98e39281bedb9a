r"""Least mean squares on the coefficients: the paper's adaptive filter, Theorems 1 and 2 as corrected.

.. math:: \lambda_d(k+1) = \lambda_d(k) + \epsilon_d\, A_d'(k) \bigl(z_d(k) - A_d(k) \lambda_d(k)\bigr), \quad d = 1..L.

For scalar inputs :math:`A_d = \psi^d`, the paper's bank of L filters. For vectors this is the true gradient; the
update printed in the paper sums over an index that is also free, and lacks a transpose.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.coefficients.design import Block, Design
from vieta.compiled import kernel


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What the next step needs.

    Attributes
    ----------
    coefficients : (M,)
        lambda.
    total : (M,)
        Sum of the iterates since the start, for averaging.
    """

    coefficients: Floats
    total: Floats


def init(coefficients: Floats) -> State:
    """Start from given coefficients."""
    return State(coefficients.copy(), np.zeros_like(coefficients))


def update(state: State, design: Design, blocks: list[Block], step: Floats) -> tuple[State, Floats]:
    """Absorb sets, with a step a degree (L,); also returns the innovations of the first degree, (n, m, K)."""
    coefficients, total = state.coefficients.copy(), state.total.copy()
    parts = zip(design.split(coefficients), design.split(total), blocks, step, strict=True)
    innovations = [recur(lam, sums, block.gains, block.readings, float(eps)) for lam, sums, block, eps in parts]
    return State(coefficients, total), innovations[0]


@kernel
def recur(lam: Floats, total: Floats, gains: Floats, readings: Floats, step: float) -> Floats:
    """Update lam (q, K) and the sum of its iterates in place over n sets; returns the innovations (n, m, K)."""
    n, m, K = readings.shape
    q = lam.shape[0]
    innovations = np.empty((n, m, K))
    for k in range(n):
        for c in range(K):
            for i in range(m):
                predicted = 0.0
                for j in range(q):
                    predicted += gains[k, i, j] * lam[j, c]
                innovations[k, i, c] = readings[k, i, c] - predicted
            for j in range(q):
                slope = 0.0
                for i in range(m):
                    slope += step * gains[k, i, j] * innovations[k, i, c]
                lam[j, c] += slope
                total[j, c] += lam[j, c]
    return innovations
