"""A search that hops: the readings of two or three systems are scrambled in some sets of a good solution, and what comes is improved again.

From a solution in which most systems are right, that leads to the right one far sooner than new random starts do. A few solutions are
improved side by side, each by its own hops.
"""

from math import comb

import numpy as np

from vieta.search.pair_signs import MANY, pairs_solved
from vieta.search.problem import Assigned, Problem, alternate

SIDE_BY_SIDE = 4  # solutions
AGREED = 3  # of them, that must have ended at the best
SAME = 1e-6  # relative, of sums of squares
HOPELESS = 4.0  # times the sum of squares from which a hop began
FEWEST = 0.2  # share of the sets that are scrambled, at the least


def hopped(given: Problem, starts: list[Assigned], rng: np.random.Generator, most: int) -> list[Assigned]:
    """All solutions that were met, the best first, after so many hops at the most; numbers, of few sets (`pair_signs`).

    Of many systems there are fewer hops, as each of them takes longer.
    """
    now = [pairs_solved(given, one, rng) for one in starts[:SIDE_BY_SIDE]]
    met = [*starts, *now]
    for hop in range(_fewer(most, given.n_systems)):
        at = hop % len(now)
        found = pairs_solved(given, _scrambled(given, now[at], rng), rng, HOPELESS * now[at].cost, now[at])
        met.append(found)
        if found.cost < now[at].cost:
            now[at] = found
        best = min(one.cost for one in now)
        if sum(one.cost <= (1.0 + SAME) * best for one in now) >= min(AGREED, len(now)):
            break
    return sorted(met, key=lambda one: one.cost)


def _fewer(hops: int, n_systems: int) -> int:
    """As many hops as look at the same number of pairs, of more than `MANY` systems.

    >>> [_fewer(240, L) for L in (5, 10, 20, 40)]
    [240, 240, 56, 13]
    """
    return hops * comb(MANY, 2) // comb(max(n_systems, MANY), 2)


def _scrambled(given: Problem, now: Assigned, rng: np.random.Generator) -> Assigned:
    """Where alternation ends after two or three systems, at random, have exchanged their readings in some sets, at random."""
    L = given.n_systems
    chosen = rng.choice(L, min(int(rng.integers(2, 4)), L), replace=False)
    readings = now.readings[:, :, 0].copy()
    sets = np.flatnonzero(rng.random(len(readings)) < rng.uniform(FEWEST, 1.0))
    readings[np.ix_(sets, chosen)] = rng.permuted(readings[np.ix_(sets, chosen)], axis=1)
    return alternate(given, (given.inverse[:, :, 0] @ readings).T)
