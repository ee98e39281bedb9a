"""Interpolation in the table of a law's log density.

This module imports numba and is imported where it is needed only.
"""

from vieta.arrays import Floats
from vieta.compiled import compile_now


@compile_now
def interpolate(
    u: Floats, value: Floats, slope: Floats, farthest: float, steps: float, log: Floats, score: Floats
) -> None:
    r"""Fill log f (n,) and -f'/f (n,) at places u (n,), from log f and its slope at points from -`farthest` on in `steps` to a unit.

    Cubic between the points (Hermite), so that the slope is that of the value, and linear outside.
    """
    h, last = 1.0 / steps, len(value) - 2
    for i in range(len(u)):
        x = (u[i] + farthest) * steps
        at = int(min(max(x, 0.0), float(last)))
        t = (x - at) * h
        near = min(max(t, 0.0), h)
        d0, d1 = slope[at], slope[at + 1]
        rise = (value[at + 1] - value[at]) * steps
        c = (3.0 * rise - 2.0 * d0 - d1) * steps
        d = (d0 + d1 - 2.0 * rise) * steps * steps
        there = d0 + near * (2.0 * c + 3.0 * d * near)
        log[i] = value[at] + near * (d0 + near * (c + near * d)) + (t - near) * there
        score[i] = -there
