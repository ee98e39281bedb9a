r"""Recursive least squares on the coefficients, with forgetting f.

.. math:: g = P a / (f + a'Pa), \quad \lambda \leftarrow \lambda + g (z - a'\lambda), \quad P \leftarrow (P - g a'P)/f

for each row a of :math:`A_d` and each degree d on its own (f acts once a set). With f = 1 it tends to least squares. A set with
:math:`A_d = 0` forgets nothing; and after every window of sets what was forgotten about directions V of the coefficients that none of its
rows reached is given back (`vieta.excitation`, with :math:`H = P^{-1}`),

.. math:: P \leftarrow P - (1 - f^w)\, V (V'P^{-1}V)^{-1} V' .
"""

from dataclasses import dataclass

import numpy as np

from vieta import excitation
from vieta.arrays import Floats
from vieta.coefficients.design import Block, Design
from vieta.compiled import kernel
from vieta.excitation import DARK


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """What the next step needs.

    Attributes
    ----------
    coefficients : (M,)
        lambda.
    dispersion : tuple of (q_d, q_d)
        P_d, the inverse of the (discounted) information; zero until the first input that is not.
    """

    coefficients: Floats
    dispersion: tuple[Floats, ...]


def init(design: Design, coefficients: Floats, regularization: float | None = None) -> State:
    """Start from given coefficients with P = I / regularization.

    Without one, the first input that is not zero sets it, so small (1e-8 of its square) that the start is forgotten
    whatever the units are.
    """
    scale = 0.0 if regularization is None else 1.0 / regularization
    return State(coefficients.copy(), tuple(scale * np.eye(len(part)) for part in design.split(coefficients)))


def update(state: State, design: Design, blocks: list[Block], forgetting: float) -> tuple[State, Floats]:
    """Absorb sets; also returns the innovations of the first degree, (n, m, K), divided by their relative spread."""
    coefficients = state.coefficients.copy()
    dispersion = tuple(P.copy() for P in state.dispersion)
    parts = zip(design.split(coefficients), dispersion, blocks, strict=True)
    innovations = [_run(lam, P, block.gains, block.readings, forgetting) for lam, P, block in parts]
    return State(coefficients, dispersion), innovations[0]


def clear_sets(state: State, gains: list[Floats], size: int) -> int:
    """How many sets, of those with these regressors by degree, stand in windows that clearly reach every direction."""
    spreads = [np.diag(P) for P in state.dispersion]
    if not all((spread > 0.0).all() for spread in spreads):
        return 0
    return min(excitation.clear_sets(A, size, 1.0 / spread) for A, spread in zip(gains, spreads, strict=True))


def unforgotten(state: State, window: list[Block], forgetting: float) -> State:
    """Give back what was forgotten about directions that the window's regressions, by degree, did not reach."""
    parts = zip(state.dispersion, window, strict=True)
    return State(state.coefficients, tuple(_given_back(P, block.gains, forgetting) for P, block in parts))


def _given_back(P: Floats, gains: Floats, forgetting: float) -> Floats:
    spread = np.diag(P)
    if not (spread > 0.0).all():  # before the first input
        return P
    found, lit = excitation.reach(gains, 1.0 / spread), int(excitation.is_lit(gains).sum())
    if not (found.missed and lit):
        return P
    return excitation.restored_inverse(P, found, excitation.given_back(forgetting, lit))


@kernel
def _run(lam: Floats, P: Floats, gains: Floats, readings: Floats, forgetting: float) -> Floats:
    n, m, K = readings.shape
    q = lam.shape[0]
    innovations = np.empty((n, m, K))
    h = np.empty(q)
    for k in range(n):
        size = 0.0
        for i in range(m):
            for j in range(q):
                size += gains[k, i, j] * gains[k, i, j]
        if P[0, 0] == 0.0:
            for j in range(q):
                P[j, j] = 1e8 / size if size > DARK else 0.0
        for i in range(m):
            f = forgetting if i == 0 and size > DARK else 1.0  # once a set, however many rows it has
            spread = f
            for j in range(q):
                h[j] = 0.0
                for r in range(q):
                    h[j] += P[j, r] * gains[k, i, r]
                spread += gains[k, i, j] * h[j]
            for c in range(K):
                innovation = readings[k, i, c]
                for j in range(q):
                    innovation -= gains[k, i, j] * lam[j, c]
                for j in range(q):
                    lam[j, c] += h[j] / spread * innovation
                innovations[k, i, c] = innovation / np.sqrt(spread / f)
            for j in range(q):
                for r in range(q):
                    P[j, r] = (P[j, r] - h[j] * h[r] / spread) / f
    return innovations
