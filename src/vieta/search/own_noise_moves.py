"""Moves of two systems where each has a noise variance of its own.

Where inputs hardly tell which values belong together, many solutions are as likely as the right one at a common variance, too many to be found
one by one: groups that share a slope have (L!)^(G - 1) of them. Unequal variances tell them apart. So from the best maximum over variances two
systems at a time are exchanged for others that make nearly the same sets (`moves.alternatives`), as long as that leads higher.
"""

from itertools import islice

import numpy as np

from vieta.search.moves import alternatives, subsets
from vieta.search.problem import Problem
from vieta.search.unequal_noise import OwnNoise, climb_with_own_noise

TRIES = 80  # moves, at the most
MOST_ALTERNATIVES = 4  # of two systems
FAR = 60.0  # log-likelihood at the common variance, from which on an alternative is not looked at
PROBED = 10  # iterations that tell whether a climb is worth its time
NEAR = 10.0  # log-likelihood below the best one, up to which it is
BETTER = 0.5  # log-likelihood


def improved_with_own_noise(given: Problem, first: OwnNoise) -> OwnNoise:
    """The highest maximum over parameters and variances that moves of two systems lead to, one after another."""
    rng, now, left = np.random.default_rng(0), first, TRIES
    while left > 0:
        before = now
        for chosen in subsets(given.n_systems, 2, rng):
            for other in islice(alternatives(given, now.theta, chosen, rng), MOST_ALTERNATIVES):
                if left == 0 or 0.5 * other.cost > FAR:
                    break
                left -= 1
                theta = now.theta.copy()
                theta[chosen] = other.theta
                now = _higher(given, now, climb_with_own_noise(given, theta, PROBED))
        if now is before:
            break
    return now


def _higher(given: Problem, now: OwnNoise, probe: OwnNoise) -> OwnNoise:
    """Where a climb that has begun ends, if that is higher; else where we are."""
    if probe.likelihood < now.likelihood - NEAR:
        return now
    there = climb_with_own_noise(given, probe.theta)
    return there if there.likelihood > now.likelihood + BETTER else now
