"""Moves of curves that touch: two systems change places from one place where they are near to another.

Alternating assignment does not get there by itself: every reading between the two places would have to change its system at once. Sets are
taken in the order of time, and in that of each input.
"""

from itertools import combinations

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.search.problem import Assigned, Problem, alternate_each

NEAR = 12.0  # noise standard deviations between curves that touch, if only between two sets
PLACES, ORDERS = 6, 4  # at which two curves change places, and orders of the sets, at the most
MOST_PAIRS = 40  # of systems, the nearest first
ITERATIONS = 60
BETTER = 1e-9  # relative


def exchanges(given: Problem, now: Assigned, noise: float) -> list[Assigned]:
    """Where alternation ends after exchanges of two systems between places where they touch; `noise` is a standard deviation."""
    starts = [one for pair in _nearest_pairs(given, now.theta) for one in _starts(given, now, pair, noise)]
    return alternate_each(given, np.array(starts), ITERATIONS) if starts else []


def improved(given: Problem, now: Assigned) -> Assigned:
    """The best that exchanges lead to, one after another; the noise is what is left over."""
    n, L, _ = given.sets.shape
    while True:
        noise = np.sqrt(now.cost / (n * L))
        best = min(exchanges(given, now, noise), key=lambda one: one.cost, default=now)
        if best.cost >= (1.0 - BETTER) * now.cost:
            return now
        now = best


def _nearest_pairs(given: Problem, theta: Floats) -> list[tuple[int, int]]:
    means = given.means(theta)[:, :, 0]
    pairs = combinations(range(given.n_systems), 2)
    return sorted(pairs, key=lambda pair: float(abs(means[:, pair[0]] - means[:, pair[1]]).min()))[:MOST_PAIRS]


def _starts(given: Problem, now: Assigned, pair: tuple[int, int], noise: float) -> list[Floats]:
    """Parameters (L, D) after each exchange of two systems."""
    chosen, readings = list(pair), now.readings[:, :, 0]
    means = given.means(now.theta[chosen])[:, :, 0]
    gaps = abs(means[:, 0] - means[:, 1])
    found = []
    for order in _orders(given):
        for first, last in combinations(_bounds(gaps[order], noise), 2):
            if last - first == len(order):
                continue
            both = readings[:, chosen].copy()
            both[order[first:last]] = both[order[first:last]][:, ::-1]
            theta = now.theta.copy()
            theta[chosen] = (given.inverse[:, :, 0] @ both).T
            found.append(theta)
    return found


def _orders(given: Problem) -> list[Integers]:
    """That of time, and those by inputs that vary in a way of their own."""
    n = len(given.sets)
    found = [np.arange(n)]
    for column in given.psi[:, 0].T:
        order = np.argsort(column, kind="stable")
        known = any(np.array_equal(order, one) or np.array_equal(order[::-1], one) for one in found)
        if not known and np.ptp(column) > 0.0:
            found.append(order)
    return found[:ORDERS]


def _bounds(gaps: Floats, noise: float) -> list[int]:
    """Where curves with these gaps (n,) may change places: both ends, and the places where they are nearest, one for each approach."""
    inner = (gaps <= np.append(gaps[1:], np.inf)) & (gaps <= np.append(np.inf, gaps[:-1])) & (gaps < NEAR * noise)
    places = np.flatnonzero(inner)
    places = places[np.argsort(gaps[places], kind="stable")][:PLACES]
    return sorted({0, *(int(one) for one in places), *(int(one) + 1 for one in places[:1]), len(gaps)})
