"""Which reading belongs to which system, for sets of vectors: by assignment, and by probability (`permanents`).

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.association.permanents import assignment_duals, associate, workspace
from vieta.compiled import compile_now


@compile_now
def fill_means(psi: Floats, theta: Floats, m: Floats) -> None:
    """Fill the means (L, p) under an input (p, D)."""
    for l in range(theta.shape[0]):
        for q in range(psi.shape[0]):
            t = 0.0
            for d in range(psi.shape[1]):
                t += psi[q, d] * theta[l, d]
            m[l, q] = t


@compile_now
def fill_distances(y: Floats, m: Floats, cost: Floats) -> None:
    """Fill the squared distances (L, L) of readings to means."""
    for i in range(y.shape[0]):
        for l in range(m.shape[0]):
            t = 0.0
            for q in range(y.shape[1]):
                t += (y[i, q] - m[l, q]) ** 2
            cost[i, l] = t


@compile_now
def assign_three(cost: Floats, owner: Integers) -> None:
    """Fill the row that each of three columns has in the assignment of least cost, by trying all six."""
    least = np.inf
    for i in range(3):
        for step in range(1, 3):
            j = (i + step) % 3
            total = cost[i, 0] + cost[j, 1] + cost[3 - i - j, 2]
            if total < least:
                least, owner[0], owner[1], owner[2] = total, i, j, 3 - i - j


@compile_now
def alternate_vectors(
    sets: Floats, psi: Floats, inverse: Floats, starts: Floats, iterations: int, orders: Integers, costs: Floats
) -> None:  # fmt: skip
    """Assign, regress each system, and so on until nothing changes, from each of some starts (count, L, D), which are overwritten.

    `sets` (n, L, p), `psi` (n, p, D), `inverse` (D, n, p) the pseudo-inverse of the stacked inputs. Fills `orders` (count, n, L), the reading
    of each system, and `costs` (count,), the sums of squared distances.
    """
    count, L, D = starts.shape
    new, m, cost = np.empty((L, D)), np.empty((L, sets.shape[2])), np.empty((L, L))
    u, v, owner = np.empty(L), np.empty(L), np.empty(L + 1, np.int64)
    for s in range(count):
        costs[s] = alternate_from(sets, psi, inverse, starts[s], iterations, orders[s], new, m, cost, u, v, owner)


@compile_now
def alternate_from(
    sets: Floats, psi: Floats, inverse: Floats, theta: Floats, iterations: int, orders: Integers, new: Floats, m: Floats,
    cost: Floats, u: Floats, v: Floats, owner: Integers,
) -> float:  # fmt: skip
    """The same from one start; returns the sum of squared distances. Scratch: (L, D), (L, p), (L, L), (L,), (L,), (L + 1,)."""
    (n, L, p), D = sets.shape, theta.shape[1]
    for k in range(n):
        for l in range(L):
            orders[k, l] = l
    total = 0.0
    for iteration in range(iterations):
        total, changed = 0.0, iteration == 0
        for l in range(L):
            for d in range(D):
                new[l, d] = 0.0
        for k in range(n):
            fill_means(psi[k], theta, m)
            fill_distances(sets[k], m, cost)
            if L == 2:
                owner[0] = 0 if cost[0, 0] + cost[1, 1] <= cost[0, 1] + cost[1, 0] else 1
                owner[1] = 1 - owner[0]
            elif L == 3:
                assign_three(cost, owner)
            else:
                assignment_duals(cost, u, v, owner)
            for l in range(L):
                i = owner[l]
                if orders[k, l] != i:
                    changed = True
                    orders[k, l] = i
                total += cost[i, l]
                for d in range(D):
                    for q in range(p):
                        new[l, d] += inverse[d, k, q] * sets[k, i, q]
        if not changed:
            break
        for l in range(L):
            for d in range(D):
                theta[l, d] = new[l, d]
    return total


@compile_now
def expect_vectors(
    sets: Floats, psi: Floats, theta: Floats, variance: float, m: Floats, cost: Floats, marginals: Floats, expected: Floats,
    logs: Floats,
) -> None:  # fmt: skip
    """Fill the expected reading of each system (n, L, p) and each set's log density (n,), up to -L p/2 log(2 pi variance) - log L!."""
    n, L, p = sets.shape
    work = workspace(L)
    for k in range(n):
        fill_means(psi[k], theta, m)
        fill_distances(sets[k], m, cost)
        for i in range(L):
            for l in range(L):
                cost[i, l] *= -0.5 / variance
        logs[k] = associate(cost, marginals, work)
        for l in range(L):
            for q in range(p):
                t = 0.0
                for i in range(L):
                    t += marginals[i, l] * sets[k, i, q]
                expected[k, l, q] = t
