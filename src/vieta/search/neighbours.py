r"""Other solutions that make nearly the same sets as the best one, on more sets than the search saw.

A search sees few sets. With noise as large as the gaps, their best solution may be another one than that of all sets, and so far from it that
no move leads to it, while from the best one of more sets a single move does. So the best solution climbs on these sets, and
alternatives of two and three systems (`moves.alternatives`) climb from there.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.search.ascent import Climbed, climb, likeliest
from vieta.search.moves import DIFFERENT, alternatives, subsets
from vieta.search.problem import Problem, some_of

MOST_SYSTEMS = 10  # beyond, sums over assignments are slow
WORK = 1e6  # operations that such a sum may take, roughly
FAR = 30.0  # log-likelihood that an alternative may lose by its own account
ALTERNATIVES, KEPT = 2, 3  # of each subset, and solutions that are kept
ITERATIONS, GAIN = 40, 0.01  # of a climb


def neighbours(given: Problem, theta: Floats) -> list[Floats]:
    """Different solutions (L, D) that one move leads to, the likeliest first."""
    (_, L, p), D = given.sets.shape, theta.shape[1]
    if p >= D or not 1 < L <= MOST_SYSTEMS:
        return []
    given, rng = some_of(given, int(WORK / (L << L))), np.random.default_rng(0)
    best = climb(given, theta, gain=GAIN).theta
    found: list[Climbed] = []
    for chosen in (one for size in (2, 3) if size <= L for one in subsets(L, size, rng)):
        for _, other in zip(range(ALTERNATIVES), alternatives(given, best, chosen, rng), strict=False):
            if 0.5 * other.cost > FAR:
                break
            start = best.copy()
            start[chosen] = other.theta
            found.append(climb(given, start, ITERATIONS, GAIN))
    return [one.theta for one in likeliest(given, found, best, DIFFERENT, KEPT)]
