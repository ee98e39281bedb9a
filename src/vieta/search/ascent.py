r"""Climbing the likelihood of sets under Gaussian noise: EM, with steps that grow while they succeed.

.. math:: \theta_l \leftarrow \theta_l + a\,\bigl(X^+ E[y_l \mid \text{sets}, \theta] - \theta_l\bigr), \qquad a \ge 1,

a = 1 never lowers the likelihood; a longer step that does is taken back. A climb may begin at larger noise variances, where the likelihood has
fewer hills (`anneal`).
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.search.problem import Problem, distance, expect, regressed

GROWTH, LONGEST = 1.5, 8.0  # of a
PATIENCE = 4.0  # times what seems left to gain
COOLING, STEPS = (16.0, 8.0, 4.0, 2.0), 4  # noise variances, and iterations at each


class Climbed(NamedTuple):
    """A log-likelihood, up to a constant, and the parameters (L, D) that have it."""

    likelihood: float
    theta: Floats


def climb(given: Problem, theta: Floats, iterations: int = 200, gain: float = 1e-4, goal: float = -np.inf) -> Climbed:
    """EM from parameters, until an iteration gains less than `gain`, or it will clearly not reach the log-likelihood `goal`."""
    now = expect(given, theta)
    likelihood, length, before = float(now.logs.sum()), 1.0, np.inf
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
        if gained < gain or likelihood + PATIENCE * _left(gained, before) < goal:
            break
        before = gained
    return Climbed(likelihood, theta)


def likeliest(given: Problem, met: list[Climbed], best: Floats, apart: float, most: int) -> list[Climbed]:
    """The likeliest first, no more than so many, of those that are further `apart` from the best (L, D) and from each other."""
    found: list[Climbed] = []
    for one in sorted(met, key=lambda one: -one.likelihood):
        if len(found) == most:
            break
        if all(distance(given, one.theta, other) > apart for other in (best, *(each.theta for each in found))):
            found.append(one)
    return found


def anneal(given: Problem, theta: Floats) -> Floats:
    """EM at falling noise variances: what sets tell roughly is settled first, so that the start matters less."""
    for variance in COOLING:
        for _ in range(STEPS):
            theta = regressed(given, expect(given, theta, variance).readings)
    return theta


def _left(gained: float, before: float) -> float:
    """What is left to gain if gains go on falling by the same factor, or by the half if they do not fall."""
    return 2.0 * gained if gained >= before else gained * gained / (before - gained)
