"""Algebra of small symmetric matrices in loops, of which only the lower triangle is read.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import compile_now, inlined

NEGLIGIBLE = 1e-14  # pivot, of its diagonal entry, below which a direction is left out


@compile_now
def mirror(H: Floats) -> None:
    """Copy what is below the diagonal to above it."""
    for i in range(H.shape[0]):
        for j in range(i):
            H[j, i] = H[i, j]


@inlined
def factorize(H: Floats, C: Floats) -> None:
    """Fill the lower triangle of C with the Cholesky factor of H, its diagonal with reciprocals; zero for what is left out."""
    for i in range(H.shape[0]):
        pivot = H[i, i]
        for k in range(i):
            c = H[i, k]
            for q in range(k):
                c -= C[i, q] * C[k, q]
            c *= C[k, k]
            C[i, k] = c
            pivot -= c * c
        C[i, i] = 1.0 / np.sqrt(pivot) if pivot > NEGLIGIBLE * H[i, i] else 0.0


@inlined
def solve_factored(C: Floats, g: Floats, step: Floats) -> float:
    """Fill `step` with H⁻¹g, given the factor of H; returns g'H⁻¹g."""
    n = g.shape[0]
    square = 0.0
    for i in range(n):
        t = g[i]
        for k in range(i):
            t -= C[i, k] * step[k]
        step[i] = t * C[i, i]
        square += step[i] * step[i]
    for i in range(n - 1, -1, -1):
        t = step[i]
        for q in range(i + 1, n):
            t -= C[q, i] * step[q]
        step[i] = t * C[i, i]
    return square


@inlined
def solve_positive(H: Floats, g: Floats, C: Floats, step: Floats) -> float:
    """Fill `step` with H⁻¹g by Cholesky (C is scratch); returns g'H⁻¹g."""
    factorize(H, C)
    return solve_factored(C, g, step)


@compile_now
def invert_positive(H: Floats, C: Floats, inverse: Floats) -> None:
    """Fill `inverse` with H⁻¹ by Cholesky (C is scratch). H and `inverse` may be the same array."""
    n = H.shape[0]
    factorize(H, C)
    for i in range(n):  # the factor's own inverse, in place
        for k in range(i):
            t = 0.0
            for q in range(k, i):
                t -= C[i, q] * C[q, k]
            C[i, k] = t * C[i, i]
    for i in range(n):
        for k in range(i + 1):
            t = 0.0
            for q in range(i, n):
                t += C[q, i] * C[q, k]
            inverse[i, k] = t
            inverse[k, i] = t
