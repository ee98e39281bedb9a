r"""Whether another solution explains the sets as well as the best one.

For two solutions A (the best) and B let :math:`d_k` be the difference of their log densities of set k, at most `STEP` in size, so that no set
decides alone. If B were the truth, :math:`P(\sum d_k \ge t) \le e^{-t}` about, by Markov's inequality for the likelihood ratio, and
:math:`\sum d_k / \sqrt{\sum d_k^2}` would exceed z about as often as a normal variable. B is excluded when both tests do so. What is not
excluded is a rival: the sets do not tell which of the two is right.
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.search.ascent import Climbed, climb
from vieta.search.problem import Problem, distance, expect

STEP = 4.0  # log-likelihood of a set
EXCLUDED = 8.0  # sum that excludes: one in three thousand
SURE = 2.5  # normal quantile that excludes
MOST = 6  # solutions that are looked at


class Rival(NamedTuple):
    """Another solution (L, D), and the log-likelihood that the best one has more."""

    theta: Floats
    behind: float


def rivals(given: Problem, best: Floats, others: list[Floats]) -> tuple[Climbed, list[Rival]]:
    """The best of some solutions on these sets, and those that are not excluded, the nearest first."""
    climbed = [climb(given, theta) for theta in (best, *others[:MOST])]
    climbed.sort(key=lambda one: -one.likelihood)
    first = climbed[0]
    logs = expect(given, first.theta).logs
    found = []
    for one in climbed[1:]:
        d = np.clip(logs - expect(given, one.theta).logs, -STEP, STEP)
        excluded = d.sum() > EXCLUDED and d.sum() > SURE * np.sqrt((d**2).sum())
        if not excluded and distance(given, first.theta, one.theta) > 0.0:
            found.append(Rival(one.theta, first.likelihood - one.likelihood))
    return first, found
