r"""Parameters from coefficients: the roots of Vieta's polynomial.

With coefficients :math:`\lambda_d = e_d(\theta)` the parameters are the roots of

.. math:: x^L - \lambda_1 x^{L-1} + \lambda_2 x^{L-2} - \dots + (-1)^L \lambda_L = \prod_l (x - \theta_l),

that is, *minus* the roots of :math:`s^L + \sum_d \lambda_d s^{L-d}`.
"""

import numpy as np

from vieta.arrays import Complexes, Floats
from vieta.compiled import kernel


def roots(coefficients: Floats | Complexes) -> Complexes:
    """Parameters (..., L) of coefficients (..., L), as eigenvalues of the companion matrix.

    >>> np.sort(roots(np.array([11.0, 14.0, -80.0])).real).round(12)
    array([-2.,  5.,  8.])
    """
    L = coefficients.shape[-1]
    companion = np.zeros((*coefficients.shape[:-1], L, L), dtype=coefficients.dtype)
    companion[..., np.arange(1, L), np.arange(L - 1)] = 1.0
    companion[..., 0, :] = signed(coefficients)
    return np.linalg.eigvals(companion).astype(np.complex128)


def signed(coefficients: Floats | Complexes) -> Floats | Complexes:
    """First row of the companion matrix: (-1)^(d+1) lambda_d."""
    return np.asarray(coefficients * (-1.0) ** np.arange(coefficients.shape[-1]))


def path(coefficients: Floats | Complexes, start: Complexes | None = None) -> Complexes:
    """Parameters along a path of coefficients (N, L), each row continued from the one before.

    Simultaneous (Ehrlich-Aberth) iteration: O(L²) a step, and root l at one time continues root l at the time before.
    Where it does not settle, as where two real roots meet and leave the axis, that row is solved anew by `roots` and
    the rest is continued from there.

    Parameters
    ----------
    coefficients : (N, L)
        One row a time, real or complex.
    start : (L,), optional
        Roots to continue from; found by `roots` if absent.
    """
    monic = np.ascontiguousarray(-signed(coefficients), dtype=np.complex128)
    real = not np.iscomplexobj(coefficients)
    found = np.empty(monic.shape, dtype=np.complex128)
    if len(found) == 0:
        return found
    known = 0
    if start is None:
        found[0] = roots(coefficients[0])
        start, known = found[0], 1
    while known < len(found):
        known = _continue(monic, np.asarray(start, dtype=np.complex128), found, known, real)
        if known < len(found):
            found[known] = _follow(roots(coefficients[known]), found[known - 1] if known else start)
            start, known = found[known], known + 1
    return found


def _follow(new: Complexes, old: Complexes) -> Complexes:
    """The new roots in the order of the old ones that they are nearest to."""
    free = list(range(len(new)))
    return np.array([new[free.pop(int(np.argmin(abs(new[free] - z))))] for z in old])


@kernel
def _continue(monic: Complexes, start: Complexes, found: Complexes, known: int, real: bool) -> int:
    # Returns the first row at which the iteration did not settle, or N.
    N: int = monic.shape[0]
    L: int = monic.shape[1]
    x = start.copy()
    for n in range(known, N):
        settled = False
        for _ in range(12):
            worst = 0.0
            for l in range(L):
                value = x[l] + monic[n, 0]
                slope = 1.0 + 0.0j
                for d in range(1, L):
                    slope = slope * x[l] + value
                    value = value * x[l] + monic[n, d]
                if value == 0.0:
                    continue
                repulsion = 0.0j
                for j in range(L):
                    if j != l:
                        if x[l] == x[j]:
                            return n
                        repulsion += 1.0 / (x[l] - x[j])
                bend = slope - value * repulsion
                if bend == 0.0:
                    return n
                move = value / bend
                x[l] -= move
                size = (abs(move.real) + abs(move.imag)) / (1e-300 + abs(x[l].real) + abs(x[l].imag))
                if not size <= worst:
                    worst = size
            if worst < 1e-8:  # cubic convergence: the next move would be below rounding
                settled = True
                break
        if not settled:
            return n
        if real:
            for l in range(L):
                if abs(x[l].imag) < 1e-13 * abs(x[l].real):
                    x[l] = complex(x[l].real, 0.0)
        for l in range(L):
            found[n, l] = x[l]
    return N
