"""Moves between solutions: a few systems are solved for again, globally, on the readings that are theirs.

Most wrong solutions have most systems right and two or three entangled. `resolved` takes the readings that are assigned to a few systems and
starts alternating assignment on them many times: that is enough where the noise is small. `alternatives` does the same with the
means of these systems in the place of their readings, which no noise disturbs: other parameters that make nearly the same sets.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, repeat

import numpy as np

from vieta.arrays import Floats
from vieta.search.problem import Assigned, Problem, alternate, alternate_each, distance, gaps

ITERATIONS = 40
STARTS = {2: 10, 3: 16}  # of a problem of so many systems
MOST_SUBSETS = 60  # of three systems, that are tried
BETTER = 1e-9  # relative
DIFFERENT = 0.3  # noise standard deviations between solutions that count as two


def random_starts(given: Problem, count: int, rng: np.random.Generator) -> Floats:
    """(count, L, D) parameters around those of the mean reading, whose means spread as the readings do."""
    n, L, _ = given.sets.shape
    D = given.psi.shape[2]
    center = given.inverse.reshape(D, -1) @ given.sets.mean(axis=1).ravel()
    size = np.sqrt(((given.sets - given.means(center[None])) ** 2).sum() / (n * L))
    return np.asarray(center + size / np.sqrt(D) * rng.standard_normal((count, L, D)) @ given.back.T)


def local_solutions(given: Problem, count: int, rng: np.random.Generator) -> list[Assigned]:
    """Where alternating assignment ends from random starts, the best first."""
    return sorted(alternate_each(given, random_starts(given, count, rng), ITERATIONS), key=lambda one: one.cost)


def resolved(given: Problem, now: Assigned, rng: np.random.Generator, most: int | None = None) -> Assigned:
    """The best that moves of two systems, then of three, lead to; at most so many are tried, if that is given."""
    left = iter(range(most)) if most is not None else repeat(0)
    for size in (2, 3):
        while size < given.n_systems:
            better = _first_better(given, now, size, rng, left)
            if better is None:
                break
            now = better
    return now


def _first_better(
    given: Problem, now: Assigned, size: int, rng: np.random.Generator, left: Iterator[int]
) -> Assigned | None:
    """`left` has an element for each move that may still be tried."""
    readings = now.readings
    for chosen, _ in zip(subsets(given.n_systems, size, rng), left):
        part = given.of(readings[:, chosen])
        cost = ((readings[:, chosen] - given.means(now.theta[chosen])) ** 2).sum()
        best = local_solutions(part, STARTS[size], rng)[0]
        if best.cost < (1.0 - BETTER) * cost:
            theta = now.theta.copy()
            theta[chosen] = best.theta
            found = alternate(given, theta)
            if found.cost < (1.0 - BETTER) * now.cost:
                return found
    return None


def alternatives(given: Problem, theta: Floats, chosen: Sequence[int], rng: np.random.Generator) -> Iterator[Assigned]:
    """Other parameters of a few systems that make nearly the same sets, the most similar first, with the squared distance that is left.

    All of these systems change: an alternative that leaves one in its place is one of fewer systems.
    """
    own = theta[chosen]
    seen: list[Floats] = []
    for one in local_solutions(given.of(given.means(own)), STARTS[len(chosen)], rng):
        if gaps(given, own, one.theta).min() <= DIFFERENT:
            continue
        if all(distance(given, one.theta, other) > DIFFERENT for other in seen):
            seen.append(one.theta)
            yield one


def subsets(n_systems: int, size: int, rng: np.random.Generator) -> list[list[int]]:
    """All subsets of a size, or some, in random order."""
    every = [list(one) for one in combinations(range(n_systems), size)]
    order = rng.permutation(len(every))
    return [every[i] for i in (order if size == 2 else order[:MOST_SUBSETS])]
