"""Sums of even powers of scalar inputs, with the sums in registers.

This module imports numba and is imported where it is needed only.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numba.cpython.unsafe.tuple import tuple_setitem

from vieta.arrays import Floats
from vieta.coefficients.input_statistics import LANES, PAGE
from vieta.compiled import compile_now


@cache
def power_sums() -> Callable[[Floats, Floats, int], int]:
    """Compile `run(lanes, c, count)`: adds the powers of c to the lanes in place and returns how many entered."""
    zeros = (0.0,) * LANES

    def run(lanes: Floats, c: Floats, count: int) -> int:
        square, power = np.empty(PAGE), np.empty(PAGE)
        at, counted = 0, 0
        while at < c.shape[0]:
            page, inside = divmod(count + at, PAGE)
            n = min(PAGE - inside, c.shape[0] - at)
            if page < PAGE or page % 16 == 0:
                counted += n
                for k in range(n):
                    square[k] = c[at + k] * c[at + k]
                    power[k] = 1.0
                for i in range(lanes.shape[1]):
                    for k in range(n):
                        power[k] *= square[k]
                    sums = zeros  # in registers, as an array would not be
                    for j in range(LANES):
                        sums = tuple_setitem(sums, j, lanes[(inside + j) % LANES, i])
                    for k in range(0, n - n % LANES, LANES):
                        for j in range(LANES):
                            sums = tuple_setitem(sums, j, sums[j] + power[k + j])
                    for j in range(LANES):
                        lanes[(inside + j) % LANES, i] = sums[j]
                    for k in range(n - n % LANES, n):
                        lanes[(inside + k) % LANES, i] += power[k]
            at += n
        return counted

    return compile_now(run)
