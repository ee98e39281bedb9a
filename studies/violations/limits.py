r"""The power that no test can exceed, where parameters move.

*Jumps.* An estimate that mixes before and after, half and half, is off the last value by half of the jump, and the difference of the two
halves, which is the jump, has twice its standard error. So the best test of a jump of that parameter at that time is normal with a mean that
is the bias b in standard errors (Neyman and Pearson), and finds it with probability :math:`P(|N(b, 1)| > z_\alpha)`: of a bias of two standard
errors 28 % at a level of 1 %, and 95 % from 4.2 on. A test that must look for the parameter and the time finds less.

*Walks.* The sums of scores, in waves :math:`c_j = \sqrt 2 \cos(\pi j t)`, are independent and normal with variances 1, and
:math:`1 + \lambda_i^2 / (\pi j)^2` where parameter i goes :math:`\lambda_i` standard errors far on average. The likelihood ratio of all waves
and parameters, a sum of squares, is the best test of a walk of known size.
"""

from statistics import NormalDist

import numpy as np

from studies.violations.rows import DESIGNS, Row
from vieta.arrays import Floats
from vieta.tails import normal_quantile, squares_tail

LEVEL = 0.01  # of all findings together
WAVES = 200
BISECTIONS = 60


def limit(row: Row, bias: float) -> float:
    """The largest possible power at a level of 1 %; NaN where nothing moves, or nothing is known."""
    words = row.violation.split()
    if words[0] == "jump" and np.isfinite(bias):
        return jump_limit(bias)
    if words[:2] == ["random", "walk,"]:
        return walk_limit(float(words[2]) * row.sets * _sizes(row.design))
    return float("nan")


def jump_limit(bias: float, level: float = LEVEL) -> float:
    """Of a jump that biases the estimate by so many of its standard errors."""
    z = -normal_quantile(0.5 * level)
    return NormalDist().cdf(bias - z) + NormalDist().cdf(-bias - z)


def walk_limit(lengths: Floats, level: float = LEVEL) -> float:
    """Of walks of parameters that go so many standard errors far (n,)."""
    gain = np.ravel(lengths[:, None] ** 2 / (np.pi * np.arange(1, WAVES + 1)) ** 2)
    weights = gain / (1.0 + gain)
    low, high = 0.0, 10.0 * float(weights.sum()) + 100.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if squares_tail(weights, middle) > level else (low, middle)
    return squares_tail(weights * (1.0 + gain), high)


def _sizes(design: str) -> Floats:
    """(L D,) the inputs' root mean squares, by which a step in noise standard deviations is one in standard errors over N."""
    rows = DESIGNS[design].inputs(20_000, np.random.default_rng(0))
    return np.tile(np.sqrt((rows**2).mean(axis=0)), len(DESIGNS[design].theta))
