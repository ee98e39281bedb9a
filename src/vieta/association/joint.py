r"""Two systems at a time in sets with missed and false readings: expected products over the readings of different systems.

With :math:`P_{il}` the probability that reading i is one of system l, and :math:`P_{jm | il}` that of another pair given this one, which is
that of the set without reading i and without system l,

.. math:: t_c = \mathrm{E} \sum_{l < m} f_c(y_l, l)\,f_c(y_m, m) = \tfrac12 \sum_{il} P_{il} f_c(i, l) \sum_{jm} P_{jm | il} f_c(j, m) ,

the sum over pairs of systems that have a reading. With the forward sums F of `vieta.association.partial` go those of the weights times
:math:`\sum_l f_c(y_l, l)` and :math:`\sum_{l < m} f_c f_c` of the pairs so far, G and H, so that one pass over the readings is enough:

.. math:: F' \mathrel{+}= A_{il} F, \quad G' \mathrel{+}= A_{il} (G + f_{il} F), \quad H' \mathrel{+}= A_{il} (H + f_{il} G), \quad t = H / F .

A set with too many states for that counts for nothing.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.association.partial import DIRECT, NEGLIGIBLE, Work, partial_workspace, prepare, slot_of
from vieta.compiled import compile_now, inlined


@compile_now
def expected_products(
    log_weights: Floats,
    log_clutter: Floats,
    log_missed: Floats,
    offsets: Integers,
    kept: int,
    f: Floats,
    t: Floats,
) -> None:
    """Fill t (N, C) from f (R, L, C); zeros for sets with more than `kept` states. The rest as in `vieta.association.partial`."""
    (L, C), most = f.shape[1:], 1
    for k in range(len(offsets) - 1):
        most = max(most, offsets[k + 1] - offsets[k])
    work = partial_workspace(most, L)
    layers, P = np.empty((2, work[11].shape[0], 1 + 2 * C)), np.empty((most, L))
    for k in range(len(offsets) - 1):
        a, n = offsets[k], offsets[k + 1] - offsets[k]
        rows = slice(a, a + n)
        for c in range(C):
            t[k, c] = 0.0
        if n > 1:
            forward_products(log_weights[rows], log_clutter[rows], log_missed, kept, f[rows], P[:n], work, layers, t[k])


@inlined
def forward_products(
    log_weights: Floats, log_clutter: Floats, log_missed: Floats, kept: int, f: Floats, P: Floats, work: Work, layers: Floats, t: Floats
) -> None:  # fmt: skip
    """Fill t (C,) for one set by one pass, if no more than `kept` states are left after each reading; `P` (n, L) and `layers` are scratch."""
    A, bits, systems, counts, closed, n_closed, closing, keys, _, _, _, table, slots, q, _, _ = work
    n, L = log_weights.shape
    C, direct = len(t), L <= DIRECT
    _, odds = prepare(log_weights, log_clutter, log_missed, P, work)
    limit = np.exp(NEGLIGIBLE - 1.5 * odds)
    size = table.shape[0]
    before, keys[0] = 1, 0
    layers[0, 0, 0] = 1.0
    for c in range(2 * C):
        layers[0, 0, 1 + c] = 0.0
    for i in range(n):
        old, new = layers[i & 1], layers[(i + 1) & 1]
        here, there = (i & 1) * size, ((i + 1) & 1) * size
        count = 0
        for s in range(before):
            for j in range(counts[i] + 1):
                S, a = keys[here + s], A[i, j]
                if S & bits[i, j]:
                    continue
                S |= bits[i, j]
                for c in range(n_closed[i]):
                    if not S >> closed[i, c] & 1:
                        a *= q[closed[i, c]]
                S &= ~closing[i]
                at = slot_of(S, keys, there, table, direct)
                place = table[at]
                if place < 0:
                    if not direct and count >= size // 2:
                        for left in range(count):
                            table[slots[left]] = -1
                        return
                    table[at], slots[count], place = count, at, count
                    keys[there + count] = S
                    for c in range(1 + 2 * C):
                        new[count, c] = 0.0
                    count += 1
                F = old[s, 0]
                new[place, 0] += a * F
                for c in range(C):
                    own = f[i, systems[i, j], c] if j < counts[i] else 0.0
                    G = old[s, 1 + c]
                    new[place, 1 + c] += a * (G + own * F)
                    new[place, 1 + C + c] += a * (old[s, 1 + C + c] + own * G)
        largest = 0.0
        for s in range(count):
            table[slots[s]] = -1
            largest = max(largest, new[s, 0])
        before = 0
        for s in range(count):
            if new[s, 0] >= limit * largest:
                keys[there + before] = keys[there + s]
                for c in range(1 + 2 * C):
                    new[before, c] = new[s, c] / largest
                before += 1
        if before > kept:
            return
    total = 0.0
    for s in range(before):
        total += layers[n & 1, s, 0]
        for c in range(C):
            t[c] += layers[n & 1, s, 1 + C + c]
    for c in range(C):
        t[c] /= total
