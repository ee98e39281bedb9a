r"""Signs with a small quadratic form, :math:`\min_s s'As` over :math:`s \in \{-1, 1\}^n`, by turning single signs: the kernel.

Turning sign i changes the form by :math:`-4\,(s_i (As)_i - A_{ii})`. From each vector of signs the one that helps
most is turned, as long as one does.

This module imports numba and is imported where it is needed only.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.compiled import compile_now

ROUNDING = 1e-12  # of the largest element, that a turn must gain


@compile_now
def turn_signs(form: Floats, signs: Floats) -> int:
    """Turn the signs (count, n) of each row as long as that helps, and return the row with the least form (n, n), which is symmetric."""
    count, n = signs.shape
    pull, least, best = np.empty(n), np.inf, 0
    smallest = ROUNDING * np.abs(form).max()
    for row in range(count):
        s = signs[row]
        for i in range(n):
            pull[i] = 0.0
        for j in range(n):
            for i in range(n):
                pull[i] += s[j] * form[j, i]
        while True:
            at, gain = -1, smallest
            for i in range(n):
                gained = s[i] * pull[i] - form[i, i]
                if gained > gain:
                    at, gain = i, gained
            if at < 0:
                break
            for i in range(n):
                pull[i] -= 2.0 * s[at] * form[at, i]
            s[at] = -s[at]
        value = 0.0
        for i in range(n):
            value += s[i] * pull[i]
        if value < least:
            least, best = value, row
    return best
