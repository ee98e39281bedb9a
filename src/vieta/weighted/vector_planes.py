r"""Through which planes sets of vectors are seen: directions, and nodes along each.

The values :math:`\prod_j (u'y_j - x)` at all directions u in R^q and nodes x span the symmetric statistics of a set that are linear in
each reading, :math:`\binom{L+q}{L} - 1` of them beside the constant: no more can be had from means and covariances of the noise. Those
of degree d need as many directions as there are monomials of degree d in q variables. So the first q directions have L nodes each,
those that degree 2 needs beyond them L - 1, and so on: a basis, for directions in general position. What a set then tells does not
depend on them. Where a basis would be too large, directions are taken up to a budget.

The L means lie in q = L - 1 dimensions at the most. Where readings have more, only those are seen in this way, and in each of the others

.. math:: t_i = \sum_l w_l \prod_{j \ne l} (u_i'z_j - x_i) ,

w the coordinate of a reading there and z its part in R^q, for planes of degree L - 1. Coordinates in which this is so are found for each
set (`vector`); in them the values and the t of each coordinate are uncorrelated, and all else tells nothing.
"""

import functools
from math import comb
from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats, Integers, plain, unshared

BUDGET = 56  # planes, after which no direction is added
LEAST = 2  # times q L planes are taken in any case
TRIED = 400  # random directions, of which those are taken that lie farthest from all taken before


class Planes(NamedTuple):
    """Directions and nodes for sets of L readings in R^p.

    Attributes
    ----------
    directions : (K, q)
        Unit vectors.
    gram : (K, K)
        Their inner products.
    values : (S, 2)
        Of each plane its direction, and its node along it, counted from below.
    lower : (T, 2)
        The same for planes of degree L - 1; none if q = p.
    """

    directions: Floats
    gram: Floats
    values: Integers
    lower: Integers


class Scratch(NamedTuple):
    """Where a kernel works on one set; `vector` tells what is in it.

    Attributes
    ----------
    readings, means : (L, p)
    inputs : (D, p)
    frame : (p, p)
        The matrix by which they are turned.
    projected, seen, nodes : (K, L)
        Means and readings along the directions, and nodes.
    factors, rest : (L, max(S, T))
    scale : (4, max(S, T))
    covariance : (max(S, T), max(S, T))
    columns, lower_columns : (S, L q + 1), (T, L + p - q)
    products, lower_products : (L q + 1, L q + 1), (L + p - q, L + p - q)
    """

    readings: Floats
    means: Floats
    inputs: Floats
    frame: Floats
    projected: Floats
    seen: Floats
    nodes: Floats
    factors: Floats
    rest: Floats
    scale: Floats
    covariance: Floats
    columns: Floats
    lower_columns: Floats
    products: Floats
    lower_products: Floats


@functools.cache
def planes_for(L: int, p: int) -> Planes:
    """The planes for sets of L readings in R^p.

    >>> planes_for(3, 2).values.T  # a basis of 9, along 4 directions
    array([[0, 0, 0, 1, 1, 1, 2, 2, 3],
           [0, 1, 2, 0, 1, 2, 0, 2, 0]])
    >>> planes_for(2, 5).directions.shape, len(planes_for(2, 5).values), len(planes_for(2, 5).lower)
    ((1, 1), 2, 2)
    """
    q = min(p, max(L - 1, 1))
    most = max(BUDGET, LEAST * q * L)
    values, lower = _planes(L, q, 1, most), _planes(L, q, 0, most)
    directions = spread_directions(q, 1 + int(max(values[:, 0].max(), lower[:, 0].max())))
    return Planes(plain(directions), plain(directions @ directions.T), values, lower if q < p else lower[:0])


def basis_planes(L: int, p: int) -> Integers:
    """(C(L + p, L) - 1, 2) directions and nodes of a basis of all values in R^p."""
    return _planes(L, p, 1, comb(L + p, L))


def _planes(L: int, q: int, lowest: int, most: int) -> Integers:
    """Planes for degrees from `lowest`, in a row of L of them: as many directions as there are monomials of a degree, or `most` planes."""
    planes: list[tuple[int, int]] = []
    k, d, highest = 0, lowest, lowest + L - 1
    while len(planes) < most:
        while d <= highest and comb(d + q - 1, d) <= k:
            d += 1
        if d > highest:
            break
        planes += [(k, i) for i in _nodes(L, highest - d + 1)]
        k += 1
    return np.array(planes, dtype=np.int64)


def _nodes(L: int, count: int) -> list[int]:
    """So many of L nodes, spread out."""
    return [round(i * (L - 1) / max(count - 1, 1)) for i in range(count)]


def spread_directions(q: int, count: int) -> Floats:
    """(count, q) unit vectors, each as far as may be from all before it, up to the sign.

    >>> spread_directions(1, 1)
    array([[1.]])
    """
    tried = np.random.default_rng(0).normal(size=(TRIED, q))
    tried /= np.linalg.norm(tried, axis=1, keepdims=True) * np.where(tried[:, :1] < 0.0, -1.0, 1.0)
    closest, taken = np.zeros(TRIED), []
    for _ in range(count):
        taken.append(tried[closest.argmin()])
        closest = np.maximum(closest, abs(tried @ taken[-1]))
    return np.array(taken)


def scratch_for(given: Planes, L: int, p: int, D: int) -> Scratch:
    """Scratch for sets of L readings in R^p with D parameters a system."""
    (K, q), S, T = given.directions.shape, len(given.values), len(given.lower)
    most = max(S, T)
    upper, under = L * q + 1, L + p - q
    return Scratch(
        *unshared(
            (L, p), (L, p), (D, p), (p, p), (K, L), (K, L), (K, L), (L, most), (L, most), (4, most), (most, most),
            (S, upper), (T, under), (upper, upper), (under, under),
        )
    )  # fmt: skip


def whitened(sets: Floats, psi: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Sets (N, L, p) and inputs (N, p, D) in units in which the noise has covariance I."""
    root = np.linalg.inv(np.linalg.cholesky(noise))
    return plain(sets @ root.T), plain(root @ psi)
