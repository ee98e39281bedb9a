r"""Whether another solution explains the sets as well as the best one.

A solution is compared at the maximum of its own likelihood, over parameters and over a noise variance for each system (`unequal_noise`): at
one common variance, a system that is noisier than the others makes wrong solutions look as good as the right one. For two solutions A (the
best) and B let :math:`d_k` be the difference of their log densities of set k, at most `STEP` in size, so that no set decides alone. If B
were the truth, :math:`P(\sum d_k \ge t) \le e^{-t}` about, by Markov's inequality for the likelihood ratio, and, whatever the law of the
noise, :math:`\sum d_k / \sqrt{\sum d_k^2}` would exceed z no more often than a normal variable, about, as long as B has the higher expected
log density (Vuong's test of two models neither of which is part of the other). B is excluded when both tests do so. What is not
excluded is a rival, if it is a solution of its own and not another place on the same hill: the likelihood falls between the two, and
they are farther apart than three standard errors :math:`\\sqrt{D/n}` of a curve that is fitted with labels.

Where variances of their own make another solution the best one, its parameters are those of their maximum. Else they are those at the common
variance: noise of another law, a skewed or a heavy-tailed one, is imitated by curves of different variances near one another, so that a
maximum over variances may lie far off.
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.matching import match_rows
from vieta.search.ascent import climb
from vieta.search.moves import DIFFERENT
from vieta.search.own_noise_moves import improved_with_own_noise
from vieta.search.problem import Problem, distance, expect, some_of
from vieta.search.unequal_noise import OwnNoise, climb_with_own_noise, step_with_own_noise

STEP = 4.0  # log-likelihood of a set
EXCLUDED = 5.0  # sum that excludes: one in 150
SURE = 2.0  # normal quantile that excludes: one in 44
MOST = 6  # solutions that are looked at
MOST_SYSTEMS = 10  # beyond, sums over assignments are slow, and solutions are compared at one common variance
UNEQUAL = 3.0  # log-likelihood that variances of their own must gain, and one for each system
WORK = 2e6  # operations that such sums may take, roughly
ERRORS = 3.0  # standard errors of a curve that is fitted with labels, within which two solutions are one answer
BETWEEN = (0.25, 0.5, 0.75)  # places on the way
NEAR = 0.01  # log-likelihood of an iteration, at which climbs that are to be compared end
VALLEY = 0.5  # log-likelihood by which it falls there


class Rival(NamedTuple):
    """Another solution (L, D), and the log-likelihood that the best one has more."""

    theta: Floats
    behind: float


class Compared(NamedTuple):
    """The best (L, D) of some solutions, those that are not excluded, the nearest first, and the highest maximum where variances of their own
    matter.
    """

    theta: Floats
    rivals: list[Rival]
    own: OwnNoise | None


def rivals(given: Problem, best: Floats, others: list[Floats]) -> Compared:
    """The best of some solutions (L, D) on these sets, and those that are not excluded."""
    used, reached = _maxima(given, [best, *others[:MOST]])
    first = reached[0][1]
    start = climb(given, _nearest(given, reached, first)).theta
    common = max((theta for theta, _ in reached), key=lambda theta: float(expect(given, theta).logs.sum()))
    found = [
        Rival(theta, first.likelihood - one.likelihood)
        for theta, one in reached[1:]
        if not is_excluded(first.logs, one.logs) and _is_apart(used, first, one)
    ]
    theta = first.theta if distance(given, start, common) > DIFFERENT else start
    return Compared(theta, found, None if (first.variances == 1.0).all() else first)


def leaves_own_maximum(given: Problem, own: OwnNoise, theta: Floats) -> bool:
    """Whether parameters (L, D) are on another hill than the highest maximum over variances: a climb leaves them, or ends lower."""
    some = some_of(given, len(own.logs))
    there = climb_with_own_noise(some, theta)
    return bool(there.likelihood < own.likelihood - VALLEY or distance(some, there.theta, theta) > DIFFERENT)


def _nearest(given: Problem, reached: list[tuple[Floats, OwnNoise]], first: OwnNoise) -> Floats:
    """The parameters at the common variance nearest to the highest maximum, of those that lead to it.

    Several solutions may lead there, and which of them ends higher by rounding says nothing; at the common variance a wrong one may be as
    high as the right one.
    """
    same = [theta for theta, one in reached if distance(given, one.theta, first.theta) <= DIFFERENT]
    return min(same, key=lambda theta: distance(given, theta, first.theta))


def _maxima(given: Problem, solutions: list[Floats]) -> tuple[Problem, list[tuple[Floats, OwnNoise]]]:
    """The likelihood's maxima near solutions, the highest first: parameters at the common noise variance, and the maximum itself, over
    variances as well if the sets say that these are not equal; and the sets that they are of.
    """
    equal = [_at_common_noise(given, theta) for theta in solutions]
    thetas = [one.theta for one in equal]
    if given.n_systems > MOST_SYSTEMS:
        return given, _ranked(thetas, equal)
    some = some_of(given, int(WORK / (given.n_systems << given.n_systems)))
    own = [climb_with_own_noise(some, theta) for theta in thetas]
    gained = max(one.likelihood for one in own) - max(float(expect(some, theta).logs.sum()) for theta in thetas)
    if gained <= UNEQUAL + given.n_systems:
        return given, _ranked(thetas, equal)
    ranked = _ranked(thetas, own)
    best = improved_with_own_noise(some, ranked[0][1])
    return some, ranked if best is ranked[0][1] else [(_at_common_noise(given, best.theta).theta, best), *ranked]


def _ranked(thetas: list[Floats], maxima: list[OwnNoise]) -> list[tuple[Floats, OwnNoise]]:
    """The highest first."""
    return sorted(zip(thetas, maxima, strict=True), key=lambda one: -one[1].likelihood)


def _at_common_noise(given: Problem, theta: Floats) -> OwnNoise:
    there = climb(given, theta, gain=NEAR).theta
    logs = expect(given, there).logs
    return OwnNoise(float(logs.sum()), there, np.ones(len(theta)), logs)


def is_excluded(logs: Floats, others: Floats) -> bool:
    """Whether sets with log densities (n,) under the best solution, and under another one, exclude the latter."""
    d = np.clip(logs - others, -STEP, STEP)
    return bool(d.sum() > EXCLUDED and d.sum() > SURE * np.sqrt((d**2).sum()))


def _is_apart(given: Problem, first: OwnNoise, other: OwnNoise) -> bool:
    """Whether two solutions differ, by more than errors with labels would make them, and the likelihood falls on the way between them."""
    (n, _, p), D = given.sets.shape, given.psi.shape[2]
    if distance(given, first.theta, other.theta) <= max(DIFFERENT, ERRORS * np.sqrt(D / (n * p))):
        return False
    order = match_rows(first.theta @ given.root.T, other.theta @ given.root.T, unit=1.0)
    theta, variances = first.theta[order], first.variances[order]
    between = (
        _likelihood(given, theta + t * (other.theta - theta), variances * (other.variances / variances) ** t)
        for t in BETWEEN
    )
    return bool(min(between) < other.likelihood - VALLEY)


def _likelihood(given: Problem, theta: Floats, variances: Floats) -> float:
    if given.n_systems <= MOST_SYSTEMS:
        return float(step_with_own_noise(given, theta, variances).logs.sum())
    return float(expect(given, theta).logs.sum())
