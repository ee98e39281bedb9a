r"""How large the systems' own noise is where they share a shock, from some of the sets: EM under Gaussian noise.

With noise covariance :math:`\sigma^2 I + g\,11'`, whose inverse is :math:`\sigma^{-2} (I - k\,11')`, a permutation of the readings has the
same weight as without the shock: g enters through the sum of the readings alone, which no permutation changes. So do the regressions of the
M-step stay as they are, all systems having the same inputs. What differs is the variance,

.. math:: \sigma^2 = \frac{1}{(L-1) n} \sum_k E\Bigl[\sum_l (y_l - m_l)^2 \Bigm| \text{set } k\Bigr] - L\,(\bar y - \bar m)^2 ,

and the log-likelihood of the differences within sets, :math:`\sum_k \log p_k + \tfrac{L}{2\sigma^2} (\bar y - \bar m)^2 - \tfrac{L-1}{2}
\log\sigma^2`. Where a shock is large, the variance of the sums is a poor guide, and a search at that variance may end anywhere. So the search
is repeated at smaller ones while that raises the likelihood.
"""

from typing import NamedTuple

import numpy as np

from vieta.arrays import Floats
from vieta.search.global_search import affordable_sets, search
from vieta.search.problem import Problem, expect, problem, regressed
from vieta.sets import Data
from vieta.sums import in_memory
from vieta.weighted.decorrelation import decorrelate, removed_share, rows_of
from vieta.weighted.sum_regression import SumRegression

ITERATIONS = 300
GAIN = 1e-3  # log-likelihood of an iteration, below which EM ends
SMALLER = 0.3  # of the variance, at which is searched next
BETTER = 3.0  # log-likelihood that another search must gain
ROUNDS, MANY = 2, 7  # of a search; one if there are more systems than so many
MOST = 4  # searches
SEARCHED = 800  # sets in which is searched


class Within(NamedTuple):
    """Log-likelihood of the differences within sets, parameters (L, D), and the variance of the systems' own noise."""

    likelihood: float
    theta: Floats
    variance: float


def within_variance(sample: Data, regression: SumRegression, theta: Floats) -> Within:
    """The best of EM from parameters (L, D), and of EM after searches at smaller and smaller variances."""
    unit = float(regression.noise[0, 0])
    given = problem(sample.sets, rows_of(sample)[:, None, :], regression.noise)
    some = in_memory(sample).spread(min(SEARCHED, affordable_sets(sample.n_systems)), len(sample))
    best = _scaled(maximized(given, theta, 1.0), unit)
    variance, rounds = min(best.variance, unit), ROUNDS if sample.n_systems <= MANY else 1
    for _ in range(MOST):
        share = removed_share(variance, regression)
        sets = decorrelate(some, regression, share)[:, :, None]
        found = search(problem(sets, rows_of(some)[:, None, :], np.array([[variance]])), np.inf, rounds)
        other = _scaled(maximized(given, found.best.theta, variance / unit), unit)
        if other.likelihood > best.likelihood + BETTER:
            best, variance = other, min(other.variance, variance)
        elif variance < best.variance:  # smaller ones were tried, and did not help
            break
        variance *= SMALLER
    return best


def better_start(sample: Data, regression: SumRegression, best: Within, theta: Floats) -> Within:
    """The better of what was found and of EM from other parameters."""
    unit = float(regression.noise[0, 0])
    given = problem(sample.sets, rows_of(sample)[:, None, :], regression.noise)
    other = _scaled(maximized(given, theta, best.variance / unit), unit)
    return other if other.likelihood > best.likelihood else best


def maximized(given: Problem, theta: Floats, variance: float) -> Within:
    """EM from parameters and a variance, in units of the problem."""
    readings = given.sets
    n, L, _ = readings.shape
    squares, before = float((readings**2).sum()), -np.inf
    for _ in range(ITERATIONS):
        now, means = expect(given, theta, variance), given.means(theta)
        shared = _shared(readings, means)
        likelihood = _differences(float(now.logs.sum()), shared, variance, n, L)
        if likelihood - before < GAIN:
            break
        before = likelihood
        apart = squares - 2.0 * float((means * now.readings).sum()) + float((means**2).sum()) - shared
        theta, variance = regressed(given, now.readings), max(apart / (n * (L - 1)), 1e-12 * variance)
    return Within(likelihood, theta, variance)


def within_likelihood(given: Problem, theta: Floats, variance: float = 1.0) -> float:
    """The log-likelihood of the differences within sets, at parameters and a variance in units of the problem."""
    n, L, _ = given.sets.shape
    total = float(expect(given, theta, variance).logs.sum())
    return _differences(total, _shared(given.sets, given.means(theta)), variance, n, L)


def _shared(readings: Floats, means: Floats) -> float:
    """The sum of squares of what the readings of a set have in common, at means (n, L, 1)."""
    return float(((readings.mean(axis=1) - means.mean(axis=1)) ** 2).sum() * readings.shape[1])


def _differences(total: float, shared: float, variance: float, n_sets: int, n_systems: int) -> float:
    """The log-likelihood of the differences, from that of the sets, `total`."""
    return total + 0.5 * shared / variance - 0.5 * n_sets * (n_systems - 1) * float(np.log(variance))


def _scaled(found: Within, unit: float) -> Within:
    """With the variance in units of the readings."""
    return found._replace(variance=found.variance * unit)
