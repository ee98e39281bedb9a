r"""Through which planes sets of vectors are seen: directions, and how many nodes along each.

The values :math:`\prod_j (u'y_j - x)` at all directions u and nodes x span the symmetric statistics of a set that are linear in each
reading, :math:`\binom{L+p}{L} - 1` of them beside the constant: no more can be had from means alone. Those of degree d need as many
directions as there are monomials of degree d in p variables. So the first p directions have L nodes each, those that degree 2 needs
beyond them L - 1, and so on: a basis, for directions in general position. What a set then tells does not depend on them.

Where a basis would be too large, p directions close to the one that separates the means best have L nodes each, which is all that
matters at low noise; fixed ones are added as far as the budget goes.
"""

import functools
from math import comb
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, Integers, plain

BUDGET = 56  # planes up to which a basis is taken
TRIED = 400  # random directions, of which those are taken that lie farthest from all taken before


class Planes(NamedTuple):
    """Directions and nodes.

    Attributes
    ----------
    directions : (K, p)
        Unit vectors. The first `tilted` are zero: they depend on the means.
    gram : (K, K)
        Their inner products.
    planes : (S, 2)
        Of each plane its direction and its node along it, counted from below.
    tilted : int
        Zero for a basis, else p.
    """

    directions: Floats
    gram: Floats
    planes: Integers
    tilted: int


class Scratch(NamedTuple):
    """Where a kernel works on one set: copies of the directions, their inner products and the planes, and what `vector` fills."""

    directions: Floats
    gram: Floats
    chosen: Integers
    projected: Floats
    nodes: Floats
    residuals: Floats
    scale: Floats
    distances: Floats
    slope: Floats
    covariance: Floats


@functools.cache
def planes_for(L: int, p: int) -> Planes:
    """The planes for sets of L readings in R^p.

    >>> planes_for(3, 2).planes.T  # a basis of 9, along 4 directions
    array([[0, 0, 0, 1, 1, 1, 2, 2, 3],
           [0, 1, 2, 0, 1, 2, 0, 2, 1]])
    """
    if comb(L + p, L) - 1 <= BUDGET:
        directions = spread_directions(p, comb(L + p - 1, L))
        return _made(directions, [(k, i) for k in range(len(directions)) for i in _nodes(L, p, k)], 0)
    more = max(BUDGET // L - p, 0)
    directions = np.concatenate([np.zeros((p, p)), spread_directions(p, more)])
    return _made(directions, [(k, i) for k in range(p + more) for i in range(L)], p)


def scratch_for(given: Planes, L: int) -> Scratch:
    """Scratch for sets of L readings."""
    (K, p), S = given.directions.shape, len(given.planes)
    return Scratch(
        given.directions.copy(), given.gram.copy(), given.planes.copy(), np.empty((K, L)), np.empty((K, L)),
        np.empty(S), np.empty((2, S)), np.empty((S, L)), np.empty((S, L * p)), np.empty((S, S)),
    )  # fmt: skip


def spread_directions(p: int, count: int) -> Floats:
    """(count, p) unit vectors, each as far as may be from all before it, up to the sign."""
    tried = np.random.default_rng(0).normal(size=(TRIED, p))
    tried /= np.linalg.norm(tried, axis=1)[:, None]
    closest, taken = np.zeros(TRIED), []
    for _ in range(count):
        taken.append(tried[closest.argmin()])
        closest = np.maximum(closest, abs(tried @ taken[-1]))
    return np.array(taken).reshape(count, p)


def _nodes(L: int, p: int, k: int) -> list[int]:
    """Which of L nodes direction k has: all, or fewer, spread out, where it serves higher degrees only."""
    lowest = next(d for d in range(1, L + 1) if comb(d + p - 1, d) > k)
    count = L - lowest + 1
    if count == 1:
        return [k % L]
    return [round(i * (L - 1) / (count - 1)) for i in range(count)]


def _made(directions: Floats, planes: list[tuple[int, int]], tilted: int) -> Planes:
    return Planes(plain(directions), plain(directions @ directions.T), np.array(planes, dtype=np.int64), tilted)


def whitened(sets: Floats, psi: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Sets (N, L, p) and inputs (N, p, D) in units in which the noise has covariance I."""
    root = np.linalg.inv(np.linalg.cholesky(noise))
    return plain(sets @ root.T), plain(root @ psi)
