"""Brute-force twins: each transform written from its definition, and exact moments by enumeration.

Slow on purpose, and without anything of the package. Every twin takes the points (L, p) of one set, real or complex.
"""

from itertools import combinations, combinations_with_replacement, product
from math import prod

import numpy as np


def elementary(values):
    """e_1 .. e_L: sums over subsets."""
    return np.array([sum(map(prod, combinations(values, d))) for d in range(1, len(values) + 1)])


def scalar(points):
    return elementary([point[0] for point in points])


def convolution(points):
    """For each d, the sum over d-subsets of the convolution of their points."""
    blocks = []
    for d in range(1, len(points) + 1):
        total = 0
        for subset in combinations(points, d):
            one = np.ones(1)
            for point in subset:
                one = np.convolve(one, point)
            total = total + one
        blocks.append(total)
    return np.concatenate(blocks)


def polarized(points, directions):
    """For each d, direction u and coordinate j: the sum over l of y_lj e_(d-1)(u'y without l)."""
    points = np.asarray(points)
    result = []
    for d in range(1, len(points) + 1):
        for u in directions:
            a = points @ u
            others = [sum(map(prod, combinations(np.delete(a, l), d - 1))) for l in range(len(points))]
            result.append(sum(e * point for e, point in zip(others, points)))
    return np.concatenate(result)


def monomials(dim, degree):
    return list(combinations_with_replacement(range(dim), degree))


def tensor(points):
    """For each d and each monomial of degree d: its coefficient in e_d(u'y_1, .., u'y_L)."""
    dim = len(points[0])
    result = []
    for d in range(1, len(points) + 1):
        coefficient = dict.fromkeys(monomials(dim, d), 0.0)
        for subset in combinations(points, d):
            for choice in product(range(dim), repeat=d):
                coefficient[tuple(sorted(choice))] += prod(point[j] for point, j in zip(subset, choice))
        result += coefficient.values()
    return np.array(result)


def symmetric_power(psi, degree):
    """The matrix of e_d under y = Psi theta, for monomials: the coefficient of w^b in (Psi'w)^a, by expansion."""
    p, D = psi.shape
    rows, columns = monomials(p, degree), monomials(D, degree)
    matrix = np.zeros((len(rows), len(columns)))
    for a, column in enumerate(columns):
        for choice in product(range(p), repeat=degree):
            matrix[rows.index(tuple(sorted(choice))), a] += prod(psi[i, j] for i, j in zip(choice, column))
    return matrix


def elementwise(points):
    """e_d of every coordinate on its own, coordinates within degrees."""
    return np.stack([elementary(column) for column in np.asarray(points).T], axis=-1).ravel()


def planar(points):
    """Real and imaginary parts of e_d of complex numbers."""
    e = elementary([complex(x, y) for x, y in points])
    return np.stack([e.real, e.imag], axis=-1).ravel()


def two_point_moments(twin, means, roots, probability=0.5):
    """Exact mean and covariance of twin(means + noise), by enumeration of every noise.

    The noise of system l is roots[l] @ x, with independent x of two values, zero mean and unit variance: the upper one
    has the given probability, so that any other than a half is a skewed law.
    """
    q = probability
    values = {True: np.sqrt((1 - q) / q), False: -np.sqrt(q / (1 - q))}
    mean, second = 0.0, 0.0
    for signs in product((False, True), repeat=means.size):
        x = np.array([values[s] for s in signs]).reshape(means.shape)
        chance = prod(q if s else 1 - q for s in signs)
        z = twin(means + np.einsum("lij,lj->li", roots, x))
        mean = mean + chance * z
        second = second + chance * np.outer(z, z)
    return mean, second - np.outer(mean, mean)


def derivative(function, x, step=1e-5):
    """Central differences: d function_i / d x_j, for x of any shape."""
    x = np.asarray(x, dtype=float)
    columns = []
    for j in range(x.size):
        e = np.zeros(x.size)
        e[j] = step
        e = e.reshape(x.shape)
        columns.append((function(x + e) - function(x - e)) / (2 * step))
    return np.stack(columns, axis=-1)
