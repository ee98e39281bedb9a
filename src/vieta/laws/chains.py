"""Draws from finite sets: independent, or along a Markov chain."""

from bisect import bisect_right

import numpy as np

from vieta.arrays import Floats, Integers


def cumulative(probabilities: Floats) -> Floats:
    """Distribution function along the last axis, ending at exactly one; states of probability zero stay unreachable."""
    total = np.cumsum(probabilities, axis=-1)
    return total / total[..., -1:]


def independent(probabilities: Floats, uniforms: Floats) -> Integers:
    """States drawn by inverting the distribution function at numbers uniform on [0, 1).

    >>> independent(np.array([0.25, 0.0, 0.75]), np.array([0.1, 0.25, 0.9]))
    array([0, 2, 2])
    """
    return np.searchsorted(cumulative(probabilities), uniforms, side="right").astype(np.int64)


def markov(initial: Floats, transition: Floats, uniforms: Floats) -> Integers:
    r"""Path of a Markov chain: :math:`P(x_0 = i) = \pi_i`, :math:`P(x_{k+1} = j \mid x_k = i) = P_{ij}`.

    Parameters
    ----------
    initial : (m,)
        Law of the first state.
    transition : (m, m)
        Stochastic matrix P.
    uniforms : (n,)
        One number uniform on [0, 1) per time.

    >>> markov(np.array([1.0, 0.0]), np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([0.3, 0.7, 0.7, 0.2]))
    array([0, 1, 0, 0])
    """
    rows = cumulative(transition).tolist()
    row = cumulative(initial).tolist()
    path = np.empty(len(uniforms), dtype=np.int64)
    for k, u in enumerate(uniforms.tolist()):
        state = bisect_right(row, u)
        path[k] = state
        row = rows[state]
    return path
