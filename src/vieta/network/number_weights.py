r"""The weighted normal equations of sets of numbers, compiled.

.. math:: G = A V^{-1} A, \qquad s = A V^{-1} z, \qquad A = \mathrm{diag}(\psi, \psi^2, \dots, \psi^L).

V is built up system by system: with :math:`e'_a = e_a + y\,e_{a-1}` for a further reading of mean m and variance :math:`\sigma^2`,

.. math:: V'_{ab} = V_{ab} + m\,(V_{a-1,b} + V_{a,b-1}) + (m^2 + \sigma^2)\,V_{a-1,b-1} + \sigma^2\, \bar e_{a-1} \bar e_{b-1},

without a subtraction, hence without cancellation at small noise.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import kernel

RIDGE = 1e-13  # on the diagonal of a matrix whose diagonal is one


@kernel
def weigh_numbers(psi: Floats, z: Floats, theta: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """G (R, n, N, L, L) and s (R, n, N, L) for inputs (R, n, N), coefficients (R, n, N, L), parameters (R, n, L) and variances (R, n)."""
    R, n, N, L = z.shape
    G, s = np.empty((R, n, N, L, L)), np.empty((R, n, N, L))
    V, e, scale = np.empty((L + 1, L + 1)), np.empty(L + 1), np.empty(L)
    rows = np.empty((L, L + 1))
    for r in range(R):
        for i in range(n):
            variance = noise[r, i]
            for k in range(N):
                x = psi[r, i, k]
                for a in range(L + 1):
                    e[a] = 0.0
                    for b in range(L + 1):
                        V[a, b] = 0.0
                e[0] = 1.0
                for l in range(L):
                    m = x * theta[r, i, l]
                    for a in range(l + 1, 0, -1):
                        for b in range(l + 1, 0, -1):
                            V[a, b] += m * (V[a - 1, b] + V[a, b - 1]) + (m * m + variance) * V[a - 1, b - 1]
                            V[a, b] += variance * e[a - 1] * e[b - 1]
                    for a in range(l + 1, 0, -1):
                        e[a] += m * e[a - 1]
                # V scaled to a unit diagonal, beside it diag(psi^d) and z scaled; Cholesky, then two substitutions
                for a in range(L):
                    scale[a] = np.sqrt(V[a + 1, a + 1])
                for a in range(L):
                    for b in range(a + 1):
                        total = V[a + 1, b + 1] / (scale[a] * scale[b])
                        if a == b:
                            total += RIDGE
                        for c in range(b):
                            total -= rows[a, c] * rows[b, c]
                        rows[a, b] = np.sqrt(total) if a == b else total / rows[b, b]
                # whitened regressors B = C^-1 diag(psi^d / scale), lower triangular, and whitened readings
                for a in range(L):
                    total = z[r, i, k, a] / scale[a]
                    for c in range(a):
                        total -= rows[a, c] * e[c]
                    e[a] = total / rows[a, a]
                power = 1.0
                for d in range(L):
                    power *= x
                    for a in range(d, L):
                        total = power / scale[d] if a == d else 0.0
                        for c in range(d, a):
                            total -= rows[a, c] * V[c, d]
                        V[a, d] = total / rows[a, a]
                for b in range(L):
                    total = 0.0
                    for c in range(b, L):
                        total += V[c, b] * e[c]
                    s[r, i, k, b] = total
                    for d in range(b + 1):
                        total = 0.0
                        for c in range(b, L):
                            total += V[c, b] * V[c, d]
                        G[r, i, k, b, d] = total
                        G[r, i, k, d, b] = total
    return G, s
