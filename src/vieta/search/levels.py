r"""Starts where inputs repeat: the sets under each different input are averaged in ascending order, and what is left is a small problem.

With R different inputs :math:`\psi_r`, each of :math:`n_r` sets, the mean of the sorted sets is about the sorted set of the means
:math:`\psi_r'\theta_l`, its noise :math:`\sqrt{n_r}` times smaller. (Where means lie close, sorting pushes them apart; climbs from where this
leads put that right.) Which of the L values under one input belong to which under another is what a search has to find out, and here each
start costs R sets instead of N, so that there can be thousands.
"""

import numpy as np

from vieta.arrays import Floats
from vieta.search.exchanges import different_rows
from vieta.search.hopping import hopped
from vieta.search.moves import DIFFERENT, local_solutions
from vieta.search.problem import Problem, distance, problem

OFTEN = 4.0  # sets for each different input, on average, from which on they are averaged
STARTS, HOPS = 1500, 240
KEPT = 12  # of the solutions from random starts
MOST = 8  # solutions that are returned


def level_solutions(given: Problem, rng: np.random.Generator) -> list[Floats]:
    """Different parameters (L, D), the best first, by the averages under each input; none where inputs do not repeat, or for vectors."""
    small = averaged(given)
    return [] if small is None else small_solutions(small, given, rng)


def small_solutions(small: Problem, given: Problem, rng: np.random.Generator) -> list[Floats]:
    """Solutions of the problem of averages, the best first, that differ in the sets of another problem."""
    found = local_solutions(small, STARTS, rng)[:KEPT]
    chosen: list[Floats] = []
    for one in hopped(small, found, rng, HOPS if len(small.sets) > small.psi.shape[2] else 0):
        if len(chosen) < MOST and all(distance(given, one.theta, other) > DIFFERENT for other in chosen):
            chosen.append(one.theta)
    return chosen


def averaged(given: Problem) -> Problem | None:
    """The problem of the sets' averages under each different input, weighted by their number; None where inputs do not repeat."""
    n, _, p = given.sets.shape
    if p > 1 or given.n_systems < 2:
        return None
    first, group = different_rows(given.psi[:, 0])
    if len(first) * OFTEN > n:
        return None
    sums = np.zeros((len(first), given.n_systems))
    np.add.at(sums, group, given.sets[:, :, 0])
    weight = np.sqrt(np.bincount(group))[:, None]
    return problem((sums / weight)[:, :, None], (given.psi[first, 0] * weight)[:, None, :], np.eye(1))
