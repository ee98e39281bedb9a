r"""Which reading belongs to which system, for sets of numbers: by order, and by probability.

Readings of a set in ascending order, :math:`y_1 \le .. \le y_L`, and means likewise, :math:`m_1 \le .. \le m_L`. The
assignment of least total squared distance is by rank. Under Gaussian noise of variance :math:`\sigma^2` and a uniform prior over permutations,
a permutation :math:`\pi` has the weight :math:`\exp(\sum_i y_i m_{\pi(i)} / \sigma^2)`, and the set has the density

.. math:: \frac{1}{L!} \prod_i \varphi_\sigma(y_i - m_i) \cdot \mathrm{perm}(A), \qquad
    -\sigma^2 \log A_{il} = \sum_{r=i}^{l-1} (y^*_r - y_i)(m_{r+1} - m_r) \;\; (l > i), \quad
    \sum_{r=l}^{i-1} (y_i - y^*_r)(m_{r+1} - m_r) \;\; (l < i),

with :math:`y^*_r = (y_r + y_{r+1})/2`: dual variables of the assignment, which make every weight at most one and those of the best
assignment one. Where :math:`(y_{r+1} - y_r)(m_{r+1} - m_r)` exceeds `CERTAIN` variances, nobody crosses between ranks r and r + 1, and the
permanent factors into those of groups. A group's costs O(g 2^g); one of more than `MOST` ranks is cut where crossing is least likely.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.association.group_permanents import LANES, associate_lanes
from vieta.compiled import compile_now, inlined

CERTAIN = 36.0  # exponent beyond which a crossing has no weight
MOST = 10  # ranks in a group

Waiting = tuple[Integers, Integers, Floats, Floats, Integers, Floats, Floats, Floats]


@compile_now
def no_groups(n_systems: int) -> Waiting:
    """Room for the groups of L systems that wait: how many there are of each size, the set and the rank that each begins at, weights,
    readings, and scratch. Lanes that were never filled hold ones, which are weights like others.
    """
    G = min(n_systems, MOST)
    return (
        np.zeros(G + 1, np.int64),
        np.empty((G + 1, LANES, 2), np.int64),
        np.ones((G + 1, G, G, LANES)),
        np.ones((G + 1, G, LANES)),
        np.empty(1 << G, np.int64),
        np.empty((1 << G, LANES)),
        np.empty((1 << G, LANES)),
        np.empty((G, LANES)),
    )


@inlined
def order_means(row: Floats, theta: Floats, m: Floats, order: Integers) -> bool:
    """Fill the means (L,) under an input, and let `order` (L,), some order before, sort them; tells whether it changed."""
    L, D = theta.shape
    for l in range(L):
        t = 0.0
        for d in range(D):
            t += row[d] * theta[l, d]
        m[l] = t
    changed = False
    for i in range(1, L):
        at, j = order[i], i
        while j > 0 and m[order[j - 1]] > m[at]:
            order[j] = order[j - 1]
            j -= 1
        changed = changed or j != i
        order[j] = at
    return changed


@compile_now
def alternate_numbers(
    sets: Floats, rows: Floats, inverse: Floats, starts: Floats, iterations: int, orders: Integers, costs: Floats
) -> None:  # fmt: skip
    """Assign by rank, regress each system, and so on until nothing changes, from each of some starts (count, L, D), which are overwritten.

    `sets` (n, L) ascending, `rows` (n, D), `inverse` (n, D) the transposed pseudo-inverse of the rows. Fills `orders` (count, n, L), the
    systems by ascending means, and `costs` (count,), the sums of squared distances.
    """
    count, L, D = starts.shape
    new, m = np.empty((L, D)), np.empty(L)
    for s in range(count):
        costs[s] = alternate_from(sets, rows, inverse, starts[s], iterations, orders[s], new, m)


@compile_now
def alternate_from(
    sets: Floats, rows: Floats, inverse: Floats, theta: Floats, iterations: int, orders: Integers, new: Floats, m: Floats
) -> float:  # fmt: skip
    """The same from one start; returns the sum of squared distances. `new` (L, D) and `m` (L,) are scratch."""
    (n, L), D = sets.shape, theta.shape[1]
    for k in range(n):
        for l in range(L):
            orders[k, l] = l
    cost = 0.0
    for iteration in range(iterations):
        cost, changed = 0.0, iteration == 0
        for l in range(L):
            for d in range(D):
                new[l, d] = 0.0
        for k in range(n):
            order, back = orders[k], inverse[k]
            if order_means(rows[k], theta, m, order):
                changed = True
            for i in range(L):
                l, y = order[i], sets[k, i]
                cost += (y - m[l]) ** 2
                for d in range(D):
                    new[l, d] += back[d] * y
        if not changed:
            break
        for l in range(L):
            for d in range(D):
                theta[l, d] = new[l, d]
    return cost


@inlined
def fill_weights(y: Floats, m: Floats, order: Integers, first: int, g: int, variance: float, A: Floats, readings: Floats,
                 lane: int) -> None:  # fmt: skip
    """Fill one lane of the weights A (g, g, LANES) and of the readings (g, LANES) of the g ranks from `first` on."""
    for i in range(g):
        readings[i, lane] = y[first + i]
        A[i, i, lane] = 1.0
        t = 0.0
        for l in range(i + 1, g):  # up
            r = first + l - 1
            t += (0.5 * (y[r] + y[r + 1]) - y[first + i]) * (m[order[r + 1]] - m[order[r]])
            A[i, l, lane] = np.exp(-t / variance)
        t = 0.0
        for l in range(i - 1, -1, -1):  # down
            r = first + l
            t += (y[first + i] - 0.5 * (y[r] + y[r + 1])) * (m[order[r + 1]] - m[order[r]])
            A[i, l, lane] = np.exp(-t / variance)


@compile_now
def expect_waiting(waiting: Waiting, g: int, orders: Integers, expected: Floats, logs: Floats) -> None:
    """Fill what readings of the groups of size g that wait are expected to be, and add the logarithms of their permanents."""
    count, place, A, readings, size, F, B, sums = waiting
    associate_lanes(A[g], readings[g], g, size, F, B, sums)
    for w in range(count[g]):
        k, first = place[g, w, 0], place[g, w, 1]
        logs[k] += np.log(F[(1 << g) - 1, w])
        for l in range(g):
            expected[k, orders[k, first + l]] = sums[l, w]
    count[g] = 0


@inlined
def cut_groups(y: Floats, m: Floats, order: Integers, variance: float, ends: Integers) -> int:
    """Fill the ranks before which groups end, and return how many there are."""
    L, count, first = y.shape[0], 0, 0
    for r in range(L):
        while r + 1 < L and r + 1 - first >= MOST:  # one more would be too many: end where crossing is least likely
            widest, at = -1.0, first
            for q in range(first, r + 1):
                t = (y[q + 1] - y[q]) * (m[order[q + 1]] - m[order[q]])
                if t > widest:
                    widest, at = t, q
            first = at + 1
            ends[count] = first
            count += 1
        if r + 1 == L or (r >= first and (y[r + 1] - y[r]) * (m[order[r + 1]] - m[order[r]]) > CERTAIN * variance):
            first = r + 1
            ends[count] = first
            count += 1
    return count


@compile_now
def expect_numbers(
    sets: Floats, rows: Floats, theta: Floats, variance: float, orders: Integers, m: Floats, ends: Integers, expected: Floats,
    logs: Floats,
) -> None:  # fmt: skip
    """Fill the expected reading of each system (n, L) and each set's log density (n,), up to -L/2 log(2 pi variance) - log L!.

    `orders` (n, L) hold some orders before; `m` and `ends` (L,) are scratch. Groups of three and more wait until there are `LANES` of one
    size.
    """
    n, L = sets.shape
    waiting = no_groups(L)
    count, place, A, readings = waiting[0], waiting[1], waiting[2], waiting[3]
    for k in range(n):
        order, y = orders[k], sets[k]
        order_means(rows[k], theta, m, order)
        cost = 0.0
        for i in range(L):
            cost += (y[i] - m[order[i]]) ** 2
        logs[k] = -0.5 * cost / variance
        first = int(np.int64(0))  # a plain 0 is a type of its own: all that is called with it would compile twice
        for c in range(cut_groups(y, m, order, variance, ends)):
            g = ends[c] - first
            if g == 1:
                expected[k, order[first]] = y[first]
            elif g == 2:
                low, high = order[first], order[first + 1]
                t = np.exp(-(y[first + 1] - y[first]) * (m[high] - m[low]) / variance)
                crossed = t / (1.0 + t)
                expected[k, low] = y[first] + crossed * (y[first + 1] - y[first])
                expected[k, high] = y[first + 1] - crossed * (y[first + 1] - y[first])
                logs[k] += np.log1p(t)
            else:
                lane = count[g]
                fill_weights(y, m, order, first, g, variance, A[g], readings[g], lane)
                place[g, lane, 0], place[g, lane, 1] = k, first
                count[g] = lane + 1
                if lane + 1 == LANES:
                    expect_waiting(waiting, g, orders, expected, logs)
            first = ends[c]
    for g in range(3, len(count)):
        if count[g]:
            expect_waiting(waiting, g, orders, expected, logs)
