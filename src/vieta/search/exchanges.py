"""Moves of curves that touch: two systems change places from one place where they are near to another.

Alternating assignment does not get there by itself: every reading between the two places would have to change its system at once. Sets are
taken in the order of time, in that of a season, and in that of each input.
"""

from itertools import combinations

import numpy as np

from vieta.arrays import Floats, Integers
from vieta.search.problem import Assigned, Problem, alternate, alternate_each

NEAR = 12.0  # noise standard deviations between curves that touch, if only between two sets
PLACES, ORDERS = 6, 4  # at which two curves change places, and orders of the sets, at the most
MOST_PAIRS = 40  # of systems, the nearest first
MANY = 10  # systems, beyond which exchanges are tried on two of them first, and so many are then tried on all:
FOLLOWED, FIRST_FOLLOWED = 400, 80  # at the end, and where they tell the best exchange
ITERATIONS, PROBED = 60, 3  # of alternation, and of that which tells the best exchange
MOST_EXCHANGES = 30  # one after another
BETTER = 1e-9  # relative
DECIMALS = 9  # of an input over its largest, that count


def exchanges(
    given: Problem, now: Assigned, noise: float, iterations: int = ITERATIONS, most: int = FOLLOWED
) -> list[Assigned]:
    """Where alternation gets to after exchanges of two systems between places where they touch; `noise` is a standard deviation.

    Of many systems, alternation of the two among their own readings tells which exchanges, `most` of them, are worth that of all.
    """
    orders, pairs = _orders(given), _nearest_pairs(given, now.theta)
    parts = [(pair, _starts(given, now, pair, orders, noise)) for pair in pairs]
    starts = [
        _most_promising(given, now, parts, iterations, most)
        if given.n_systems > MANY
        else np.concatenate([_replaced(now.theta, pair, own) for pair, own in parts] or [np.zeros(0)])
    ]
    return alternate_each(given, starts[0], iterations) if len(starts[0]) else []


def _most_promising(
    given: Problem, now: Assigned, parts: list[tuple[tuple[int, int], Floats]], iterations: int, most: int
) -> Floats:
    """(count, L, D) the parameters after the exchanges that leave the smallest sums of squares, each different one once; and after all
    of these exchanges of different systems that make the sum smaller, at once.
    """
    residuals, found = now.readings - given.means(now.theta), []
    for pair, own in parts:
        if len(own):
            cost = float((residuals[:, pair] ** 2).sum())
            ends = alternate_each(given.of(now.readings[:, pair]), own, iterations)
            gains = np.round((np.array([one.cost for one in ends]) - cost) / now.cost, DECIMALS)
            values, first = np.unique(gains, return_index=True)
            found += [(float(gain), pair, ends[at].theta) for gain, at in zip(values[:most], first, strict=False)]
    found = sorted(found, key=lambda one: one[0])[:most]
    together, moved = now.theta.copy(), set[int]()
    for gain, pair, own in found:
        if gain < -BETTER and not moved.intersection(pair):
            together[list(pair)] = own
            moved.update(pair)
    each = [_replaced(now.theta, pair, own[None]) for _, pair, own in found]
    return np.concatenate([together[None], *each] if len(moved) > 2 else each or [np.zeros(0)])


def _replaced(theta: Floats, pair: tuple[int, int], own: Floats) -> Floats:
    """(count, L, D) parameters with those of two systems replaced by (count, 2, D)."""
    found = np.repeat(theta[None], len(own), axis=0)
    found[:, list(pair)] = own
    return found


def improved(given: Problem, now: Assigned) -> Assigned:
    """The best that exchanges lead to, one after another; the noise is what is left over."""
    n, L, _ = given.sets.shape
    for _ in range(MOST_EXCHANGES):
        noise = np.sqrt(now.cost / (n * L))
        first = min(exchanges(given, now, noise, PROBED, FIRST_FOLLOWED), key=lambda one: one.cost, default=now)
        best = alternate(given, first.theta)
        if best.cost >= (1.0 - BETTER) * now.cost:
            break
        now = best
    return now


def _nearest_pairs(given: Problem, theta: Floats) -> list[tuple[int, int]]:
    means = given.means(theta)[:, :, 0]
    pairs = combinations(range(given.n_systems), 2)
    return sorted(pairs, key=lambda pair: float(abs(means[:, pair[0]] - means[:, pair[1]]).min()))[:MOST_PAIRS]


def _starts(given: Problem, now: Assigned, pair: tuple[int, int], orders: list[Integers], noise: float) -> Floats:
    """(count, 2, D) parameters of two systems after each exchange: regression is linear, so that stretches of sets add up."""
    a, b = pair
    inverse, readings = given.inverse[:, :, 0], now.readings[:, :, 0]
    means = given.means(now.theta[[a, b]])[:, :, 0]
    gaps, apart = abs(means[:, 0] - means[:, 1]), readings[:, b] - readings[:, a]
    moves = []
    for order in orders:
        gained = np.cumsum(inverse[:, order] * apart[order], axis=1)
        upto = np.concatenate([np.zeros((len(inverse), 1)), gained], axis=1)
        bounds = combinations(_bounds(gaps[order], noise), 2)
        moves += [upto[:, last] - upto[:, first] for first, last in bounds if last - first < len(order)]
    change = np.array(moves).reshape(len(moves), given.psi.shape[2])
    return np.asarray(now.theta[[a, b]] + np.stack([change, -change], axis=1))


def _orders(given: Problem) -> list[Integers]:
    """That of time, that of the inputs' first appearance, which is that of a season where inputs repeat, and those by inputs that vary."""
    rows = given.psi[:, 0]
    first, group = different_rows(rows)
    varying = rows[:, np.ptp(rows, axis=0) > 0.0]
    found: list[Integers] = []
    for values in (np.arange(len(rows)), first[group], *varying.T):
        order = np.argsort(values, kind="stable")
        if not any(np.array_equal(order, one) or np.array_equal(order[::-1], one) for one in found):
            found.append(order)
    return found[:ORDERS]


def different_rows(rows: Floats) -> tuple[Integers, Integers]:
    """(R,) where each different row of (n, D) stands first, and (n,) which of these each row is; rounding makes no difference.

    >>> different_rows(np.array([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0 + 1e-15]]))
    (array([0, 1]), array([0, 1, 0]))
    """
    size = abs(rows).max(axis=0, initial=0.0)
    rounded = np.round(rows / np.where(size > 0.0, size, 1.0), DECIMALS) + 0.0
    _, first, group = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
    return first, group.ravel()


def _bounds(gaps: Floats, noise: float) -> list[int]:
    """Where curves with these gaps (n,) may change places: both ends, and the places where they are nearest, one for each approach."""
    inner = (gaps <= np.append(gaps[1:], np.inf)) & (gaps <= np.append(np.inf, gaps[:-1])) & (gaps < NEAR * noise)
    places = np.flatnonzero(inner)
    places = places[np.argsort(gaps[places], kind="stable")][:PLACES]
    return sorted({0, *(int(one) for one in places), *(int(one) + 1 for one in places[:1]), len(gaps)})
