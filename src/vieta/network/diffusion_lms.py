r"""Adapt, then combine, by least mean squares: each agent takes the paper's step on its own set, then averages over its neighbours.

.. math:: \varphi_i = \lambda_i + E\, A_i'(z_i - A_i \lambda_i), \qquad \lambda_i \leftarrow \sum_j C_{ij}\, \varphi_j,

E the steps by degree. Only the symmetric coefficients :math:`\varphi` go over a link. With a constant step it follows parameters that move.
"""

from dataclasses import dataclass

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import kernel
from vieta.network.agent_data import Regressions


@dataclass(frozen=True, slots=True, eq=False)
class LmsState:
    """Sets absorbed by each agent, and the coefficients (R, n, M) after combination."""

    count: int
    coefficients: Floats


def update(state: LmsState, seen: Regressions, C: Floats, step: Floats) -> LmsState:
    """Absorb N sets an agent, with combinations C (N, R, n, n), or (1, 1, n, n) for all, and a step a coefficient (M,)."""
    coefficients = state.coefficients.copy()
    adapt_then_combine(coefficients, seen.z, seen.A, C, step)
    return LmsState(state.count + seen.z.shape[2], coefficients)


@kernel
def adapt_then_combine(lam: Floats, z: Floats, A: Floats, C: Floats, step: Floats) -> None:
    """The recursion over N sets, in place."""
    R, n, N, m = z.shape
    M = lam.shape[2]
    phi = np.empty((n, M))
    for r in range(R):
        for k in range(N):
            c = C[k % C.shape[0], r % C.shape[1]]
            for i in range(n):
                for a in range(M):
                    phi[i, a] = lam[r, i, a]
                for b in range(m):
                    innovation = z[r, i, k, b]
                    for a in range(M):
                        innovation -= A[r, i, k, b, a] * lam[r, i, a]
                    for a in range(M):
                        phi[i, a] += step[a] * A[r, i, k, b, a] * innovation
            for i in range(n):
                for a in range(M):
                    total = 0.0
                    for j in range(n):
                        total += c[i, j] * phi[j, a]
                    lam[r, i, a] = total
