"""Forward and backward recursions of a hidden Markov chain: the kernel of `vieta.likelihood.markov_em`.

This module imports numba and is imported where it is needed only.
"""

import numpy as np
from numba import njit

from vieta.symmetric.arrays import Floats


@njit(cache=True, nogil=True, error_model="numpy")
def predict(law: Floats, transition: Floats, stay: float, backward: bool, out: Floats) -> None:
    """Fill `out` (S,) with P'law, or with P law when `backward`; an empty transition stands for a sticky chain."""
    S = law.shape[0]
    if transition.shape[0] == 0:
        fresh = (1.0 - stay) * law.sum() / S
        for j in range(S):
            out[j] = stay * law[j] + fresh
        return
    out[:] = 0.0
    for i in range(S):
        for j in range(S):
            if backward:
                out[i] += transition[i, j] * law[j]
            else:
                out[j] += law[i] * transition[i, j]


@njit(cache=True, nogil=True, error_model="numpy")
def forward_backward(densities: Floats, transition: Floats, stay: float) -> tuple[float, Floats, float]:
    """Log likelihood, smoothed probabilities (N, S) and the expected number of stays of a sticky chain.

    The first state is uniform; densities (N, S) are positive somewhere at each time.
    """
    N, S = densities.shape
    alpha, norms = np.empty((N, S)), np.empty(N)
    predicted, beta, weighted = np.full(S, 1.0 / S), np.ones(S), np.empty(S)
    likelihood, stays = 0.0, 0.0
    for k in range(N):
        if k > 0:
            predict(alpha[k - 1], transition, stay, False, predicted)
        alpha[k] = predicted * densities[k]
        norms[k] = alpha[k].sum()
        alpha[k] /= norms[k]
        likelihood += np.log(norms[k])
    for k in range(N - 1, 0, -1):
        weighted[:] = densities[k] * beta / norms[k]  # with it, sum of predicted times weighted is one
        for j in range(S):
            stays += stay * alpha[k - 1, j] * weighted[j]
        alpha[k] *= beta
        predict(weighted, transition, stay, True, beta)
    alpha[0] *= beta
    return likelihood, alpha, stays
