r"""Permanents of small matrices and what they make readings expected to be, for several matrices of one size at a time.

As in `permanents`, with sums over subsets of systems,

.. math:: F[S] = \sum_{l \in S} F[S \setminus l]\, A_{|S|-1,l}, \qquad B[S] = \sum_{l \notin S} A_{|S|,l}\, B[S \cup l], \qquad
    E[y_l] = \sum_{S \not\ni l} F[S]\, A_{|S|,l}\, B[S \cup l]\, y_{|S|} / F[\text{all}] .

`LANES` matrices lie beside one another in memory, and what is done with each is written out, so that it is done with all of them by one
instruction. Each is computed as if it were alone.

This module imports numba and is imported where it is needed only.
"""

from vieta.arrays import Floats, Integers
from vieta.compiled import compile_now

LANES = 4


@compile_now
def associate_lanes(A: Floats, y: Floats, g: int, size: Integers, F: Floats, B: Floats, expected: Floats) -> None:
    """Fill `expected` (g, LANES), from weights A (g, g, LANES) of readings y (g, LANES).

    `size` (2^g,), F and B (2^g, LANES) are scratch; the permanents are in the row 2^g - 1 of F. Arrays may be longer.
    """
    everything = (1 << g) - 1
    fill_forward(A, g, size, F)
    for w in range(LANES):
        B[everything, w] = 1.0 / F[everything, w]
    for l in range(g):
        for w in range(LANES):
            expected[l, w] = 0.0
    for S in range(everything - 1, -1, -1):
        i = size[S]
        f, z = F[S], y[i]
        f0, f1, f2, f3 = f[0] * z[0], f[1] * z[1], f[2] * z[2], f[3] * z[3]
        s0 = s1 = s2 = s3 = 0.0
        for l in range(g):
            if not S >> l & 1:
                a, b, e = A[i, l], B[S | 1 << l], expected[l]
                t0, t1, t2, t3 = a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]
                s0, s1, s2, s3 = s0 + t0, s1 + t1, s2 + t2, s3 + t3
                t0, t1, t2, t3 = e[0] + f0 * t0, e[1] + f1 * t1, e[2] + f2 * t2, e[3] + f3 * t3
                e[0], e[1], e[2], e[3] = t0, t1, t2, t3
        b = B[S]
        b[0], b[1], b[2], b[3] = s0, s1, s2, s3


@compile_now
def fill_forward(A: Floats, g: int, size: Integers, F: Floats) -> None:
    """Fill F (2^g, LANES), and how many systems each subset has (2^g,)."""
    size[0] = 0
    for w in range(LANES):
        F[0, w] = 1.0
    for S in range(1, 1 << g):
        i = size[S >> 1] + (S & 1) - 1
        size[S] = i + 1
        s0 = s1 = s2 = s3 = 0.0
        for l in range(g):
            if S >> l & 1:
                a, f = A[i, l], F[S ^ 1 << l]
                s0, s1, s2, s3 = s0 + f[0] * a[0], s1 + f[1] * a[1], s2 + f[2] * a[2], s3 + f[3] * a[3]
        f = F[S]
        f[0], f[1], f[2], f[3] = s0, s1, s2, s3
