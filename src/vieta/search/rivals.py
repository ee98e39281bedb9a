r"""Whether another solution explains the sets as well as the best one.

For two solutions A (the best) and B let :math:`d_k` be the difference of their log densities of set k, at most `STEP` in size, so that no set
decides alone. If B were the truth, :math:`P(\sum d_k \ge t) \le e^{-t}` about, by Markov's inequality for the likelihood ratio, and
:math:`\sum d_k / \sqrt{\sum d_k^2}` would exceed z about as often as a normal variable. B is excluded when both tests do so. What is not
excluded is a rival, if it is a solution of its own and not another place on the same hill: the likelihood falls between the two.
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.matching import match_rows
from vieta.search.ascent import Climbed, climb
from vieta.search.moves import DIFFERENT
from vieta.search.problem import Problem, distance, expect

STEP = 4.0  # log-likelihood of a set
EXCLUDED = 5.0  # sum that excludes: one in 150
SURE = 2.0  # normal quantile that excludes: one in 44
MOST = 6  # solutions that are looked at
BETWEEN = (0.25, 0.5, 0.75)  # places on the way
VALLEY = 0.5  # log-likelihood by which it falls there


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
        if not excluded and _is_apart(given, first, one):
            found.append(Rival(one.theta, first.likelihood - one.likelihood))
    return first, found


def _is_apart(given: Problem, first: Climbed, other: Climbed) -> bool:
    """Whether two solutions differ, and the likelihood falls on the way from one to the other."""
    if distance(given, first.theta, other.theta) <= DIFFERENT:
        return False
    a, b = first.theta @ given.root.T, other.theta @ given.root.T
    matched = first.theta[match_rows(a, b, unit=1.0)]
    between = (expect(given, matched + t * (other.theta - matched)).logs.sum() for t in BETWEEN)
    return bool(min(between) < other.likelihood - VALLEY)
