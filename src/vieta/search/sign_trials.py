r"""The signs with the least quadratic form, by trying all of them: the kernel.

With Q (n, D) an orthonormal basis of the inputs and :math:`M = I - QQ'`, the form of differences d under signs s is

.. math:: (s \circ d)'M(s \circ d) = d'd - |v + w|^2, \qquad v + w = Q'(s \circ d) ,

v the sum over the first half of the entries and w over the others: the :math:`2^{n-1}` lengths come from two short tables, as
:math:`|v|^2 + |w|^2 + 2 v'w`. The first sign is one.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Booleans, Floats
from vieta.compiled import compile_now, inlined

ROUNDING = 1e-12  # of d'd, that other signs must gain


@inlined
def fill_sums(rows: Floats, first: int, bits: int, sums: Floats, squares: Floats) -> None:
    """Fill the sums (D, 2 ** bits) of some rows (n, D) under all signs, and their squared lengths; a bit that is set turns the sign of its row.

    The rows from `first` on are turned; what stands in the first column is added to all.
    """
    D = rows.shape[1]
    for c in range(D):
        for k in range(bits):
            sums[c, 0] += rows[first + k, c]
        for k in range(bits):
            for S in range(1 << k):
                sums[c, S + (1 << k)] = sums[c, S] - 2.0 * rows[first + k, c]
    for S in range(1 << bits):
        squares[S] = 0.0
    for c in range(D):
        for S in range(1 << bits):
            squares[S] += sums[c, S] * sums[c, S]


@compile_now
def first_exchange(
    readings: Floats, basis: Floats, open_: Booleans, first: int, closes: bool, better: float, signs: Floats
) -> int:
    """The first pair a < b of systems, from number a L + b = `first` on, whose form other signs make less than `better` times what it is.

    `readings` (n, L) are those of each system, `basis` (n, D) is Q; only pairs that are `open_` (L, L) are looked at, and closed then if that
    is asked for. Fills `signs` (n,), the first of them one. Returns -1 if there is no such pair.
    """
    (n, L), D = readings.shape, basis.shape[1]
    left = (n - 1) // 2
    right = n - 1 - left
    rows, v, w = np.empty((n, D)), np.empty((D, 1 << left)), np.empty((D, 1 << right))
    of_v, of_w = np.empty(1 << left), np.empty(1 << right)
    sizes, longest, at = np.empty(1 << right), np.empty(1 << right), np.empty(1 << right, np.int64)
    for number in range(first, L * L):
        a, b = number // L, number % L
        if b <= a or not open_[a, b]:
            continue
        if closes:
            open_[a, b] = False
        total = 0.0
        for i in range(n):
            half = 0.5 * (readings[i, a] - readings[i, b])
            total += half * half
            for c in range(D):
                rows[i, c] = half * basis[i, c]
        for c in range(D):
            v[c, 0], w[c, 0] = rows[0, c], 0.0
        fill_sums(rows, 1, left, v, of_v)
        fill_sums(rows, 1 + left, right, w, of_w)
        for T in range(1 << right):
            longest[T], at[T] = -1.0, 0
        for S in range(1 << left):
            for T in range(1 << right):
                sizes[T] = of_v[S] + of_w[T]
            for c in range(D):
                twice = 2.0 * v[c, S]
                for T in range(1 << right):
                    sizes[T] += twice * w[c, T]
            for T in range(1 << right):
                if sizes[T] > longest[T]:
                    longest[T], at[T] = sizes[T], S
        best, present = 0, of_v[0] + of_w[0]
        for c in range(D):
            present += 2.0 * v[c, 0] * w[c, 0]
        for T in range(1 << right):
            if longest[T] > longest[best]:
                best = T
        if total - longest[best] < better * (total - present) - ROUNDING * total:
            for i in range(n):
                signs[i] = 1.0
            for k in range(left):
                if at[best] >> k & 1:
                    signs[1 + k] = -1.0
            for k in range(right):
                if best >> k & 1:
                    signs[1 + left + k] = -1.0
            return number
    return -1
