r"""The search for the solution that explains sets best, whatever the inputs look like.

1. Alternating assignment from many random starts; the best two are improved by moves of two and three systems (`moves.resolved`).
2. The different ones among the best climb the likelihood (`ascent`), which counts every assignment by its probability: where the noise
   is as large as the gaps, least squared distance prefers wrong solutions.
3. From the best one: other parameters of two and three systems that make nearly the same sets (`moves.alternatives`) climb as well. If one
   ends higher, it is the best, and this step begins again. All that ended elsewhere are kept: the rivals are among them.

The likelihood is that of Gaussian noise of the variance that the sums of the readings have, which needs no labels. It serves to compare solutions
only; the estimate itself needs no noise law.
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.search.ascent import Climbed, climb
from vieta.search.moves import DIFFERENT, alternatives, local_solutions, resolved, subsets
from vieta.search.problem import Problem, distance

STARTS, STARTS_EACH = 16, 8  # random starts: so many, and so many more for each unknown beyond one a system
MOST_STARTS = 120
IMPROVED = 2
CLIMBING = 8  # solutions that climb before the moves
SHORT = 30  # iterations of a climb that is to be compared
NEAR = 0.02  # log-likelihood: what a move must gain
FAR = 200.0  # log-likelihood that an alternative may lose by its own account, and still be tried
MOST_ALTERNATIVES = 3  # of a subset
MOST_MOVES = 40  # accepted ones


class Search(NamedTuple):
    """The best solution, and all different ones that were met, the best of them first."""

    best: Climbed
    others: list[Climbed]


def search(given: Problem, starts: list[Floats]) -> Search:
    """Search from given parameters and from random ones. The result is a function of its arguments."""
    rng = np.random.default_rng(0)
    pool = _first_solutions(given, starts, rng)
    climbed = sorted((climb(given, theta, SHORT, NEAR) for theta in pool), key=lambda one: -one.likelihood)
    best, met = climbed[0], climbed[1:]
    for _ in range(MOST_MOVES):
        better = _moved(given, best, rng, met)
        if better is None:
            break
        met.append(best)
        best = better
    best = climb(given, best.theta)
    return Search(best, _different(given, best, met))


def _first_solutions(given: Problem, starts: list[Floats], rng: np.random.Generator) -> list[Floats]:
    """Different solutions by assignment, the best first, and the given starts."""
    L, D = given.n_systems, given.psi.shape[2]
    unknown = max(L * (D - given.psi.shape[1]), 0) if L > 1 else 0
    found = local_solutions(given, min(STARTS + STARTS_EACH * unknown, MOST_STARTS), rng)
    found = sorted([resolved(given, one, rng) for one in found[:IMPROVED]] + found[IMPROVED:], key=lambda one: one.cost)
    pool: list[Floats] = []
    for theta in [one.theta for one in found]:
        if len(pool) < CLIMBING and all(distance(given, theta, other) > DIFFERENT for other in pool):
            pool.append(theta)
    return pool + starts


def _moved(given: Problem, best: Climbed, rng: np.random.Generator, met: list[Climbed]) -> Climbed | None:
    """The first alternative of two or three systems that ends higher; those that do not are added to `met`."""
    for size in (2, 3):
        for chosen in subsets(given.n_systems, size, rng) if size <= given.n_systems else []:
            for count, other in enumerate(alternatives(given, best.theta, chosen, rng)):
                if count >= MOST_ALTERNATIVES or 0.5 * other.cost > FAR:
                    break
                theta = best.theta.copy()
                theta[chosen] = other.theta
                reached = climb(given, theta, SHORT, NEAR)
                if reached.likelihood > best.likelihood + NEAR:
                    return reached
                met.append(reached)
    return None


def _different(given: Problem, best: Climbed, met: list[Climbed]) -> list[Climbed]:
    """The solutions that differ from the best and from each other, the likeliest first."""
    found: list[Climbed] = []
    for one in sorted(met, key=lambda one: -one.likelihood):
        if all(distance(given, one.theta, other.theta) > DIFFERENT for other in (best, *found)):
            found.append(one)
    return found
