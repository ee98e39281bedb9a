"""Forward and backward recursions of a hidden Markov chain, in logarithms: the kernel of `vieta.likelihood.markov_em`.

A chain that hardly ever moves may prefer, in the end, a path that looked impossible for long: no probability may be lost for
being small.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import compile_now

FAINT = -650.0  # logarithm, below the largest, of what exp might lose


@compile_now
def log_sum(logs: Floats) -> float:
    """log of the sum of exp(logs); minus infinity if all are."""
    peak = logs.max()
    if peak == -np.inf:
        return float(peak)
    return float(peak + np.log(np.exp(logs - peak).sum()))


@compile_now
def predict(log_law: Floats, transition: Floats, stay: float, out: Floats) -> None:
    """Fill `out` (S,) with the logarithm of P'exp(log_law); an empty transition stands for a sticky chain.

    Sums of exp that has nothing to lose are formed at once for all states, others one by one.
    """
    S = log_law.shape[0]
    peak, sticky = log_law.max(), transition.shape[0] == 0
    law = np.exp(log_law - peak)
    fresh = (1.0 - stay) * law.sum() / S if sticky else 0.0
    faint = np.any((log_law - peak < FAINT) & (log_law > -np.inf))
    for j in range(S):
        if sticky and fresh > 0.0:
            out[j] = peak + np.log(stay * law[j] + fresh)
        elif sticky:
            out[j] = log_law[j]
        elif faint:
            out[j] = log_sum(log_law + np.log(transition[:, j]))
        else:
            total = 0.0
            for i in range(S):
                total += law[i] * transition[i, j]
            out[j] = peak + np.log(total)


@compile_now
def forward_backward(logs: Floats, transition: Floats, stay: float) -> tuple[float, Floats, float]:
    """Log likelihood, smoothed probabilities (N, S) and the expected number of stays of a sticky chain.

    The first state is uniform; `logs` (N, S) are log densities. A likelihood of zero ends it: its logarithm is minus
    infinity, and the probabilities are NaN.
    """
    N, S = logs.shape
    alpha, norms = np.empty((N, S)), np.empty(N)
    predicted, beta, weighted = np.full(S, -np.log(float(S))), np.zeros(S), np.empty(S)
    stays = 0.0
    for k in range(N):
        if k > 0:
            predict(alpha[k - 1], transition, stay, predicted)
        alpha[k] = predicted + logs[k]
        norms[k] = log_sum(alpha[k])
        if norms[k] == -np.inf:
            return -np.inf, np.full((N, S), np.nan), np.nan
        alpha[k] -= norms[k]
    back = transition.T.copy()
    for k in range(N - 1, 0, -1):
        weighted[:] = logs[k] + beta - norms[k]  # with it, the sum of predicted times weighted is one
        for j in range(S):
            stays += stay * np.exp(alpha[k - 1, j] + weighted[j])
        alpha[k] = np.exp(alpha[k] + beta)
        predict(weighted, back, stay, beta)
    alpha[0] = np.exp(alpha[0] + beta)
    return norms.sum(), alpha, stays
