r"""Permanents and association probabilities, exactly: the kernels.

Readings i, systems l, densities :math:`A_{il}`. The likelihood of a set under a uniform prior over permutations is
:math:`\mathrm{perm}(A)/L!`, and the probability that reading i belongs to system l is
:math:`A_{il}\,\mathrm{perm}(A \setminus i, l)/\mathrm{perm}(A)`.

Readings are placed one after another. F[S] sums the ways to place the first |S| readings on the systems S, B[S] those
to place the others on the systems outside S:

.. math:: F[S \cup l] \mathrel{+}= F[S]\, A_{|S|,l}, \qquad B[S] = \sum_{l \notin S} A_{|S|,l}\, B[S \cup l], \qquad
    P(i, l) = \sum_{|S| = i,\; l \notin S} F[S]\, A_{il}\, B[S \cup l] / F[\text{all}] .

That is :math:`O(L\,2^L)` for the permanent and all L² marginals together. Ryser's formula has the same order for the
permanent alone, but is a sum of :math:`2^L` terms of either sign that are far larger than their sum: when one
association is far likelier than the others, as it mostly is, every digit cancels. Here all terms are positive.

Rows and columns are first scaled by the dual variables of the best assignment: all weights are then at most one, those
of the best permutation are one, nothing over- or underflows, and subsets of no weight are skipped.

A permutation that differs from the best one hands readings on in cycles: the reading of system a goes to b, that of b to c, and so on
back to a. So systems that cannot reach each other and come back never exchange readings, and the permanent is the product of
those of the groups of systems that can (the strong components of the weights that are not negligible).

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now, inlined

Work = tuple[Floats, Floats, Floats, Integers, Floats, Floats, Integers, Integers, Floats, Floats]
NEGLIGIBLE = 1e-20  # beside a permanent of at least one; what is smaller is left out, and with it all work on it
PRIME = 67  # powers of two have different remainders, which tell their exponents:
PLACES = np.array([next((l for l in range(PRIME - 1) if 2**l % PRIME == left), 0) for left in range(PRIME)])


@compile_now
def assignment_duals(cost: Floats, u: Floats, v: Floats, owner: Integers) -> bool:
    """Fill u, v (L,) with u_i + v_l <= cost_il, equal along an assignment of least cost; False if all are infinite.

    Shortest augmenting paths (Jonker and Volgenant), O(L³). Fills `owner` (L + 1,) with the row that each column has; its last
    entry is scratch, where each path begins.
    """
    L = cost.shape[0]
    way = np.empty(L, np.int64)
    potential, shortest = np.empty(L + 1), np.empty(L)
    used = np.empty(L + 1, np.bool_)
    for l in range(L + 1):
        owner[l] = -1
        potential[l] = 0.0
    for l in range(L):
        u[l] = 0.0
    for row in range(L):
        owner[L] = row
        for l in range(L):
            shortest[l] = np.inf
            used[l] = False
        used[L] = False
        column = L
        while owner[column] >= 0:
            used[column] = True
            i, nearest, step = owner[column], -1, np.inf
            for l in range(L):
                if not used[l]:
                    reduced = cost[i, l] - u[i] - potential[l]
                    if reduced < shortest[l]:
                        shortest[l] = reduced
                        way[l] = column
                    if shortest[l] < step:
                        step = shortest[l]
                        nearest = l
            if nearest < 0:
                return False
            for l in range(L + 1):
                if used[l]:
                    u[owner[l]] += step
                    potential[l] -= step
                elif l < L:
                    shortest[l] -= step
            column = nearest
        while column < L:
            before = way[column]
            owner[column] = owner[before]
            column = before
    for l in range(L):
        v[l] = potential[l]
    return True


@compile_now
def fill_subsets(A: Floats, F: Floats, B: Floats, marginals: Floats) -> float:
    """Fill the marginals (L, L) of weights A (L, L), and return the permanent; F and B (2^L,) are scratch."""
    L = A.shape[0]
    everything = (1 << L) - 1
    possible = np.zeros(L, np.int64)
    for i in range(L):
        for l in range(L):
            marginals[i, l] = 0.0
            if A[i, l] > 0.0:
                possible[i] |= 1 << l
    for S in range(everything + 1):
        F[S] = 0.0
    F[0] = 1.0
    for S in range(everything):
        f = F[S]
        if f < NEGLIGIBLE:
            F[S] = 0.0
            continue
        i = size(S)
        left = possible[i] & ~S
        while left:
            bit = left & -left
            F[S | bit] += f * A[i, PLACES[bit % PRIME]]
            left ^= bit
    permanent = F[everything]
    B[everything] = 1.0
    for S in range(everything - 1, -1, -1):
        f, total = F[S], 0.0
        if f > 0.0:
            f /= permanent
            i = size(S)
            left = possible[i] & ~S
            while left:
                bit = left & -left
                l = PLACES[bit % PRIME]
                t = A[i, l] * B[S | bit]
                total += t
                marginals[i, l] += f * t
                left ^= bit
        B[S] = total
    return float(permanent)


@inlined
def size(S: int) -> int:
    """Number of members of a set of bits."""
    n = 0
    while S:
        S &= S - 1
        n += 1
    return n


@compile_now
def associate(log_weights: Floats, marginals: Floats, work: Work) -> float:
    """Fill the marginals (L, L) of one set and return the logarithm of its permanent.

    Minus infinity, with marginals NaN, when no permutation is possible.
    """
    A, u, v, owner, F, B, reach, members, part, shares = work
    L = A.shape[0]
    for i in range(L):
        for l in range(L):
            A[i, l] = -log_weights[i, l]
    if not assignment_duals(A, u, v, owner):
        for i in range(L):
            for l in range(L):
                marginals[i, l] = np.nan
        return -np.inf
    total = 0.0
    for i in range(L):
        total -= u[i] + v[i]
        for l in range(L):
            A[i, l] = np.exp(min(u[i] + v[l] - A[i, l], 0.0))
            if A[i, l] < NEGLIGIBLE:
                A[i, l] = 0.0
            marginals[i, l] = 0.0
    fill_reach(A, owner, reach)
    for l in range(L):
        g = group_of(reach, l, members)
        if members[0] != l:
            continue
        if g == 1:
            marginals[owner[l], l] = 1.0
            total += np.log(A[owner[l], l])
            continue
        own, found = part[: g * g].reshape(g, g), shares[: g * g].reshape(g, g)
        for i in range(g):
            for j in range(g):
                own[i, j] = A[owner[members[i]], members[j]]
        total += np.log(fill_subsets(own, F, B, found))
        for i in range(g):
            for j in range(g):
                marginals[owner[members[i]], members[j]] = found[i, j]
    return float(total)


@inlined
def fill_reach(A: Floats, owner: Integers, reach: Integers) -> None:
    """Fill the systems (L,), as bits, that a system's reading of the best assignment can go to, handed on by others or not."""
    L = A.shape[0]
    for l in range(L):
        reach[l] = 0
        for other in range(L):
            if A[owner[l], other] > 0.0:
                reach[l] |= 1 << other
    for over in range(L):
        for l in range(L):
            if reach[l] >> over & 1:
                reach[l] |= reach[over]


@inlined
def group_of(reach: Integers, l: int, members: Integers) -> int:
    """Fill the systems that a system exchanges readings with, and itself, in ascending order; and return how many they are."""
    g = 0
    for other in range(reach.shape[0]):
        if other == l or (reach[l] >> other & 1 and reach[other] >> l & 1):
            members[g] = other
            g += 1
    return g


@compile_now
def workspace(L: int) -> Work:
    """Scratch arrays for `associate`."""
    return (
        np.empty((L, L)),
        np.empty(L),
        np.empty(L),
        np.empty(L + 1, np.int64),
        np.empty(1 << L),
        np.empty(1 << L),
        np.empty(L, np.int64),
        np.empty(L, np.int64),
        np.empty(L * L),
        np.empty(L * L),
    )


@compile_now
def associate_each(log_weights: Floats) -> tuple[Floats, Floats]:
    """Logarithms of permanents (N,) and marginals (N, L, L) of many sets (N, L, L)."""
    N, L, _ = log_weights.shape
    logs, marginals = np.empty(N), np.empty((N, L, L))
    work = workspace(L)
    for k in range(N):
        logs[k] = associate(log_weights[k], marginals[k], work)
    return logs, marginals
