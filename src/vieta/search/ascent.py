r"""Climbing the likelihood of sets under Gaussian noise: EM, with steps that grow while they succeed.

.. math:: \theta_l \leftarrow \theta_l + a\,\bigl(X^+ E[y_l \mid \text{sets}, \theta] - \theta_l\bigr), \qquad a \ge 1,

a = 1 never lowers the likelihood; a longer step that does is taken back.
"""

from typing import NamedTuple

from vieta.arrays import Floats
from vieta.search.problem import Problem, expect, regressed

GROWTH, LONGEST = 1.5, 8.0  # of a


class Climbed(NamedTuple):
    """A log-likelihood, up to a constant, and the parameters (L, D) that have it."""

    likelihood: float
    theta: Floats


def climb(given: Problem, theta: Floats, iterations: int = 200, gain: float = 1e-4) -> Climbed:
    """EM from parameters, until an iteration gains less than `gain`."""
    now = expect(given, theta)
    likelihood, length = float(now.logs.sum()), 1.0
    for _ in range(iterations):
        there = theta + length * (regressed(given, now.readings) - theta)
        after = expect(given, there)
        reached = float(after.logs.sum())
        if reached < likelihood:
            if length == 1.0:
                break
            length = 1.0
            continue
        gained = reached - likelihood
        theta, now, likelihood, length = there, after, reached, min(GROWTH * length, LONGEST)
        if gained < gain:
            break
    return Climbed(likelihood, theta)
